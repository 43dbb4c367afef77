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

# The least share of replacements that is replaced without asking, and replaced or offered.
LEAST = {"minilm": (0.75, 0.95), "wordllama": (0.60, 0.90)}


@pytest.fixture(scope="module", params=LEAST)
def judging(request: pytest.FixtureRequest) -> tuple[Judge, tuple[float, float]]:
    """Two texts as the daemon judges them with an embedder, and what is asked of it."""
    models = minilm_models() if request.param == "minilm" else Path("none")
    embedder = load(request.param, models_dir=models)
    assert embedder is not None
    return Judge(Vectors(embedder)), LEAST[request.param]


def test_most_replacements_nobody_has_seen_are_found(
    judging: tuple[Judge, tuple[float, float]],
) -> None:
    """Precision of what is replaced ≥ .97; at most 12 % of the pairs to keep are offered."""
    judge, (least_replaced, least_offered) = judging
    counts: Counter[str] = Counter()
    for path in HELD_OUT:
        if path.suffix == ".tsv":
            counts.update(of_pairs(read_rows(path), judge))

    right = counts["replaced_right"]
    assert right >= 0.97 * counts["replaced"]
    assert right >= least_replaced * counts["replace"]
    assert right + counts["offered_right"] >= least_offered * counts["replace"]
    assert counts["keep_offered"] <= 0.12 * counts["keep"]
    assert counts["keep_replaced"] + counts["keep_folded"] <= 0.02 * counts["keep"]


def test_hardly_any_of_a_life_of_true_facts_is_replaced(
    judging: tuple[Judge, tuple[float, float]],
) -> None:
    """300 facts that are all true, one after the other: 1 % at most replace another."""
    judge, _ = judging
    (path,) = (path for path in HELD_OUT if path.suffix == ".txt")
    counts = of_life(path.read_text(encoding="utf-8").splitlines(), judge)

    assert counts["facts_replaced"] <= 0.01 * counts["facts"]
    assert counts["facts_folded"] <= 0.01 * counts["facts"]
