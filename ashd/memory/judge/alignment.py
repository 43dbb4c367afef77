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
    """Return arrays (…, tokens, d) as one (…, tokens, pairs, d), and a mask of used places."""
    *nets, _, width = sides[0].shape
    longest = max(one.shape[-2] for one in sides)
    tokens = np.zeros((*nets, longest, len(sides), width), np.float32)
    taken = np.zeros((longest, len(sides)), dtype=np.bool_)
    for at, one in enumerate(sides):
        tokens[..., : one.shape[-2], at, :] = one
        taken[: one.shape[-2], at] = True
    return tokens, taken


def alignment_features(alike: Floats, older: Mask, newer: Mask) -> Floats:
    """Return how well each text's tokens match the other's: (pairs, `COUNT`).

    `alike` are the cosines, (pairs, older tokens, newer tokens).
    """
    # Both ways as one array of squares: small arrays cost by the call.
    pairs, rows, columns = alike.shape
    size = max(rows, columns)
    both = np.full((2, pairs, size, size), -1, np.float32)
    both[0, :, :rows, :columns] = np.where(older[:, :, None] & newer[:, None, :], alike, -1)
    both[1] = both[0].swapaxes(1, 2)
    mine = np.zeros((2, pairs, size), np.bool_)
    mine[0, :, :rows], mine[1, :, :columns] = older, newer
    found = _one_way(both.reshape(-1, size, size), mine.reshape(-1, size))
    return np.concatenate([found[:pairs], found[pairs:]], axis=1)


def _one_way(alike: Floats, mine: Mask) -> Floats:
    """Return how well the tokens of texts match those of others: (texts, `COUNT` / 2).

    `mine` are the places of the texts' tokens; places without a token are -1 in `alike`.
    """
    best = np.maximum.reduce(alike, axis=2)
    at = alike.argmax(axis=2)
    count = np.maximum(np.add.reduce(mine, axis=1), 1)
    of_tokens = np.zeros((5, *best.shape), np.float32)
    of_tokens[0] = best
    np.less(best, 0.5, out=of_tokens[1])
    np.less(best, 0.7, out=of_tokens[2])
    np.greater(best, 0.9, out=of_tokens[3])
    np.less(at[:, 1:], at[:, :-1], out=of_tokens[4, :, 1:])
    of_tokens *= mine
    found = np.empty((len(best), COUNT // 2), np.float32)
    means = np.add.reduce(of_tokens, axis=2) / count
    found[:, 0], found[:, 2:6] = means[0], means[1:].T
    found[:, 1] = np.minimum.reduce(np.where(mine, best, 1), axis=1)
    found[:, 6] = best[:, 0]
    found[:, 7] = best[np.arange(len(best)), count - 1]
    return found
