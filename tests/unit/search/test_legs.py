"""The legs of a search: which language a question is taken for."""

import datetime as dt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from candidates import Candidate, columns

from ashd.search import query
from ashd.search.foreign import is_foreign
from ashd.search.late_interaction import Tokens
from ashd.search.legs import Legs
from ashd.search.lexical import Lexical
from ashd.store import passages

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
    """A sentence of another language is always foreign; else only vectors can decide."""
    asked = query.analyse(text, facts=True, now=NOW)
    found = columns([Candidate(1), Candidate(2, coverage=coverage)])

    assert is_foreign(asked, found, pieces) is foreign


def test_words_in_no_row_lower_late_scores_too() -> None:
    """A late score is lowered like the cosine: another identifier is similar, but no answer."""
    tokens = np.eye(4, dtype=np.float32)[:2]
    legs: Any = object.__new__(Legs)
    rows = [Tokens(tokens, np.array([0, 1, 2]))]
    held = SimpleNamespace(of=lambda _tx, _passages: rows)
    legs._tx, legs._cache = None, SimpleNamespace(tokens=held)
    legs._kind = passages.MEMORY
    legs.visible = SimpleNamespace(passage=np.arange(2))
    vectors = (np.eye(4)[:1] * 127).astype(np.int8)
    question: Any = SimpleNamespace(tokens=SimpleNamespace(ids=[1], vectors=vectors))
    words = Lexical(np.zeros(2), np.zeros(2), np.array([0.5, 1.0]))

    whole = legs._late(np.arange(2), None, question)
    less = legs._late(np.arange(2), words, question)

    assert whole is not None
    assert less is not None
    assert less[0] == pytest.approx(whole[0] / 2)
