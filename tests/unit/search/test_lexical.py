"""BM25 from postings, with neighbours."""

import numpy as np
import pytest

from ashd.search import lexical


def places(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def test_more_and_rarer_words_score_higher() -> None:
    """Two words beat one, a rare word a frequent one."""
    found = lexical.bm25([places(0, 1, 2), places(0, 3)], 20)

    assert np.argsort(-found.scores, kind="stable")[:3].tolist() == [0, 3, 1]
    assert found.scores[0] == pytest.approx(1.0)
    assert found.coverage[0] == pytest.approx(1.0)


def test_a_word_that_nobody_has_lowers_every_score() -> None:
    """A result with half the question's words does not answer all of it."""
    with_it = lexical.bm25([places(0), places()], 10)
    without = lexical.bm25([places(0)], 10)

    assert with_it.scores[0] < without.scores[0]
    assert with_it.coverage[0] < 1


def test_a_word_that_stands_in_counts_for_less_and_once() -> None:
    """A concept is found by the best of its words; a second way to say it is no second hit."""
    terms = [places(0, 1), places(1, 2)]
    scores = lexical.bm25(terms, 10, worth=[1, 0.5], concepts=[0, 0]).scores

    assert scores[0] == scores[1] > scores[2] > 0


def test_a_word_that_stands_in_saves_the_concept() -> None:
    """A synonym counts as the word of the question."""
    missing = lexical.bm25([places(0), places()], 10, concepts=[0, 1])
    said = lexical.bm25([places(0), places(), places(0)], 10, worth=[1, 1, 0.7], concepts=[0, 1, 1])

    assert said.scores[0] > missing.scores[0]
    assert said.coverage[0] > missing.coverage[0]


def test_a_small_scope_scores_as_a_large_one() -> None:
    """One of two words counts for about half of the question, with one memory or a hundred."""
    few, many = (lexical.bm25([places(0), places()], size).scores[0] for size in (1, 100))

    assert 0.35 < few < 0.5
    assert abs(few - many) < 0.1


def test_a_frequent_word_is_left_out_while_a_rarer_one_is_there() -> None:
    """A word in half of the rows finds nothing by itself, unless it is all there is."""
    often = places(*range(0, 20, 2))

    assert lexical.bm25([often, places(1)], 20).scores[0] == 0
    assert lexical.bm25([often], 20).scores[0] > 0


def test_neighbours_of_the_same_session_count_for_less() -> None:
    """A word lifts the turns around it, never those of another conversation."""
    sessions = np.array([1, 1, 1, 1, 2, 2])
    scores = lexical.bm25([places(3)], 6, sessions=sessions).scores

    assert scores[3] > scores[2] > scores[1] > 0
    assert 0 == scores[0] == scores[4] == scores[5]


def test_the_answer_to_a_question_counts_nearly_as_much() -> None:
    """A turn after a question counts as its answer."""
    sessions = np.array([1, 1, 1])
    asks = np.array([True, False, False])
    plain = lexical.bm25([places(0)], 3, sessions=sessions).scores
    answer = lexical.bm25([places(0)], 3, sessions=sessions, ends_asking=asks).scores

    assert answer[1] > plain[1]
    assert answer[2] == plain[2]


def test_long_texts_need_more() -> None:
    """A word in a page says less than in a line; lines are alike."""
    scores = lexical.bm25([places(0, 1, 2)], 9, words=np.array([8, 80, 800, *[10] * 6])).scores

    assert scores[0] == scores[1] > scores[2] > 0


def test_no_rows_and_no_terms_are_no_failure() -> None:
    """Empty in, empty or zero out."""
    assert len(lexical.bm25([places()], 0, sessions=places()).scores) == 0
    assert lexical.bm25([], 2).scores.tolist() == [0, 0]
    assert len(lexical.bm25([places(0)], 1, sessions=places(1)).scores) == 1


def test_what_vectors_say_beside_an_unknown_identifier_counts_for_less() -> None:
    """The discount is the identifier's share of the question, applied twice to similar rows."""
    plain = lexical.bm25([places(), places(0, 1)], 10)
    found = lexical.bm25([places(), places(0, 1)], 10, rivals=[places(1, 2), None])

    assert found.scores[0] == plain.scores[0] > found.scores[1] > 0
    assert 0.3 < found.known[0] == found.known[9] < 0.7
    assert np.allclose(found.known[[1, 2]], found.known[0] ** 2)


def test_an_identifier_that_is_there_leaves_no_doubt() -> None:
    """Vectors count in full, but for rows that hold another one like it."""
    found = lexical.bm25([places(0), places(5)], 10, rivals=[places(0, 1), None])

    assert (np.delete(found.known, 1) == 1).all()
    assert 0 < found.known[1] < 1


def test_an_unknown_identifier_alone_is_answered_by_nothing() -> None:
    """Neither words nor vectors answer an unknown identifier."""
    found = lexical.bm25([places()], 10, rivals=[places(1)])

    assert (found.known == 0).all()
    assert (found.scores == 0).all()
