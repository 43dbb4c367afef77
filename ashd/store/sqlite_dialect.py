"""SQLite's own operations inside a transaction: row numbers and full text."""

from collections.abc import Sequence
from typing import Any

import apsw

from ashd.store import full_text_terms
from ashd.store.engine import Params
from ashd.store.full_text_terms import Term
from ashd.store.row_numbers import RowNumbers
from ashd.store.sqlite_catalog import SqliteCatalog


class SqliteDialect:
    """The dialect of one database file."""

    refused: type[Exception] = apsw.ConstraintError
    catalog = SqliteCatalog()

    def __init__(self, row_numbers: RowNumbers | None = None, daemon: str = "") -> None:
        self.row_numbers = row_numbers or RowNumbers()
        self._daemon = daemon

    def insert(self, connection: apsw.Connection, sql: str, params: Params) -> int:
        """Insert a row; return its number, or 0 if nothing was inserted."""
        connection.execute(sql, params)
        if not connection.changes():
            return 0
        return self.row_numbers.settle(connection, sql, connection.last_insert_rowid())

    append = insert

    def send(self, connection: apsw.Connection, sql: str, params: Params) -> None:
        """Execute a change."""
        connection.execute(sql, params)

    def together(
        self, connection: apsw.Connection, statements: Sequence[tuple[str, Params]]
    ) -> list[list[tuple[Any, ...]]]:
        """Run queries one after the other; return the rows of each."""
        return [connection.execute(sql, params).fetchall() for sql, params in statements]

    def expression(self, terms: Sequence[Term], scopes: Sequence[str] | None = None) -> str:
        """Return the full-text expression for rows with any of the terms, in one of the scopes."""
        return full_text_terms.expression(terms, scopes)

    def in_scopes(self, scopes: Sequence[str]) -> str:
        """Return the full-text expression for rows with one of these tokens as their scope."""
        return full_text_terms.in_scopes(scopes)

    def index_text(self, connection: Any, number: int, columns: Sequence[str]) -> None:
        """Add a row to the full-text index; the columns are scope, body, names, dates, grams."""
        connection.execute(
            "insert into passage_fts (rowid, scope, body, names, dates, grams)"
            " values (?, ?, ?, ?, ?, ?)",
            (number, *columns),
        )

    def running_daemons(self, connection: apsw.Connection) -> frozenset[str]:  # noqa: ARG002  a file has one daemon
        """Return the name of the only daemon that has the file open."""
        return frozenset((self._daemon,))

    def server_time(self, connection: apsw.Connection) -> None:
        """Return nothing: the daemon's clock is the only one."""
