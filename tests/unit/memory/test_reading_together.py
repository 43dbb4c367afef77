"""Texts that the pair model is not sure of are read together; strangers are not."""

import logging

import numpy as np
import pytest

from ashd.errors import EmbeddingUnavailable
from ashd.language import tagged_words
from ashd.memory.judge import NO_OPINION, Opinion, Side, read_together
from ashd.memory.judge.reading_together import CUTS, STRANGERS
from ashd.providers.embedder import PairLikelihoods


class Pairs:
    """A model of pairs that finds every newer text a replacement, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def pair_likelihoods(self, older: str, newer: str) -> PairLikelihoods:
        self.asked.append((older, newer))
        return PairLikelihoods(0.9, 0.05)


class Broken:
    """A model of pairs that cannot be run."""

    def pair_likelihoods(self, _older: str, _newer: str) -> PairLikelihoods:
        raise EmbeddingUnavailable("the model cannot be loaded", hint="Install it.")


def side(text: str) -> Side:
    none = np.zeros((1, 1), np.float32)
    return Side(text, tagged_words.read(text), True, none, none, none, none, none)


NEWER, OLDERS = side("I moved to Porto."), [side("I live in Ghent."), side("My cat is grey.")]
NEAR, STRANGE = Opinion(0.3, 0.1), Opinion(STRANGERS / 2, STRANGERS / 4)


def test_only_texts_that_may_concern_each_other_are_read() -> None:
    """The older text comes first; a stranger gets no opinion and costs nothing."""
    pairs = Pairs()
    assert read_together(pairs, NEWER, OLDERS, [NEAR, STRANGE]) == [
        Opinion(0.9, 0.05, CUTS),
        NO_OPINION,
    ]
    assert pairs.asked == [("I live in Ghent.", "I moved to Porto.")]


def test_the_cuts_leave_room_for_a_question() -> None:
    """What may replace is offered at a lower likelihood than what replaces."""
    assert STRANGERS < CUTS.may_replace < CUTS.replaces < 1
    assert CUTS.repeats > 0.5


def test_first_opinions_stand_if_the_model_fails(caplog: pytest.LogCaptureFixture) -> None:
    """A fact is judged by the pair model then, and the log has no text of either fact."""
    with caplog.at_level(logging.WARNING):
        assert read_together(Broken(), NEWER, OLDERS, [NEAR, STRANGE]) == [NEAR, STRANGE]
    assert "Porto" not in caplog.text
