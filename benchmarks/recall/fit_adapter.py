"""Fits the query adapter of an embedder, `ashd.search.calibration.Adapter`.

    python -m benchmarks.recall.fit_relevance --models FOLDER --write

A question and the note that answers it differ in a direction that can be told, in part, from the
question: one asks "how do I get to work", the other speaks of trams. A ridge regression over
the questions of `benchmarks.tuning.data` predicts it from the question alone.
"""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import Embedder, unit
from ashd.search import calibration
from ashd.search.calibration import Adapter
from benchmarks.tuning import data

_RIDGE: Final = 20.0
_STEP: Final = 4.0
"""The factor of the predicted difference, which the penalty makes short. Both were
chosen on the lives, where twice and half of either do nearly as well."""
_RANK: Final = 48
"""More gain nothing."""
_KEPT: Final = np.float16


def pairs() -> list[tuple[str, str]]:
    """Every question, with the note that answers it."""
    return [(one.text, life.notes[one.answer]) for life in data.lives() for one in life.questions]


def fit(embedder: Embedder, mean: NDArray[np.float32]) -> Adapter:
    """The adapter for vectors that this mean is taken off."""
    asked, noted = (
        unit(np.stack([one.pooled for one in embedder.embed(texts)]) - mean)
        for texts in zip(*pairs(), strict=True)
    )
    away = noted - asked * (asked * noted).sum(axis=1, keepdims=True)
    penalty = _RIDGE * np.eye(asked.shape[1], dtype=np.float32)
    left, sizes, right = np.linalg.svd(np.linalg.solve(asked.T @ asked + penalty, asked.T @ away))
    down, up = left[:, :_RANK], _STEP * sizes[:_RANK, None] * right[:_RANK]
    return Adapter(*(part.astype(_KEPT).astype(np.float32) for part in (down, up)))


def keep(name: str, adapter: Adapter) -> None:
    """Write an adapter where the daemon reads it."""
    parts = {part: values.astype(_KEPT) for part, values in adapter._asdict().items()}
    np.savez(_file(name), **parts)


def remove(name: str) -> None:
    """Remove the adapter of an embedder that needs none any more."""
    _file(name).unlink(missing_ok=True)


def _file(name: str) -> Path:
    return calibration.FOLDER / f"{name}.npz"
