"""Mutants that are written down by their text: each still fits the code, and its tests exist."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "mutants"))

from named import NAMED, Named

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("one", NAMED, ids=lambda one: one.what)
def test_a_named_mutant_fits_the_code(one: Named) -> None:
    """Its text stands once in the module, and is not the mutant's."""
    text = (REPOSITORY / one.path).read_text(encoding="utf-8")

    assert text.count(one.old) == 1
    assert one.old != one.new
    assert [name for name in one.tests if not (REPOSITORY / name).exists()] == []
