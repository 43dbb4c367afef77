"""Texts that the pair model is not sure of are read together; unrelated texts are not."""

import numpy as np
import pytest

from ashd.errors import EmbeddingUnavailable
from ashd.language import tagged_words
from ashd.memory.judge import NO_OPINION, Side, calibration, read_together
from ashd.memory.judge.cross_encoder import (
    LIKELIEST_AFTER_CHANGE_FROM,
    LIKELIEST_FROM,
    UNRELATED,
)
from ashd.providers.embedder import PairLikelihoods


class Pairs:
    """A cross-encoder that says the same of all texts, and notes what it was asked."""

    def __init__(self, replaces: float = 0.9) -> None:
        self.replaces = replaces
        self.asked: list[tuple[str, str]] = []

    def pair_likelihoods(self, older: str, newer: str) -> PairLikelihoods:
        self.asked.append((older, newer))
        return PairLikelihoods(self.replaces, 0.05)


class Broken:
    """A cross-encoder that cannot be run."""

    def pair_likelihoods(self, _older: str, _newer: str) -> PairLikelihoods:
        raise EmbeddingUnavailable("the model cannot be loaded", hint="Install it.")


def side(text: str) -> Side:
    none = np.zeros((1, 1), np.float32)
    return Side(text, tagged_words.read(text), True, none, none, none, none, none)


NEWER, OLDERS = side("I moved to Porto."), [side("I live in Ghent."), side("My cat is grey.")]
NEAR, UNLIKE = PairLikelihoods(0.3, 0.2), PairLikelihoods(UNRELATED / 2, UNRELATED / 4)


def test_only_texts_that_may_concern_each_other_are_read() -> None:
    """The older text comes first; an unrelated one gets no opinion and costs nothing."""
    pairs = Pairs()
    near, unlike = read_together(pairs, NEWER, OLDERS, [NEAR, UNLIKE]).opinions
    assert unlike == NO_OPINION
    assert near.repeats == 0.05
    assert pairs.asked == [("I live in Ghent.", "I moved to Porto.")]


@pytest.mark.parametrize(
    ("newer", "likely", "is_read"),
    [
        ("I like Porto.", [UNRELATED, UNRELATED - 0.01], [True, False]),
        ("I like Porto.", [UNRELATED, UNRELATED], [True, True]),
        ("I like Porto.", [LIKELIEST_FROM + 0.01, UNRELATED - 0.01], [False, True]),
        ("I like Porto.", [LIKELIEST_FROM, 0.0], [True, False]),
        ("I like Porto.", [LIKELIEST_FROM - 0.01, 0.0], [False, False]),
        ("I live in Porto now.", [LIKELIEST_FROM - 0.01, 0.0], [True, False]),
        ("I live in Porto now.", [LIKELIEST_AFTER_CHANGE_FROM - 0.01, 0.0], [False, False]),
    ],
)
def test_the_likeliest_older_text_is_read_on_less(
    newer: str, likely: list[float], is_read: list[bool]
) -> None:
    """One text may be concerned where none is likely to be, most of all after a change."""
    first = [PairLikelihoods(one, 0.0) for one in likely]
    found = read_together(Pairs(), side(newer), OLDERS, first).opinions
    assert [one != NO_OPINION for one in found] == is_read


def test_only_as_many_pairs_as_asked_are_read() -> None:
    """The likeliest first; the caller is told that others are left."""
    pairs = Pairs()
    first = [PairLikelihoods(0.3, 0.0), PairLikelihoods(0.6, 0.0)]
    reading = read_together(pairs, NEWER, OLDERS, first, most=1)
    assert [older for older, _ in pairs.asked] == ["My cat is grey."]
    assert (reading.opinions[0], reading.is_partial) == (NO_OPINION, True)
    assert not read_together(pairs, NEWER, OLDERS, first, most=2).is_partial
    assert read_together(pairs, NEWER, OLDERS, first, most=0).is_partial
    assert not read_together(pairs, NEWER, OLDERS, [PairLikelihoods(0, 0)] * 2, most=0).is_partial


@pytest.mark.parametrize("figure", [0.05, 0.95, 0.97, 0.98])
def test_the_likelihood_is_calibrated(figure: float) -> None:
    """The cross-encoder's figure counts, whatever the first likelihood."""
    for first in (0.2, 1.0):
        given = [PairLikelihoods(first, 0.02)]
        (opinion,) = read_together(Pairs(figure), NEWER, OLDERS[:1], given).opinions
        assert opinion.replaces == pytest.approx(calibration.of("minilm_pairs")(figure))


def test_a_cross_encoder_that_fails_says_so() -> None:
    """The caller then takes the pair model's likelihoods."""
    with pytest.raises(EmbeddingUnavailable):
        read_together(Broken(), NEWER, OLDERS, [NEAR, UNLIKE])
