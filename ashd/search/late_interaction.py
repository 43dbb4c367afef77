"""Late interaction: how well each word of a question is matched by a candidate or its neighbours.

Pure numpy. Scores lie between 0 and 1 for unit token vectors. Texts and questions may be anybody's,
so the products are counted and computed in blocks: neither time nor memory grows with both.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

QUESTION_TOKENS: Final = 512
"""Tokens of a question that are compared, the first ones: all of a page of prose."""
PRODUCTS: Final = 2**25
"""Products of a question's tokens with those of the candidates: a tenth of a second of CPU."""
_LEAST_TOKENS: Final = 16
"""Tokens of a question that are always compared, however many the candidates have."""
_BLOCK: Final = 2**21
"""Products that are computed at a time: 8 MiB."""
DISCOUNTS: Final = (1.0, 0.7, 0.7, 0.7, 0.6)
"""The weight of a match in the own text, one back, one on, two back, two on."""
_ANSWER: Final = 0.95
"""The weight one back if that text is a question, so that the own text is the answer."""
_MATCH: Final = 0.6
"""The similarity from which a token counts as matched, when its rarity is estimated."""


class Tokens(NamedTuple):
    """The token vectors of some texts: row r has ``vectors[offsets[r]:offsets[r + 1]]``."""

    vectors: NDArray[Any]
    """(t, d), float or int8 (unit vectors times 127)."""
    offsets: NDArray[np.int64]


def compared(question: int, of_candidates: int) -> int:
    """Return how many of a question's tokens are compared with so many of the candidates."""
    affordable = max(PRODUCTS // max(of_candidates, 1), _LEAST_TOKENS)
    return min(question, QUESTION_TOKENS, affordable)


def window_maxsim(
    query_tokens: Floats,
    query_weights: Floats | None,
    tokens: Iterable[Tokens],
    windows: NDArray[np.int64],
    *,
    answers: NDArray[np.bool_] | None = None,
    discounts: tuple[float, ...] = DISCOUNTS,
) -> Floats:
    """Score candidates by their best token for each query token, neighbours counting less.

    ``query_tokens`` is (q, d). ``query_weights`` (q,) sums to 1; None weights each token by how few
    of the candidates meet it, which serves as well as document frequencies and needs none.
    ``tokens`` are those of all rows needed, some rows after the others. ``windows`` is
    (c, len(discounts)): for each candidate the rows of its own text and its neighbours, -1 where
    there is none. ``answers`` (c,) says which candidates come right after a question. Returns (c,).
    """
    nowhere = np.zeros((len(query_tokens), 1), dtype=np.float32)  # the last row: no neighbour
    best = np.hstack([*(_best(query_tokens, some) for some in tokens), nowhere])
    if query_weights is None:
        query_weights = _rarity(best[:, windows[:, 0]])
    worth = np.tile(np.asarray(discounts, dtype=np.float32), (len(windows), 1))
    if answers is not None and len(discounts) > 1:
        worth[answers, 1] = _ANSWER
    result: Floats = query_weights @ (best[:, windows] * worth).max(axis=2)
    return result


def _best(query_tokens: Floats, tokens: Tokens) -> Floats:
    """Return the best match of each token of the question in each row (q, rows), at least 0."""
    vectors, offsets = tokens
    best = np.zeros((len(query_tokens), len(offsets) - 1), dtype=np.float32)
    for rows in _blocks(offsets, max(_BLOCK // max(len(query_tokens), 1), 1)):
        own = offsets[rows.start : rows.stop + 1]
        filled = np.flatnonzero(np.diff(own) > 0)
        if len(filled):
            matches = query_tokens @ vectors[own[0] : own[-1]].astype(np.float32).T
            if vectors.dtype == np.int8:
                matches /= np.float32(127)
            at = own[filled] - own[0]
            best[:, rows.start + filled] = np.maximum.reduceat(matches, at, axis=1)
    np.maximum(best, 0, out=best)
    return best


def _blocks(offsets: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Cut rows into blocks of at most so many tokens, but for a row that has more."""
    rows, start = len(offsets) - 1, 0
    while start < rows:
        fits = int(np.searchsorted(offsets, offsets[start] + most, side="right")) - 1
        stop = min(max(fits, start + 1), rows)
        yield slice(start, stop)
        start = stop


def _rarity(best: Floats) -> Floats:
    """Weights (q,) that sum to 1, higher for tokens that few candidates (q, c) meet."""
    share = (best > _MATCH).mean(axis=1)
    weights = np.log1p(1 / (share + np.float32(0.01)))
    normalised: Floats = (weights / weights.sum()).astype(np.float32)
    return normalised
