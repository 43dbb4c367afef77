"""Analysis of a question for the legs: terms, names, time, text to embed.

Pure functions of text. Nothing that a question holds ever reaches the full-text engine as syntax:
every term is quoted, so the worst a question can do is to find nothing.
"""

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ashd.language import dates as times
from ashd.language import detection, foreign_dates, hyponyms, ngrams, unspaced_questions
from ashd.language.dates import TimeRange
from ashd.language.folding import fold, fold_for_tables
from ashd.language.word_patterns import QUERY_WORD

MAX_TERMS: Final = 32
"""More words than this say nothing new and cost time; the first are taken."""
FEW: Final = 3
"""A term that fewer rows hold is looked for more widely."""
_SHORTEST_STEM: Final = 4
_STEM_SHARE: Final = 0.6
"""How much of a word of another language than English is taken for its stem."""
_THING_WORTH: Final = 0.5
"""What a thing of a kind that the question names is worth, beside a word of the question."""

_STOP_WORDS_TEXT: Final = """
    a about all also am an and any are aren't as at be because been being both but by can can't
    could couldn't did didn't do does doesn't doing don't done each either else ever every for from
    get gets getting go goes going got had hadn't has hasn't have haven't having he her here hers
    herself him himself his how i i'd i'll i'm i've if in into is isn't it it's its itself just kind
    like likely many me might more most much must my myself no nor not now of often on one only or
    other our ours own please recent recently s same say says she should so some such t tell than
    that that's the their theirs them themselves then there these they this those through to too
    type until us very was wasn't we were weren't what what's when where where's whether which while
    who who's whom whose why will with won't would wouldn't you you'd you'll you're you've your
    yours yourself
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS_TEXT.split())
"""Function words of English questions; those of other languages are in `language.detection`."""

_APOSTROPHE: Final = "\N{RIGHT SINGLE QUOTATION MARK}"
_CAPITALISED: Final = re.compile(r"\b[A-Z][a-z]{2,}\b")
_IDENTIFIER: Final = re.compile(r"[_@#\d/:]|\w\.\w")
_QUANTITY: Final = re.compile(r"\d{1,2}[a-z]{0,2}|\d+(?:st|nd|rd|th|s)")
"""Small numbers, and those with a unit or an ending: they count and name nothing."""
_SEAM: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_DAY: Final = re.compile(r"\d{1,2}")
_ASKER: Final = re.compile(
    r"\b(?:i|me|my|mine|myself|i'm|i've|i'd|(?:the )?user(?:'s)?)\b", re.IGNORECASE
)
_ASSISTANT: Final = re.compile(
    r"\b(?:you|your|yours|you've|you'd|(?:the )?assistant(?:'s)?)\b", re.IGNORECASE
)
_LIKING: Final = re.compile(
    r"(?:\A(?!\W*how\b).*?\b(?:do|does|did)(?:n't)?\b[^?.,]{0,80}(?<!feel)(?<!look)(?<!sound) like"
    r"|\blikes)\b(?! to\b| \w+ing\b)",
    re.IGNORECASE | re.DOTALL,
)
"""A question for what somebody likes: there "like" is no small word; "how" asks for the manner."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """One thing to look for in the full-text index, as FTS5 expressions without the scope."""

    expression: str
    wider: str | None = None
    """To be looked for as well where fewer than `FEW` rows hold the first."""
    rivals: str | None = None
    """For an identifier, what finds others like it: where no row holds it, they do not answer."""
    numbered: bool = False
    """It is an identifier with a number: where a row holds it, others like it do not answer."""
    worth: float = 1.0
    concept: int = 0
    """Lookups of one number look for the same thing; both as `lexical.bm25` takes them."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, prepared for every leg."""

    text: str
    terms: tuple[str, ...]
    """Content words and identifiers, folded, in order, each once; names of speakers left out."""
    lookups: tuple[Lookup, ...]
    """The expressions for the word leg."""
    names: tuple[str, ...]
    """The known people that are named."""
    speakers: tuple[str, ...]
    """The speakers that are named, or meant by I or you."""
    embed_text: str
    """What is embedded: speakers' names rewritten to I and my, as they speak of themselves."""
    asks_when: bool
    says_something: bool
    """It has other words than function words."""
    latin: bool
    """Most of its letters are Latin; else the embedded embedders' vectors say nothing of it."""
    languages: tuple[str, ...]
    """Those other than English that it may be in; empty for English, and where nothing tells."""
    time: TimeRange | None


