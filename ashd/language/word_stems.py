"""The beginnings of words, by which a text is compared with another in any language. Pure."""

import re
from typing import Final

WORD: Final = re.compile(r"[^\W\d_]+")
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
)
_CHARS: Final = 5
_LEAST_CHARS: Final = 4


def stem(word: str) -> str:
    """Return the beginning of a word, which its forms share in most languages."""
    return word.casefold()[:_CHARS]


def stems(text: str, least_chars: int = _LEAST_CHARS) -> set[str]:
    """Return those of the longer words and of names; pairs of signs in scripts without spaces."""
    found: set[str] = set()
    for word in WORD.findall(text):
        if _UNSPACED.search(word):
            found.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        elif len(word) >= least_chars or word[0].isupper():
            found.add(stem(word))
    return found
