"""The engine for one SQLite file: a commit is acknowledged once it is in the log on the disk."""

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from math import inf
from pathlib import Path
from typing import Final

import apsw

from ashd import errors
from ashd.clock import Clock
from ashd.store import full_text, opening
from ashd.store.commit_notes import Notes
from ashd.store.connection import as_ash_error, check_sqlite, why_not
from ashd.store.engine import Commit
from ashd.store.health import Health
from ashd.store.long_reads import LongReads, connect_to_read
from ashd.store.presence import Presence
from ashd.store.row_numbers import RowNumbers
from ashd.store.sqlite_dialect import SqliteDialect
from ashd.store.transaction import Tx
from ashd.store.witness import Witness

_DEADLINE_STEPS: Final = 10_000


class Sqlite:
    """One SQLite file."""

    def __init__(self, path: Path, clock: Clock) -> None:
        check_sqlite()
        self._path = path
        self._clock = clock
        self._witness = Witness(path)
        self._changes = 0
        """The rows changed over the writer before its transaction."""
        self._long_reads: LongReads | None = None
        self.health = Health(path)
        self.daemon = secrets.token_hex(8)
        self.is_shared = False
        self.last_commit = 1
        self.next_commit = 0
        self.presence: Presence
        self.dialect: SqliteDialect

    def open_writer(self) -> apsw.Connection:
        """Open or create the file, migrated and with its commits counted.

        Raises:
            errors.StartError: the file cannot be used; the message says why and what to do.
        """
        try:
            writer = opening.open_writer(self._path, self._clock, self._witness, self.health)
            self.dialect = SqliteDialect(RowNumbers.of(writer), self.daemon)
        except apsw.Error as error:
            raise errors.StartError(why_not(error, self._path)) from error
        return writer

    def open_reader(self) -> apsw.Connection:
        """Open a connection that only reads.

        Raises:
            errors.StartError: the file cannot be read.
        """
        try:
            reader = connect_to_read(self._path)
            if self._long_reads is None:  # now all files of the database are there
                self.presence = Presence(self._path)
                self._long_reads = LongReads(self._path, self.presence)
        except apsw.Error as error:
            raise errors.StartError(why_not(error, self._path)) from error
        return reader

    def long_read(self) -> AbstractContextManager[apsw.Connection]:
        """Return a connection for a long read on another thread; nobody waits for it."""
        assert self._long_reads is not None
        return self._long_reads.open()

    def begin_write(self, connection: apsw.Connection, at_least: int) -> None:  # noqa: ARG002  there is no other daemon
        """Begin a transaction that writes, unless the file is no longer at its name."""
        self.presence.require()
        connection.execute("begin immediate")
        connection.execute("savepoint job")
        self._changes = connection.total_changes()

    def begin_job(self, connection: apsw.Connection) -> None:
        """Let the savepoint `job` begin here: what was done before it stays."""
        connection.execute("release job")
        connection.execute("savepoint job")

    def end_job(self, connection: apsw.Connection) -> None:
        """Do nothing: a statement that fails has changed nothing, and the others stay."""

    def commit(self, connection: apsw.Connection, notes: Notes | None, *, has_grown: bool) -> None:  # noqa: ARG002  there is no other daemon
        """Count and commit what was written; return once it is on the disk."""
        number = None
        connection.execute("release job")
        if has_grown:
            full_text.merge(connection)
        if connection.total_changes() != self._changes:
            number = self._witness.count(Tx(connection, 0, self._clock.new_id))
        connection.execute("commit")
        if number is not None:
            self._witness.committed(number)
            self.health.written()

    def commits_after(self, connection: apsw.Connection, number: int) -> list[Commit]:  # noqa: ARG002  there is no other daemon
        """Return nothing: no other daemon commits."""
        return []

    def require_kept(self) -> None:
        """Refuse to acknowledge a commit to a file without a name.

        Raises:
            errors.StorageError
        """
        self.presence.require()

    def begin_read(
        self,
        connection: apsw.Connection,
        is_late: Callable[[], bool] = lambda: False,
        seconds: float = inf,  # noqa: ARG002  `is_late` knows them
        at_least: int = 0,  # noqa: ARG002  there is no other daemon
    ) -> None:
        """Begin a snapshot; a statement is stopped once `is_late` says so."""
        connection.set_progress_handler(is_late, _DEADLINE_STEPS)
        connection.execute("begin")

    def roll_back(self, connection: apsw.Connection) -> None:
        """End a transaction without its changes, if SQLite did not do so already."""
        if connection.in_transaction:
            connection.execute("rollback")

    def error(self, error: Exception, connection: apsw.Connection | None) -> Exception:
        """Return SQLite's errors as the daemon's own, others as they are."""
        return as_ash_error(error, self.health, connection)

    def lead(self, connection: apsw.Connection) -> bool:  # noqa: ARG002  there is no other daemon
        """Return true: this is the only daemon."""
        return True

    def close_writer(self, connection: apsw.Connection) -> None:
        """Checkpoint and close, when nobody else has the file open, so that nothing is waited for.

        Everything is in the log, for the next start, should the disk fail now.
        """
        with suppress(apsw.Error):
            connection.pragma("wal_checkpoint(truncate)")
        connection.close()
        self._witness.close()

    def close(self) -> None:
        """Close what else is open; no read is running any more."""
        if self._long_reads is not None:
            self._long_reads.close()
