"""The embedder for many languages, on a tiny model of the real one's form, and on the real one.

The last tests need the model: `ash model install multilingual`, or ASH_MODELS naming its folder.
"""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import e5_files
import numpy as np
import pytest
from bert_reference import Array, forward

from ashd.errors import EmbeddingUnavailable
from ashd.providers import e5_file, multilingual, multilingual_install
from ashd.providers.embedder import unit
from ashd.providers.model_install import ModelInstallFailed, Package, Pin
from ashd.providers.multilingual import MultilingualEmbedder
from ashd.providers.multilingual_install import FOLDER, PACKAGE, WORDS_FILE

MODELS = Path(os.environ.get("ASH_MODELS") or Path.home() / ".ash" / "models")

needs_model = pytest.mark.skipif(
    PACKAGE.installed(MODELS / FOLDER) is None,
    reason="the model is not installed (ash model install multilingual)",
)
UPSTREAM = "e5-small-q4.bin"
ADAPTED = "encoder.layer.0.attention.output.dense.weight"


@pytest.fixture
def weights(tmp_path: Path) -> dict[str, Array]:
    (tmp_path / "upstream").mkdir()
    return e5_files.write(tmp_path / "upstream" / UPSTREAM)


@pytest.fixture
def tuning(tmp_path: Path, weights: dict[str, Array]) -> dict[str, Array]:
    """A mean, a map and an adapter for the tiny model."""
    dimension = weights["embeddings.position_embeddings.weight"].shape[1]
    rng = np.random.default_rng(3)
    made = {
        "mean": rng.normal(0, 0.05, dimension),
        "turn": np.eye(dimension) + rng.normal(0, 0.1, (dimension, dimension)),
        f"{ADAPTED}/down": rng.normal(0, 1, (2, dimension)),
        f"{ADAPTED}/up": rng.normal(0, 1, (dimension, 2)),
    }
    arrays = {name: array.astype(np.float32) for name, array in made.items()}
    np.savez(tmp_path / "tuning.npz", **arrays)
    return arrays


@pytest.fixture
def package(tmp_path: Path, tuning: dict[str, Array], monkeypatch: pytest.MonkeyPatch) -> Package:
    """The package with the pin and the tuning of the tiny model, installed under `tmp_path`."""
    assert tuning
    raw = (tmp_path / "upstream" / UPSTREAM).read_bytes()
    pins = {UPSTREAM: Pin(len(raw), hashlib.sha256(raw).hexdigest())}
    map_file = tmp_path / "tuning.npz"
    monkeypatch.setattr(multilingual_install, "_TUNING", map_file)
    made = replace(PACKAGE, pins=pins, tuning=(map_file,))
    monkeypatch.setattr(multilingual, "PACKAGE", made)
    assert made.install(tmp_path / "models", tmp_path / "upstream", lambda _step, _done: None)
    return made


@pytest.fixture
def embedder(tmp_path: Path, package: Package) -> MultilingualEmbedder:
    return MultilingualEmbedder(tmp_path / "models" / package.name)


def test_the_file_is_read_as_it_was_written(tmp_path: Path, weights: dict[str, Array]) -> None:
    """Every tensor, by its name in BERT, and the pieces with their scores."""
    read = e5_file.read(tmp_path / "upstream" / UPSTREAM)
    words = weights.pop("embeddings.word_embeddings.weight")
    assert [piece.text for piece in read.pieces] == e5_files.PIECES
    np.testing.assert_array_equal(e5_file.unpacked(read.words), words)
    assert set(read.weights) == set(weights)
    for name, array in weights.items():
        np.testing.assert_array_equal(read.weights[name], array, err_msg=name)


def test_another_file_is_refused(tmp_path: Path) -> None:
    """The first bytes tell."""
    (tmp_path / "other").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ValueError, match="no file of E5"):
        e5_file.read(tmp_path / "other")


