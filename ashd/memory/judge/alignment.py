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
    # Sums of a text's tokens, in one go: small arrays cost by the call.
    of_tokens = np.zeros((5, *best.shape), np.float32)
    of_tokens[0] = best
    np.less(best, 0.5, out=of_tokens[1])
    np.less(best, 0.7, out=of_tokens[2])
    np.greater(best, 0.9, out=of_tokens[3])
    np.less(at[:, 1:], at[:, :-1], out=of_tokens[4, :, 1:])
    of_tokens *= mine
    found = np.empty((len(best), COUNT // 2), np.float32)
    found[:, [0, 2, 3, 4, 5]] = (of_tokens.sum(axis=2) / count).T
    found[:, 1] = np.where(mine, best, 1).min(axis=1)
    found[:, 6] = best[:, 0]
    found[:, 7] = best[np.arange(len(best)), count - 1]
    return found
