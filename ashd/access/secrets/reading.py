"""How a text is read before secrets are looked for.

Owns the normalisation that sees through what hides a secret from a pattern but not from its user:
invisible characters inside, full-width letters, digits of other scripts, a key broken over lines.
What must always hold: nothing here is stored or shown; the reading exists to be matched only.
"""

import re
import unicodedata
from itertools import accumulate
from typing import NamedTuple

from ashd.access.text import clean

# What `clean` leaves for the sake of a script, an emoji or a tag flag carries no secret.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_DECIMAL = re.compile(r"[^\W\D]", re.UNICODE)
_QUOTES = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb", '\'\'\'\'""""""'
)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\ufe63\uff0d\u2212", "-"))
_BREAKS = re.compile(r"[ \t]*\\?\n[ \t>|]*|[\"'`] ?\+ ?[\"'`]")

_PLACEHOLDER = re.compile(
    r"your|x{4,}|\.{3}|\*{3}|replace|placeholder|redacted|changeme|insert|(?:^|[-_])here$|<|>"
    r"|^\$|\{\{|\$\{|\$\(|%\(|^%\w|^\[|^\{|^\(",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """`text` as its reader sees it: NFKC, nothing invisible, ASCII digits, quotes and hyphens."""
    if text.isascii():
        return clean(text)
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", clean(text))))
    text = _DECIMAL.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
    return text.translate(_QUOTES).translate(_DASHES)


class Reading(NamedTuple):
    """A text to be matched, and where in it lines were joined."""

    text: str
    seams: frozenset[int] = frozenset()

    def begins_at(self, start: int) -> bool:
        """Whether a token may begin here: not in the middle of a word, unless at a seam."""
        before = self.text[start - 1 : start]
        return not (before.isascii() and before.isalnum()) or start in self.seams


def joined(text: str) -> Reading | None:
    """`text` with its lines, and strings that are added up, joined; None where nothing is."""
    parts = _BREAKS.split(text)
    if len(parts) == 1:
        return None
    return Reading("".join(parts), frozenset(accumulate(map(len, parts))))


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for a secret: a mask, a variable, an example's filling."""
    few = len(set(value.lower())) <= (3 if len(value) >= 12 else 1)
    return (few and not value.isdigit()) or _PLACEHOLDER.search(value) is not None


def is_random(value: str, distinct: int = 8) -> bool:
    """Whether letters and digits are mixed as in something generated, not written."""
    return (
        any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and len(set(value)) >= distinct
        and not is_placeholder(value)
    )
