"""Paths that no sandbox may be given: the daemon's state, keys and programs."""

import os
import sys
import sysconfig
from pathlib import Path

import msgspec

from ashd import installation as programs
from ashd.config import Places, Settings


class ProtectedPath(msgspec.Struct, frozen=True):
    """A path that no sandbox may be given; `secret`: not even to read."""

    name: str
    path: str
    secret: bool


def protected(settings: Settings, found: Places) -> list[ProtectedPath]:
    """Return the paths that no sandbox may be given: the daemon's state, keys and programs."""
    database = found.database
    secrets = [
        ("the daemon's home", found.home),
        ("the daemon's run directory", found.run),
        ("the daemon's configuration", found.config),
        *(
            ("the daemon's database", database.with_name(database.name + suffix))
            for suffix in ("", "-wal", "-shm", ".lock", ".commits")
        ),
        ("the daemon's backups", found.backups),
        ("the daemon's models", found.models),
    ]
    keys = (
        *(settings.embedding.api_key_file, settings.llm.api_key_file),
        *(settings.storage.key_file, settings.storage.password_file),
    )
    secrets += [("the daemon's key", Path(file)) for file in keys if file is not None]
    return [
        *(ProtectedPath(name, str(path.absolute()), secret=True) for name, path in secrets),
        *(
            ProtectedPath("the daemon's installation", str(path), secret=False)
            for path in installation()
        ),
    ]


def installation() -> list[Path]:
    """Return the programs and libraries that this process runs; nobody else may change them."""
    schemes = sysconfig.get_paths()
    paths = {
        Path(__file__).parent,
        Path(msgspec.__file__).parents[1],
        Path(sys.executable).absolute(),
        Path(os.path.realpath(sys.executable)),
        *(Path(schemes[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        *(Path(schemes["scripts"]) / name for name in ("ash", "ashd")),
    }
    environment = programs.environment()
    return sorted(paths if environment is None else {*paths, environment})
