"""Texts that the pair model is not sure of are read together; unrelated texts are not."""

import numpy as np
import pytest

from ashd.errors import EmbeddingUnavailable
from ashd.memory.judge import NO_OPINION, Side, calibration, for_embedder, read_together, related
from ashd.memory.judge.reading_together import (
    LIKELIEST_AFTER_CHANGE_FROM,
    LIKELIEST_FROM,
    UNRELATED,
)
from ashd.memory.opinions import Reader
from ashd.providers.embedder import Embedding, PairLikelihoods, TokenVectors
from ashd.providers.minilm_install import MODEL


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


def side(text: str, cosine: float = 1.0) -> Side:
    """A text with a vector at that cosine to the others' direction."""
    pooled = np.array([cosine, (1 - cosine**2) ** 0.5], np.float32)
    return Side(text, Embedding(pooled, TokenVectors(np.ones((1, 1), np.int8), np.zeros(1))))


NEWER, OLDERS = side("I moved to Porto."), [side("I live in Ghent."), side("My cat is grey.")]
NEAR, UNLIKE = PairLikelihoods(0.3, 0.2), PairLikelihoods(UNRELATED / 2, UNRELATED / 4)


def test_only_texts_that_may_concern_each_other_are_read() -> None:
    """The older text comes first; an unrelated one gets no opinion and costs nothing."""
    pairs = Pairs()
    near, unlike = read_together(pairs, NEWER, OLDERS, related(NEWER, [NEAR, UNLIKE]))
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
    worth = related(side(newer), first)
    assert [at in worth for at in range(len(OLDERS))] == is_read


def reader(pairs: Pairs) -> Reader:
    """A reader with a cross-encoder, and MiniLM's pair model."""
    model = for_embedder(MODEL)
    assert model is not None
    return Reader(model, None, pairs)  # type: ignore[arg-type]  # it embeds nothing here


def test_only_as_many_pairs_as_asked_are_read() -> None:
    """The nearest first; the caller is told that others are left."""
    olders = [
        side("I live in Ghent.", 0.5),
        side("Ich wohne in Gent."),
        side("My cat is grey.", 0.6),
    ]
    pairs = Pairs()
    reading = reader(pairs).opinions(NEWER, olders, most=1)
    assert [older for older, _ in pairs.asked] == ["My cat is grey."]
    assert (reading.opinions[0], reading.is_partial) == (NO_OPINION, True)
    assert reader(pairs).opinions(NEWER, olders[:1], most=0).is_partial
    assert not reader(pairs).opinions(NEWER, olders[:1], most=1).is_partial
    assert not reader(pairs).opinions(NEWER, [side("My cat is grey.", 0.0)], most=0).is_partial


@pytest.mark.parametrize("figure", [0.05, 0.95, 0.97, 0.98])
def test_the_likelihood_is_calibrated(figure: float) -> None:
    """The cross-encoder's figure is turned into a likelihood."""
    (opinion,) = read_together(Pairs(figure), NEWER, OLDERS[:1], [0])
    assert opinion.replaces == pytest.approx(calibration.of("minilm_pairs")(figure))


def test_a_cross_encoder_that_fails_says_so() -> None:
    """The caller then takes the pair model's likelihoods."""
    with pytest.raises(EmbeddingUnavailable):
        read_together(Broken(), NEWER, OLDERS, [0])
