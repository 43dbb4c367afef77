"""Files that hold what people stored: private from the start, complete or absent.

A file is written under a hidden name beside its own and renamed when it is whole and on disk, so
that a crash never leaves half a file under the final name.
"""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ashd import errors

_PART: Final = ".part"
_COMPANIONS: Final = ("", "-journal", "-wal", "-shm")
"""What SQLite leaves beside a database file."""


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Give the name under which to write; at the end the file is renamed to `path`.

    Raises:
        errors.InvalidParams: there is such a file, or it cannot be made there.
        errors.StorageError: the disk failed.
    """
    part = path.with_name(f".{path.name}{_PART}")
    if path.exists():
        raise errors.InvalidParams(f"{path} exists already.", "Name another file.")
    try:
        _remove(part)  # of an attempt that was killed
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise errors.InvalidParams(
            f"The daemon cannot write {path} ({error.strerror}).",
            "Name a file in an existing directory that the daemon's user may write.",
        ) from error
    try:
        yield part
        sync(part)
        part.rename(path)
        sync(path.parent)
    except OSError as error:
        raise errors.StorageError(
            f"{path} could not be written ({error.strerror}).",
            "Free space there, or name a file on another disk.",
        ) from error
    finally:
        with contextlib.suppress(OSError):
            _remove(part)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_parts(folder: Path) -> None:
    """Remove what attempts that were killed left in a folder of our own."""
    for part in folder.glob(f".*{_PART}"):
        _remove(part)


def _remove(path: Path) -> None:
    for suffix in _COMPANIONS:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
