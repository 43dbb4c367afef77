"""The pair model with the embedded default's vectors: what it is asked, and how."""

from dataclasses import replace
from pathlib import Path

import pytest

from ashd.memory.judge import PairModel, Side, for_embedder, static
from ashd.memory.judge.pair_weights import WEIGHTS
from ashd.memory.judge.verdict import LINKED_FROM
from ashd.providers.embedder import PairLikelihoods
from ashd.providers.wordllama import WordLlamaEmbedder

NOTHING = PairLikelihoods(0.0, 0.0)
OLDER = ["I live in Los Angeles.", "My dentist is Dr. Weber.", "The car is parked in garage B."]


@pytest.fixture(scope="module")
def trained() -> PairModel:
    found = for_embedder(WordLlamaEmbedder.model)
    assert found is not None
    return found


def side(trained: PairModel, text: str) -> Side:
    (embedding,) = WordLlamaEmbedder().embed([text])
    return trained.side(text, embedding)


def test_candidates_together_get_the_opinion_they_get_alone(trained: PairModel) -> None:
    """A batch changes nothing, whatever its texts' lengths."""
    newer = side(trained, "I now live in Irvine and my dentist is Dr. Lang.")
    olders = [side(trained, text) for text in OLDER]
    together = trained.opinions(newer, olders)
    for older, opinion in zip(olders, together, strict=True):
        (alone,) = trained.opinions(newer, [older])
        assert opinion[:2] == pytest.approx(alone[:2], abs=1e-4)


@pytest.mark.parametrize(
    "text",
    [
        "Ich wohne jetzt nicht mehr in der Stadt, sondern auf dem Land.",
        "I live in Irvine, " + "which is nice, " * 20,
        "",
        "Quarterly figures of turbine blades",
    ],
)
def test_texts_unlike_any_it_has_seen_are_given_no_opinion(trained: PairModel, text: str) -> None:
    """Unknown are another language, a long or empty text, and one far from the newer text."""
    one, other = side(trained, text), side(trained, OLDER[0])
    assert trained.of_pairs(one, [other]) == [NOTHING]
    assert trained.of_pairs(other, [one]) == [NOTHING]


def test_a_text_without_token_vectors_is_given_no_opinion(trained: PairModel) -> None:
    """Vectors that are still to be made are no reason to fail."""
    (embedding,) = WordLlamaEmbedder().embed([OLDER[0]])
    bare = trained.side(OLDER[0], replace(embedding, tokens=None))
    assert trained.of_pairs(side(trained, OLDER[0]), [bare]) == [NOTHING]


def test_a_plain_correction_is_seen(trained: PairModel) -> None:
    """A correction is linked; the same sentence about another is no conflict."""
    newer = side(trained, "My dentist is Dr. Lang now.")
    (opinion,) = trained.opinions(newer, [side(trained, "My dentist is Dr. Weber.")])
    assert opinion.replaces >= LINKED_FROM
    (other,) = trained.opinions(newer, [side(trained, "My son's boss is Dr. Weber.")])
    assert other.replaces < LINKED_FROM


def test_no_candidates_no_opinions(trained: PairModel) -> None:
    """The judge gives no opinion without candidates."""
    assert trained.opinions(side(trained, "I live in Irvine."), []) == []


def test_weights_belong_to_one_embedder() -> None:
    """Another model's weights are refused; an embedder without weights has no model."""
    with pytest.raises(ValueError, match="another model"):
        PairModel(WEIGHTS[WordLlamaEmbedder.model], "another/1")
    assert for_embedder("text-embedding-3-small") is None


def test_the_embedded_default_stands_in_for_others() -> None:
    """The pair model uses its own embedder when an endpoint makes the vectors."""
    found = static()
    assert found is not None
    model, embedder = found
    assert model.embedder_model == embedder.model


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 cut short"])
def test_damaged_weights_leave_the_daemon_without_a_model(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts are stored all the same."""
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(data)
    monkeypatch.setitem(WEIGHTS, f"damaged/{len(data)}", damaged)
    assert for_embedder(f"damaged/{len(data)}") is None
