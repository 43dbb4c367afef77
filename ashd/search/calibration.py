"""Calibrations: what one embedder's similarities, and words, are worth as evidence.

A calibration is one small file in `calibrations/`, fitted by `benchmarks/recall/fit_relevance.py`.
Its mean vector, weights and cuts belong together: with another mean the same cuts mean something
else. An embedder without a file is measured on the reference texts instead, once it is loaded.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from ashd.search.query import Query

WORDS: Final = "none"
"""The calibration of the words alone."""


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """The logit that a memory answers: a sum of these times what the legs measured; two cuts."""

    bias: float
    cosine: float = 0.0
    late: float = 0.0
    coverage: float = 0.0
    """Of the share of the question's words that the memory holds."""
    coverage_squared: float = 0.0
    strong: float
    """From this logit on a memory answers."""
    weak: float
    """From this logit on it may answer."""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    model: str | None = None
    mean: list[float] = []
    english: Weights
    foreign: Weights


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The weights of an embedder for questions in English and in other languages."""

    english: Weights
    foreign: Weights
    mean: NDArray[np.float32]
    """Taken off every vector before it is compared, shape (dimension,); empty without vectors."""

    def weights(self, query: Query) -> Weights:
        """The weights for a question."""
        return self.foreign if query.languages else self.english


def words() -> Calibration:
    """The calibration for what has no vectors."""
    return _shipped()[WORDS]


def of_model(model: str) -> Calibration | None:
    """The calibration of an embedder by its model's name; None where there is no file for it."""
    return _shipped().get(model)


def centred(
    cosines: NDArray[np.float32],
    with_mean: NDArray[np.float32],
    question_with_mean: float,
    mean_with_mean: float,
) -> NDArray[np.float32]:
    """Cosines (n,) with a question, after the mean was taken off both; vectors have unit length.

    Given the dot products of the vectors and of the question with the mean, so that no vector has
    to be made anew. A zero vector, of a text without words, is like nothing: 0.
    """
    dots = cosines - with_mean - question_with_mean + mean_with_mean
    lengths = np.sqrt(
        np.maximum(1 - 2 * with_mean + mean_with_mean, 1e-6)
        * max(1 - 2 * question_with_mean + mean_with_mean, 1e-6)
    )
    empty = (cosines == 0) & (with_mean == 0)
    result: NDArray[np.float32] = np.where(empty, 0, dots / lengths).astype(np.float32)
    return result


@cache
def _shipped() -> dict[str, Calibration]:
    folder = files("ashd.search") / "calibrations"
    read = [
        msgspec.json.decode(entry.read_bytes(), type=_File)
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    ]
    return {
        one.model or WORDS: Calibration(
            one.english, one.foreign, np.array(one.mean, dtype=np.float32)
        )
        for one in read
    }
