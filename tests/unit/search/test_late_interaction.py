"""Window MaxSim."""

import numpy as np

from ashd.search import late_interaction

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
    scores = late_interaction.window_maxsim(EYE[:2], even(2), tokens, np.array([0, 2, 3]), own(2))

    assert scores.tolist() == [1.0, 0.0]


def test_a_neighbour_counts_less_than_the_own_text() -> None:
    """A match only in the turn before is discounted, less so if that turn is a question."""
    windows = np.array([[0, -1, 1, -1, -1], [1, 0, -1, -1, -1]])
    arguments = (EYE[:1], even(1), EYE[[0, 3]], np.array([0, 1, 2]), windows)

    before, after = late_interaction.window_maxsim(*arguments)
    answered = late_interaction.window_maxsim(*arguments, answers=np.array([False, True]))

    assert (1.0, np.float32(0.7)) == (before, after)
    assert [1.0, np.float32(0.95)] == answered.tolist()


def test_texts_without_tokens_score_nothing() -> None:
    """Empty texts stand anywhere in the row of texts without shifting the others."""
    offsets = np.array([0, 0, 1, 1, 2, 2])
    scores = late_interaction.window_maxsim(EYE[:1], even(1), EYE[[0, 1]], offsets, own(5))

    assert scores.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]


def test_int8_tokens_give_the_same_as_floats() -> None:
    """Stored tokens are unit vectors times 127."""
    generator = np.random.default_rng(7)
    tokens = generator.normal(size=(30, 4)).astype(np.float32)
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    offsets = np.arange(0, 31, 3)
    small = np.rint(tokens * 127).astype(np.int8)

    exact = late_interaction.window_maxsim(EYE, even(4), tokens, offsets, own(10))
    stored = late_interaction.window_maxsim(EYE, even(4), small, offsets, own(10))

    assert np.allclose(exact, stored, atol=0.01)


def test_by_itself_the_rare_word_weighs_more() -> None:
    """Without weights a token that every candidate meets decides less."""
    tokens = np.stack([EYE[0], EYE[0], EYE[0], EYE[1]])
    scores = late_interaction.window_maxsim(EYE[:2], None, tokens, np.arange(5), own(4))

    assert scores[3] > scores[0]


def test_opposite_tokens_take_nothing_off() -> None:
    """A match is never below nothing."""
    scores = late_interaction.window_maxsim(EYE[:1], even(1), -EYE[:1], np.array([0, 1]), own(1))

    assert scores.tolist() == [0.0]
