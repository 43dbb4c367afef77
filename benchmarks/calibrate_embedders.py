"""Measures what an embedder's cosines mean, to set the thresholds that stand with it.

    python benchmarks/calibrate_embedders.py MODELS_FOLDER PAIRS.tsv...

PAIRS: a label, a tab, a text, a tab, another text a line; `conflict` and `duplicate` are about
the same statement, `compatible`, `othersubject` and `unrelated` are not. The questions for the
cut of relevance are this folder's own (`relevance.tsv`).
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ashd.errors import EmbeddingUnavailable
from ashd.providers.embedder import Embedder
from ashd.providers.registry import load

SAME = ("conflict", "duplicate")
OTHER = ("compatible", "othersubject", "unrelated")
GRID = np.arange(0.20, 0.91, 0.05)
QUESTIONS = Path(__file__).with_name("relevance.tsv")

Values = NDArray[np.float32]


def read_rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def pair_cosines(embedder: Embedder, paths: list[Path]) -> dict[str, Values]:
    found = defaultdict(list)
    for path in paths:
        for label, *texts in read_rows(path):
            first, second = embedder.embed(texts[:2])
            found[label].append(float(first.pooled @ second.pooled))
    return {label: np.array(values, dtype=np.float32) for label, values in found.items()}


def report_pairs(embedder: Embedder, paths: list[Path]) -> None:
    cosines = pair_cosines(embedder, paths)
    for label in (*SAME, *OTHER):
        low, middle, high = np.quantile(cosines[label], (0.1, 0.5, 0.9))
        print(f"  {label:12} n={len(cosines[label]):3}  {low:5.2f} {middle:5.2f} {high:5.2f}")
    same = np.concatenate([cosines[label] for label in SAME])
    other = np.concatenate([cosines[label] for label in OTHER])
    limits = embedder.thresholds
    marks = {
        "gate": limits.conflict_gate,
        "same": limits.same_statement,
        "duplicate": limits.duplicate,
    }
    print("  same statement (conflict or duplicate) against the rest:")
    rows = [*((f"{cut:.2f}", cut) for cut in GRID if cut >= 0.4), *marks.items()]
    for name, cut in rows:
        hits, wrong = int((same >= cut).sum()), int((other >= cut).sum())
        print(
            f"    {name:9} {cut:.2f}  precision {hits / max(1, hits + wrong):.2f}"
            f"  false positives {wrong / len(other):.2f}"
            f"  false negatives {1 - hits / len(same):.2f}"
            f"  conflicts missed {np.mean(cosines['conflict'] < cut):.2f}"
        )


def report_relevance(embedder: Embedder) -> None:
    """Wrong answers to questions that no fact answers, and right answers held back."""
    rows = read_rows(QUESTIONS)
    answered = [row for row in rows if len(row) == 2]
    facts = np.array([one.pooled for one in embedder.embed([fact for _, fact in answered])])
    asked = np.array([embedder.embed_query(row[0]).pooled for row in rows])
    cosines = asked @ facts.T
    right = np.array([cosines[i, i] for i in range(len(answered))])
    wrong = cosines[len(answered) :]
    print(f"  relevance: {len(answered)} questions with a fact, {len(wrong)} without")
    for name, cut in [*((f"{cut:.2f}", cut) for cut in GRID if cut <= 0.4), ("relevant", 0.0)]:
        at = cut or embedder.thresholds.relevant
        print(
            f"    {name:9} {at:.2f}  facts held back {np.mean(right < at):.2f}"
            f"  pairs let through {np.mean(wrong >= at):.3f}"
            f"  questions answered wrongly {np.mean(wrong.max(axis=1) >= at):.2f}"
        )


def main(models: Path, pairs: list[Path]) -> None:
    for provider in ("wordllama", "minilm"):
        try:
            embedder = load(provider, models_dir=models)
        except EmbeddingUnavailable as error:
            print(f"{provider}: {error}")
            continue
        assert embedder is not None
        print(f"{embedder.model}: {embedder.thresholds}")
        report_pairs(embedder, pairs)
        report_relevance(embedder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