def analyse(
    text: str,
    *,
    names: Sequence[str] = (),
    speaker_names: Sequence[str] = (),
    asker: str | None = None,
    assistant: str | None = None,
    facts: bool = False,
    now: dt.datetime,
    zone: dt.tzinfo = dt.UTC,
) -> Query:
    """Take a question apart.

    ``names`` are people known in the scope: found ones stay among the terms. ``speaker_names`` are
    those who speak in the turns searched: found ones leave the terms, since every turn is by one of
    them, and become I and my in what is embedded. ``asker`` and ``assistant`` are the speakers
    whom I and you mean, where no speaker is named. ``facts`` says that memories are searched, which
    say "likes" of what somebody likes and not, as talk does, of anything. ``now`` must be aware.
    """
    text = unicodedata.normalize("NFKC", text).replace(_APOSTROPHE, "'").strip()
    text = _without_short_names(text, speaker_names)
    named = _found(text, speaker_names)
    named_words = {part for name in named for part in fold(name).split()}
    words = [word for word in _words(text) if word not in named_words]
    spoken = detection.spoken(text)
    liking = facts and _LIKING.search(text) is not None
    telling = [
        word
        for word in words
        if not _is_function_word(word, spoken) or (liking and word in ("like", "likes"))
    ]
    terms = list(dict.fromkeys(telling or words))
    time = times.range_of(text, now=now, zone=zone)
    return Query(
        text=text,
        terms=tuple(terms[:MAX_TERMS]),
        lookups=tuple(
            _lookups(text, terms[:MAX_TERMS], spoken, names_time=time is not None, facts=facts)
        ),
        names=_found(text, names),
        speakers=named or _meant(text, asker, assistant),
        embed_text=to_speakers(text, named),
        asks_when=times.asks_when(text),
        says_something=bool(telling or ngrams.query_phrases(text)),
        latin=_is_latin(text),
        languages=spoken,
        time=time,
    )


def count_words(text: str) -> int:
    """Return the number of words or identifiers in a text, at least 1."""
    return max(len(QUERY_WORD.findall(text)), 1)


def by_word(text: str) -> list[str]:
    """Expressions for the rows that hold each content word or gram of a text."""
    words = dict.fromkeys(word for word in _words(text) if word not in STOP_WORDS)
    ways = [_in_words([word]) for word in words]
    ways += [f"grams : {phrase}" for phrase in ngrams.query_phrases(text)]
    return ways[:MAX_TERMS]


def within(expression: str, scopes: Sequence[str]) -> str:
    """An expression narrowed to rows whose ``scope`` column holds one of these tokens.

    Raises ValueError for a token that is not of letters and digits alone.
    """
    if not scopes or not all(scope.isascii() and scope.isalnum() for scope in scopes):
        raise ValueError("scope tokens have ASCII letters and digits only")
    return f"scope : ({_any(scopes)}) AND ({expression})"


def _is_function_word(word: str, spoken: Sequence[str]) -> bool:
    return word in STOP_WORDS or any(
        detection.is_function_word(fold_for_tables(word), language) for language in spoken
    )


def _lookups(
    text: str, terms: Sequence[str], spoken: Sequence[str], *, names_time: bool, facts: bool
) -> list[Lookup]:
    made = [
        # A day of the month is one beside a month only; "locker 20" is no date.
        Lookup(
            _in_words(_spellings(term), dates=names_time or not _DAY.fullmatch(term))
            + (_dated(term, spoken) if names_time else ""),
            _wider(term, spoken),
            _rivals(term) if not names_time or not term.isdecimal() else None,
            numbered=any(char.isdigit() for char in term),
            concept=at,
        )
        for at, term in enumerate(terms)
    ]
    phrases = ngrams.query_phrases(unspaced_questions.without_function_words(text, spoken))
    phrases = (phrases or ngrams.query_phrases(text))[:MAX_TERMS]
    made += [Lookup(f"grams : {gram}", concept=at) for at, gram in enumerate(phrases, len(terms))]
    # A memory is found by what it says; in talk, a thing of the kind asked for often answers.
    for concept, term in enumerate(() if facts else terms):
        things = [thing for thing in hyponyms.things(term) if thing not in terms]
        if things:
            made.append(Lookup(_in_words(things, dates=False), worth=_THING_WORTH, concept=concept))
    return made


