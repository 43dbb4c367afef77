"""The package that brings an SQLite with ciphers, `apsw-sqlite3mc`, in the place of `apsw`.

Both write into one folder, and `apsw` is a dependency: no extra can name the other one. So a person
replaces it, by a command that this module names.
"""

import shlex
import sys
from pathlib import Path
from typing import Final

import apsw

from ashd import errors, installation

NAME: Final = "apsw-sqlite3mc"
_WANTED: Final = f"'{NAME}>=3.54,<4'"


def require() -> None:
    """Refuse to go on without ciphers, or with a mixture of the two packages.

    Raises:
        errors.StartError
    """
    if not is_there():
        raise errors.StartError(
            f"[storage] encryption needs the package {NAME} in the place of apsw: {command()}"
        )
    require_no_mixture()


def is_there() -> bool:
    """Return whether the installed SQLite can encrypt."""
    return hasattr(apsw, "mc_version")


def require_no_mixture() -> None:
    """Refuse an installation of both packages, whose files overwrite each other.

    Raises:
        errors.StartError
    """
    from importlib import metadata  # noqa: PLC0415  only with ciphers: it takes milliseconds

    try:
        metadata.distribution("apsw")
    except metadata.PackageNotFoundError:
        return
    raise errors.StartError(
        f"Both apsw and {NAME} are installed, and their files overwrite each other: {command()}"
    )


def command() -> str:
    """Return the command that replaces the package, for what installed ashd here.

    It removes both first: what is left of a mixture is no whole package.
    """
    environment = installation.environment() or Path(sys.prefix)
    if (environment / "pipx_metadata.json").exists():
        name = environment.name
        return f"pipx runpip {name} uninstall -y apsw {NAME} && pipx inject {name} {_WANTED}"
    python = shlex.quote(sys.executable)
    if _is_of_uv(environment):
        at = f"--python {python}"
        return f"uv pip uninstall {at} apsw {NAME} && uv pip install {at} {_WANTED}"
    pip = f"{python} -m pip"
    return f"{pip} uninstall -y apsw {NAME} && {pip} install {_WANTED}"


def _is_of_uv(environment: Path) -> bool:
    try:
        settings = (environment / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return False
    return any(line.startswith("uv =") for line in settings.splitlines())
