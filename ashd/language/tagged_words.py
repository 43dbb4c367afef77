"""A text as words: each with its stem and its kind, numbers in one form.

Pure, and cached, because the same texts are compared again and again. Nothing is parsed: a word's
kind follows from its letters and from where a sentence begins.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from sys import intern
from typing import Final

from ashd.language.english_words import CUES, FUNCTION_WORDS, NUMBERS, OWNERS, SELF, TIMES
from ashd.language.folding import spelling
from ashd.language.spoken_numbers import in_figures
from ashd.language.text_caches import cached_by_text
from ashd.language.word_patterns import COMPARED_WORD

_CACHED_TEXTS: Final = 4_096
_CACHED_WORDS: Final = 8_192
_SENTENCE_END: Final = frozenset(".!?:;")
_TITLES: Final = frozenset({"dr", "mr", "mrs", "ms", "st", "prof"})
_CLOCK: Final = re.compile(r"(\d{1,2})(?:[:.](\d\d))?(am|pm|a\.m|p\.m)?")
_HALVES: Final = {"am": 0, "a.m": 0, "pm": 12, "p.m": 12}
_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?)(k|st|nd|rd|th)?")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")


class Kind(IntEnum):
    """The sort of a word, as far as its form tells."""

    NUMBER = 0
    NAME = 1
    TIME = 2
    WORD = 3
    SMALL = 4


CONTENT: Final = (Kind.NUMBER, Kind.NAME, Kind.TIME, Kind.WORD)


@dataclass(frozen=True, slots=True)
class Words:
    """One text: the stems in order with their kinds, and what is counted of them.

    `by_kind` holds the stems of each content kind in order, `sets` the same as sets. `initials` are
    words capitalised perhaps only because a sentence begins: the other text of a pair may show that
    they are names. `named` are the people named, in order, with the speaker as "i", and the
    initials.
    """

    text: str
    stems: tuple[str, ...]
    bare: tuple[str, ...]
    """Each word in lower case, without "'s"; a name has no other form than this."""
    kinds: tuple[Kind, ...]
    by_kind: tuple[tuple[str, ...], ...]
    sets: tuple[frozenset[str], ...]
    initials: frozenset[str]
    named: tuple[str, ...]
    lowered: frozenset[str]
    content: frozenset[str]
    """The stems of all content kinds."""
    cues: tuple[bool, ...]
    owner: str
    """The first of "my", "her" and other possessives."""


@cached_by_text(_CACHED_TEXTS)
def read(text: str) -> Words:
    """Return the words of `text`."""
    stems: list[str] = []
    bares: list[str] = []
    kinds: list[Kind] = []
    by_kind: tuple[list[str], ...] = ([], [], [], [])
    named: list[str] = []
    lower: list[str] = []
    initials = set()
    spelt = in_figures(spelling(text))
    end, begins = 0, True
    for match in COMPARED_WORD.finditer(spelt):
        written = match.group()
        start, after = match.span()
        if end and (gap := spelt[end:start]) != " " and not _SENTENCE_END.isdisjoint(gap):
            begins = stems[-1] not in _TITLES
        end = after
        low = intern(written.lower())
        if low in _HALVES and kinds and kinds[-1] is Kind.NUMBER:
            # "5 pm" is one number.
            clock = _number(f"{stems[-1]}{low}")
            stems[-1] = by_kind[Kind.NUMBER][-1] = clock
            continue
        lower.append(low)
        bare = low.removesuffix("'s")
        kind, stem = _read_word(written, bare, begins)
        if bare in SELF:
            named.append("i")
        elif kind is Kind.NAME:
            named.append(stem)
        elif begins and kind is Kind.WORD and written[0].isupper():
            initials.add(stem)
            named.append(stem)
        stems.append(stem)
        bares.append(bare)
        kinds.append(kind)
        if kind is not Kind.SMALL:
            by_kind[kind].append(stem)
        begins = False
    lowered = _compact(lower)
    return Words(
        text=text,
        stems=tuple(stems),
        bare=tuple(bares),
        kinds=tuple(kinds),
        by_kind=tuple(map(tuple, by_kind)),
        sets=tuple(map(_compact, by_kind)),
        initials=_compact(initials),
        named=tuple(dict.fromkeys(named)),
        lowered=lowered,
        content=_compact(set().union(*by_kind)),
        cues=tuple(not cue.isdisjoint(lowered) for cue in CUES),
        owner=next((OWNERS[word] for word in lower if word in OWNERS), ""),
    )


def _compact(words: Iterable[str]) -> frozenset[str]:
    """Return a set that is as small as its words allow: one that grew word by word is larger."""
    return frozenset(set(words))


@cached_by_text(_CACHED_WORDS)
def _read_word(written: str, bare: str, begins: bool) -> tuple[Kind, str]:
    if any(map(str.isdigit, bare)):
        return Kind.NUMBER, _number(bare)
    if bare in NUMBERS:
        return Kind.NUMBER, NUMBERS[bare]
    tens, hyphen, ones = bare.partition("-")
    if hyphen and tens in NUMBERS and ones in NUMBERS and len(NUMBERS[ones]) == 1:
        return Kind.NUMBER, NUMBERS[tens][:-1] + NUMBERS[ones]
    if bare in TIMES:
        if written in {"sat", "sun", "mar", "march", "may", "wed"}:
            return Kind.WORD, bare
        return Kind.TIME, bare.removesuffix("s")[:3] if written[0].isupper() else _stem(bare)
    if bare in FUNCTION_WORDS or bare in SELF:
        return Kind.SMALL, bare
    if any(map(str.isupper, written if not begins else written[1:])):
        return Kind.NAME, bare
    return Kind.WORD, _stem(bare)


def _number(word: str) -> str:
    """Return one form of a number: "5:20pm" is "17:20", "2nd" is "2", "80k" is "80000"."""
    word = _THOUSANDS.sub("", word).rstrip("%")
    if (clock := _CLOCK.fullmatch(word)) and (clock[3] or ":" in word):
        hour = int(clock[1]) % (12 if clock[3] else 24) + _HALVES.get(clock[3] or "am", 0)
        return f"{hour}:{clock[2]}" if clock[2] and clock[2] != "00" else str(hour)
    if number := _NUMBER.fullmatch(word):
        plain_number = number[1].lstrip("0") or "0"
        return f"{plain_number}000" if number[2] == "k" else plain_number
    return word


_ENDINGS: Final = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("ly", ""), ("s", ""))
_LEAST_STEM: Final = 3


def _stem(word: str) -> str:
    """Cut off the endings of a word; crude, but the same for both texts."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            cut = word[: len(word) - len(ending)] + instead
            if ending in {"s", "es"} and word.endswith("ss"):
                return word
            if len(cut) > _LEAST_STEM and cut[-1] == cut[-2] and ending in {"ing", "ed"}:
                cut = cut[:-1]
            return _without_e(cut)
    return _without_e(word)


def _without_e(word: str) -> str:
    return word.removesuffix("e") if len(word) > _LEAST_STEM else word
