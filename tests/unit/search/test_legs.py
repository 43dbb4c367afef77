"""The legs of a search: the language of a question, and the rows that a classifier takes."""

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
from ashd.search.spec import ABOUT_ANOTHER, Classifier
from ashd.search.vector_cache import NONE
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
    legs._tx, legs.cache = None, SimpleNamespace(tokens=held)
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


def test_a_classifier_takes_what_is_valid_and_has_a_vector() -> None:
    """Likeliest first, a long memory once by its best passage, up to the bound."""
    legs: Any = object.__new__(Legs)
    scores = np.array([1.0, 3.0, 2.0, 5.0, 6.0, 7.0, -1.0], np.float32)
    of_others = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], np.float32)

    def cosines(_tx: Any, passages: Any, weights: Any) -> Any:
        return (scores - 0.5 if weights[0] else of_others)[passages - 10]

    held = SimpleNamespace(is_kept=True, cosines=cosines)
    legs._tx, legs.cache = SimpleNamespace(now=10), held
    legs._compared = np.array([0, 0, 0, NONE, 0, 0, 0], np.float32)
    legs.visible = SimpleNamespace(
        item=np.array([1, 1, 2, 3, 4, 5, 6]),
        passage=np.arange(10, 17),
        valid_from=np.array([0, 0, 0, 0, 11, 0, 0]),
        valid_until=np.array([99, 99, 99, 99, 99, 10, 99]),
    )
    by = Classifier(np.ones(2, np.float32), 0.5, least=0.0)
    others = Classifier(np.zeros(2, np.float32), 0.0, least=0.5)

    taken = legs.taken(by, 5, others)

    assert [(one.item, one.passage) for one in taken] == [(1, 11), (2, 12)]
    assert [ABOUT_ANOTHER in one.signals for one in taken] == [True, False]
    assert taken[0].score == pytest.approx(1 / (1 + np.exp(-3)))
    assert [one.item for one in legs.taken(by, 1, others)] == [1]
    held.is_kept = False
    assert legs.taken(by, 5, others) == []
