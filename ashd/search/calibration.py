"""Calibrations: the weight of one embedder's similarities, and of words, as evidence.

A calibration is one small file in `calibrations/`, fitted by `benchmarks/recall/fit_relevance.py`.
Its mean vector, weights and cuts belong together: with another mean the same cuts would be wrong.
An embedder without a file is measured on the reference texts instead, once it is loaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import unit

_WORDS: Final = "none"
"""The calibration file for words alone."""
_POOLED: Final = "pooled"
"""The calibration file for embedders without one of their own."""
_LEAST_SPREAD: Final = 1e-3


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of the legs' signals in the logit that a memory answers; and its two cuts."""

    bias: float
    cosine: float = 0.0
    late: float = 0.0
    coverage: float = 0.0
    """For the share of the question's words that the memory holds."""
    coverage_squared: float = 0.0
    size: float = 0.0
    """Subtracted for each e-fold of the usual number of memories: more hold more chance matches."""
    strong: float
    """The logit from which a memory answers."""
    weak: float
    """The logit from which a memory may answer."""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    model: str | None = None
    mean: list[float] = []
    english: Weights
    foreign: Weights
    questions: list[str] = []
    facts: list[str] = []
    """The facts that answer each of the questions."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The weights of an embedder for questions in English and in other languages."""

    english: Weights
    foreign: Weights
    mean: NDArray[np.float32]
    """The vector subtracted from every vector before comparing; (dimension,), or empty."""

    def weights(self, *, foreign: bool) -> Weights:
        """The weights for a question in English, or in another language."""
        return self.foreign if foreign else self.english


class Scale(NamedTuple):
    """The scale of an embedder's cosines, from texts that do not answer each other."""

    mean: NDArray[np.float32]
    """The mean of the reference texts' vectors."""
    centre: float
    spread: float

    def of(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return centred cosines in units of the spread, from the centre on."""
        scaled: NDArray[np.float64] = (cosines - self.centre) / self.spread
        return scaled


def words() -> Calibration:
    """Return the calibration for texts without vectors."""
    return _shipped()[_WORDS]


def of_model(model: str) -> Calibration | None:
    """Return the calibration of an embedder by its model's name; None if there is no file."""
    return _shipped().get(model) if model not in (_WORDS, _POOLED) else None


def references() -> list[str]:
    """Return the texts to measure an embedder without a file: questions, then their answers."""
    return [*_files()[_POOLED].questions, *_files()[_POOLED].facts]


def of_references(vectors: Sequence[NDArray[np.float32]]) -> Calibration:
    """Return the calibration of an embedder from its vectors of the reference texts.

    Weights are in units of the spread of its cosines between questions and facts that do not answer
    them. If it finds all texts alike, only words count.
    """
    scale = scale_of(vectors)
    if not scale.spread > _LEAST_SPREAD:
        return replace(words(), mean=np.zeros_like(scale.mean))
    shipped = _shipped()[_POOLED]
    english, foreign = (
        msgspec.structs.replace(
            weights,
            cosine=weights.cosine / scale.spread,
            bias=weights.bias - weights.cosine * scale.centre / scale.spread,
        )
        for weights in (shipped.english, shipped.foreign)
    )
    return Calibration(english, foreign, scale.mean)


def scale_of(vectors: Sequence[NDArray[np.float32]]) -> Scale:
    """Return the scale of an embedder from its vectors of the reference texts."""
    rows = np.stack(vectors)
    mean = rows.mean(axis=0)
    centred_rows = unit(rows - mean)
    questions, facts = np.split(centred_rows, 2)
    unrelated = (questions @ facts.T)[~np.eye(len(questions), dtype=np.bool_)]
    return Scale(mean, float(unrelated.mean()), float(unrelated.std()))


def centred(
    cosines: NDArray[np.float32],
    with_mean: NDArray[np.float32],
    question_with_mean: float,
    mean_with_mean: float,
) -> NDArray[np.float32]:
    """Return cosines (n,) with a question after subtracting the mean; vectors have unit length.

    Computed from the dot products of the vectors and of the question with the mean, so that no
    vector has to be made anew. A zero vector, of a text without words, gets 0.
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
    return {
        one.model or name: Calibration(
            one.english, one.foreign, np.array(one.mean, dtype=np.float32)
        )
        for name, one in _files().items()
    }


@cache
def _files() -> dict[str, _File]:
    folder = files("ashd.search") / "calibrations"
    return {
        entry.name.removesuffix(".json"): msgspec.json.decode(entry.read_bytes(), type=_File)
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    }
