"""Terms to find in the full-text index, and the FTS5 expression that finds them.

Every term is quoted, so nothing that a question holds acts as syntax: the worst that a question
can do is to find nothing.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple

Where = Literal["text and dates", "text", "words", "dates", "grams"]

_COLUMNS: Final[dict[Where, str]] = {
    "text and dates": "body names dates grams",
    "text": "body names grams",
    "words": "body names",
    "dates": "dates",
    "grams": "grams",
}
"""The columns of the index in which to look for the term."""


class Term(NamedTuple):
    """A word, or a phrase of several words.

    With `is_prefix`, the last word may be the beginning of a longer word.
    """

    text: str
    where: Where = "text and dates"
    is_prefix: bool = False


def expression(terms: Sequence[Term], scopes: Sequence[str] | None = None) -> str:
    """Return the expression for rows that hold any of the terms.

    With `scopes`, only rows that hold one of these tokens in their `scope` column match. Raises
    ValueError for no terms or scopes, and for a token that is not of letters and digits alone.
    """
    if not terms:
        raise ValueError("at least one term is needed")
    parts = [
        f"{{{_COLUMNS[where]}}} : ({' OR '.join(map(_quoted, group))})"
        for where, group in groupby(terms, key=lambda term: term.where)
    ]
    found = " OR ".join(parts)
    return found if scopes is None else f"{in_scopes(scopes)} AND ({found})"


def in_scopes(scopes: Sequence[str]) -> str:
    """Return the expression for rows that hold one of these tokens in their `scope` column.

    Raises ValueError for none, and for a token that is not of letters and digits alone.
    """
    require_scopes(scopes)
    tokens = " OR ".join(f'"{scope}"' for scope in scopes)
    return f"scope : ({tokens})"


def require_scopes(scopes: Sequence[str]) -> None:
    """Raise ValueError for no scopes, and for one that is not of letters and digits alone."""
    if not scopes or not all(scope.isascii() and scope.isalnum() for scope in scopes):
        raise ValueError("scope tokens have ASCII letters and digits only")


def _quoted(term: Term) -> str:
    text = '"' + term.text.replace('"', '""') + '"'
    return f"{text} *" if term.is_prefix else text
