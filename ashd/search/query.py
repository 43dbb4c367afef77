"""From a question to what the legs look for: terms, names, grams, time, text to embed.

Pure functions of text. Nothing that a question holds ever reaches the full-text engine as syntax:
every term is quoted, so the worst a question can do is to find nothing.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ashd.search import times
from ashd.search.times import TimeRange

MAX_TERMS: Final = 32
"""More words than this say nothing new and cost time; the rarest would do, the first are taken."""
_FREQUENT_SHARE: Final = 0.15
"""A term in more than this share of the index is left out while a rarer one is there."""

STOP_WORDS: Final = frozenset(
    """
    a about after all also am an and any are aren't as at be because been before being between both but by
    can can't could couldn't did didn't do does doesn't doing don't done during each either else ever every
    for from get gets getting go goes going got had hadn't has hasn't have haven't having he her here hers
    herself him himself his how i i'd i'll i'm i've if in into is isn't it it's its itself just kind like
    likely make me might more most much must my myself no nor not now of off often on one only or other our
    ours out over own please recent recently s same say says she should so some such t tell than that that's
    the their theirs them themselves then there these they this those through to too type under until up us
    very was wasn't we were weren't what what's when where where's whether which while who who's whom whose
    why will with won't would wouldn't you you'd you'll you're you've your yours yourself many
    """.split()
)
"""Function words of English questions. Those of other languages go by document frequency."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’_.@+\-/:#][^\W_]+)*", re.UNICODE)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|me|my|mine|myself|i'm|i've|i'd)\b", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"^\W*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had|can"
    r"|could|will|would|should)\b",
    re.IGNORECASE,
)
_IDENTIFIER: Final = re.compile(r"[_@\d]|[a-z][A-Z]|\w\.\w")


@dataclass(frozen=True, slots=True)
class Query:
    """What a question asks for, ready for every leg."""

    text: str
    terms: tuple[str, ...]
    """Content words and identifiers, folded, in order, each once; names of speakers left out."""
    grams: tuple[str, ...]
    """Phrases of the index's ``grams`` column: text without spaces, long words, emoji."""
    names: tuple[str, ...]
    """Of the known people, those that are named."""
    speakers: tuple[str, ...]
    """Of the speakers, those that are named."""
    embed_text: str
    """What is embedded: speakers' names rewritten to I and my, as they speak of themselves."""
    asks_when: bool
    is_question: bool
    first_person: bool
    time: TimeRange | None


def analyse(
    text: str,
    *,
    names: Sequence[str] = (),
    speaker_names: Sequence[str] = (),
    now: dt.datetime,
    zone: dt.tzinfo = dt.UTC,
) -> Query:
    """Take a question apart.

    ``names`` are people known in the scope: found ones stay among the terms. ``speaker_names`` are
    those who speak in the turns searched: found ones leave the terms, since every turn is by one of
    them, and become I and my in what is embedded. ``now`` must be aware.
    """
    text = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    speakers = _found(text, speaker_names)
    spoken = {part for name in speakers for part in fold(name).split()}
    words = [word for word in _words(text) if word not in spoken]
    terms = [word for word in words if word not in STOP_WORDS] or words
    return Query(
        text=text,
        terms=tuple(dict.fromkeys(terms))[:MAX_TERMS],
        grams=tuple(dict.fromkeys(_query_grams(text)))[:MAX_TERMS],
        names=_found(text, names),
        speakers=speakers,
        embed_text=_as_first_person(text, speakers),
        asks_when=times.asks_when(text),
        is_question=text.endswith(("?", "？", "؟")) or _ASKS.match(text) is not None,
        first_person=_FIRST_PERSON.search(text) is not None,
        time=times.range_of(text, now=now, zone=zone),
    )


def match_expression(
    query: Query, *, scopes: Sequence[str], frequent: Callable[[str], float]
) -> str | None:
    """The FTS5 expression for a question within scopes; None where there is nothing to look for.

    ``scopes`` are tokens of the index's ``scope`` column, letters and digits only.
    ``frequent`` gives the share of documents that hold a term (0–1). Terms above a limit are left
    out, the rarest always stays.
    """
    if not scopes or not all(scope.isascii() and scope.isalnum() for scope in scopes):
        return None
    terms = kept_terms(query.terms, frequent)
    sides = []
    if terms:
        sides.append(f"{{{' '.join(WORD_COLUMNS)}}} : ({_any(terms)})")
    if query.grams:
        sides.append(f"grams : ({_any(query.grams)})")
    if not sides:
        return None
    return f"scope : ({_any(scopes)}) AND ({' OR '.join(sides)})"


