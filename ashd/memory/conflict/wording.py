"""Words of a stored text: what counts as the same text, and its words for comparison.

Two texts with the same `fingerprint` say the same in every language: only case, punctuation,
spacing and typography are set aside. `words` serves the comparison of English statements: it
spells out contractions, numbers and units and writes British spelling the American way. Both
are pure and never fail, whatever the text holds.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

STOP: Final = "."
"""The mark that ends a sentence or a part of one."""
COMMA: Final = ","
COLON: Final = ":"
POSSESSIVE: Final = "'s"
MARKS: Final = frozenset({STOP, COMMA, COLON, POSSESSIVE})

_TYPOGRAPHY: Final = {
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x02BC, 0x60, 0xB4), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xAB, 0xBB), '"'),
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
}
_ENDS: Final = frozenset(";!?\u3002\uff01\uff1f\uff1b")
_EDGES: Final = "".join(_ENDS) + ".,:\u00a1\u00bf\u2026\u3001\uff0c\uff1a\u300c\u300d\"'()[]{}*_"
_ABBREVIATIONS: Final = frozenset(
    {"dr", "mr", "mrs", "ms", "st", "prof", "a.m", "p.m", "e.g", "i.e"}
)
_CURRENCY: Final = {"$": "dollar", "€": "euro", "£": "pound"}
_PRONOUNS_IS: Final = frozenset({"he", "she", "it", "that", "there", "here", "who", "what"})
_CONTRACTIONS: Final = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "i'm": "i am",
    "let's": "let us",
    "mum": "mother",
    "mom": "mother",
    "dad": "father",
    "a.m": "am",
    "p.m": "pm",
    "kids": "children",
    "kid": "child",
    "remotely": "from home",
    "anymore": "any more",
}
_ENDINGS: Final = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_CARDINALS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_ORDINALS: Final = "first second third fourth fifth sixth seventh eighth ninth tenth"
_NUMBERS: Final = {
    **{word: str(number) for number, word in enumerate(_CARDINALS.split())},
    **{word: str(number) for number, word in enumerate(_ORDINALS.split(), 1)},
}
_TENS: Final = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2
    )
}
_AMERICAN: Final = (
    (re.compile(r"(col|fav|flav|hum|lab|neighb|behavi|hon|harb|rum)our"), r"\1or"),
    (re.compile(r"(\w{3,})is(e|es|ed|ing|ation)$"), r"\1iz\2"),
    (re.compile(r"^(cent|theat|lit|met|fib)re(s?)$"), r"\1er\2"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"^programme"), "program"),
)
_ISE_STAYS: Final = re.compile(
    r"(rise|wise|cise|prise|mise|vise|noise|raise|praise|cruise|nurse|course|house|vertise)"
)
_OFTEN: Final = (["a"], ["per"], ["every"], ["each"])
_LONGEST_WORD: Final = 40
"""What is longer is no word that is spelt in two ways; what is done with words is slow on it."""
_DIGITS: Final = re.compile(r"\d")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_AMOUNT: Final = re.compile(
    r"(?P<sign>[$€£])?(?P<number>\d+(?:[.:]\d+)*)(?P<unit>st|nd|rd|th|am|pm|km|kg|gb|mb|tb|mg|cm)?"
)


_SPELT_TEXTS: Final = 1_024
_FINGERPRINTS: Final = 4_096
"""Texts are compared again and again while a scope is written to."""
KEPT_WORDS: Final = 16_384
"""The words of a language: a few thousand make up most of what is said."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word or mark: `raw` as it was written, `text` in lower case and spelt one way."""

    raw: str
    text: str

    @property
    def is_number(self) -> bool:
        """It holds a digit: 8080, 3.12, b2, 14."""
        return _DIGITS.search(self.text) is not None

    @property
    def is_capital(self) -> bool:
        """It was written with a capital, as names are."""
        return any(map(str.isupper, self.raw))


def plain(text: str) -> str:
    """`text` with typography, width and spacing made one; case and punctuation stay."""
    if text.isascii():  # as most is: nothing in it is folded or invisible
        return " ".join(text.translate(_TYPOGRAPHY).split())
    folded = unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).translate(_TYPOGRAPHY)
    spaced = " ".join(folded.split())
    if spaced.isprintable():  # nothing in it is invisible
        return spaced
    visible = (" " if c.isspace() else c for c in folded if unicodedata.category(c) != "Cf")
    return " ".join("".join(visible).split())


