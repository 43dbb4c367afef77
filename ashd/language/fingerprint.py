"""Texts reduced to what identifies them: the same words in the same order, in any language.

Two forms. The fingerprint decides: it ignores spacing, typography, the punctuation between words,
and the case of words that are not all capitals. The content key is stored and finds the texts that
are worth comparing: equal fingerprints have equal keys, but "5²" and "52" share one as well. Pure;
never fails.
"""

import hashlib
from typing import Final

from ashd.language.folding import spelling, typography
from ashd.language.text_caches import cached_by_text

_EDGES: Final = (
    ";!?\u3002\uff01\uff1f\uff1b.,:\u00a1\u00bf\u2026\u3001\uff0c\uff1a\u300c\u300d\"'()[]{}*_"
)
_OPENING: Final = "\u00a1\u00bf\u2026\u300c\"'([{"
_CLOSING: Final = frozenset("!.,:\u2026\u3001\u3002\u300d)]}")
_QUOTES: Final = frozenset("\"'")
_CACHED_TEXTS: Final = 4_096
"""Cache size: texts are compared again and again while a scope is written to."""


def content_key(text: str) -> str:
    """Return a digest by which an index finds the texts that may have the same words.

    An index keeps copies of its entries for a while after the rows are gone, so it gets digests
    only. Keys are stored: one text must have the same key in every version.
    """
    chunks = (chunk.strip(_EDGES) for chunk in spelling(text).casefold().split())
    return digest(" ".join(filter(None, chunks)) or spelling(text))


def digest(text: str) -> str:
    """Return a digest of a text; different texts have different ones."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@cached_by_text(_CACHED_TEXTS)
def fingerprint(text: str) -> str:
    """Return a string that texts share if they have the same words in the same order.

    Signs belong to words: C++ is not C, -5 is not 5. Abbreviations keep their case: US is not us. A
    question is not its answer. A text of punctuation alone is its own fingerprint.
    """
    words = [_bare(chunk) for chunk in typography(text).split()]
    is_loud = text.isupper()
    return " ".join(
        word if _is_abbreviation(word) and not is_loud else word.lower() for word in words
    )


def _is_abbreviation(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and word.isupper()


def _bare(chunk: str) -> str:
    """Return a word without punctuation; a quotation mark after a figure is a unit, as in 5'."""
    bare = chunk.lstrip(_OPENING)
    end = len(bare)
    while end and (
        bare[end - 1] in _CLOSING
        or (bare[end - 1] in _QUOTES and not bare[end - 2 : end - 1].isdigit())
    ):
        end -= 1
    return bare[:end] or chunk
