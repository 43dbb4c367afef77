"""The rule together with the model of pairs, on facts that nothing was chosen by.

What stands under `benchmarks/statements/held_out` was written by others than what the model was
trained on; neither its words nor the cuts have seen it.
"""

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from embedders import minilm_models

from ashd.memory.conflict import Outcome, decide
from ashd.memory.statement import Statement
from ashd.providers import statement_pairs
from ashd.providers.embedder import Embedder, Embedding
from ashd.providers.registry import load

ROOT = Path(__file__).parents[3]
HELD_OUT = ROOT / "benchmarks" / "statements" / "held_out"
NEAREST = 12
"""As many as the daemon compares a new fact with by meaning."""
# The least recall of conflicts; their precision, and the part of true facts that may be lost, are
# the same for all.
RECALL = {"minilm": 0.85, "wordllama": 0.75}


class Judging:
    """Two texts as the daemon judges them with an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        trained = statement_pairs.for_model(embedder.model)
        assert trained is not None
        self.trained = trained
        self.embedder = embedder
        self.vectors = cache(self._vectors)

    def _vectors(self, text: str) -> Embedding:
        return self.embedder.embed([text])[0]

    def cosine(self, left: str, right: str) -> float:
        return float(self.vectors(left).pooled @ self.vectors(right).pooled)

    def outcome(self, older: str, newer: str) -> Outcome:
        before, after = (self.trained.side(text, self.vectors(text)) for text in (older, newer))
        return decide(
            Statement(older),
            Statement(newer),
            cosine=self.cosine(older, newer),
            value_cosine=self.cosine if self.embedder.thresholds.value_type else None,
            gates=self.embedder.thresholds,
            pair_model=lambda signs: self.trained.view(before, after, signs),
        ).outcome


@pytest.fixture(scope="module", params=RECALL)
def judging(request: pytest.FixtureRequest) -> Judging:
    models = minilm_models() if request.param == "minilm" else Path("none")
    embedder = load(request.param, models_dir=models)
    assert embedder is not None
    return Judging(embedder)


def held_out() -> list[list[str]]:
    paths = [Path(__file__).with_name("pairs_held_out.tsv"), *sorted(HELD_OUT.glob("*.tsv"))]
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [line.split("\t")[:3] for line in lines]


def test_most_conflicts_nobody_has_seen_are_found(judging: Judging) -> None:
    """Precision ≥ .90 at the embedder's recall; true facts lost ≤ 5 %."""
    rows = held_out()
    found = Counter((row[0], judging.outcome(row[1], row[2])) for row in rows)
    labels = Counter(row[0] for row in rows)
    right = found["conflict", Outcome.SUPERSEDE]
    least = RECALL["minilm" if judging.embedder.token_dimension == 96 else "wordllama"]
    superseded = sum(found[label, Outcome.SUPERSEDE] for label in labels)
    standing = sum(labels[label] for label in ("compatible", "othersubject", "unrelated"))
    kept = sum(
        found[label, Outcome.KEEP_BOTH] for label in ("compatible", "othersubject", "unrelated")
    )

    assert right >= 0.90 * superseded
    assert right >= least * labels["conflict"]
    assert standing - kept <= 0.05 * standing


def test_few_of_a_life_of_true_facts_are_lost(judging: Judging) -> None:
    """300 facts that are all true, one after the other: 5 % at most replace or drop another."""
    facts = (HELD_OUT / "nurse.txt").read_text(encoding="utf-8").splitlines()
    vectors = np.stack([judging.vectors(fact).pooled for fact in facts])
    lost: set[str] = set()
    for at, newer in enumerate(facts):
        nearest = np.argsort(-(vectors[:at] @ vectors[at]), kind="stable")[:NEAREST]
        for before in nearest:
            outcome = judging.outcome(facts[before], newer)
            if outcome is not Outcome.KEEP_BOTH:
                lost.add(facts[before] if outcome is Outcome.SUPERSEDE else newer)

    assert len(lost) <= 0.05 * len(facts), lost
