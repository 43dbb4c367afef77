"""Patterns of the clauses that say who somebody is or is called, over a text with marks.

A mark is one private-use character for a phrase of `phrases`, by its form; the words between
are lower case.
"""

import enum
import re
from typing import Final, NamedTuple

from ashd.language.lazy_pattern import pattern_of
from ashd.language.people import clauses
from ashd.language.people.phrases import Form, Phrase

_FIRST: Final = {
    Form.NAME: 0xE000,
    Form.HANDLE: 0xE400,
    Form.ROLE: 0xE800,
    Form.GROUP: 0xEC00,
    Form.PRONOUN: 0xF000,
    Form.SOMEBODY: 0xF400,
}
_SELF: Final = "\uf8fe"
QUOTATION: Final = "\uf8fd"
MAX_PHRASES: Final = 0x400


def mark_of(phrase: Phrase, number: int) -> str:
    """The character that stands for the phrase of this number."""
    return _SELF if phrase.reference.is_self else chr(_FIRST[phrase.form] + number)


def number_of(mark: str) -> int | None:
    """The number of the phrase that a character stands for; None for other text."""
    is_mark = len(mark) == 1 and "\ue000" <= mark <= "\uf7ff"
    return (ord(mark) - 0xE000) % MAX_PHRASES if is_mark else None


class Kind(enum.Enum):
    """The relation of two phrases that a clause states."""

    SAME = enum.auto()
    ONE = enum.auto()
    """The same, and expressly so: "are one person"."""
    ALIKE = enum.auto()
    """One person, if `a` has no name or the two names have a word in common."""
    ALSO = enum.auto()
    """One person, who has the name `b` besides another: a nickname, a handle."""
    SURNAME = enum.auto()
    GIVEN = enum.auto()
    """`b` is the first name of `a`."""
    KNOWN = enum.auto()
    """`a` is somebody who is known: "that same Dan"."""
    DIFFERENT = enum.auto()
    DENIED = enum.auto()
    """`a` is not `b`: another person, if both have names."""
    FORMER = enum.auto()
    """`a` held the role `b` in the past."""
    ENDED = enum.auto()
    """`a` holds the role `b` no longer."""
    SUCCESSION = enum.auto()
    """`a` holds the role `b` after `c`."""
    MARRIED = enum.auto()
    """`a` and `b` are spouses."""
    HELD = enum.auto()
    """`a` holds the role `b` of `c`, or of the speaker."""
    WAS = enum.auto()
    """The role `a` was held by `b`, or `a` once had the name `b`."""
    SPLIT = enum.auto()
    """`a` is a name and another name of one person, without a word between."""
    MEMBERS = enum.auto()
    """Each of the names `a` holds the role of the group `b`."""


class Pattern(NamedTuple):
    """A clause and the relation it states."""

    kind: Kind
    is_apposition: bool
    """An apposition holds in a question and a condition too, and needs no clause of its own."""
    is_sentence: bool
    """Whether the clause counts only as a whole sentence: words around it may limit or deny it."""
    expression: re.Pattern[str]


_PART: Final = re.compile(rf"(?:{'|'.join(sorted(clauses.PARTS, key=len, reverse=True))})(?!<)")
# These bring the space before them, or need none.
_SPACED: Final = re.compile(" (?=(?:END|CLOSED|IS|BE|NOT|HAS|ADV|ON|CHANGED|HAVE|TURNS)(?![A-Z_]))")
_LINE: Final = re.compile(r"(\w+)([:~!]) (.+)")


def _expanded(expression: str) -> str:
    expression = _SPACED.sub("", expression)
    while (more := _PART.sub(lambda hit: clauses.PARTS[hit[0]], expression)) != expression:
        expression = more
    return expression


def _patterns() -> tuple[Pattern, ...]:
    lines = clauses.CLAUSES.replace("\n  ", "").split("\n")
    found = [_LINE.fullmatch(line) for line in lines if line]
    return tuple(
        Pattern(Kind[hit[1]], hit[2] == "~", hit[2] == "!", pattern_of(_expanded(hit[3])))
        for hit in found
        if hit
    )


PATTERNS: Final = _patterns()
