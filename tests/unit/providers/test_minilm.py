"""The installed MiniLM against its exact forward pass, and its behaviour as an embedder.

These need the model: `ash model install minilm`, or ASH_MODELS naming a folder that has it.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ashd.errors import EmbeddingUnavailable
from ashd.providers.minilm import MiniLmEmbedder
from ashd.providers.minilm_install import FOLDER, MODEL_FILE, PACKAGE, PAIRS_FILE
from ashd.providers.model_install import MANIFEST_FILE

MODELS = Path(os.environ.get("ASH_MODELS") or Path.home() / ".ash" / "models")

needs_model = pytest.mark.skipif(
    PACKAGE.installed(MODELS / FOLDER) is None,
    reason="MiniLM is not installed (ash model install minilm)",
)

TEXTS = [
    "I live in Berlin near the old river bridge.",
    "My home is in Berlin.",
    "The staging database listens on port 5432.",
    "We moved the meeting to Thursday afternoon.",
    "Postgres on staging uses port 6543 now.",
    "Ich wohne in Köln.",
]
# Cosines of TEXTS by bert_reference.forward with the fine-tuned weights in float32.
EXACT = np.array(
    [
        [1.000, 0.829, 0.191, 0.086, 0.169, 0.568],
        [0.829, 1.000, 0.178, 0.094, 0.172, 0.557],
        [0.191, 0.178, 1.000, 0.120, 0.790, 0.173],
        [0.086, 0.094, 0.120, 1.000, 0.098, 0.089],
        [0.169, 0.172, 0.790, 0.098, 1.000, 0.111],
        [0.568, 0.557, 0.173, 0.089, 0.111, 1.000],
    ]
)


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder(MODELS / FOLDER)


@needs_model
def test_similarities_are_those_of_the_exact_model(embedder: MiniLmEmbedder) -> None:
    """Seven bits a weight move a cosine by .01 or so, and none by more than .05."""
    vectors = np.array([embedding.pooled for embedding in embedder.embed(TEXTS)])
    moved = np.abs(vectors @ vectors.T - EXACT)
    assert moved.mean() < 0.015
    assert moved.max() < 0.05


@needs_model
def test_minilm_vectors_have_the_promised_shapes(embedder: MiniLmEmbedder) -> None:
    """Pooled float32 of unit length; token vectors int8, about of unit length, an id each."""
    for embedding in embedder.embed(TEXTS):
        assert embedding.pooled.dtype == np.float32
        assert embedding.pooled.shape == (embedder.dimension,)
        assert np.linalg.norm(embedding.pooled) == pytest.approx(1, abs=1e-4)
        assert embedding.tokens is not None
        assert embedding.tokens.vectors.shape[1] == embedder.token_dimension
        assert embedding.tokens.ids.shape == embedding.tokens.vectors.shape[:1]
        lengths = np.linalg.norm(embedding.tokens.vectors.astype(np.float32) / 127, axis=1)
        assert np.abs(lengths - 1).max() < 0.02


@needs_model
def test_a_text_has_the_same_vectors_in_any_company(embedder: MiniLmEmbedder) -> None:
    """Alone, among others, as a question or in another thread: bit for bit the same."""
    among = embedder.embed([*TEXTS, "a much longer text " * 40])
    with ThreadPoolExecutor(4) as pool:
        threaded = list(pool.map(embedder.embed_query, TEXTS * 5))
    for number, text in enumerate(TEXTS):
        alone = embedder.embed([text])[0]
        assert np.array_equal(alone.pooled, among[number].pooled)
        assert np.array_equal(alone.pooled, threaded[number + 2 * len(TEXTS)].pooled)
        assert alone.tokens is not None
        assert threaded[number].tokens is not None
        assert np.array_equal(alone.tokens.vectors, threaded[number].tokens.vectors)


@needs_model
@pytest.mark.parametrize("text", ["", "  \n", "?!...", "the of and"])
def test_what_says_nothing_has_no_token_vectors(embedder: MiniLmEmbedder, text: str) -> None:
    """Punctuation and the commonest words match everywhere, so they match nothing."""
    embedding = embedder.embed([text])[0]
    assert embedding.tokens is not None
    assert embedding.tokens.vectors.shape == (0, embedder.token_dimension)
    assert embedding.pooled.any() == bool(text.strip())


@needs_model
def test_a_pair_is_read_in_its_order(embedder: MiniLmEmbedder) -> None:
    """A move replaces the old address and not the other way round; a paraphrase repeats."""
    old, new = "I live in Berlin.", "I have moved to Hamburg and no longer live in Berlin."
    there, back = embedder.pair_likelihoods(old, new), embedder.pair_likelihoods(new, old)
    assert there.replaces > 0.8
    assert back.replaces < there.replaces
    assert embedder.pair_likelihoods(old, "My home is in Berlin.").repeats > 0.5
    kept = embedder.pair_likelihoods(old, "My sister lives in Hamburg.")
    assert kept.replaces + kept.repeats < 0.5


@needs_model
def test_a_missing_model_of_pairs_is_a_clear_error(tmp_path: Path) -> None:
    """Texts are embedded all the same; the judge does without."""
    for file in (MODELS / FOLDER).iterdir():
        if file.name != PAIRS_FILE:
            (tmp_path / file.name).symlink_to(file)
    embedder = MiniLmEmbedder(tmp_path)
    for _ in range(2):
        with pytest.raises(EmbeddingUnavailable, match="no cross-encoder") as caught:
            embedder.pair_likelihoods("I live in Berlin.", "I live in Hamburg.")
    assert "ash model install minilm" in caught.value.hint
    assert len(embedder.embed(TEXTS)) == len(TEXTS)


@needs_model
def test_a_very_long_pair_is_cut(embedder: MiniLmEmbedder) -> None:
    """Nothing fails, whichever of the two is too long."""
    long = "garden " * 5000
    for older, newer in ((long, "short"), ("short", long), (long, long), ("", "")):
        assert 0 <= embedder.pair_likelihoods(older, newer).replaces <= 1


@needs_model
def test_a_mark_in_a_text_is_only_a_text(embedder: MiniLmEmbedder) -> None:
    """ "[SEP]" typed by somebody is not the model's own mark."""
    ids, _, _ = embedder.forward("[SEP]")
    assert 102 not in ids
    assert len(ids) > 0


@needs_model
def test_a_very_long_text_is_cut(embedder: MiniLmEmbedder) -> None:
    """Beyond 256 tokens nothing counts, and nothing fails."""
    start = "garden " * 254
    long = embedder.embed([start + "volcano " * 5000, start])
    assert np.array_equal(long[0].pooled, long[1].pooled)


def test_a_folder_without_the_model_is_a_clear_error(tmp_path: Path) -> None:
    """The hint says how to get it."""
    with pytest.raises(EmbeddingUnavailable) as caught:
        MiniLmEmbedder(tmp_path)
    assert "ash model install minilm" in caught.value.hint


@needs_model
def test_a_damaged_model_is_a_clear_error(tmp_path: Path) -> None:
    """The message has no text of onnxruntime."""
    manifest = (MODELS / FOLDER / MANIFEST_FILE).read_bytes()
    (tmp_path / MANIFEST_FILE).write_bytes(manifest)
    (tmp_path / MODEL_FILE).write_bytes(b"damaged")
    with pytest.raises(EmbeddingUnavailable, match="cannot be loaded") as caught:
        MiniLmEmbedder(tmp_path)
    assert str(tmp_path) not in f"{caught.value} {caught.value.hint}"
