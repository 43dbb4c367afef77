"""Normalisation of a text before the search for secrets.

Owns the steps that undo what hides a secret from a pattern but not from a reader: invisible
characters, full-width letters, digits of other scripts, line breaks inside a key. What must always
hold: nothing here is stored or shown; a reading exists only to be matched.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from ashd.access.text_cleaning import clean
from ashd.language import normal_forms

# Characters that `clean` leaves because a script, an emoji or a flag needs them; no secret does.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_DECIMAL = re.compile(r"(?![0-9])\d")
_LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\ufe63\uff0d\u2212", "-"),
        "\u0130": "I",  # the one letter that gets longer in lower case
    }
)
_BREAKS = re.compile(r"(?:(?<![ \t])[ \t]+)?\\?\n[ \t>|]*|[\"'`] ?\+ ?[\"'`]")

_PLACEHOLDER = re.compile(
    r"your|x{4,}|\.{3}|\*{3}|replace|placeholder|redacted|changeme|insert|(?:^|[-_])here$|<|>"
    r"|^\$|\{\{|\$\{|\$\(|%\(|^%\w|^\[|^\{|^\("
    # The keys in Amazon's documents.
    r"|(?-i:EXAMPLE$)",
    re.IGNORECASE,
)
# Keys that Stripe, Mapbox, PostHog and Supabase say are for pages that everybody reads.
_PUBLIC = re.compile(r"pk_(?:live|test)_|pk\.eyJ|phc_|sb_publishable_")


class Reading(NamedTuple):
    """A text as a reader sees it, for matching.

    NFKC, nothing invisible, ASCII digits, quotes and hyphens. `lower` has the same positions;
    `seams` are the positions where lines were joined.
    """

    text: str
    lower: str
    seams: frozenset[int] = frozenset()

    def at(self, words: Iterable[str]) -> Iterator[tuple[int, str]]:
        """Yield the position and the word for each occurrence of one of `words` (in lower case)."""
        for word in words:
            start = self.lower.find(word)
            while start >= 0:
                yield start, word
                start = self.lower.find(word, start + len(word))

    def has(self, words: Iterable[str]) -> bool:
        """Return whether one of `words` (in lower case) occurs anywhere."""
        return any(word in self.lower for word in words)

    def before(self, start: int, length: int) -> str:
        """Return the characters before `start`, at most `length` of them."""
        return self.text[max(0, start - length) : start]

    def begins_at(self, start: int) -> bool:
        """Return whether a token may begin here: not in the middle of a word, unless at a seam."""
        before = self.text[start - 1 : start]
        return not (before.isascii() and before.isalnum()) or start in self.seams


def read(text: str) -> Reading:
    """The reading of `text`."""
    text = clean(text)
    if not text.isascii():
        text = _INVISIBLE.sub("", normal_forms.nfkc(_INVISIBLE.sub("", text)))
        text = _DECIMAL.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
        text = text.translate(_LOOKALIKES)
    return Reading(text, text.lower())


def joined(reading: Reading) -> Reading | None:
    """Return the reading with lines, and concatenated strings, joined; None if there are none."""
    parts = _BREAKS.split(reading.text)
    if len(parts) == 1:
        return None
    text = "".join(parts)
    return Reading(text, text.lower(), frozenset(accumulate(map(len, parts))))


def is_placeholder(value: str) -> bool:
    """Return whether a value is only a placeholder for a secret: a mask, a variable, an example."""
    few = len(set(value.lower())) <= (3 if len(value) >= 12 else 1)
    return (few and not value.isdigit()) or _PLACEHOLDER.search(value) is not None


def is_public(token: str) -> bool:
    """Return whether a token has the mark of those that its issuer publishes."""
    return _PUBLIC.match(token) is not None


def is_random(value: str, distinct: int = 8) -> bool:
    """Return whether letters and digits are mixed as in generated text."""
    return (
        any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and len(set(value)) >= distinct
        and not is_placeholder(value)
    )
