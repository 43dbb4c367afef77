"""Whether the names of an open database still lead to its files.

A file that was deleted, moved or replaced stays readable over the connections that have it open,
and whatever is written to it is gone with the last of them.
"""

from pathlib import Path
from typing import Final, NamedTuple

from ashd import errors
from ashd.store.health import Warned

DATABASE_MISSING: Final = Warned(
    "database_missing",
    "The database's file was deleted, moved or replaced while the daemon uses it: nothing new is"
    " stored.",
    "Do not stop the daemon before `ash db backup FILE` has saved what it holds; then"
    " `ash db restore FILE` puts that in place.",
)
LOG_MISSING: Final = Warned(
    "log_missing",
    "The write-ahead log beside the database was deleted, moved or replaced: nothing new is"
    " stored.",
    "Restart the daemon: what it holds was written to the database's file.",
)
WARNINGS: Final = (DATABASE_MISSING.name, LOG_MISSING.name)


class _File(NamedTuple):
    """A file's identity, whatever its name."""

    device: int
    number: int


class Presence:
    """Knows the files of one open database; make it once they are open."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._log = database.with_name(database.name + "-wal")
        self._files = {path: _file(path) for path in (self._database, self._log)}

    def missing(self) -> Warned | None:
        """Return the warning about a file that is no longer at its name; None if all are."""
        if self._is_elsewhere(self._database):
            return DATABASE_MISSING
        return LOG_MISSING if self._is_elsewhere(self._log) else None

    def require(self) -> None:
        """Refuse a write that would be gone when the files are closed.

        Raises:
            errors.StorageError
        """
        if (missing := self.missing()) is not None:
            raise errors.StorageError(missing.detail, missing.remedy)

    def _is_elsewhere(self, path: Path) -> bool:
        return self._files[path] != _file(path)


def _file(path: Path) -> _File | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _File(found.st_dev, found.st_ino)
