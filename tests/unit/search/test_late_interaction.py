"""Window MaxSim."""

import tracemalloc

import numpy as np
import pytest

from ashd.search import late_interaction
from ashd.search.late_interaction import Tokens

EYE = np.eye(4, dtype=np.float32)


def own(count: int) -> np.ndarray:
    """Windows without neighbours."""
    windows = np.full((count, 5), -1)
    windows[:, 0] = np.arange(count)
    return windows


def even(count: int) -> np.ndarray:
    return np.full(count, 1 / count, dtype=np.float32)


def test_each_word_takes_its_best_match() -> None:
    """The score is the weighted mean over the question's tokens of their best match."""
    tokens = np.stack([EYE[0], EYE[1], EYE[2]])
    scores = late_interaction.window_maxsim(
        EYE[:2], even(2), [Tokens(tokens, np.array([0, 2, 3]))], own(2)
    )

    assert scores.tolist() == [1.0, 0.0]


def test_a_neighbour_counts_less_than_the_own_text() -> None:
    """A match only in the turn before is discounted, less so if that turn is a question."""
    windows = np.array([[0, -1, 1, -1, -1], [1, 0, -1, -1, -1]])
    arguments = (EYE[:1], even(1), [Tokens(EYE[[0, 3]], np.array([0, 1, 2]))], windows)

    before, after = late_interaction.window_maxsim(*arguments)
    answered = late_interaction.window_maxsim(*arguments, answers=np.array([False, True]))

    assert (1.0, np.float32(0.7)) == (before, after)
    assert [1.0, np.float32(0.95)] == answered.tolist()


def test_texts_without_tokens_score_nothing() -> None:
    """Empty texts stand anywhere in the row of texts without shifting the others."""
    offsets = np.array([0, 0, 1, 1, 2, 2])
    scores = late_interaction.window_maxsim(
        EYE[:1], even(1), [Tokens(EYE[[0, 1]], offsets)], own(5)
    )

    assert scores.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]


def test_int8_tokens_give_the_same_as_floats() -> None:
    """Stored tokens are unit vectors times 127."""
    generator = np.random.default_rng(7)
    tokens = generator.normal(size=(30, 4)).astype(np.float32)
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    offsets = np.arange(0, 31, 3)
    small = np.rint(tokens * 127).astype(np.int8)

    exact = late_interaction.window_maxsim(EYE, even(4), [Tokens(tokens, offsets)], own(10))
    stored = late_interaction.window_maxsim(EYE, even(4), [Tokens(small, offsets)], own(10))

    assert np.allclose(exact, stored, atol=0.01)


def test_by_itself_the_rare_word_weighs_more() -> None:
    """Without weights a token that every candidate meets decides less."""
    tokens = np.stack([EYE[0], EYE[0], EYE[0], EYE[1]])
    scores = late_interaction.window_maxsim(EYE[:2], None, [Tokens(tokens, np.arange(5))], own(4))

    assert scores[3] > scores[0]


def test_opposite_tokens_take_nothing_off() -> None:
    """A match is never below nothing."""
    scores = late_interaction.window_maxsim(
        EYE[:1], even(1), [Tokens(-EYE[:1], np.array([0, 1]))], own(1)
    )

    assert scores.tolist() == [0.0]


def test_rows_in_blocks_score_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the cut of the rows nor the size of a block changes a score."""
    generator = np.random.default_rng(3)
    tokens = generator.normal(size=(40, 4)).astype(np.float32)
    offsets = np.array([0, 0, 3, 10, 11, 30, 30, 40])
    whole = late_interaction.window_maxsim(EYE, None, [Tokens(tokens, offsets)], own(7))
    monkeypatch.setattr(late_interaction, "_BLOCK", 12)
    parts = [Tokens(tokens[:11], offsets[:5]), Tokens(tokens[11:], offsets[4:] - 11)]
    cut = late_interaction.window_maxsim(EYE, None, parts, own(7))

    assert np.allclose(whole, cut, atol=1e-6)


def test_products_are_computed_in_bounded_memory() -> None:
    """A question and texts as long as can be take some blocks, not their whole product."""
    question = np.ones((late_interaction.QUESTION_TOKENS, 64), np.float32)
    rows = 200
    texts = Tokens(np.ones((rows * 1_024, 64), np.int8), np.arange(rows + 1) * 1_024)
    tracemalloc.start()
    late_interaction.window_maxsim(question, None, [texts], own(rows)[:, :1], discounts=(1.0,))
    _, highest = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert highest < 64 * 2**20 < question.shape[0] * len(texts.vectors) * 4


@pytest.mark.parametrize(("question", "of_candidates"), [(9, 50_000), (400, 60_000), (0, 0)])
def test_a_question_of_prose_is_compared_whole(question: int, of_candidates: int) -> None:
    """A page asked of the longest passages of prose."""
    assert question == late_interaction.compared(question, of_candidates)


def test_a_long_question_is_cut_where_the_candidates_have_many_tokens() -> None:
    """The products have a bound, and some tokens are always compared."""
    for tokens in (10**5, 10**6, 2 * 10**6):
        products = late_interaction.compared(4_000, tokens) * tokens
        assert products <= late_interaction.PRODUCTS
    assert late_interaction.compared(4_000, 10**9) == 16
