"""The model of pairs: what it tells from vectors, and from which ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ashd.providers import statement_pairs
from ashd.providers.embedder import Embedding, TokenVectors
from ashd.providers.minilm_install import MODEL
from ashd.providers.statement_pairs import WEIGHTS, StatementPairs
from ashd.providers.wordllama import WordLlamaEmbedder

Likely = Callable[[str, str], tuple[float, float, float]]


@pytest.fixture(scope="module")
def likely() -> Likely:
    made = statement_pairs.static()
    assert made is not None
    pairs, embedder = made

    def of(older: str, newer: str) -> tuple[float, float, float]:
        sides = (pairs.side(text, embedder.embed([text])[0]) for text in (older, newer))
        return pairs.likelihoods(*sides, frozenset({"keep_both:other_attribute"}))

    return of


def test_there_is_one_for_every_embedder_with_token_vectors() -> None:
    """MiniLM and the embedded default have theirs, an endpoint's model has none."""
    assert statement_pairs.for_model(MODEL) is not None
    assert statement_pairs.for_model(WordLlamaEmbedder.model) is not None
    assert statement_pairs.for_model("text-embedding-3-small") is None


def test_weights_serve_no_other_vectors_than_they_were_trained_on() -> None:
    """Another model's weights are refused: its answers would mean nothing."""
    with pytest.raises(ValueError, match="another model"):
        StatementPairs(WEIGHTS[MODEL], WordLlamaEmbedder.model)


def test_what_it_says_adds_up(likely: Likely) -> None:
    """Replaces, repeats and neither are likelihoods of one question."""
    said = likely("I drive a Golf.", "I sold the Golf.")

    assert sum(said) == pytest.approx(1.0, abs=1e-5)
    assert min(said) >= 0


def test_order_matters(likely: Likely) -> None:
    """What ended replaces what was; what was does not replace what ended."""
    married, divorced = "Tom is married to Julia.", "Tom and Julia got divorced in May."

    assert likely(married, divorced)[0] > likely(divorced, married)[0]


@pytest.mark.parametrize("text", ["", "the of and", "!!!", "😀", "x" * 5_000])
def test_any_text_gets_an_answer(likely: Likely, text: str) -> None:
    """Nothing, small words alone, signs and long words are texts like any other."""
    for said in (likely(text, "I sold the Golf."), likely("I sold the Golf.", text)):
        assert np.isfinite(said).all()


def test_a_text_without_tokens_is_read() -> None:
    """An embedding that holds no token vector stands for a text of small words."""
    made = statement_pairs.static()
    assert made is not None
    pairs, embedder = made
    none = TokenVectors(np.zeros((0, embedder.token_dimension), np.int8), np.zeros(0, np.int32))
    side = pairs.side("of the", Embedding(np.zeros(embedder.dimension, np.float32), none))

    assert side.tokens.shape == (1, pairs.side("of", embedder.embed(["sold"])[0]).tokens.shape[1])


def test_without_its_weights_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A damaged installation stores facts by the rule alone, and the log says why."""
    damaged = tmp_path / "pairs.npz"
    damaged.write_bytes(b"PK no archive")
    for weights in (tmp_path / "gone.npz", damaged):
        monkeypatch.setitem(WEIGHTS, "broken", weights)
        statement_pairs.for_model.cache_clear()

        assert statement_pairs.for_model("broken") is None
        assert "pairs_not_loaded" in capsys.readouterr().err
