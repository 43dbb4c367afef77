"""The embedder that a configuration selects."""

from pathlib import Path

import msgspec
import pytest

from ashd.errors import EmbeddingUnavailable, StartError
from ashd.providers import minilm_install, model_install, multilingual_install
from ashd.providers.registry import load, of_model, resolve
from ashd.providers.wordllama import WordLlamaEmbedder


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A models folder in which MiniLM counts as installed."""
    folder = tmp_path / minilm_install.FOLDER
    folder.mkdir()
    manifest = model_install.Manifest(model=minilm_install.MODEL, files={})
    (folder / model_install.MANIFEST_FILE).write_bytes(msgspec.json.encode(manifest))
    return tmp_path


def test_auto_takes_the_best_installed(tmp_path: Path, models: Path) -> None:
    """An empty database gets MiniLM where it is installed, else wordllama."""
    assert resolve("auto", models, None) == "minilm"
    assert resolve("auto", tmp_path / "elsewhere", None) == "wordllama"


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (WordLlamaEmbedder.model, "wordllama"),
        (minilm_install.MODEL, "minilm"),
        ("openai:text-embedding-3-small", "openai"),
        ("a-model-of-the-past/1", "minilm"),
    ],
)
def test_auto_stays_with_what_made_the_stored_vectors(
    models: Path, stored: str, expected: str
) -> None:
    """An installed model alone changes no database: `ash model use` does."""
    assert resolve("auto", models, stored) == expected
    assert of_model(stored) == (None if "past" in stored else expected)


def test_the_multilingual_model_serves_what_it_made(models: Path) -> None:
    """Installed beside MiniLM it serves its own vectors; removed, the next best one serves."""
    package = multilingual_install.PACKAGE
    folder = models / package.name
    assert resolve("auto", models, package.model) == "minilm"
    folder.mkdir()
    manifest = model_install.Manifest(model=package.model, files={})
    (folder / model_install.MANIFEST_FILE).write_bytes(msgspec.json.encode(manifest))
    assert resolve("auto", models, package.model) == "multilingual"
    assert resolve("auto", models, None) == "minilm"
    (models / minilm_install.FOLDER / model_install.MANIFEST_FILE).unlink()
    assert resolve("auto", models, None) == "multilingual"


def test_an_outdated_minilm_is_not_exchanged_for_a_lesser_embedder(models: Path) -> None:
    """After an upgrade its vectors wait for `ash model install minilm`, as the error says."""
    manifest = models / minilm_install.FOLDER / model_install.MANIFEST_FILE
    older = minilm_install.MODEL.partition("/")[0] + "/0"
    manifest.write_text(manifest.read_text().replace(minilm_install.MODEL, older))
    assert resolve("auto", models, older) == "minilm"
    with pytest.raises(EmbeddingUnavailable, match="another version") as caught:
        load("auto", models_dir=models, stored_model=older)
    assert "ash model install minilm" in caught.value.hint
    assert resolve("auto", models, None) == "wordllama"
    assert resolve("auto", models, WordLlamaEmbedder.model) == "wordllama"
    manifest.unlink()
    assert resolve("auto", models, older) == "wordllama"


def test_a_named_provider_is_that_provider(models: Path) -> None:
    """A named provider is used whatever is stored or installed."""
    assert resolve("wordllama", models, minilm_install.MODEL) == "wordllama"
    assert resolve("none", models, minilm_install.MODEL) == "none"


def test_an_unknown_provider_stops_the_start(tmp_path: Path) -> None:
    """The message lists what there is."""
    with pytest.raises(StartError, match="auto, wordllama, minilm, multilingual, openai, none"):
        load("word2vec", models_dir=tmp_path)  # type: ignore[arg-type]


def test_none_is_no_embedder(tmp_path: Path) -> None:
    """Search is lexical then."""
    assert load("none", models_dir=tmp_path) is None


def test_the_embedded_one_needs_nothing(tmp_path: Path) -> None:
    """No models folder, no network, no key."""
    embedder = load("auto", models_dir=tmp_path / "none")
    assert embedder is not None
    assert embedder.model == WordLlamaEmbedder.model


def test_minilm_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    """Asked for by name it is not replaced by another; the hint says how to get it."""
    with pytest.raises(EmbeddingUnavailable) as caught:
        load("minilm", models_dir=tmp_path)
    assert "ash model install minilm" in caught.value.hint


def test_auto_asks_for_the_model_that_is_stored(tmp_path: Path) -> None:
    """Stored vectors of an endpoint's model mean that model, unless another is configured."""
    stored = "openai:nomic@localhost:11434/v1"
    url = "http://localhost:11434/v1"
    embedder = load("auto", models_dir=tmp_path, stored_model=stored, base_url=url)
    assert embedder is not None
    assert embedder.model == stored
    other = load("auto", models_dir=tmp_path, stored_model=stored, base_url=url, model="bge")
    assert other is not None
    assert other.model == "openai:bge@localhost:11434/v1"
