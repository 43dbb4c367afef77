"""Full text on PostgreSQL: the tokens of SQLite's index, as vectors and queries of the server.

The server splits and stems nothing, so both engines find the same rows. The scope of a row is one
more token of it, marked by a character that no text has.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from ashd.store.full_text_terms import Term, Where, require_scopes
from ashd.store.full_text_tokens import split

_SCOPE: Final = "\x01"
_COLUMNS: Final = "ABCD"
"""The weights of body, names, dates and grams."""
_WEIGHTS: Final[dict[Where, str]] = {
    "text and dates": "",  # all: told to look at none, the server finds rows by the index alone
    "text": "ABD",
    "words": "AB",
    "dates": "C",
    "grams": "D",
}
_PHRASED: Final = 16_375
"""Words up to here stand at a position of their own; the server knows 16,383."""
_LATER: Final = dict(zip(_COLUMNS, range(16_377, 16_384, 2), strict=True))
"""The one position of all later words of a column, beside no other: they are in no phrase."""
_POSITIONS: Final = 255
"""The most positions of a token that the server keeps."""
_TOKEN_BYTES: Final = 1_000
"""A longer token ends with its digest: the server refuses one of 2,047 bytes. As the beginning of a
word, a longer one finds only itself.
"""


def terms(scope: str, *columns: str) -> str:
    """Return the vector of a row, of its scope and the texts of its columns."""
    places: dict[str, list[str]] = {}
    number = 0
    for column, text in zip(_COLUMNS, columns, strict=True):
        for token in split(text):
            number += 1
            at = number if number <= _PHRASED else _LATER[column]
            places.setdefault(token, []).append(f"{at}{column}")
        number += 1  # no phrase goes from one column into the next
    words = [f"{_quoted(_short(token))}:{','.join(_kept(at))}" for token, at in places.items()]
    return " ".join([_quoted(_SCOPE + scope), *words])


def _kept(places: Sequence[str]) -> list[str]:
    """Return as many places as the server keeps, the first ones of each column."""
    if len(places) <= _POSITIONS:
        return list(places)
    each = _POSITIONS // len(_COLUMNS)
    return [at for column in _COLUMNS for at in [p for p in places if p[-1] == column][:each]]


def expression(terms: Sequence[Term], scopes: Sequence[str] | None = None) -> str:
    """Return the query for rows that hold any of the terms, in one of the scopes.

    Raises ValueError for no terms or scopes, and for a token that is not of letters and digits
    alone.
    """
    if not terms:
        raise ValueError("at least one term is needed")
    found = " | ".join(_phrases(terms)) or _quoted(_SCOPE)  # that no row has
    return f"({found})" if scopes is None else f"{in_scopes(scopes)} & ({found})"


def in_scopes(scopes: Sequence[str]) -> str:
    """Return the query for rows that hold one of these tokens as their scope.

    Raises ValueError for none, and for a token that is not of letters and digits alone.
    """
    require_scopes(scopes)
    return "(" + " | ".join(_quoted(_SCOPE + scope) for scope in scopes) + ")"


def _phrases(terms: Sequence[Term]) -> Iterator[str]:
    for term in terms:
        tokens = split(term.text)
        weights = _WEIGHTS[term.where]
        last = len(tokens) - 1
        words = [
            _word(token, ("*" if term.is_prefix and place == last else "") + weights)
            for place, token in enumerate(tokens)
        ]
        if words:
            yield f"({' <-> '.join(words)})"


def _word(token: str, marks: str) -> str:
    return f"{_quoted(_short(token))}:{marks}" if marks else _quoted(_short(token))


def _short(token: str) -> str:
    raw = token.encode()
    if len(raw) <= _TOKEN_BYTES:
        return token
    begin = raw[:_TOKEN_BYTES].decode(errors="ignore")
    return begin + hashlib.sha256(raw).hexdigest()


def _quoted(token: str) -> str:
    text = token.replace("\\", "\\\\").replace("'", "''")
    return f"'{text}'"
