"""Diversity: which results take the room there is, if many are alike (row D5). Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd.search.spec import Found

COMPARED: Final = 30
"""The best results, among which the room is shared out."""
_ALIKE: Final = 0.75
"""The cosine from which two texts are alike: nearly all that say the same, and some that say it of
another time or thing."""
_MOST_ALIKE: Final = 2
"""Results like each other that come before those that are like none of them."""


def unlike(
    found: Sequence[Found],
    room: int,
    vectors: Mapping[int, NDArray[np.float32]],
    *,
    beside: Sequence[Found] = (),
) -> list[Found]:
    """Return as many results as there is room for, best first, if possible no three of them alike.

    A further result like two that were taken, or that are shown `beside` them, is taken if room is
    left. ``vectors`` are those of passages; a passage without a vector is like no other.
    """
    if not 0 < room < len(found) or not vectors:
        return list(found[: max(room, 0)])
    compared = found[: max(COMPARED, room)]
    nothing = np.zeros_like(next(iter(vectors.values())))
    rows = np.stack([vectors.get(one.passage, nothing) for one in [*compared, *beside]])
    alike = rows @ rows.T >= _ALIKE
    taken = list(range(len(compared), len(rows)))
    crowded: list[int] = []
    for at in range(len(compared)):
        (crowded if alike[at, taken].sum() >= _MOST_ALIKE else taken).append(at)
    chosen = [*taken[len(beside) :], *crowded][:room]
    return [compared[at] for at in sorted(chosen)]
