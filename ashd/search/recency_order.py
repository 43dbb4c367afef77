"""The order of equally relevant results: the newest first (rows D3, D5)."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def newest_first(
    totals: Floats, at: Places, trust: Floats | None = None, *, within: float
) -> tuple[Places, Floats]:
    """Return the places best first, and each one's total: among equal ones the best of theirs.

    Totals that differ by no more than ``within`` are equal. Among equal ones the more trusted come
    first, if ``trust`` is given, then the newest.
    """
    counted = np.empty(len(totals))
    best = math.inf
    for place in np.argsort(-totals, kind="stable").tolist():
        if best - totals[place] > within:
            best = float(totals[place])
        counted[place] = best
    trusted = np.zeros(len(totals)) if trust is None else trust
    order: Places = np.lexsort((-at, -trusted, -counted))
    return order, counted[order]
