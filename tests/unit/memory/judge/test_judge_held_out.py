"""The judge on facts that nothing was trained on: `benchmarks/statements/held_out`.

They were written by other authors than what the model was trained on. The cuts of the pair models
have not seen them; those of the cross-encoder were compared on some of them.
"""

from collections import Counter
from pathlib import Path

import pytest
from embedders import minilm_models

from ashd.providers.registry import load
from benchmarks.statements.data import Vectors
from benchmarks.statements.report import HELD_OUT, Judge, of_life, of_pairs, read_rows

# The least share of replacements that is seen: replaced, or linked as a conflict.
LEAST = {"minilm": 0.92, "wordllama": 0.70}


@pytest.fixture(scope="module", params=LEAST)
def judging(request: pytest.FixtureRequest) -> tuple[Judge, float]:
    """Two texts as the daemon judges them with an embedder, and what is asked of it."""
    models = minilm_models() if request.param == "minilm" else Path("none")
    embedder = load(request.param, models_dir=models)
    assert embedder is not None
    return Judge(Vectors(embedder)), LEAST[request.param]


def test_most_replacements_nobody_has_seen_are_found(
    judging: tuple[Judge, float],
) -> None:
    """At most 4 % of the pairs to keep are linked, and none is replaced or folded."""
    judge, least = judging
    counts: Counter[str] = Counter()
    for path in HELD_OUT:
        if path.suffix == ".tsv":
            counts.update(of_pairs(read_rows(path), judge))

    seen = counts["replaced_right"] + counts["offered_right"]
    assert seen >= least * counts["replace"]
    assert counts["keep_offered"] <= 0.04 * counts["keep"]
    assert counts["replaced"] == counts["replaced_right"]
    assert counts["keep_folded"] <= 0.01 * counts["keep"]


def test_hardly_any_of_a_life_of_true_facts_is_linked(
    judging: tuple[Judge, float],
) -> None:
    """300 facts that are all true, one after the other: none replaces another, 2 % are linked."""
    judge, _ = judging
    (path,) = (path for path in HELD_OUT if path.suffix == ".txt")
    counts = of_life(path.read_text(encoding="utf-8").splitlines(), judge)

    assert counts["facts_replaced"] == 0
    assert counts["facts_offered"] <= 0.02 * counts["facts"]
    assert counts["facts_folded"] <= 0.01 * counts["facts"]
