"""Mutants of a module: its decisions and its SQL are changed, its sentences are not."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "mutants"))

from mutations import changed, changes

QUERY = 'ADULTS = "age >= 18 or guardian is null"\n'
REFUSAL = 'raise errors.Denied("Ask there, or act as the operator.")\n'


def test_sql_is_changed() -> None:
    """Each condition of a query has mutants of its own; without `sql` a text has none."""
    made = [changed(QUERY, one.number, sql=True) for one in changes(QUERY, sql=True)]

    assert made == [
        "ADULTS = 'age >= 18 and guardian is null'",
        "ADULTS = 'age >= 18 or guardian is not null'",
    ]
    assert changes(QUERY) == []


def test_the_wording_of_an_error_is_left_alone() -> None:
    """Raising it is behaviour; its words are none, though they may look like SQL."""
    assert [one.what for one in changes(REFUSAL, sql=True)] == ["raise removed"]


def test_the_size_of_a_cache_is_left_alone() -> None:
    """One entry more or less shows nowhere; another number has a mutant."""
    sizes = "_CACHED_WORDS: Final = 4_096\n\n@cached_by_text(16_384)\ndef ends(): ...\n"

    assert changes(sizes) == []
    assert [one.what for one in changes("_WORDS: Final = 4_096\n")] == ["+ 1"]
