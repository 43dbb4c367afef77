"""Spellings of a word with and without letters that not every keyboard has: "Straße", "Strasse".

The full-text index drops accents, which makes "café" and "cafe" one word. A letter that is not
another one with an accent stays in it ("ß", "ł", the dotless i of Turkish), and an umlaut may be
written as two letters. Pure functions of words.
"""

import re
from typing import Final

from ashd.language.folding import fold

_DOTLESS_I: Final = "\u0131"
_PLAIN: Final = str.maketrans(
    {"ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ħ": "h"}
    | {_DOTLESS_I: "i"}
)
_AS_TWO: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_TWO: Final = re.compile("([aou])e")
_SHORTEST: Final = 5
"""The length from which two letters may stand for an umlaut: "toe" is not "tö"."""


def plain(word: str) -> str:
    """Return a folded word in the letters of English; the word itself if it has only those."""
    return word if word.isascii() else word.translate(_PLAIN)


def other_umlauts(word: str) -> list[str]:
    """Return how else a word with umlauts is written, folded: "mueller" for "Müller" and back.

    None for most words; one that is written with two letters has to be long enough.
    """
    folded = fold(word)
    ways = [fold(word.lower().translate(_AS_TWO))]
    if len(folded) >= _SHORTEST:
        ways.append(_TWO.sub(r"\1", folded))
    return [way for way in dict.fromkeys(ways) if way != folded]
