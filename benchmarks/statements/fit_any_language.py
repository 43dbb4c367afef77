"""Fits ashd/memory/judge/multilingual.npz, the judge of conflicts beside the multilingual embedder.

    python -m benchmarks.statements.fit_any_language --models FOLDER [--write]

Logistic regression on `told/trained`: each note and the eight earlier ones nearest to it, of which
those are left out that are neither the nearest nor at all near. For three parts it is printed how
many pairs have a likelihood, and how many of them the newer note ends: `told/calibrated`, by which
the points in `calibration.json` were set, `told/held_out` and `told/languages`. A figure of
.5 and more is linked: 65 of the 100 changes in `told/languages`, and 5 notes that end nothing.
"""

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.memory.judge.any_language import AnyLanguageModel, inputs
from ashd.memory.judge.pair_weights import WEIGHTS
from ashd.providers import multilingual_install
from ashd.providers.embedder import unit
from ashd.providers.multilingual import MultilingualEmbedder
from benchmarks.statements import told_notes

_NEAR: Final = 0.35
"""The cosine from which a pair is learnt from, if the older note is not the nearest."""
_ROUNDS: Final = 80
_STEP: Final = 0.05
_DECAY: Final = {"figures": 1e-3, "vectors": 0.05}
"""Weight decay of the figures and of the vectors; the figures are few."""
_FROM: Final = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9)

Matrix = NDArray[np.float64]


class Pairs(NamedTuple):
    """Pairs as the model sees them (n, d), those that are ended (n,), those to learn from (n,)."""

    seen: Matrix
    ended: NDArray[np.bool_]
    kept: NDArray[np.bool_]


def pairs(embedder: MultilingualEmbedder, part: str) -> Pairs:
    """Return the pairs of a part of `told`."""
    rows = [row for file in told_notes.files(part) for row in _of_file(embedder, file)]
    seen, ended, kept = zip(*rows, strict=True)
    return Pairs(
        np.concatenate(seen).astype(np.float64), np.concatenate(ended), np.concatenate(kept)
    )


def _of_file(embedder: MultilingualEmbedder, file: Path) -> Iterator[tuple[Any, Any, Any]]:
    notes = told_notes.lines(file)
    ids, chains = [note["id"] for note in notes], told_notes.chains(notes)
    embedded = embedder.embed([note["content"] for note in notes])
    sides = AnyLanguageModel.sides(
        [(n["content"], e) for n, e in zip(notes, embedded, strict=True)]
    )
    vectors = unit(np.stack([one.pooled for one in sides]))
    for at in range(1, len(notes)):
        cosines = vectors[:at] @ vectors[at]
        near = np.argsort(-cosines, kind="stable")[: told_notes.NEAREST]
        ended = np.array([ids[one] in chains[ids[at]] for one in near])
        kept = ended | (cosines[near] > _NEAR)
        kept[0] = True
        yield inputs(sides[at], [sides[one] for one in near]), ended, kept


def fit(told: Pairs) -> tuple[Matrix, float]:
    """Return the weights and the bias, for inputs as they are; by Adam, all pairs in each round."""
    seen, ended = told.seen[told.kept], told.ended[told.kept]
    figures = seen.shape[1] - 3 * MultilingualEmbedder.dimension
    mean, spread = np.zeros(seen.shape[1]), np.ones(seen.shape[1])
    mean[:figures], spread[:figures] = seen[:, :figures].mean(0), seen[:, :figures].std(0) + 1e-6
    rows = np.column_stack([(seen - mean) / spread, np.ones(len(seen))])
    decay = np.full(rows.shape[1], _DECAY["vectors"])
    decay[:figures], decay[-1] = _DECAY["figures"], 0.0
    weights, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for turn in range(1, _ROUNDS + 1):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (likely - ended) / len(rows) + decay * weights
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights -= _STEP * (first / (1 - 0.9**turn)) / (np.sqrt(second / (1 - 0.99**turn)) + 1e-8)
    plain = weights[:-1] / spread
    return plain, float(weights[-1] - plain @ mean)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    embedder = MultilingualEmbedder(options.models / multilingual_install.PACKAGE.name)
    weights, bias = fit(pairs(embedder, "trained"))
    for part in ("calibrated", "held_out", "languages"):
        told = pairs(embedder, part)
        figures = 1 / (1 + np.exp(-(told.seen @ weights + bias)))
        print(part, f"{int(told.ended.sum())} ended")
        for least, below in itertools.pairwise((*_FROM, 1.01)):
            within = (figures >= least) & (figures < below)
            print(f"  {least:.1f}: {int(told.ended[within].sum())} of {int(within.sum())}")
    if options.write:
        np.savez(
            WEIGHTS[MultilingualEmbedder.model],
            model=np.array(MultilingualEmbedder.model),
            weights=weights.astype(np.float16),
            bias=np.array(bias),
        )


if __name__ == "__main__":
    main()
