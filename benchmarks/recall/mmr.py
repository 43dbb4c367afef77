"""Recall of LoCoMo's evidence with and without maximal marginal relevance over the excerpts.

    python -m benchmarks.recall.mmr FILE --model FOLDER

MMR is that of Carbonell and Goldstein (1998) over the best `POOL` turns: their scores from 0 to 1,
and the cosines of their vectors.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ashd.search import fusion
from benchmarks.recall import locomo
from benchmarks.recall.bench import Bench
from benchmarks.recall.tune import embedder_for

POOL = 40
DEPTHS = (5, 10, 20)
LAMBDAS = (1.0, 0.9, 0.8, 0.7, 0.5)
"""The share of relevance; 1 is the ranking as it is."""


def diversified(
    scores: NDArray[np.float64], vectors: NDArray[np.float32], share: float, most: int
) -> list[int]:
    """Return the places of the texts that MMR takes, in order."""
    relevance = (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)
    alike = vectors @ vectors.T
    nearest = np.zeros(len(scores))
    taken: list[int] = []
    while len(taken) < min(most, len(scores)):
        values = share * relevance - (1 - share) * nearest
        values[taken] = -np.inf
        best = int(values.argmax())
        taken.append(best)
        nearest = np.maximum(nearest, alike[best])
    return taken


def recalls(bench: Bench, question: locomo.Question) -> dict[tuple[float, int], float]:
    """Return the recall of a question's evidence by share and depth."""
    asked = bench.analyse(question.text)
    ranked = fusion.fuse(bench.candidates(asked), asked, fusion.weights_for("late"))[:POOL]
    places = [entry.rowid for entry in ranked]
    scores = np.array([entry.score for entry in ranked])
    found = {}
    for share in LAMBDAS:
        order: Sequence[int] = range(len(places))
        if share < 1:
            order = diversified(scores, bench.pooled[places], share, max(DEPTHS))
        ids = [bench.conversation.turns[places[at]].external_id for at in order]
        for depth in DEPTHS:
            found[share, depth] = locomo.recall_at(ids, question.evidence, depth)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    options = parser.parse_args()
    embedder = embedder_for("late", options.model)
    found: dict[tuple[float, int], list[float]] = defaultdict(list)
    for conversation in locomo.load(options.file):
        bench = Bench(conversation, embedder)
        for question in locomo.headline(conversation):
            for key, recall in recalls(bench, question).items():
                found[key].append(recall)
    for (share, depth), values in sorted(found.items(), reverse=True):
        print(f"lambda {share}: R@{depth} {np.mean(values):.4f} of {len(values)} questions")


if __name__ == "__main__":
    main()
