"""Install and remove the systemd units: their places and their contents.

Each file begins with a line that holds the SHA-256 of the rest. A file that was changed since
belongs to the person: it is neither replaced nor removed.
"""

import hashlib
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import ashd
from ashd import atomic_file

Kind = Literal["system", "user"]
State = Literal["missing", "same", "older", "edited"]

UNITS: Final = Path(__file__).with_name("units")
STATE_DIRECTORY: Final = Path("/var/lib/ashd")
ENABLED: Final = ("ashd.socket", "ashd.service", "ashd-backup.timer", "ashd-gc.timer")
ON_DEMAND: Final = ("ashd-http.service", "ashd-backup.service", "ashd-gc.service")
"""Units that are installed, and started by the person or by a timer."""
SYSUSERS: Final = Path("/etc/sysusers.d/ashd.conf")
_SYSTEM_UNITS: Final = Path("/etc/systemd/system")
_PROGRAM: Final = re.compile(r"(?<==)/usr/local/bin/(ashd?)(?= )")
_HOME: Final = "ASH_HOME=%h/.ash"
_MARK: Final = re.compile(r"# ashd \S+ wrote this file; SHA-256 of the rest: ([0-9a-f]{64})\n")
_HIDDEN: Final = tuple(Path(path) for path in ("/home", "/root", "/run/user", "/tmp", "/var/tmp"))  # noqa: S108  named, not used
"""Directories that the system unit hides from the daemon."""


class CannotInstall(Exception):
    """Nothing was changed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file to install, and the state of its place now."""

    path: Path
    text: str
    state: State


def files(kind: Kind, programs: Path, home: Path) -> list[UnitFile]:
    """Return the files of an installation, for the programs in a directory.

    `home` is the daemon's, for an installation with a daemon for each user.
    """
    folder = UNITS / kind
    found = [
        (directory(kind) / source.relative_to(folder), source)
        for source in sorted(folder.rglob("*"))
        if source.is_file()
    ]
    if kind == "system":
        found.append((SYSUSERS, UNITS / "sysusers" / "ashd.conf"))
    return [unit_file(path, _filled_in(source, programs, home)) for path, source in found]


def write(file: UnitFile) -> None:
    """Write a file, unless it is there or belongs to the person.

    Raises:
        CannotInstall: it cannot be written.
    """
    if file.state not in {"missing", "older"}:
        return
    try:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        atomic_file.write(file.path, file.text.encode(), mode=0o644)
    except OSError as error:
        raise CannotInstall(
            f"{file.path} cannot be written ({error.strerror}). Check who owns its directory."
        ) from error


def remove(file: UnitFile) -> None:
    """Remove a file, unless it belongs to the person, and its directory if that is empty then.

    Raises:
        CannotInstall: it cannot be removed.
    """
    if file.state not in {"same", "older"}:
        return
    try:
        file.path.unlink()
        if file.path.parent.suffix == ".d" and not any(file.path.parent.iterdir()):
            file.path.parent.rmdir()
    except OSError as error:
        raise CannotInstall(
            f"{file.path} cannot be removed ({error.strerror}). Check who owns its directory."
        ) from error


def programs() -> Path:
    """Return the directory of this installation's `ashd` and `ash`.

    Raises:
        CannotInstall: it has none.
    """
    on_path = shutil.which("ashd")
    folders = [Path(sys.executable).absolute().parent]
    folders += [Path(on_path).absolute().parent] if on_path else []
    for folder in folders:
        if (folder / "ashd").is_file() and (folder / "ash").is_file():
            return folder
    raise CannotInstall(
        f"There is no program ashd beside {sys.executable}. Install ashd with pip or pipx."
    )


def check_readable(paths: Iterable[Path]) -> None:
    """Refuse a system unit whose daemon could not read its own programs.

    Raises:
        CannotInstall: a path is hidden from the daemon, or only its owner may read it.
    """
    elsewhere = (
        "Install ashd where every user can read it, and run that one:\n"
        "    /usr/bin/python3 -m venv /opt/ashd\n"
        "    /opt/ashd/bin/pip install DIRECTORY_OF_ASHD\n"
        "    /opt/ashd/bin/ashd install --system"
    )
    for path in paths:
        for place in (path, Path(os.path.realpath(path))):
            if any(place.is_relative_to(hidden) for hidden in _HIDDEN):
                raise CannotInstall(f"{place} is hidden from the service. {elsewhere}")
            closed = _closed(place)
            if closed is not None:
                raise CannotInstall(f"{closed} can be read by its owner alone. {elsewhere}")


def _closed(path: Path) -> Path | None:
    """Return the first of a path's directories, or the path, that not everybody may read."""
    for part in (*reversed(path.parents), path):
        try:
            mode = part.stat().st_mode
        except OSError:
            return part
        needed = stat.S_IROTH | stat.S_IXOTH if part == path and part.is_dir() else 0
        needed |= stat.S_IROTH if part == path else stat.S_IXOTH
        if mode & needed != needed:
            return part
    return None


def directory(kind: Kind) -> Path:
    """Return where the manager looks for the units."""
    if kind == "system":
        return _SYSTEM_UNITS
    own = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(own) / "systemd" / "user"


def _filled_in(source: Path, programs: Path, home: Path) -> str:
    """Return the text of a unit with the programs' own path and the daemon's home."""
    text = source.read_text(encoding="utf-8")
    text = _PROGRAM.sub(lambda found: _word(programs / found[1]), text)
    if home != Path.home() / ".ash":
        text = text.replace(f"Environment={_HOME}", f"Environment={_word(f'ASH_HOME={home}')}")
    return marked(text)


def marked(text: str) -> str:
    """Return a text below a first line with its digest, by which a later change is noticed."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"# ashd {ashd.__version__} wrote this file; SHA-256 of the rest: {digest}\n{text}"


def _word(value: Path | str) -> str:
    """Return a value quoted as one word of a systemd unit."""
    text = str(value).replace("%", "%%")
    if re.fullmatch(r"[\w%+,./:=@-]+", text, re.ASCII):
        return text
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def unit_file(path: Path, text: str) -> UnitFile:
    """Return a file with this text, and the state of its place now."""
    try:
        there = path.read_bytes().decode()
    except FileNotFoundError:
        return UnitFile(path, text, "missing")
    except (OSError, UnicodeDecodeError):
        return UnitFile(path, text, "edited")
    if there == text:
        return UnitFile(path, text, "same")
    mark = _MARK.match(there)
    rest = there[mark.end() :] if mark else ""
    untouched = mark is not None and hashlib.sha256(rest.encode()).hexdigest() == mark[1]
    return UnitFile(path, text, "older" if untouched else "edited")
