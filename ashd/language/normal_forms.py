"""Unicode's normal forms of hostile texts: in linear time, and never much longer than the text.

Normalisation sorts the combining marks after a letter, in a time that grows with the square of
their number; and a compatibility form writes one character as up to eighteen. No script needs
either at such a length. Nothing else in the daemon normalises a text. What must always hold: the
result is Unicode's own for a text without longer runs of marks than `MOST_MARKS`, whose
compatibility form has at most `longest` characters; `nfc` and `nfd` are idempotent on any text.
"""

import re
import unicodedata
from typing import Final

MOST_MARKS: Final = 64
"""Number of combining marks in a row, beyond which only the first `_MARKS_LEFT` are left."""
_MARKS_LEFT: Final = 30
"""As in Unicode's stream-safe format (UAX 15). No mark is written as more than two, so what is left
of a run is never cut again.
"""
_SPARE: Final = 64
_PIECE: Final = 64
"""Characters that are normalised together where a compatibility form would be too long."""
# Letters by their class, but their decompositions begin with a mark.
_MARKS_BY_DECOMPOSITION: Final = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")
_LONGEST: Final = {"\ufdfa": 18, "\ufdfb": 8}
"""The characters with the longest compatibility forms; no other has more than six characters."""
_RUN: Final = re.compile(b"\x01{%d,}" % (MOST_MARKS + 1))


def nfc(text: str) -> str:
    """Return composed letters."""
    return unicodedata.normalize("NFC", without_surplus_marks(text))


def nfd(text: str) -> str:
    """Return letters and their marks apart."""
    return unicodedata.normalize("NFD", without_surplus_marks(text))


def nfkc(text: str) -> str:
    """Return composed letters, compatibility characters written out as long as there is space.

    Those that would make it longer than `longest` are left as they are.
    """
    if text.isascii():
        return text
    text = without_surplus_marks(text)
    most = longest(len(text))
    if _least(text) <= most:
        made = unicodedata.normalize("NFKC", text)
        if len(made) <= most:
            return made
    return _as_far_as_fits(text, most)


def _least(text: str) -> int:
    """Return the length that the characters of `_LONGEST` in a text have when written out."""
    return sum(size * text.count(char) for char, size in _LONGEST.items())


def longest(size: int) -> int:
    """Return the largest number of characters of a compatibility form of so many."""
    return 2 * size + _SPARE


def without_surplus_marks(text: str) -> str:
    """Return a text without the surplus of its long runs of combining marks."""
    if len(text) <= MOST_MARKS or text.isascii():
        return text
    if not any(map(_is_mark, text[::MOST_MARKS])):  # a long run would hold one of these
        return text
    marks = bytes(map(_is_mark, text))
    left, end = [], 0
    for run in _RUN.finditer(marks):
        left.append(text[end : run.start() + _MARKS_LEFT])
        end = run.end()
    return "".join([*left, text[end:]]) if left else text


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) > 0 or char in _MARKS_BY_DECOMPOSITION


def _as_far_as_fits(text: str, most: int) -> str:
    """Write out a text from its beginning, as long as it and the rest fit."""
    parts: list[str] = []
    size = 0
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        room = most - size - (len(text) - start - len(piece))
        made = unicodedata.normalize("NFKC", piece) if _least(piece) <= room else piece
        parts.append(made if len(made) <= room else piece)
        size += len(parts[-1])
    return "".join(parts)
