"""Row numbers of new rows: while the daemon runs, no number is used for two rows.

Long work refers to rows by number, over many transactions. SQLite gives a new row the number after
the highest in the table: if the highest row was erased meanwhile, somebody else's new row would get
its number and be taken for it.
"""

import re
from contextlib import suppress
from typing import Any, Final

import apsw

_TABLE: Final = re.compile(r"insert into (\w+)")


class RowNumbers:
    """Knows the highest row number ever used of each table; by itself of none."""

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    @classmethod
    def of(cls, connection: apsw.Connection) -> "RowNumbers":
        """Return the numbers in use now."""
        self = cls()
        tables = connection.execute(
            "select name from pragma_table_list where type = 'table' and not wr and schema = 'main'"
            " and name not like 'sqlite%'"
        ).fetchall()
        for (table,) in tables:
            highest: Any = 0
            with suppress(apsw.Error):  # the table is damaged where a new row would go
                highest = connection.execute(f"select max(rowid) from {table}").fetchall()[0][0]
            self._highest[str(table)] = highest or 0
        return self

    def settle(self, connection: apsw.Connection, insert: str, number: int) -> int:
        """Give the row that a statement just inserted a new number if it has a used one."""
        found = _TABLE.match(insert)
        table = found[1] if found else ""
        if table not in self._highest:
            return number
        unused = self._highest[table] + 1
        if number < unused:
            connection.execute(f"update {table} set rowid = ? where rowid = ?", (unused, number))
            number = unused
        self._highest[table] = number
        return number
