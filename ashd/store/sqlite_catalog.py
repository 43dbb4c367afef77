"""SQLite's description of its tables, for code that goes over all of them."""

from collections import Counter
from typing import Any

import apsw

from ashd.store.engine import Reference


class SqliteCatalog:
    """The tables of a database file."""

    def tables(self, connection: apsw.Connection) -> list[str]:
        """Return the names of all tables with rows of the store, in alphabetical order."""
        rows = connection.execute(
            "select name from pragma_table_list where schema = 'main'"
            " and type in ('table', 'virtual') and name not like 'sqlite%' order by name"
        )
        return [name for (name,) in rows]

    def references(self, connection: apsw.Connection, table: str) -> list[Reference]:
        """Return the columns of a table that refer to another table, or to itself."""
        rows = connection.execute(
            'select f."from", f."table", i."notnull" or i.pk > 0'
            " from pragma_foreign_key_list(?1) f"
            ' join pragma_table_info(?1) i on i.name = f."from"',
            (table,),
        )
        return [Reference(table, column, to, bool(needed)) for column, to, needed in rows]

    def broken_references(self, connection: apsw.Connection) -> dict[str, int]:
        """Count the rows by table that refer to a row that is not there."""
        return dict(Counter(str(row[0]) for row in connection.execute("pragma foreign_key_check")))

    def columns(self, connection: apsw.Connection, table: str) -> list[str]:
        """Return the columns of a table; the first of a full-text row is its number."""
        rows = connection.execute("select name from pragma_table_info(?) order by cid", (table,))
        names = [name for (name,) in rows]
        return ["rowid", *names] if table == "passage_fts" else names

    def key(self, connection: apsw.Connection, table: str) -> list[str]:
        """Return the columns by which a row is found in all databases."""
        rows = connection.execute(
            "select name from pragma_table_info(?) where pk > 0 order by pk", (table,)
        )
        return [name for (name,) in rows] or ["rowid"]

    def row_key(self, connection: apsw.Connection, table: str) -> str:
        """Return the columns that identify a row: the row number, or the primary key."""
        (has_no_number,) = connection.execute(
            "select wr from pragma_table_list where name = ?", (table,)
        ).fetchall()[0]
        return ", ".join(self.key(connection, table)) if has_no_number else "rowid"

    def last_numbers(self, connection: apsw.Connection) -> dict[str, int]:
        """Return the last number that each table has given to a row, of those that give any."""
        numbers: dict[str, Any] = {}
        for table in self.tables(connection):
            if self.key(connection, table) == ["id"]:
                rows = connection.execute(
                    f"select coalesce(max(id), 0) from {table} where typeof(id) = 'integer'"
                )
                numbers[table] = rows.fetchall()[0][0]
        for table, number in connection.execute("select name, seq from sqlite_sequence"):
            numbers[str(table)] = number
        return numbers

    def continue_numbers(self, connection: apsw.Connection, last: dict[str, int]) -> None:
        """Let the tables go on after these numbers, of those that never use one again."""
        connection.execute("delete from sqlite_sequence")
        rows = connection.execute("select name from sqlite_schema where sql like '%autoincrement%'")
        for table in [str(name) for (name,) in rows]:
            connection.execute(
                "insert into sqlite_sequence (name, seq) values (?, ?)", (table, last[table])
            )
