"""Features of two texts, and of their token vectors."""

import numpy as np
import pytest

from ashd.language.tagged_words import read
from ashd.memory.judge.alignment import COUNT, alignment_features, padded
from ashd.memory.judge.features import pair_features
from ashd.providers.embedder import unit


def test_as_many_features_for_any_pair() -> None:
    """Empty and long texts have them all, and none is without bounds."""
    texts = ["", "Hi", "The rent is 720 euros.", "word " * 60]
    found = [pair_features(read(one), read(other)) for one in texts for other in texts]
    assert len({len(one) for one in found}) == 1
    assert all(np.isfinite(one).all() for one in found)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Tom owes Anna 5 euros", "Anna owes Tom 5 euros"),
        ("Locker 20 is rented", "Locker 62 is rented"),
        ("The rent is 720 euros", "The rent is 790 euros"),
        ("I live in Rome", "I do not live in Rome"),
    ],
)
def test_a_small_difference_is_seen(older: str, newer: str) -> None:
    """What token vectors blur makes another array than the same text again."""
    same = pair_features(read(older), read(older))
    assert np.abs(pair_features(read(older), read(newer)) - same).max() >= 0.3


def test_alignment_is_told_from_padding() -> None:
    """A pair has the same features alone and beside a longer one."""
    rng = np.random.default_rng(0)
    short, long, newer = (unit(rng.standard_normal((count, 8))) for count in (3, 9, 4))
    both, taken = padded([short, long])
    alone, alone_taken = padded([short])
    every = np.ones((1, 4), dtype=np.bool_)
    together = alignment_features(both @ newer.T, taken, every)
    by_itself = alignment_features(alone @ newer.T, alone_taken, every)
    assert together.shape == (2, COUNT)
    assert np.allclose(together[0], by_itself[0], atol=1e-5)


def test_the_same_tokens_find_each_other() -> None:
    """Tokens in one order are all found, without a turn; in another order with turns."""
    tokens = np.eye(5, 8, dtype=np.float32)
    every = np.ones((1, 5), dtype=np.bool_)
    mean, _, _, _, _, turned, *_ = alignment_features((tokens @ tokens.T)[None], every, every)[0]
    *_, back, _, _ = alignment_features((tokens @ tokens[::-1].T)[None], every, every)[0]
    assert mean == pytest.approx(1)
    assert turned == pytest.approx(0)
    assert back > 0
