"""Analysis of a question for the legs: terms, names, time, text to embed. Pure."""

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ashd import limits
from ashd.access.text_cleaning import clean
from ashd.clock import to_micros
from ashd.language import (
    detection,
    english_dates,
    foreign_dates,
    hyponyms,
    letter_spellings,
    ngrams,
    normal_forms,
    unspaced_questions,
)
from ashd.language.date_spans import WEEKDAYS
from ashd.language.english_dates import TimeRange
from ashd.language.folding import fold, fold_for_tables
from ashd.language.word_patterns import QUERY_WORD
from ashd.store.full_text_terms import Term, Where

MAX_TERMS: Final = 32
"""Words beyond this number add time but no meaning; the first are used."""
FEW: Final = 3
"""A term that fewer rows hold is looked for in wider forms."""
_SHORTEST_STEM: Final = 4
_STEM_SHARE: Final = 0.6
"""The share of a word of another language than English that is used as its stem."""
_THING_WORTH: Final = 0.5
"""The weight of a thing of a kind that the question names, relative to the question's words."""

_LOOSE_DATE_WORTH: Final = 0.3
"""The weight of a date without its year, relative to a whole one."""

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
_ANYTHING_TEXT: Final = """
    anything done event events everything happen happened happening happens list news nothing
    planned remember remind show something spend spent thing things up
"""
_ANYTHING: Final = STOP_WORDS | frozenset(_ANYTHING_TEXT.split())
"""Words that ask for whatever there is."""
_LOOKS_BACK: Final = frozenset({"did", "didn't", "done", "had", "happened", "was", "were"})

