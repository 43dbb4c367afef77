"""Calibrations: the weight of one embedder's similarities, and of words, as evidence.

A calibration is one small file in `calibrations/`, fitted by `benchmarks/recall/fit_relevance.py`,
and the query adapter beside it, fitted by `fit_adapter.py`. Mean vector, adapter, weights and cuts
belong together: with another mean the same cuts mean something else. An embedder without a file is
measured on the reference texts instead, once it is loaded, and has no adapter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import unit

FOLDER: Final = Path(__file__).with_name("calibrations")
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
    support: float = 0.0
    """For the mean of the next best logits beyond `support_from`: taken off the weak cut."""
    support_from: float = 0.0
    """The mean of the next best logits for questions that nothing answers."""
    strong: float
    """The logit from which a memory answers."""
    weak: float
    """The logit from which a memory may answer, if others give it no support."""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    model: str | None = None
    mean: list[float] = []
    english: Weights
    foreign: Weights
    questions: list[str] = []
    facts: list[str] = []
    """The facts that answer each of the questions."""


class Adapter(NamedTuple):
    """A linear map of low rank, from a question to how its answers differ from it."""

    down: NDArray[np.float32]
    """(dimension, rank)"""
    up: NDArray[np.float32]
    """(rank, dimension)"""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The weights of an embedder for questions in English and in other languages."""

    english: Weights
    foreign: Weights
    mean: NDArray[np.float32]
    """Taken off every vector before it is compared, shape (dimension,); empty without vectors."""
    adapter: Adapter | None = None

    def adapted(self, question: NDArray[np.float32]) -> NDArray[np.float32]:
        """A question's vector without the mean, moved towards its answers, of unit length."""
        moved = unit(question - self.mean)
        if self.adapter is not None:
            moved = unit(moved + moved @ self.adapter.down @ self.adapter.up)
        return moved

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
    dots: NDArray[np.float32],
    with_mean: NDArray[np.float32],
    question_with_mean: float,
    mean_with_mean: float,
) -> NDArray[np.float32]:
    """Cosines (n,) of vectors with an adapted question, after the mean was taken off them.

    Computed from the dot products of the vectors and of the question with the mean, so that no
    vector has to be made anew. A zero vector, of a text without words, gets 0.
    """
    lengths = np.sqrt(np.maximum(1 - 2 * with_mean + mean_with_mean, 1e-6))
    empty = (dots == 0) & (with_mean == 0)
    cosines = np.where(empty, 0, (dots - question_with_mean) / lengths)
    result: NDArray[np.float32] = cosines.astype(np.float32)
    return result


@cache
def _shipped() -> dict[str, Calibration]:
    return {
        one.model or name: Calibration(
            one.english, one.foreign, np.array(one.mean, dtype=np.float32), _adapter(name)
        )
        for name, one in _files().items()
    }


def _adapter(name: str) -> Adapter | None:
    file = FOLDER / f"{name}.npz"
    if not file.exists():
        return None
    with np.load(file, allow_pickle=False) as held:
        return Adapter(held["down"].astype(np.float32), held["up"].astype(np.float32))


@cache
def _files() -> dict[str, _File]:
    return {
        entry.name.removesuffix(".json"): msgspec.json.decode(entry.read_bytes(), type=_File)
        for entry in FOLDER.iterdir()
        if entry.name.endswith(".json")
    }
