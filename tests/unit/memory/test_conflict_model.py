"""The rule together with the model of pairs, on facts that nothing was chosen by.

What stands under `benchmarks/statements/held_out` was written by others than what the model was
trained on; neither its words nor the cuts have seen it.
"""

from collections import Counter
from pathlib import Path

import pytest
from embedders import minilm_models

from ashd.providers.registry import load
from benchmarks.statements.report import HELD_OUT, Reader, of_life, of_pairs, read_rows

# The least recall of conflicts; their precision, and the part of true facts that may be lost, are
# the same for all.
RECALL = {"minilm": 0.85, "wordllama": 0.75}


@pytest.fixture(scope="module", params=RECALL)
def judging(request: pytest.FixtureRequest) -> tuple[Reader, float]:
    """Two texts as the daemon judges them with an embedder, and what is asked of it."""
    models = minilm_models() if request.param == "minilm" else Path("none")
    return Reader(load(request.param, models_dir=models)), RECALL[request.param]


def test_most_conflicts_nobody_has_seen_are_found(judging: tuple[Reader, float]) -> None:
    """Precision ≥ .90 at the embedder's recall; true facts lost ≤ 5 %."""
    reader, least = judging
    counts: Counter[str] = Counter()
    for path in HELD_OUT:
        if path.suffix == ".tsv":
            counts.update(of_pairs(read_rows(path), reader))

    assert counts["superseded_right"] >= 0.90 * counts["superseded"]
    assert counts["superseded_right"] >= least * counts["conflicts"]
    assert counts["lost"] <= 0.05 * counts["standing"]


def test_few_of_a_life_of_true_facts_are_lost(judging: tuple[Reader, float]) -> None:
    """300 facts that are all true, one after the other: 5 % at most replace or drop another."""
    reader, _ = judging
    (path,) = (path for path in HELD_OUT if path.suffix == ".txt")
    counts = of_life(path.read_text(encoding="utf-8").splitlines(), reader)

    assert counts["lost"] <= 0.05 * counts["standing"]
