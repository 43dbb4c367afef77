"""Late interaction: how well each word of a question is met by a candidate or its neighbours.

Pure numpy over what the store hands in. Scores lie between 0 and 1 for unit token vectors and
weights that sum to 1, and do not depend on which other candidates are scored with them.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

DISCOUNTS: Final = (1.0, 0.8, 0.7, 0.7, 0.6)
"""What a match is worth in the own text, one back, one on, two back, two on."""


def window_maxsim(
    query_tokens: Floats,
    query_weights: Floats,
    tokens: NDArray[Any],
    offsets: NDArray[np.int64],
    windows: NDArray[np.int64],
    *,
    discounts: tuple[float, ...] = DISCOUNTS,
) -> Floats:
    """Score candidates by their best token for each query token, neighbours counting less.

    ``query_tokens`` is (q, d), ``query_weights`` (q,) and sums to 1; ``tokens`` (t, d), float or
    int8 (unit vectors times 127), are those of all rows needed, one after the other: row r has
    ``tokens[offsets[r]:offsets[r + 1]]``. ``windows`` is (c, len(discounts)): for each candidate
    the rows of its own text and its neighbours, -1 where there is none. Returns (c,).
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
    scores = best[:, windows] * np.asarray(discounts, dtype=np.float32)
    result: Floats = query_weights @ scores.max(axis=2)
    return result
