"""Connections for long reads of the open database, such as an export: nobody waits for them.

Each read has a connection of its own, opened by the file's name. One more was opened at the start,
for when that name leads elsewhere: the long reads then take turns with it.
"""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from ashd.store.connection import connect
from ashd.store.presence import Presence


class LongReads:
    """Opens connections for long reads."""

    def __init__(self, path: Path, presence: Presence) -> None:
        self._path = path
        self._presence = presence
        self._spare = connect_to_read(path)
        self._turn = threading.Lock()

    @contextmanager
    def open(self) -> Iterator[apsw.Connection]:
        """Yield a connection for a long read; blocks its thread while others use the spare one.

        Raises:
            apsw.Error: the database cannot be read.
        """
        if self._presence.missing() is None:
            with closing(connect(self._path, read_only=True)) as connection:
                yield connection
            return
        with self._turn:
            try:
                yield self._spare
            finally:
                self._spare.set_progress_handler(None)
                if self._spare.in_transaction:
                    self._spare.execute("rollback")

    def close(self) -> None:
        """Close the spare connection, once no read uses it."""
        with self._turn:
            self._spare.close()


def connect_to_read(path: Path) -> apsw.Connection:
    """Open a connection that goes on reading when the names of the database's files are gone.

    Raises:
        apsw.Error: the database cannot be read.
    """
    connection = connect(path, read_only=True)
    # SQLite opens the log by its name at the first read.
    connection.execute("select count(*) from sqlite_schema").fetchall()
    return connection