@lru_cache(maxsize=_FINGERPRINTS)
def fingerprint(text: str) -> str:
    """What two texts share if and only if they have the same words in the same order.

    Signs inside a word and what carries meaning at its edge stay: C++ is not C, -5 is not 5.
    A text of punctuation alone stands for itself.
    """
    chunks = (chunk.strip(_EDGES) for chunk in plain(text).casefold().split())
    return " ".join(filter(None, chunks)) or plain(text)


def words(text: str) -> list[Word]:
    """The words and marks of `text`, spelt one way, in order."""
    return list(_words(text))


def said(text: str) -> list[Word]:
    """The words of `text` without marks."""
    return [word for word in _words(text) if word.text not in MARKS]


@lru_cache(maxsize=_SPELT_TEXTS)
def _words(text: str) -> tuple[Word, ...]:
    found: list[Word] = []
    for chunk in _THOUSANDS.sub("", plain(text)).split():
        bare = chunk.strip(_EDGES)
        if not bare:
            found.append(Word(chunk, COMMA))
            continue
        end = chunk[chunk.rindex(bare) + len(bare) :]
        found += _spell(bare)
        if end.startswith("'") and bare.endswith("s") and not chunk.startswith("'"):
            found.append(Word("'", POSSESSIVE))
        if mark := _mark(bare, end):
            found.append(Word(end, mark))
    return tuple(_with_times(found))


def _with_times(found: list[Word]) -> list[Word]:
    """Spell out how often: "twice" is "2 times", "once a week" is "1 time a week"."""
    spelt: list[Word] = []
    for at, word in enumerate(found):
        often = {"twice": "2", "thrice": "3"}.get(word.text)
        if word.text == "once" and [w.text for w in found[at + 1 : at + 2]] in _OFTEN:
            often = "1"
        spelt += [Word(word.raw, often), Word("times", "times")] if often else [word]
    return spelt


def _mark(bare: str, end: str) -> str | None:
    if not _ENDS.isdisjoint(end):
        return STOP
    if "." in end and bare.lower() not in _ABBREVIATIONS:
        return STOP
    if ":" in end:
        return COLON
    return COMMA if "," in end else None


def _spell(bare: str) -> list[Word]:
    low = bare.lower()
    if len(low) > _LONGEST_WORD:
        return [Word(bare, low)]
    if low in _CONTRACTIONS:
        return [Word(part, part) for part in _CONTRACTIONS[low].split()]
    for ending, spelt in _ENDINGS.items():
        if low.endswith(ending) and len(low) > len(ending):
            return [*_spell(bare[: -len(ending)]), Word(spelt, spelt)]
    if low.endswith("'s"):
        stem = bare[:-2]
        is_short = stem.lower() in _PRONOUNS_IS
        return [Word(stem, _one_way(stem)), Word("'s", "is" if is_short else POSSESSIVE)]
    if amount := _AMOUNT.fullmatch(low):
        return _spell_amount(bare, amount)
    return [Word(bare, _one_way(bare))]


def _spell_amount(bare: str, amount: re.Match[str]) -> list[Word]:
    number = amount["number"].removesuffix(":00").lstrip("0") or "0"
    unit = amount["unit"]
    spelt = [Word(bare, number)]
    if unit and unit not in {"st", "nd", "rd", "th"}:
        spelt.append(Word(unit, unit))
    if amount["sign"]:
        spelt.append(Word(amount["sign"], _CURRENCY[amount["sign"]]))
    return spelt


@lru_cache(maxsize=KEPT_WORDS)
def _one_way(word: str) -> str:
    low = word.lower()
    if low in _NUMBERS:
        return _NUMBERS[low]
    tens, _, ones = low.partition("-")
    if tens in _TENS:
        return str(_TENS[tens] + int(_NUMBERS.get(ones, "0")))
    for pattern, american in _AMERICAN:
        if american != r"\1iz\2" or not _ISE_STAYS.search(low):
            low = pattern.sub(american, low)
    return low
