"""Texts that the pair model is not sure of are read together; unrelated texts are not."""

import numpy as np
import pytest

from ashd.errors import EmbeddingUnavailable
from ashd.language import tagged_words
from ashd.memory.judge import NO_OPINION, Opinion, Outcome, Side, by_cuts, read_together
from ashd.memory.judge.reading_together import (
    LIKELIEST_AFTER_CHANGE_FROM,
    LIKELIEST_FROM,
    MAY_REPLACE,
    MOST_PARTS,
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
NEAR, UNLIKE = Opinion(0.3, 0.2), Opinion(UNRELATED / 2, UNRELATED / 4)


def test_only_texts_that_may_concern_each_other_are_read() -> None:
    """The older text comes first; an unrelated one gets no opinion and costs nothing."""
    pairs = Pairs()
    near, unlike = read_together(pairs, NEWER, OLDERS, [NEAR, UNLIKE])
    assert unlike == NO_OPINION
    assert (near.replaces, near.repeats) == (0.9, 0.05)
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
    first = [Opinion(one, 0.0) for one in likely]
    found = read_together(Pairs(), side(newer), OLDERS, first)
    assert [one != NO_OPINION for one in found] == is_read


@pytest.mark.parametrize(
    ("first", "read", "outcome"),
    [
        (1.0, 0.91, Outcome.REPLACES),
        (1.0, 0.89, Outcome.MAY_REPLACE),
        (0.5, 0.97, Outcome.REPLACES),
        (0.5, 0.95, Outcome.MAY_REPLACE),
        (0.2, 0.96, Outcome.MAY_REPLACE),
        (0.2, MAY_REPLACE, Outcome.MAY_REPLACE),
        (0.99, MAY_REPLACE - 0.01, Outcome.KEEP),
    ],
)
def test_the_cross_encoder_decides_on_the_texts_that_it_reads(
    first: float, read: float, outcome: Outcome
) -> None:
    """It must be the surer of a replacement the less likely the first opinion finds it."""
    (opinion,) = read_together(Pairs(read), NEWER, OLDERS[:1], [Opinion(first, 0.02)])
    assert by_cuts(opinion).outcome is outcome


def test_nothing_is_certain_if_the_cross_encoder_fails() -> None:
    """A replacement that the first opinion finds likely is offered."""
    likely = Opinion(0.99, 0.0)
    found = read_together(Broken(), NEWER, OLDERS, [likely, UNLIKE])
    assert [by_cuts(one).outcome for one in found] == [Outcome.MAY_REPLACE, Outcome.KEEP]
    assert [one.replaces for one in found] == [likely.replaces, UNLIKE.replaces]


@pytest.mark.parametrize(
    ("older", "outcome"),
    [
        ("I have a cat called Miso and a dog called Rex", Outcome.MAY_REPLACE),
        ("My cat is Miso, my dog is Rex", Outcome.MAY_REPLACE),
        ("My dog is Rex. Miso is my cat.", Outcome.MAY_REPLACE),
        ("I have a dog and another dog", Outcome.REPLACES),
        ("No, my dog is Rex", Outcome.REPLACES),
        ("I have a dog or a cat", Outcome.MAY_REPLACE),
        (", ".join(["dog"] * MOST_PARTS), Outcome.REPLACES),
        (", ".join(["dog"] * (MOST_PARTS + 1)), Outcome.MAY_REPLACE),
        ("I have a dog called Rex", Outcome.REPLACES),
    ],
)
def test_each_part_of_a_text_must_be_replaced(older: str, outcome: Outcome) -> None:
    """A text that tells several things is not taken away for one of them."""

    class OnlyOfTheDog(Pairs):
        def pair_likelihoods(self, older: str, newer: str) -> PairLikelihoods:
            said = super().pair_likelihoods(older, newer)
            is_left = "Rex" not in older and "dog" not in older
            return PairLikelihoods(MAY_REPLACE / 2, 0.05) if is_left else said

    (opinion,) = read_together(
        OnlyOfTheDog(0.99), side("Rex died"), [side(older)], [Opinion(0.9, 0.02)]
    )
    assert by_cuts(opinion).outcome is outcome
