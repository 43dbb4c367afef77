"""Locks: one process at a time uses a database, and a run directory.

A lock file beside the database names its holder. The database's file is locked as well, since it
may have other names (links, mounts), each with a lock file of its own.
"""

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ashd import atomic_file, errors

_ONE_BYTE: Final = struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, 2**62, 1, 0)
"""A `struct flock` for a byte far behind those that SQLite locks (around 2**30)."""


def of_database(database: Path) -> Path:
    """Return the lock file of a database."""
    return database.with_name(database.name + ".lock")


def of_run_directory(run: Path) -> Path:
    """Return the lock file of a run directory."""
    return run / "ashd.lock"


@contextmanager
def hold_database(database: Path) -> Iterator[None]:
    """Hold a database by its lock file, and by its own file if there is one.

    Raises:
        errors.StartError: another process holds it, or the lock file cannot be written.
    """
    with hold(of_database(database), "database"), hold_file(database):
        yield


@contextmanager
def hold_file(database: Path) -> Iterator[None]:
    """Hold the file of a database, whichever name it was opened by; nothing if there is none.

    Raises:
        errors.StartError: another process holds it.
    """
    try:
        descriptor = os.open(database, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:  # opening the database says why
        yield
        return
    try:
        # A lock of this descriptor: a lock of the process would end with any other descriptor.
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _ONE_BYTE)
    except (BlockingIOError, PermissionError):
        os.close(descriptor)
        raise errors.StartError(
            f"Another ashd uses the file {database.resolve()} under another name, by a link or a "
            "mount. Stop it first, or name another home."
        ) from None
    except OSError:
        pass  # a file system without such locks
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def hold(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file, in which this process is named.

    Raises:
        errors.StartError: another process holds the lock, or the file cannot be written.
    """
    try:
        file = atomic_file.open_to_lock(path)
    except OSError as error:
        raise errors.StartError(
            f"{path} cannot be written ({error.strerror}). Check who owns its folder."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().decode("ascii", "replace").strip() or "unknown"
            raise errors.StartError(
                f"Another ashd (pid {holder}) uses this {what}: {path.parent}. "
                "Stop it first, or name another home."
            ) from None
        try:
            file.truncate(0)
            file.write(str(os.getpid()).encode())
        except OSError as error:
            raise errors.StartError(
                f"{path} cannot be written ({error.strerror}). Free some space and start again."
            ) from error
        yield
