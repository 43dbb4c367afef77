"""PostgreSQL's own operations inside a transaction: row numbers and full text."""

from collections.abc import Sequence

import psycopg

from ashd.store.engine import Params
from ashd.store.full_text_terms import Term
from ashd.store.postgres import full_text
from ashd.store.postgres.catalog import PostgresCatalog
from ashd.store.postgres.connection import Connection


class PostgresDialect:
    """PostgreSQL's own operations inside a transaction."""

    refused: type[Exception] = psycopg.IntegrityError
    catalog = PostgresCatalog()

    def insert(self, connection: Connection, sql: str, params: Params) -> int:
        """Insert a row; return its number, or 0 if nothing was inserted."""
        row = connection.execute(f"{sql} returning id", params).fetchone()
        return int(row[0]) if row else 0

    def expression(self, terms: Sequence[Term], scopes: Sequence[str] | None = None) -> str:
        """Return the full-text expression for rows with any of the terms, in one of the scopes."""
        return full_text.expression(terms, scopes)

    def in_scopes(self, scopes: Sequence[str]) -> str:
        """Return the full-text expression for rows with one of these tokens as their scope."""
        return full_text.in_scopes(scopes)

    def index_text(self, connection: Connection, number: int, columns: Sequence[str]) -> None:
        """Add a row to the full-text index; the columns are scope, body, names, dates, grams."""
        connection.execute(
            "insert into passage_fts (rowid, scope, body, names, dates, grams, terms)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            (number, *columns, full_text.terms(*columns)),
        )