def _is_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(fold(char).isascii() for char in letters) > len(letters)


def _in_words(words: Iterable[str], *, dates: bool = True) -> str:
    columns = "body names dates grams" if dates else "body names grams"
    return f"{{{columns}}} : ({_any(words)})"


def _dated(term: str, spoken: Sequence[str]) -> str:
    """Dates are stored in English words, so a month of another language is looked for as such."""
    names = {foreign_dates.date_word(language, term) for language in spoken}
    return "".join(f" OR dates : {name}" for name in names if name is not None)


def _wider(term: str, spoken: Sequence[str]) -> str | None:
    """Return an expression for a rare word inside longer ones or with other endings."""
    if not term.isalpha():
        return None
    ways = [f'grams : "{phrase}"' for phrase in ngrams.inside(term)]
    if spoken and len(term) >= _SHORTEST_STEM:
        # The index knows the endings of English alone.
        stem = term[: max(_SHORTEST_STEM, math.ceil(_STEM_SHARE * len(term)))]
        ways.append(f'{{body names}} : "{stem}" *')
    elif not term.isascii() and len(term) >= 5:
        ways.append(f'{{body names}} : "{term[:-1]}" *')
    return " OR ".join(ways) or None


def _spellings(term: str) -> list[str]:
    """A term, and for one of letters and digits how else it is written: "401k" as "401 (k)"."""
    if not _SEAM.search(re.sub(r"[\W_]", "", term)):
        return [term]
    return list(dict.fromkeys((term, _SEAM.sub(" ", term), re.sub(r"[\W_]", "", term))))


def _rivals(term: str) -> str | None:
    """Rows with any part of an identifier: `err_4011` is like `err_4012`."""
    if not _IDENTIFIER.search(term) or _QUANTITY.fullmatch(term):
        return None
    return _in_words(re.split(r"[\W_]+", term), dates=False)


def _any(terms: Iterable[str]) -> str:
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


def _words(text: str) -> list[str]:
    """The words of a text, folded; an identifier stays whole and is looked for as a phrase."""
    words: list[str] = []
    for match in QUERY_WORD.finditer(ngrams.without_unsplit(text)):
        word = fold(match.group())
        if word in STOP_WORDS or (_IDENTIFIER.search(word) and not word.endswith("'s")):
            words.append(word)
        else:
            bare = re.sub(r"'s?$|'s\b", "", word)
            words += [part for part in re.split(r"[\W_]+", bare) if part]
    return words


def _found(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the text as whole words, or by their first word ("Sarah" Jane)."""
    plain = fold(text)
    return tuple(
        name
        for name in dict.fromkeys(names)
        if any(re.search(rf"(?<!\w){re.escape(fold(form))}(?!\w)", plain) for form in _forms(name))
    )


def _without_short_names(text: str, speakers: Sequence[str]) -> str:
    """Short forms of one speaker's name ("Mel" of Melanie) put in full, where there is no doubt.

    The first word has a capital anyway, so it is left alone.
    """
    for short in set(_CAPITALISED.findall(text, 1)):
        if fold(short) in STOP_WORDS:
            continue
        longer = [name for name in speakers if fold(name).startswith(fold(short))]
        if len(longer) == 1 and short not in _forms(longer[0]):
            text = re.sub(rf"(?<!\w){short}(?!\w)", _forms(longer[0])[-1], text)
    return text


def _forms(name: str) -> list[str]:
    return list(dict.fromkeys(form for form in (name.strip(), *name.split()[:1]) if form))


def _meant(text: str, asker: str | None, assistant: str | None) -> tuple[str, ...]:
    """Return the speaker that "I" or "you" means; none if a question has both."""
    meant = [
        name
        for name, pattern in ((asker, _ASKER), (assistant, _ASSISTANT))
        if name is not None and pattern.search(text)
    ]
    return tuple(meant) if len(meant) == 1 else ()


def to_speakers(text: str, speakers: Sequence[str]) -> str:
    """A question as it is put to those whom it names: "Ben's dog" is "my dog" to Ben."""
    for name in speakers:
        for form in _forms(name):
            word = rf"(?<!\w){re.escape(form)}"
            text = re.sub(rf"{word}'s(?!\w)", "my", text, flags=re.IGNORECASE)
            text = re.sub(rf"{word}(?!\w)", "I", text, flags=re.IGNORECASE)
    return text
