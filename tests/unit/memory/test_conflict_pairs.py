"""The conflict rule alone on pairs of facts, with MiniLM's cosines as they stand in the files.

`python -m benchmarks.statements.report --cosines` puts them there; so no model is needed here.
Nothing was tuned on `pairs_held_out.tsv`. What rule and model of pairs do together is tested in
`test_conflict_model.py`.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ashd.memory.conflict import Outcome, Verdict, decide
from ashd.memory.statement import Statement
from ashd.providers.embedder import Thresholds

HERE = Path(__file__).parent
# The least part of the conflicts that must be found: with MiniLM, and without any embedder.
FILES = {
    "pairs.tsv": (0.90, 0.85),
    "pairs_first.tsv": (0.90, 0.90),
    "pairs_second.tsv": (0.90, 0.90),
    "pairs_held_out.tsv": (0.75, 0.70),
}
MINILM = Thresholds(
    same_statement=0.70,
    message=0.30,
    relevant=0.25,
    conflict_gate=0.55,
    duplicate=0.80,
    value_type=0.29,
)


class Pair(NamedTuple):
    label: str
    older: str
    newer: str
    cosine: float
    value_cosine: float | None


def pairs(name: str) -> list[Pair]:
    rows = [line.split("\t") for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
    return [
        Pair(label, older, newer, float(cosine), float(of_values) if of_values else None)
        for label, older, newer, cosine, of_values in rows
    ]


def with_minilm(pair: Pair) -> Verdict:
    def value_cosine(left: str, right: str) -> float:
        assert pair.value_cosine is not None, f"run the benchmark with --cosines: {left}, {right}"
        return pair.value_cosine

    return decide(
        Statement(pair.older),
        Statement(pair.newer),
        cosine=pair.cosine,
        value_cosine=value_cosine,
        gates=MINILM,
    )


def without_embedder(pair: Pair) -> Verdict:
    return decide(
        Statement(pair.older), Statement(pair.newer), cosine=None, value_cosine=None, gates=None
    )


@pytest.mark.parametrize("judge", [with_minilm, without_embedder])
@pytest.mark.parametrize("name", FILES)
def test_most_conflicts_are_found_and_hardly_a_true_fact_is_lost(
    name: str, judge: Callable[[Pair], Verdict]
) -> None:
    """Precision ≥ .95, the file's recall, true facts lost ≤ 2 %."""
    found = Counter((pair.label, judge(pair).outcome) for pair in pairs(name))
    labels = Counter(pair.label for pair in pairs(name))
    right = found["conflict", Outcome.SUPERSEDE]
    superseded = sum(found[label, Outcome.SUPERSEDE] for label in labels)
    standing = sum(
        count for label, count in labels.items() if label not in {"conflict", "duplicate"}
    )
    kept = sum(
        found[label, Outcome.KEEP_BOTH]
        for label in labels
        if label not in {"conflict", "duplicate"}
    )
    assert right >= 0.95 * superseded
    assert right >= FILES[name][judge is without_embedder] * labels["conflict"]
    assert standing - kept <= 0.02 * standing


@pytest.mark.parametrize("name", FILES)
def test_a_fact_called_a_duplicate_says_nothing_new(name: str) -> None:
    """Nine in ten of what is not stored as a duplicate is one; never is a conflict dropped."""
    found = Counter(pair.label for pair in pairs(name) if is_dropped(pair))
    assert found["duplicate"] >= 0.90 * found.total()
    assert found["conflict"] == 0


def is_dropped(pair: Pair) -> bool:
    return with_minilm(pair).outcome is Outcome.DUPLICATE
