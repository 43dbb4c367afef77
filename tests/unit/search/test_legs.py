"""The legs of a search: which language a question is taken for."""

import datetime as dt

import pytest
from candidates import Candidate, columns

from ashd.search import query
from ashd.search.legs import is_foreign

NOW = dt.datetime(2026, 6, 15, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "pieces", "coverage", "foreign"),
    [
        ("Versicherung", 5.0, 1.0, True),
        ("Versicherung", 5.0, 0.9, False),
        ("insurance", 1.0, 1.0, False),
        ("wo ist die Katze", 1.0, 0.0, True),
    ],
)
def test_words_that_a_model_takes_apart_are_foreign_where_they_are_found(
    text: str, pieces: float, coverage: float, foreign: bool
) -> None:
    """And a sentence of another language always is; else vectors are all there is to go by."""
    asked = query.analyse(text, facts=True, now=NOW)
    found = columns([Candidate(1), Candidate(2, coverage=coverage)])

    assert is_foreign(asked, found, pieces) is foreign
