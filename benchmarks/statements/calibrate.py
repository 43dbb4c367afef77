"""Makes ashd/memory/judge/calibration.json: what a model's figure says on notes told over a year.

    python -m benchmarks.statements.calibrate --models FOLDER [--check]

For each model that is named (MiniLM's cross-encoder, unless told otherwise), its figure for each
note of `told/calibrated` and the earlier ones nearest to it is set beside whether the note ends
that one. The share of those that it ends rises with the figure (pool adjacent violators, Ayer et
al. 1955), with half a pair of each kind added to every step. `--check` fits nothing and prints, for
`told/held_out`, the pairs by stored likelihood: how many should be ended, and how many are.

What is stored for the cross-encoder was fitted so. The models that see two texts read apart are
seldom right about such notes: fitted on them they would hardly link anything, not even the plain
changes that they know from pairs; their points were set by hand.
"""

import argparse
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from ashd.memory.judge import calibration, for_embedder, static
from ashd.memory.opinions import Reader
from ashd.providers.embedder import PairReader
from ashd.providers.registry import load
from benchmarks.statements.data import Vectors
from benchmarks.statements.told_notes import compared, files, lines

Points = list[tuple[float, float]]
_FEWEST_PAIRS: Final = 40
_FEWEST_ENDED: Final = 5
"""A step has so many pairs, or so many of which the newer note ends the older, at least."""
_EDGES: Final = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)


class Step(NamedTuple):
    """Pairs with like figures: their sum, their number, and how many the newer note ends."""

    figures: float
    pairs: int
    ended: int

    @property
    def share(self) -> float:
        return (self.ended + 0.5) / (self.pairs + 1)

    @property
    def is_small(self) -> bool:
        return self.pairs < _FEWEST_PAIRS and self.ended < _FEWEST_ENDED

    def joined(self, other: "Step") -> "Step":
        return Step(*(one + another for one, another in zip(self, other, strict=True)))


def fitted(rows: list[tuple[float, bool]]) -> Points:
    """Return points of figure and share, both rising."""
    steps: list[Step] = []
    for figure, same in itertools.groupby(sorted(rows), key=lambda row: row[0]):
        ends = [ended for _, ended in same]
        steps.append(Step(figure * len(ends), len(ends), sum(ends)))
        while len(steps) > 1 and (steps[-2].is_small or steps[-2].share >= steps[-1].share):
            last = steps.pop()
            steps[-1] = steps[-1].joined(last)
    while len(steps) > 1 and steps[-1].is_small:
        last = steps.pop()
        steps[-1] = steps[-1].joined(last)
    return [(round(one.figures / one.pairs, 4), round(one.share, 4)) for one in steps]


def figures(part: str, models: Path) -> Iterator[tuple[str, list[tuple[float, bool]]]]:
    """Yield each model's name, with its figures and whether the newer note ends the older."""
    minilm = load("minilm", models_dir=models)
    assert isinstance(minilm, PairReader)
    built_in = static()
    assert built_in is not None
    assert minilm is not None
    model = for_embedder(minilm.model)
    assert model is not None

    def by_words(reader: Reader) -> Callable[[str, str], float]:
        vectors = Vectors(reader.static or minilm)

        def of(older: str, newer: str) -> float:
            sides = [reader.model.side(text, vectors.of(text)) for text in (older, newer)]
            return reader.model.of_pairs(sides[1], sides[:1])[0].replaces

        return of

    readers: dict[str, Callable[[str, str], float]] = {
        "minilm_pairs": lambda older, newer: minilm.pair_likelihoods(older, newer).replaces,
        "minilm": by_words(Reader(model, None)),
        "wordllama": by_words(Reader(*built_in)),
    }
    near = Vectors(minilm)
    notes = [one for path in files(part) for one in compared(near, lines(path))]
    for name, figure in readers.items():
        yield (
            name,
            [
                (figure(older, one.newer), older in one.ended)
                for one in notes
                for older in one.nearest
            ],
        )


def check(name: str, rows: list[tuple[float, bool]]) -> None:
    """Print the pairs by stored likelihood: how many are ended, and how many should be."""
    likelihood = calibration.of(name)
    for least, most in itertools.pairwise(_EDGES):
        found = [
            (likelihood(figure), ended)
            for figure, ended in rows
            if least <= likelihood(figure) < most
        ]
        if found:
            expected = sum(one for one, _ in found)
            ended = sum(one for _, one in found)
            print(
                f"{name:13} {least:.2f}-{most:.2f} {len(found):5} pairs {expected:6.1f} {ended:4}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--model", action="append", choices=("minilm_pairs", "minilm", "wordllama"))
    options = parser.parse_args()
    if options.check:
        for name, rows in figures("held_out", options.models):
            check(name, rows)
        return
    points = msgspec.json.decode(calibration.POINTS.read_bytes())
    for name, rows in figures("calibrated", options.models):
        if name in (options.model or ("minilm_pairs",)):
            points[name] = fitted(rows)
    rows_of_points = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(found)}" for name, found in points.items()
    )
    calibration.POINTS.write_text(f"{{\n{rows_of_points}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
