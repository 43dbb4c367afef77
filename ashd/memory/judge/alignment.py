"""Alignment of the token vectors of two texts: which token of one is like which of the other.

Arrays of several pairs at once, padded; pure.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

COUNT: Final = 16
"""Features of a pair that `alignment_features` returns."""


def padded(sides: Sequence[Floats]) -> tuple[Floats, Mask]:
    """Return arrays (…, tokens, d) as one (…, pairs, tokens, d), and a mask of used places."""
    *nets, _, width = sides[0].shape
    longest = max(one.shape[-2] for one in sides)
    tokens = np.zeros((*nets, len(sides), longest, width), np.float32)
    taken = np.zeros((len(sides), longest), dtype=np.bool_)
    for row, one in enumerate(sides):
        tokens[..., row, : one.shape[-2], :] = one
        taken[row, : one.shape[-2]] = True
    return tokens, taken


def alignment_features(alike: Floats, older: Mask, newer: Mask) -> Floats:
    """Return how well each text's tokens match the other's: (pairs, `COUNT`).

    `alike` are the cosines, (pairs, older tokens, newer tokens).
    """
    older, newer = (np.broadcast_to(mask, (len(alike), mask.shape[1])) for mask in (older, newer))
    return np.concatenate(
        [_one_way(alike, older, newer), _one_way(alike.transpose(0, 2, 1), newer, older)], axis=1
    )


def _one_way(alike: Floats, mine: Mask, other: Mask) -> Floats:
    alike = np.where(other[:, None, :], alike, np.float32(-1))
    best = alike.max(axis=2)
    at = alike.argmax(axis=2)
    count = np.maximum(mine.sum(axis=1), 1)
    both = mine[:, 1:] & mine[:, :-1]
    turned = (both & (at[:, 1:] < at[:, :-1])).sum(axis=1) / count
    last = np.take_along_axis(best, (count - 1)[:, None], axis=1)[:, 0]
    found = [
        np.where(mine, best, 0).sum(axis=1) / count,
        np.where(mine, best, 1).min(axis=1),
        (mine & (best < 0.5)).sum(axis=1) / count,
        (mine & (best < 0.7)).sum(axis=1) / count,
        (mine & (best > 0.9)).sum(axis=1) / count,
        turned,
        best[:, 0],
        last,
    ]
    return np.stack(found, axis=1).astype(np.float32)