_APOSTROPHE: Final = "\N{RIGHT SINGLE QUOTATION MARK}"
_CAPITALISED: Final = re.compile(r"\b[A-Z][a-z]{2,}\b")
_IDENTIFIER: Final = re.compile(r"[_@#\d/:]|\w\.\w")
_QUANTITY: Final = re.compile(r"\d{1,2}[a-z]{0,2}|\d+(?:st|nd|rd|th|s)")
"""Small numbers, and those with a unit or an ending: they count things and identify nothing."""
_SEAM: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_DAY: Final = re.compile(r"\d{1,2}")
_POSSESSIVE: Final = re.compile(r"'s?$|'s\b")
_SIGNS: Final = re.compile(r"[\W_]+")
_ASKER: Final = re.compile(
    r"\b(?:i|me|my|mine|myself|i'm|i've|i'd|(?:the )?user(?:'s)?)\b", re.IGNORECASE
)
_OF_ASKER: Final = re.compile(
    r"\b(?:do|did|am|was|have|had)(?:n't)? i\b|^\W*my\b|\bwho(?:'s| is| are| was| were) my\b"
    r"|^(?!.*\b(?:who|whose|which)\b).*(?:'s|\b(?:is|are|was|were))\b.{0,60}\bmy\b",
    re.IGNORECASE,
)
"""A question for something about the asker, unlike "who else reads like I do?".

The words between are bounded, since a long text would be read once for each "is" in it.
"""
_ASSISTANT: Final = re.compile(
    r"\b(?:you|your|yours|you've|you'd|(?:the )?assistant(?:'s)?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Lookup:
    """One thing to look for in the full-text index: rows with any of the terms hold it."""

    terms: tuple[Term, ...]
    wider: tuple[Term, ...] = ()
    """More terms to look for if fewer than `FEW` rows hold the first ones."""
    rivals: tuple[Term, ...] = ()
    """The parts of an identifier: rows with one do not answer if no row has the identifier."""
    numbered: bool = False
    """Whether it is an identifier with a number: rows with a part of it alone never answer."""
    worth: float = 1.0
    concept: int = 0
    """The concept's number; lookups with one number look for the same thing (`lexical.bm25`)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, prepared for every leg."""

    text: str
    """The question; for memories `without_time`."""
    terms: tuple[str, ...]
    """Content words and identifiers, folded, in order, each once; names of speakers left out."""
    lookups: tuple[Lookup, ...]
    """The lookups of the word leg."""
    names: tuple[str, ...]
    """The known people that are named."""
    speakers: tuple[str, ...]
    """The speakers that are named, or that I or you means."""
    embed_text: str
    """The text to embed: speakers' names become I and my, as they speak of themselves."""
    asks_when: bool
    of_asker: bool
    """Whether it is about the asker: "where do I live"."""
    says_something: bool
    """Whether it has other words than function words."""
    latin: bool
    """Whether most letters are Latin; otherwise the embedded embedders know nothing of it."""
    dates: tuple[Lookup, ...]
    """The lookups of texts that name the day asked for; rows without it lose nothing by them."""
    weekdays: frozenset[str]
    """The days of the week that it names."""
    languages: tuple[str, ...]
    """The languages other than English that it may be in; empty for English or if unknown."""
    time: TimeRange | None
    time_alone: bool
    """Whether it asks for nothing but what there is at its time: "anything on 4 May?"."""
    looks_back: bool
    """Whether its time, up to now, is that of what was told: "what did I do this week"."""


def asked(text: str) -> str:
    """Return a question as it is searched for: clean, and bounded as it is read.

    Its first `limits.QUERY_CHARS` count if it is longer with its compatibility characters written
    out; no such question is one that a person asks.
    """
    text = clean(text)
    read = normal_forms.nfkc(text)
    return text if len(read) <= limits.QUERY_CHARS else read[: limits.QUERY_CHARS]


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
    """Analyse a question.

    ``names`` are people known in the scope: found ones stay among the terms. ``speaker_names`` are
    the speakers of the turns to search: found ones leave the terms, since every turn is by one of
    them, and become I and my in the text to embed. ``asker`` and ``assistant`` are the speakers
    that I and you mean, if no speaker is named. ``facts``: memories are searched, so that words of
    a past time or of a date are no terms (`without_time`). ``now`` must be aware.
    """
    text = normal_forms.nfkc(text).replace(_APOSTROPHE, "'").strip()
    time = english_dates.range_of(text, now=now, zone=zone)
    asks_when = english_dates.asks_when(text)
    time_alone = time is not None and not (
        _asks_more(text, time.text) and _asks_more(english_dates.without_time_words(text))
    )
    looks_back = time is not None and _looks_back(text, time, now)
    text = without_time(text) if facts else text
    text = _without_short_names(text, speaker_names)
    named = _found(text, speaker_names)
    named_words = {part for name in named for part in fold(name).split()}
    words = [word for word in _words(text) if word not in named_words]
    spoken = detection.spoken(text)
    telling = [word for word in words if not _is_function_word(word, spoken)]
    terms = list(dict.fromkeys(telling or words))
    return Query(
        text=text,
        terms=tuple(terms[:MAX_TERMS]),
        lookups=tuple(
            _lookups(text, terms[:MAX_TERMS], spoken, names_time=time is not None, facts=facts)
        ),
        dates=_dates(time) if time is not None and facts else (),
        names=_found(text, names),
        speakers=named or _meant(text, asker, assistant),
        embed_text=to_speakers(text, named),
        asks_when=asks_when,
        of_asker=_OF_ASKER.search(text) is not None,
        says_something=bool(telling or ngrams.query_grams(text)),
        latin=is_latin(text),
        weekdays=frozenset(WEEKDAYS).intersection(word.removesuffix("s") for word in words),
        languages=spoken,
        time=time,
        time_alone=time_alone,
        looks_back=looks_back,
    )


def without_time(text: str) -> str:
    """Return a question without words like "two days ago", unless nothing else would be asked.

    A memory has its time, but seldom these words, so it would fit worse for them.
    """
    left = english_dates.without_time_words(text)
    return left if _asks_more(left) else text


def _asks_more(text: str, without: str = "") -> bool:
    """Return whether a question, without these words of it, asks for something of its own."""
    words = _words(text.replace(without, " ", 1) if without else text)
    return not _ANYTHING.issuperset(words)


def _looks_back(text: str, time: TimeRange, now: dt.datetime) -> bool:
    """Return whether a question is for what was; a day without its year may be to come."""
    words = _words(text.replace(time.text, " ", 1))
    is_over = time.end <= to_micros(now) and (bool(time.spellings.year) or not time.spellings.exact)
    return is_over or not words or not _LOOKS_BACK.isdisjoint(words)


def _dates(time: TimeRange) -> tuple[Lookup, ...]:
    ways = ((time.spellings.exact, 1.0), (time.spellings.loose, _LOOSE_DATE_WORTH))
    return tuple(Lookup(_in(said, "text"), worth=worth) for said, worth in ways if said)


def count_words(text: str) -> int:
    """Return the number of words or identifiers in a text, at least 1."""
    return max(len(QUERY_WORD.findall(text)), 1)


def by_word(text: str) -> list[Term]:
    """Return a term for each content word or gram of a text."""
    words = dict.fromkeys(word for word in _words(text) if word not in STOP_WORDS)
    return [*map(Term, words), *_grams(text)][:MAX_TERMS]


def _is_function_word(word: str, spoken: Sequence[str]) -> bool:
    return word in STOP_WORDS or any(
        detection.is_function_word(fold_for_tables(word), language) for language in spoken
    )


def _lookups(
    text: str, terms: Sequence[str], spoken: Sequence[str], *, names_time: bool, facts: bool
) -> list[Lookup]:
    written = {fold(word): word for word in QUERY_WORD.findall(text)}
    made = [
        # "20" may be a day only beside a month: "locker 20" is no date. "On Saturdays" asks for
        # what is so each week, not for what was told on some Saturday.
        Lookup(
            (
                *_in(_spellings(term), "text and dates" if may_be_date else "text"),
                *(_months(term, spoken) if names_time else ()),
            ),
            _wider(term, written.get(term, term), spoken),
            () if names_time and term.isdecimal() else _rivals(term),
            numbered=any(char.isdigit() for char in term),
            concept=at,
        )
        for at, term in enumerate(terms)
        for is_weekly in [term.removesuffix("s") in WEEKDAYS and term.endswith("s")]
        for may_be_date in [not is_weekly and (names_time or not _DAY.fullmatch(term))]
    ]
    grams = _grams(unspaced_questions.without_function_words(text, spoken))
    grams = (grams or _grams(text))[:MAX_TERMS]
    kana = ngrams.in_other_kana(text)
    made += [
        Lookup((gram,), _in(kana.get(gram.text, ()), "grams"), concept=at)
        for at, gram in enumerate(grams, len(terms))
    ]
    # A memory is found by its words; in talk, a thing of the kind asked for often answers.
    for concept, term in enumerate(() if facts else terms):
        things = [thing for thing in hyponyms.things(term) if thing not in terms]
        if things:
            made.append(Lookup(_in(things, "text"), worth=_THING_WORTH, concept=concept))
    return made


def is_latin(text: str) -> bool:
    """Return whether most letters of a text are Latin."""
    letters = [char for char in text if char.isalpha()]
    latin = {char for char in set(letters) if fold(char).isascii()}
    return 2 * sum(char in latin for char in letters) > len(letters)


def _in(words: Iterable[str], where: Where) -> tuple[Term, ...]:
    return tuple(Term(word, where) for word in words)


def _grams(text: str) -> list[Term]:
    return [Term(gram.text, "grams", gram.is_prefix) for gram in ngrams.query_grams(text)]


def _months(term: str, spoken: Sequence[str]) -> list[Term]:
    """Return the English name of a month or weekday: dates are indexed in English words."""
    names = {foreign_dates.date_word(language, term) for language in spoken}
    return [Term(name, "dates") for name in names if name is not None]


def _wider(term: str, written: str, spoken: Sequence[str]) -> tuple[Term, ...]:
    """Return terms for a rare word inside longer ones, with other endings or umlauts."""
    if not term.isalpha():
        return ()
    ways = [Term(phrase, "grams") for phrase in ngrams.inside(term)]
    ways += _in(letter_spellings.other_umlauts(written), "text")
    if spoken and len(term) >= _SHORTEST_STEM:
        # The index only knows the endings of English.
        stem = term[: max(_SHORTEST_STEM, math.ceil(_STEM_SHARE * len(term)))]
        ways.append(Term(stem, "words", is_prefix=True))
    elif not term.isascii() and len(term) >= 5:
        ways.append(Term(term[:-1], "words", is_prefix=True))
    return tuple(ways)


def _spellings(term: str) -> list[str]:
    """A term, and how else it is written: "401k" as "401 (k)", "straße" as "strasse"."""
    ways, together = [term, letter_spellings.plain(term)], _SIGNS.sub("", term)
    if _SEAM.search(together):
        ways += [_SEAM.sub(" ", term), together]
    return list(dict.fromkeys(ways))


def _rivals(term: str) -> tuple[Term, ...]:
    """Return the parts of an identifier; none for a word. `err_4011` is like `err_4012`."""
    if not _IDENTIFIER.search(term) or _QUANTITY.fullmatch(term):
        return ()
    return _in(_SIGNS.split(term), "text")


def _words(text: str) -> list[str]:
    """Return the words of a text, folded; an identifier stays whole, to be found as a phrase."""
    words: list[str] = []
    for word in map(fold, QUERY_WORD.findall(ngrams.without_unsplit(text))):
        is_whole = word.isalpha() or word in STOP_WORDS
        if is_whole or (_IDENTIFIER.search(word) and not word.endswith("'s")):
            words.append(word)
        else:
            bare = _POSSESSIVE.sub("", word) if "'" in word else word
            words += [part for part in _SIGNS.split(bare) if part]
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
    """Replace a unique short form of one speaker's name ("Mel" of Melanie) by the name.

    The first word is left alone, since it has a capital anyway.
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
    """Return a question as it is put to the people it names: "Ben's dog" is "my dog" to Ben."""
    for name in speakers:
        for form in _forms(name):
            word = rf"(?<!\w){re.escape(form)}"
            text = re.sub(rf"{word}'s(?!\w)", "my", text, flags=re.IGNORECASE)
            text = re.sub(rf"{word}(?!\w)", "I", text, flags=re.IGNORECASE)
    return text
