"""Fits the linear map that the multilingual model's vectors go through.

    python -m benchmarks.tuning.languages UPSTREAM

A text's vector tells its language before its meaning: a German question is nearer to any German
note than to the English one that answers it. The mean vectors of the languages span the axes along
which they differ. What lies along these is taken out of every vector, so that no language has to be
recognised; then a matrix turns notes towards the questions that they answer, trained as MiniLM is
in `recall`, on English questions: what it learns holds for the other languages, too. UPSTREAM is
a folder with `e5-small-q4.bin`, the model's file from its wheel. Writes both into
`ashd/providers/multilingual_recall.npz`, beside the adapters that `multilingual` fitted before.
Takes two minutes on one core.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import unit
from ashd.providers.multilingual import MultilingualEmbedder
from ashd.providers.multilingual_install import PACKAGE
from benchmarks.recall import lives_data
from benchmarks.tuning import data

Matrix = NDArray[np.float32]

_MORE: Final = Path(lives_data.__file__).with_name("corpus") / "more_languages.txt"
_TOLD: Final = lives_data.FOLDER.with_name("lives_languages")
_OUT: Final = PACKAGE.tuning[0]
_KEPT: Final = np.float16
TEMPERATURE, RATE, EPOCHS = 0.05, 3e-4, 5
"""Chosen on the lives and on questions in eight languages, which lose by more epochs."""
DECAY: Final = 1e-3
"""Draws the matrix to the one that changes nothing."""


class Asked(NamedTuple):
    """The vectors of notes and of questions, and the note that answers each question."""

    notes: Matrix
    questions: Matrix
    right: NDArray[np.int64]


def by_language() -> dict[str, list[str]]:
    """Return texts of each language; the English ones are of the lives."""
    found: dict[str, list[str]] = {}
    for line in _MORE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            texts = found.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            texts.append(line)
    told = lives_data.load([_TOLD])
    for fact in told.facts:
        found.setdefault(fact.life, []).append(fact.content)
    for question in told.questions:
        language = "en" if question.wording == "english" else question.life
        found.setdefault(language, []).append(question.text)
    found["en"] += [fact.content for fact in lives_data.load([lives_data.FOLDER]).facts]
    return found


def language_free(vectors: list[Matrix]) -> tuple[Matrix, Matrix]:
    """Return the mean of the languages' means, and a map to what is on none of their axes."""
    means = np.stack([one.mean(axis=0) for one in vectors])
    mean = means.mean(axis=0)
    _left, _sizes, right = np.linalg.svd(means - mean, full_matrices=False)
    axes = right[: len(means) - 1]  # means less their mean span one axis less
    return mean, np.eye(len(mean), dtype=np.float32) - axes.T @ axes


def train(asked: list[Asked]) -> Matrix:
    """Return the matrix by which each question chooses its note, among those of its person."""
    rng = np.random.default_rng(0)
    start = np.eye(asked[0].notes.shape[1], dtype=np.float32)
    matrix, speed, size, step = start.copy(), np.zeros_like(start), np.zeros_like(start), 0
    for _ in range(EPOCHS):
        for at in rng.permutation(len(asked)):
            slope = _slope(matrix, asked[at]) + DECAY * (matrix - start)
            step += 1  # Adam
            speed = 0.9 * speed + 0.1 * slope
            size = 0.999 * size + 0.001 * slope**2
            spread = np.sqrt(size / (1 - 0.999**step)) + 1e-8
            matrix -= np.float32(RATE) * (speed / (1 - 0.9**step)) / spread
    return matrix


def _slope(matrix: Matrix, one: Asked) -> Matrix:
    """Return the gradient of the cross-entropy of choosing the right notes."""
    asked, noted = one.questions @ matrix, one.notes @ matrix
    questions, notes = unit(asked), unit(noted)
    scores = questions @ notes.T / TEMPERATURE
    share = np.exp(scores - scores.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    share[np.arange(len(one.right)), one.right] -= 1
    share /= TEMPERATURE * len(one.right)
    slope: Matrix = one.questions.T @ _through_unit(share @ notes, asked, questions)
    slope += one.notes.T @ _through_unit(share.T @ questions, noted, notes)
    return slope


def _through_unit(slope: Matrix, rows: Matrix, units: Matrix) -> Matrix:
    """Return the gradient by `rows` from that by the `units` that they are scaled to."""
    along = (slope * units).sum(axis=1, keepdims=True) * units
    moved: Matrix = (slope - along) / np.linalg.norm(rows, axis=1, keepdims=True)
    return moved


def keep(mean: NDArray[Any], turn: NDArray[Any]) -> None:
    """Write the map where the installation reads it, beside the adapters."""
    with np.load(_OUT, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays |= {"mean": mean.astype(_KEPT), "turn": turn.astype(_KEPT)}
    np.savez_compressed(_OUT, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("upstream", type=Path)
    upstream = parser.parse_args().upstream
    dimension = MultilingualEmbedder.dimension
    keep(np.zeros(dimension), np.eye(dimension))  # vectors as the model has them
    with tempfile.TemporaryDirectory() as models:
        PACKAGE.install(Path(models), upstream, lambda _step, _done: None)
        embedder = MultilingualEmbedder(Path(models) / PACKAGE.name)

        def vectors(texts: list[str]) -> Matrix:
            return np.stack([one.pooled for one in embedder.embed(texts)])

        mean, neutral = language_free([vectors(texts) for texts in by_language().values()])

        def read(texts: list[str]) -> Matrix:
            return unit((vectors(texts) - mean) @ neutral)

        asked = [
            Asked(
                read(life.notes),
                read([one.text for one in life.questions]),
                np.array([one.answer for one in life.questions]),
            )
            for life in data.lives()
        ]
    keep(mean, neutral @ train(asked))


if __name__ == "__main__":
    main()
