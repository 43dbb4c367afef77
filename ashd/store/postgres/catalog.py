"""PostgreSQL's description of our tables, for code that goes over all of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ashd.store.engine import Reference
from ashd.store.postgres.connection import Connection

_OWN: Final = frozenset({"commits", "schema_version"})
"""Tables of this engine that hold nothing of the store."""


class PostgresCatalog:
    """The tables of a database of the server."""

    def tables(self, connection: Connection) -> list[str]:
        """Return the names of all tables with rows of the store, in alphabetical order."""
        rows = connection.execute(
            "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
            " where n.nspname = 'ashd' and c.relkind = 'r' order by c.relname"
        )
        return [name for (name,) in rows if name not in _OWN]

    def references(self, connection: Connection, table: str) -> list[Reference]:
        """Return the columns of a table that refer to another table, or to itself."""
        rows = connection.execute(
            "select a.attname, t.relname, a.attnotnull"
            " from pg_constraint k join pg_class f on f.oid = k.conrelid"
            " join pg_class t on t.oid = k.confrelid"
            " join pg_namespace n on n.oid = f.relnamespace"
            " join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]"
            " where k.contype = 'f' and n.nspname = 'ashd' and f.relname = ?",
            (table,),
        )
        return [Reference(table, column, to, needed) for column, to, needed in rows]

    def broken_references(self, connection: Connection) -> dict[str, int]:  # noqa: ARG002  it need not ask
        """Return none: the server refuses a reference to a row that is not there."""
        return {}

    def columns(self, connection: Connection, table: str) -> list[str]:
        """Return the columns of a table that SQLite has, too."""
        rows = connection.execute(
            "select a.attname from pg_attribute a join pg_type t on t.oid = a.atttypid"
            " where a.attrelid = cast('ashd.' || ? as regclass) and a.attnum > 0"
            " and not a.attisdropped and t.typname <> 'tsvector' order by a.attnum",
            (table,),
        )
        return [name for (name,) in rows]

    def key(self, connection: Connection, table: str) -> list[str]:
        """Return the columns by which a row is found in all databases."""
        rows = connection.execute(
            "select a.attname from pg_index i"
            " cross join unnest(i.indkey) with ordinality as k (number, place)"
            " join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number"
            " where i.indrelid = cast('ashd.' || ? as regclass) and i.indisprimary"
            " order by k.place",
            (table,),
        )
        # A table without one has a key that is too long for an index: all columns order its rows.
        return [name for (name,) in rows] or self.columns(connection, table)

    def row_key(self, connection: Connection, table: str) -> str:  # noqa: ARG002  the same for all
        """Return the column that identifies a row in one transaction: its place in the table."""
        return "ctid"

    def last_numbers(self, connection: Connection) -> dict[str, int]:
        """Return the last number that each table has given to a row, of those that give any."""
        rows = connection.execute(
            "select t.relname, coalesce(s.last_value, 0) from pg_sequences s"
            " join pg_class q on q.oid = cast('ashd.' || s.sequencename as regclass)"
            " join pg_depend d on d.objid = q.oid and d.deptype = 'i'"
            " join pg_class t on t.oid = d.refobjid where s.schemaname = 'ashd'"
        )
        return dict(rows)

    def continue_numbers(self, connection: Connection, last: dict[str, int]) -> None:
        """Let the tables go on after these numbers."""
        for table, number in last.items():
            if number and table in self.last_numbers(connection):
                connection.execute(
                    "select setval(pg_get_serial_sequence('ashd.' || ?, 'id'), ?)", (table, number)
                )

    @contextmanager
    def without_references(self, connection: Connection) -> Iterator[None]:
        """Drop the references between tables for a block, in one transaction; then check them."""
        references = connection.execute(
            "select cast(k.conrelid as regclass), k.conname, pg_get_constraintdef(k.oid)"
            " from pg_constraint k join pg_namespace n on n.oid = k.connamespace"
            " where k.contype = 'f' and n.nspname = 'ashd' order by k.conname, k.conrelid"
        ).fetchall()
        for table, name, _ in references:
            connection.execute(f"alter table {table} drop constraint {name}")
        yield
        for table, name, definition in references:
            connection.execute(f"alter table {table} add constraint {name} {definition}")
