"""Late interaction: how well each word of a question is matched by a candidate or its neighbours.

Pure numpy. Scores lie between 0 and 1 for unit token vectors.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

DISCOUNTS: Final = (1.0, 0.7, 0.7, 0.7, 0.6)
"""The weight of a match in the own text, one back, one on, two back, two on."""
_ANSWER: Final = 0.95
"""The weight one back if that text is a question, so that the own text is the answer."""
_MATCH: Final = 0.6
"""The similarity from which a token counts as matched, when its rarity is estimated."""


def window_maxsim(
    query_tokens: Floats,
    query_weights: Floats | None,
    tokens: NDArray[Any],
    offsets: NDArray[np.int64],
    windows: NDArray[np.int64],
    *,
    answers: NDArray[np.bool_] | None = None,
    discounts: tuple[float, ...] = DISCOUNTS,
) -> Floats:
    """Score candidates by their best token for each query token, neighbours counting less.

    ``query_tokens`` is (q, d). ``query_weights`` (q,) sums to 1; None weights each token by how few
    of the candidates meet it, which serves as well as document frequencies and needs none.
    ``tokens`` (t, d), float or int8 (unit vectors times 127), are those of all rows needed, one
    after the other: row r has ``tokens[offsets[r]:offsets[r + 1]]``. ``windows`` is
    (c, len(discounts)): for each candidate the rows of its own text and its neighbours, -1 where
    there is none. ``answers`` (c,) says which candidates come right after a question. Returns (c,).
    """
    rows = len(offsets) - 1
    best = np.zeros((len(query_tokens), rows + 1), dtype=np.float32)  # the last row: no neighbour
    filled = np.flatnonzero(np.diff(offsets) > 0)
    if len(filled):
        matches = query_tokens @ tokens.astype(np.float32).T
        if tokens.dtype == np.int8:
            matches /= np.float32(127)
        best[:, filled] = np.maximum.reduceat(matches, offsets[filled], axis=1)
    np.maximum(best, 0, out=best)
    if query_weights is None:
        query_weights = _rarity(best[:, windows[:, 0]])
    worth = np.tile(np.asarray(discounts, dtype=np.float32), (len(windows), 1))
    if answers is not None and len(discounts) > 1:
        worth[answers, 1] = _ANSWER
    result: Floats = query_weights @ (best[:, windows] * worth).max(axis=2)
    return result


def _rarity(best: Floats) -> Floats:
    """Weights (q,) that sum to 1, higher for tokens that few candidates (q, c) meet."""
    share = (best > _MATCH).mean(axis=1)
    weights = np.log1p(1 / (share + np.float32(0.01)))
    normalised: Floats = (weights / weights.sum()).astype(np.float32)
    return normalised
