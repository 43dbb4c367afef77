"""Files that hold people's data: private from the start, complete or absent.

A file is written under a hidden name beside its own and renamed once it is whole and on disk, so a
crash never leaves half a file under the final name. An export has no name at all until then: it may
be plain where the database is encrypted, and nobody would look for what a kill leaves of it.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from ashd import errors
from ashd.atomic_file import sync

REPLACED: Final = "replaced"
"""The beginning of the name of a database that a restore replaced: it may be the damaged one."""
_PART: Final = ".part"
_AT_ONCE: Final = 1024 * 1024
_COMPANIONS: Final = ("", "-journal", "-wal", "-shm")
"""Suffixes of a database file and of SQLite's files beside it."""


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield the name under which to write; at the end the file is renamed to `path`.

    Raises:
        errors.InvalidParams: there is such a file, or it cannot be made there.
        errors.StorageError: the disk failed.
    """
    _require_new(path)
    with part_of(path) as part:
        yield part
        sync(part)
        _require_new(path)  # writing it may have taken minutes
        part.rename(path)
        sync(path.parent)


@contextmanager
def new_output(path: Path) -> Iterator[BinaryIO]:
    """Yield a private file to write; at the end it gets the name `path`, and before that none.

    A file system that cannot have a file without a name has it under the one of `new_file`.

    Raises:
        errors.InvalidParams: there is such a file, or it cannot be made there.
        errors.StorageError: the disk failed.
    """
    _require_new(path)
    descriptor = _without_name(path.parent)
    if descriptor is None:
        with new_file(path) as part, part.open("wb") as file:
            yield file
        return
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
            # Python follows the link only if a descriptor is given, which an absolute path ignores.
            os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)
        sync(path.parent)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise _not_written(path, error) from error


def _without_name(folder: Path) -> int | None:
    """Open a file without a name in a folder; None if it cannot be made."""
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return None


def is_there(path: Path) -> bool:
    """Return whether a file is there; if its folder may not be looked into, it is."""
    try:
        return path.exists()
    except OSError:
        return True


def is_backup(path: Path) -> bool:
    """Return whether a file in the backup folder is a backup, not a database that was replaced."""
    return not path.name.startswith(f"{REPLACED}-")


def changed_at(paths: Iterable[Path]) -> dict[Path, int]:
    """Return when each file was changed, in nanoseconds since 1970; none that is gone meanwhile."""
    found = {}
    for path in paths:
        with contextlib.suppress(OSError):
            found[path] = path.stat().st_mtime_ns
    return found


def _require_new(path: Path) -> None:
    try:
        found = path.exists()
    except OSError as error:
        raise errors.InvalidParams(
            f"{path} cannot be made ({error.strerror}).", "Name another file."
        ) from error
    if found:
        raise _exists(path)


def _exists(path: Path) -> errors.InvalidParams:
    return errors.InvalidParams(f"{path} exists already.", "Name another file.")


def _not_written(path: Path, error: OSError) -> errors.StorageError:
    return errors.StorageError(
        f"{path} could not be written ({error.strerror}).",
        "Free space there, or name a file on another disk.",
    )


@contextmanager
def part_of(path: Path, *, wiped: bool = False) -> Iterator[Path]:
    """Yield an empty private file beside `path`, removed at the end unless it was renamed.

    If it is to be wiped, its bytes are overwritten before it is removed.

    Raises:
        errors.InvalidParams: it cannot be made there.
        errors.StorageError: the disk failed.
    """
    part = part_name(path)
    remove = wipe if wiped else _remove
    try:
        remove(part)  # left by an attempt that was killed
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise errors.InvalidParams(
            f"{path} cannot be written ({error.strerror}).",
            "Name a file in an existing directory that the daemon's user may write.",
        ) from error
    try:
        yield part
    except OSError as error:
        raise _not_written(path, error) from error
    finally:
        with contextlib.suppress(OSError, errors.StorageError):
            remove(part)


def part_name(path: Path) -> Path:
    """Return the name of a file until it is whole."""
    path = linked(path)
    return path.with_name(f".{path.name}{_PART}")


def linked(path: Path) -> Path:
    """Return the file that a symbolic link leads to; of anything else the path itself."""
    # Unlike those of pathlib, these raise nothing in a folder that may not be looked into.
    is_link = os.path.islink(path) and os.path.exists(path)  # noqa: PTH110, PTH114  see above
    return path.resolve() if is_link else path


def overwrite(path: Path) -> None:
    """Overwrite a file with zeros, then remove it; a solid-state disk may keep the old bytes.

    Raises:
        errors.StorageError: the disk failed.
    """
    try:
        with path.open("r+b") as file:
            left = path.stat().st_size
            while left > 0:
                left -= file.write(bytes(min(left, _AT_ONCE)))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
        sync(path.parent)
    except OSError as error:
        raise errors.StorageError(
            f"{path} could not be overwritten ({error.strerror}).", "Remove it by hand."
        ) from error


def wipe(path: Path) -> None:
    """Overwrite and remove a database file that nobody has open, and SQLite's files beside it.

    Raises:
        errors.StorageError: the disk failed.
    """
    for file in _with_companions(path):
        if file.exists():
            overwrite(file)


def make_folder(path: Path) -> None:
    """Make a private folder, unless it exists.

    Raises:
        errors.StorageError: it cannot be made.
    """
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise errors.StorageError(
            f"{path} cannot be made ({error.strerror}).", "Free space there, and look who owns it."
        ) from error


def replace(part: Path, path: Path, kept: Path | None) -> None:
    """Put a finished file in the place of another, which keeps the name `kept`.

    There is a complete file at `path` at every moment, the old one or the new one. A link stays,
    and leads to the new file.
    """
    path = linked(path)
    sync(part)
    if kept is not None:
        _keep(path, kept)
        # A WAL that could not be written back belongs to the old file, never to the new one.
        for suffix in ("-wal", "-shm"):
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                _keep(beside, kept.with_name(kept.name + suffix))
                beside.unlink()
        sync(kept.parent)
    part.rename(path)
    sync(path.parent)


def _keep(path: Path, kept: Path) -> None:
    try:
        kept.hardlink_to(path)
    except OSError:  # a file system without links
        part = part_name(kept)
        shutil.copy2(path, part)
        sync(part)
        part.replace(kept)


def remove_parts(database: Path, backups: Path) -> None:
    """Remove what killed attempts left, while nothing is being written.

    The folder of the database may be anybody's, so only files of our names are removed.
    """
    ours = [part_name(path) for path in (database, dry_run_copy(database))]
    with contextlib.suppress(OSError):  # a disk that cannot be written is the start's to report
        for part in (*ours, *backups.glob(f".*.db{_PART}")):
            _remove(part)


def dry_run_copy(database: Path) -> Path:
    """Return the name of the copy on which an import is tried."""
    return database.with_name("dry-run.db")


def _remove(path: Path) -> None:
    for file in _with_companions(path):
        file.unlink(missing_ok=True)


def _with_companions(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in _COMPANIONS]
