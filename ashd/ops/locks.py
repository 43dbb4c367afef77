"""Lock files: one process at a time uses a database, and a run directory."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ashd import atomic_file, errors


def of_database(database: Path) -> Path:
    """Return the lock file of a database."""
    return database.with_name(database.name + ".lock")


def of_run_directory(run: Path) -> Path:
    """Return the lock file of a run directory."""
    return run / "ashd.lock"


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
