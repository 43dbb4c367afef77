"""Texts reduced to what identifies them: the same words in the same order, in any language.

Only case, punctuation, spacing and typography are ignored. Pure; never fails.
"""

import hashlib
from typing import Final

from ashd.language.folding import spelling
from ashd.language.text_caches import cached_by_text

_EDGES: Final = (
    ";!?\u3002\uff01\uff1f\uff1b.,:\u00a1\u00bf\u2026\u3001\uff0c\uff1a\u300c\u300d\"'()[]{}*_"
)
_CACHED_TEXTS: Final = 4_096
"""Cache size: texts are compared again and again while a scope is written to."""


def content_key(text: str) -> str:
    """Return the digest of a text's fingerprint, by which an index finds the same text.

    An index keeps copies of its entries for a while after the rows are gone, so it gets digests
    only.
    """
    return digest(fingerprint(text))


def digest(text: str) -> str:
    """Return a digest of a text; different texts have different ones."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@cached_by_text(_CACHED_TEXTS)
def fingerprint(text: str) -> str:
    """Return a string that two texts share if they have the same words in the same order.

    Signs inside a word, and signs at its edge that carry meaning, are part of it: C++ is not C,
    -5 is not 5. A text of punctuation alone is its own fingerprint.
    """
    chunks = (chunk.strip(_EDGES) for chunk in spelling(text).casefold().split())
    return " ".join(filter(None, chunks)) or spelling(text)