def test_a_vector_is_that_of_the_exact_forward_pass(
    embedder: MultilingualEmbedder, weights: dict[str, Array], tuning: dict[str, Array]
) -> None:
    """Marks around the pieces, weights with adapters, the mean taken off, the map, unit length."""
    ids = [0, e5_files.PIECES.index("▁ab"), e5_files.PIECES.index("猫"), 2]

    def exact(weights: dict[str, Array]) -> Array:
        return unit((forward(weights, ids)[1] - tuning["mean"]) @ tuning["turn"])

    adapter = tuning[f"{ADAPTED}/up"] @ tuning[f"{ADAPTED}/down"]
    (found,) = embedder.embed(["ab猫"])
    assert np.linalg.norm(found.pooled) == pytest.approx(1, abs=1e-5)
    likeness = found.pooled @ exact({**weights, ADAPTED: weights[ADAPTED] + adapter})
    assert likeness > 0.98
    assert likeness > found.pooled @ exact(weights) + 0.005
    assert found.tokens is None


def test_letters_of_one_form_are_the_same_text(embedder: MultilingualEmbedder) -> None:
    """Full width, a composed accent, a space of no width: as the model was taught."""
    plain, wide, spaced = embedder.embed(["ab é", "\uff41\uff42 e\u0301", "\u200bab\u3000é "])
    np.testing.assert_array_equal(plain.pooled, wide.pooled)
    np.testing.assert_array_equal(plain.pooled, spaced.pooled)


def test_marks_in_a_text_are_text(embedder: MultilingualEmbedder) -> None:
    """Nobody ends a text for the model by writing its mark."""
    inside, plain = embedder.embed(["ab </s> a", "ab"])
    assert inside.pooled @ plain.pooled < 0.9999


def test_a_text_of_nothing_has_no_vector(embedder: MultilingualEmbedder) -> None:
    """It is like nothing."""
    assert not embedder.embed_query(" \u200b ").pooled.any()


def test_a_text_is_cut_after_256_tokens(embedder: MultilingualEmbedder) -> None:
    """The rest of a long text changes nothing, and raises nothing."""
    long, longer = embedder.embed(["ab " * 300, "ab " * 300 + "猫" * 50])
    np.testing.assert_array_equal(long.pooled, longer.pooled)


def test_another_tuning_is_another_installation(tmp_path: Path, package: Package) -> None:
    """Vectors of two tunings are never compared: the installation notices."""
    upstream, models = tmp_path / "upstream", tmp_path / "models"
    assert not package.install(models, upstream, lambda _step, _done: None)
    (map_file,) = package.tuning
    with np.load(map_file) as held:
        np.savez(map_file, **{**held, "turn": held["turn"] * 2})
    assert not package.is_current(models / package.name)
    assert package.install(models, upstream, lambda _step, _done: None)


def test_another_upstream_file_is_refused(tmp_path: Path, package: Package) -> None:
    """One changed byte, and nothing of it is read."""
    upstream = tmp_path / "upstream" / UPSTREAM
    raw = upstream.read_bytes()
    upstream.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    with pytest.raises(ModelInstallFailed, match="is not the file"):
        package.install(tmp_path / "elsewhere", upstream.parent, lambda _step, _done: None)


def test_a_missing_file_says_what_to_install(tmp_path: Path, package: Package) -> None:
    """The folder is not whole: no embedder, and the remedy."""
    folder = tmp_path / "models" / package.name
    (folder / WORDS_FILE).unlink()
    with pytest.raises(EmbeddingUnavailable, match="cannot be loaded") as caught:
        MultilingualEmbedder(folder)
    assert "ash model install multilingual" in (caught.value.hint or "")
    with pytest.raises(EmbeddingUnavailable, match="is not installed"):
        MultilingualEmbedder(tmp_path / "nowhere")


@needs_model
def test_the_real_model_finds_across_languages() -> None:
    """Each question's nearest fact is its answer, whatever the languages."""
    real = MultilingualEmbedder(MODELS / FOLDER)
    facts = [
        "Meine Schwester wohnt in Hamburg.",
        "El perro se llama Churro.",
        "私はそばアレルギーがあります。",
        "The fuse box is behind the wardrobe.",
    ]
    questions = [
        "Where does my sister live?",
        "Wie heißt der Hund?",
        "¿A qué soy alérgico?",
        "在哪里可以切断电源?",
    ]
    noted = np.array([one.pooled for one in real.embed(facts)])
    asked = np.array([real.embed_query(text).pooled for text in questions])
    assert (asked @ noted.T).argmax(axis=1).tolist() == [0, 1, 2, 3]
