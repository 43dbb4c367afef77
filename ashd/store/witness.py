"""Count the commits, in the database and beside it, so that lost ones are noticed.

SQLite treats a write-ahead log whose end is cut, changed or missing as one that ends there. The
database counts its commits; a file of a few bytes repeats the count after each commit that has
reached the disk. So the file's count is never higher than the database's, unless commits were lost.
The file is not synced: after a power failure its count is lower, which means nothing.
"""

import os
import secrets
import struct
from pathlib import Path
from typing import Any, Final

from ashd import errors, log
from ashd.store.transaction import Tx

SUFFIX: Final = ".commits"
_FORM: Final = struct.Struct("<16sQ")


class Witness:
    """The count beside the database. Written only by the writer thread."""

    def __init__(self, database: Path) -> None:
        self._path = witness_path(database)
        self._file: int | None = None
        self._id = b""
        self._failed = False

    def require_database(self, tx: Tx) -> None:
        """Refuse a database that has become empty.

        Raises:
            errors.StartError
        """
        found = self._read()
        if found is not None and found[1] and not tx.value("select count(*) from sqlite_schema"):
            raise errors.StartError(
                "The database is empty, but it held memories when the daemon last ran. Put the "
                f"newest backup in its place, or remove {self._path} to begin with an empty one."
            )

    def begin(self, tx: Tx) -> int:
        """Compare the counts, and continue; return how many commits were lost.

        The caller copies the log into the file before it calls `committed`: a database that loses
        its log is recognised by its id. A database without an id that has a count beside it has
        lost the log in which its id was.
        """
        row = tx.one("select value from meta where key = 'database_id'")
        self._id = row[0] if row else new_id(tx)
        count: int = tx.value("select value from meta where key = 'commits'")
        found = self._read()
        is_ours = found is not None and (row is None or found[0] == self._id)
        missing = max(0, found[1] - count) if found is not None and is_ours else 0
        if missing:
            log.error("writes_lost", commits=missing)
            tx.run(
                "insert into meta (key, value) values ('commits_lost', ?)"
                " on conflict do update set value = value + excluded.value",
                missing,
            )
        return int(
            tx.value("select coalesce((select value from meta where key = 'commits_lost'), 0)")
        )

    def count(self, tx: Tx) -> int:
        """Count the commit of this transaction; return its number."""
        return int(
            tx.value("update meta set value = value + 1 where key = 'commits' returning value")
        )

    def committed(self, number: int) -> None:
        """Note that the commits up to this number have reached the disk."""
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.pwrite(self._file, _FORM.pack(self._id, number), 0)
        except OSError as error:
            if not self._failed:
                log.warning("commits_not_counted", reason=error.strerror)
            self._failed = True

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _read(self) -> tuple[bytes, int] | None:
        try:
            identity, count = _FORM.unpack(self._path.read_bytes())
        except (OSError, struct.error):
            return None
        return identity, count


def witness_path(database: Path) -> Path:
    """Return the path of the count's file, which is always replaced together with its database."""
    return database.with_name(database.name + SUFFIX)


def last_commit(tx: Tx) -> tuple[bytes, int] | None:
    """Return the id of the database, and the number of its last commit, if it has them."""
    rows: dict[str, Any] = dict(
        tx.all("select key, value from meta where key in ('database_id', 'commits')")
    )
    return (rows["database_id"], rows["commits"]) if "database_id" in rows else None


def lost(tx: Tx) -> int:
    """Count the commits that were lost and are still reported."""
    row = tx.one("select value from meta where key = 'commits_lost'")
    return int(row[0]) if row else 0


def forgive(tx: Tx) -> None:
    """Stop reporting the commits lost so far."""
    tx.run("delete from meta where key = 'commits_lost'")


def new_id(tx: Tx) -> bytes:
    """Start the count anew, for a new database or one that replaces another; return its id."""
    tx.run("delete from meta where key in ('database_id', 'commits', 'commits_lost')")
    made = secrets.token_bytes(16)
    tx.run("insert into meta (key, value) values ('database_id', ?), ('commits', 0)", made)
    return made