WORD_COLUMNS: Final = ("body", "previous", "next", "around", "names", "dates")
"""The columns of the full-text index that hold words (``scope`` and ``grams`` have their own)."""


def kept_terms(terms: Sequence[str], frequent: Callable[[str], float]) -> list[str]:
    """The terms worth searching: not those that are everywhere, but never none."""
    shares = {term: frequent(term) for term in terms}
    kept = [term for term in terms if shares[term] <= _FREQUENT_SHARE]
    return kept or sorted(terms, key=shares.__getitem__)[:1]


def _any(terms: Iterable[str]) -> str:
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


def fold(text: str) -> str:
    """Lower case without accents, as the index folds words."""
    bare = unicodedata.normalize("NFD", text.casefold())
    return "".join(char for char in bare if not unicodedata.combining(char))


def _words(text: str) -> list[str]:
    """The words of a text, folded; an identifier stays whole, its parts are looked for as a phrase."""
    words = []
    for match in _WORD.finditer(text):
        word = match.group(0)
        if _is_unsplit(word):
            continue
        if _IDENTIFIER.search(word):
            words.append(fold(word))
            continue
        folded = fold(word)
        if folded in STOP_WORDS:
            words.append(folded)
            continue
        words += [part for part in re.split(r"[\W_]+", re.sub(r"'s?$|'s\b", "", folded)) if part]
    return words


def _found(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that stand in the text as whole words, or by their first word ("Sarah" Jane)."""
    plain = fold(text)
    found = []
    for name in dict.fromkeys(names):
        folded = fold(name)
        first = folded.split()[0] if folded.split() else ""
        if first and any(
            re.search(rf"(?<!\w){re.escape(form)}(?!\w)", plain) for form in (folded, first)
        ):
            found.append(name)
    return tuple(found)


def _as_first_person(text: str, speakers: Sequence[str]) -> str:
    for name in speakers:
        for form in (name, name.split()[0]):
            word = re.escape(form)
            text = re.sub(rf"(?<!\w){word}'s(?!\w)", "my", text, flags=re.IGNORECASE)
            text = re.sub(rf"(?<!\w){word}(?!\w)", "I", text, flags=re.IGNORECASE)
    return text


# --- text that words do not serve: no spaces, compounds, emoji -------------------------------

_UNSPLIT: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Scripts that write without spaces, and Hangul, whose particles cling to the word."""
_LONG: Final = 8
"""Words from this length on are indexed by their parts too: compounds, and Arabic's prefixes."""


def _is_unsplit(word: str) -> bool:
    return _UNSPLIT.search(word) is not None


def index_grams(text: str) -> str:
    """What the index's ``grams`` column holds for a text: bigrams, trigrams, emoji as words."""
    text = unicodedata.normalize("NFKC", text)
    parts = [" ".join(_ngrams(run, 2)) for run in _UNSPLIT.findall(text)]
    for word in dict.fromkeys(_plain_words(text)):
        if _has_parts(word):
            parts.append(" ".join(_ngrams(word, 3)))
    parts += [_emoji_token(char) for char in text if _is_emoji(char)]
    return " . ".join(parts)


def _query_grams(text: str) -> list[str]:
    grams = [
        " ".join(_ngrams(run, 2)[i : i + 1])
        for run in _UNSPLIT.findall(text)
        for i in range(max(1, len(run) - 1))
    ]
    grams += [
        " ".join(_ngrams(word, 3))
        for word in _plain_words(text)
        if len(word) >= 4 and not word.isascii() or len(word) >= 6 and word not in STOP_WORDS
    ]
    return grams + [_emoji_token(char) for char in text if _is_emoji(char)]


def _plain_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", fold(text)) if not _is_unsplit(word)]


def _has_parts(word: str) -> bool:
    return len(word) >= _LONG or (len(word) >= 4 and not word.isascii())


def _ngrams(run: str, size: int) -> list[str]:
    return [run[i : i + size] for i in range(max(1, len(run) - size + 1))]


def _is_emoji(char: str) -> bool:
    return unicodedata.category(char) == "So"


def _emoji_token(char: str) -> str:
    return f"u{ord(char):x}"
