"""Finds the fusion weights of `ashd.search.fusion` on LoCoMo development conversations.

    python -m benchmarks.recall.tune FILE --level late --model FOLDER
    python -m benchmarks.recall.tune FILE --level static --report

Coordinate ascent on the mean of R@5, R@10, R@20 and nDCG@10 over the question codes 1-4. Each
conversation is also scored by weights that were found without it (leave one out): that is the
figure to believe. `--report` only measures the weights that the package has.
"""

import argparse
import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ashd.providers.embedder import Embedder
from ashd.providers.minilm import MiniLmEmbedder
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.search import fusion
from ashd.search.fusion import Weights
from benchmarks.recall import locomo
from benchmarks.recall.bench import Bench, Prepared

DEPTHS = (5, 10, 20, 50)
TUNED = ("cosine", "late", "speaker", "when", "asking", "in_time", "session")
"""`lexical` is not among them: only the ratios count, so it stays where it is."""
STEPS = (0.5, 0.7, 0.85, 1.18, 1.4, 2.0)
_DISCOUNTS = 1 / np.log2(np.arange(2, 12))


def embedder_for(level: str, model: Path | None) -> Embedder | None:
    if level == "none":
        return None
    if level == "static":
        return WordLlamaEmbedder()
    if model is None:
        raise SystemExit("--level late and pooled need --model, the folder of the MiniLM model")
    return MiniLmEmbedder(model)


def measures(prepared: Prepared, weights: Weights) -> list[float]:
    """R@5, R@10, R@20, R@50, nDCG@10 of one question."""
    evidence = len(prepared.question.evidence)
    totals = fusion.combine(prepared.values, prepared.sessions, weights)
    hits = prepared.gold[np.argsort(-totals, kind="stable")]
    recalls = [float(hits[:depth].sum()) / evidence for depth in DEPTHS]
    top = hits[:10]
    gain = float(top @ _DISCOUNTS[: len(top)])
    return [*recalls, gain / float(_DISCOUNTS[: min(10, evidence)].sum())]


def table(questions: Sequence[Prepared], weights: Weights) -> np.ndarray:
    return np.array([measures(question, weights) for question in questions])


def objective(questions: Sequence[Prepared], weights: Weights) -> float:
    return float(table(questions, weights).mean(axis=0)[[0, 1, 2, 4]].mean())


def ascend(questions: Sequence[Prepared], weights: Weights, rounds: int = 3) -> Weights:
    """Change one weight at a time while the objective rises by more than noise."""
    best = objective(questions, weights)
    for _ in range(rounds):
        before = best
        for name in TUNED:
            value = getattr(weights, name)
            for factor in STEPS if value else ():
                tried = dataclasses.replace(weights, **{name: round(value * factor, 3)})
                reached = objective(questions, tried)
                if reached > best + 1e-4:
                    best, weights = reached, tried
        if best - before < 5e-4:
            break
    return weights


def show(label: str, rows: np.ndarray) -> None:
    means = " ".join(f"{value:.3f}" for value in rows.mean(axis=0))
    print(f"{label:34s} n={len(rows):4d}  R@5/10/20/50 nDCG@10  {means}")


def report(label: str, questions: Sequence[Prepared], rows: np.ndarray) -> None:
    codes = np.array([question.question.category for question in questions])
    show(label, rows[codes <= 4])
    for code, name in locomo.CATEGORIES.items():
        show(f"  {code} {name}", rows[codes == code])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--level", choices=["late", "pooled", "static", "none"], required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    embedder = embedder_for(arguments.level, arguments.model)
    start = fusion.weights_for(arguments.level)

    folds: list[list[Prepared]] = []
    spent = []
    for conversation in locomo.load(arguments.file):
        bench = Bench(conversation, embedder)
        fold = []
        for question in conversation.questions:
            begun = time.perf_counter()
            fold.append(bench.prepare(question))
            spent.append(time.perf_counter() - begun)
        folds.append(fold)
    every = [question for fold in folds for question in fold]
    scored = [[q for q in fold if q.question.category <= 4] for fold in folds]
    low, high = np.percentile(np.array(spent) * 1e3, [50, 95])
    print(f"{len(every)} questions; candidates in {low:.1f} ms (median), {high:.1f} ms (p95)")
    report("weights of the package", every, table(every, start))
    if arguments.report:
        return

    held_out = []
    for left_out in range(len(folds)):
        others = [q for number, fold in enumerate(scored) if number != left_out for q in fold]
        held_out.append(table(scored[left_out], ascend(others, start)))
    show("leave one conversation out", np.concatenate(held_out))
    tuned = ascend([q for fold in scored for q in fold], start)
    report("tuned on all of it", every, table(every, tuned))
    print(tuned)


if __name__ == "__main__":
    main()
