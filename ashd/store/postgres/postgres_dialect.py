"""PostgreSQL's own operations inside a transaction: row numbers and full text."""

from collections.abc import Sequence
from typing import Final

import psycopg

from ashd.store.engine import Params
from ashd.store.full_text_terms import Term
from ashd.store.postgres import full_text
from ashd.store.postgres.catalog import PostgresCatalog
from ashd.store.postgres.connection import Connection
from ashd.store.transaction import Row

RUNNING: Final = 0x4153
"""The first half of the advisory lock of a running daemon; its number is the second."""


class PostgresDialect:
    """PostgreSQL's own operations inside a transaction."""

    refused: type[Exception] = psycopg.IntegrityError
    catalog = PostgresCatalog()

    def insert(self, connection: Connection, sql: str, params: Params) -> int:
        """Insert a row; return its number, or 0 if nothing was inserted."""
        row = connection.execute(f"{sql} returning id", params).fetchone()
        return int(row[0]) if row else 0

    def append(self, connection: Connection, sql: str, params: Params) -> int:
        """Insert a row that no constraint refuses; return its number, also before it is there."""
        numbers, table = connection.next_numbers, sql.split(maxsplit=3)[2]
        if numbers is not None and table in numbers:
            connection.defer(f"{sql} returning id", params, number := numbers[table])
        else:
            number = self.insert(connection, sql, params)
        if numbers is not None:
            numbers[table] = number + 1
        return number

    def send(self, connection: Connection, sql: str, params: Params) -> None:
        """Execute a change, in a job with the next statement."""
        connection.defer(sql, params)

    def together(
        self, connection: Connection, statements: Sequence[tuple[str, Params]]
    ) -> list[list[Row]]:
        """Run queries in one round trip; return the rows of each."""
        return connection.together(statements)

    def expression(self, terms: Sequence[Term], scopes: Sequence[str] | None = None) -> str:
        """Return the full-text expression for rows with any of the terms, in one of the scopes."""
        return full_text.expression(terms, scopes)

    def in_scopes(self, scopes: Sequence[str]) -> str:
        """Return the full-text expression for rows with one of these tokens as their scope."""
        return full_text.in_scopes(scopes)

    def index_text(self, connection: Connection, number: int, columns: Sequence[str]) -> None:
        """Add a row to the full-text index; the columns are scope, body, names, dates, grams."""
        connection.defer(
            "insert into passage_fts (rowid, scope, body, names, dates, grams, terms)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (number, *columns, full_text.terms(*columns)),
        )

    def running_daemons(self, connection: Connection) -> frozenset[str]:
        """Return the names of the daemons that have the database open."""
        rows = connection.execute(
            "select cast(l.objid as text) from pg_locks l join pg_database d on d.oid = l.database"
            " where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ?"
            " and d.datname = current_database()",
            (RUNNING,),
        )
        return frozenset(name for (name,) in rows)

    def server_time(self, connection: Connection) -> int:
        """Return the time by the server's clock, which all daemons have in common."""
        asked = "select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)"
        [(now,)] = connection.execute(asked)
        return int(now)
