"""Gaps of pages: the unused bytes between a page's list of cells and the cells.

When SQLite splits or joins pages it leaves copies of the moved cells in the gap, and their content
stays there when the rows are erased. `fill` overwrites non-empty gaps: a row of the page is made
longer by the size of the gap and short again, and SQLite overwrites the freed bytes with zeros.
Both happen in one transaction, so no reader ever sees the longer row. An index with personal words
in its keys, or a table without row numbers, which is stored like one, is rewritten if it has such a
gap, unless it is so large that others would wait for that; those keys are ids, names and single
words. The pages are read while the file is still (`still_file`).
"""

from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio

from ashd.store import page_format, still_file
from ashd.store.database import Database
from ashd.store.erasure.register import PERSONAL
from ashd.store.sqlite import Sqlite
from ashd.store.transaction import Tx

_MOST_PAGES_OF_INDEX: Final = 400
"""Largest index that is rewritten, in some 20 ms."""
_WORDS_OF_LEAVES: Final = "passage_fts_idx"
"""The words that separate the leaves of the full-text index."""
_ROUNDS: Final = 3
"""Lengthening a row may itself split a page, which leaves a gap."""
_GAPS_A_WRITE: Final = 8
_PAUSE_SECONDS: Final = 0.005


class Table(NamedTuple):
    """A table with row numbers: its first page, and a column that can be lengthened."""

    name: str
    root: int
    column: str
    is_text: bool


class Gap(NamedTuple):
    """A non-empty gap: its size, and the first row of its page."""

    table: Table
    row: int | None
    """None if the table is empty."""
    size: int


async def fill(db: Database, file: Sqlite) -> int:
    """Overwrite the non-empty gaps; return how many there were."""
    tables = await db.read(_tables)
    indexes = await db.read(_indexes_with_words)
    without_numbers = await db.read(_tables_without_numbers)
    filled = 0
    for name in await still_file.read(
        db, file, partial(_to_write, trees=indexes | without_numbers)
    ):
        write = _write_index if name in indexes else _write_table
        await db.write(partial(write, name=name), quiet=True)
        await anyio.sleep(_PAUSE_SECONDS)
        filled += 1
    for _ in range(_ROUNDS):
        gaps = await still_file.read(db, file, partial(find, tables=tables))
        for start in range(0, len(gaps), _GAPS_A_WRITE):
            part = gaps[start : start + _GAPS_A_WRITE]
            if any(gap.row is None for gap in part):
                await db.alone(partial(_clear_empty, gaps=part))
            await db.write(partial(_fill_some, gaps=part), quiet=True)
            await anyio.sleep(_PAUSE_SECONDS)
        filled += len(gaps)
        if not gaps:
            break
    return filled


def _tables(tx: Tx) -> list[Table]:
    """Return the tables with row numbers that have an unindexed column of text or bytes."""
    found = []
    for name, root in tx.all(
        "select s.name, s.rootpage from sqlite_schema s join pragma_table_list l on l.name = s.name"
        " where s.type = 'table' and l.type in ('table', 'shadow') and l.wr = 0"
        " and l.schema = 'main' and s.name not like 'sqlite%'"
    ):
        column = tx.one(
            "select c.name, lower(c.type) <> 'blob' from pragma_table_info(?1) c"
            " where c.pk = 0 and lower(c.type) in ('text', 'blob', 'any', '')"
            " and c.name not in (select i.name from pragma_index_list(?1) l"
            "   join pragma_index_info(l.name) i where i.name is not null) order by c.cid desc",
            name,
        )
        if column is not None:
            found.append(Table(name, root, column[0], bool(column[1])))
    return found


def _indexes_with_words(tx: Tx) -> dict[str, int]:
    """Return the indexes with a personal column, with their first pages."""
    rows = tx.all(
        "select s.name, s.tbl_name, s.rootpage, i.name from sqlite_schema s"
        " join pragma_index_info(s.name) i where s.type = 'index' and s.rootpage > 0"
    )
    return {index: root for index, table, root, column in rows if column in PERSONAL.get(table, ())}


def _tables_without_numbers(tx: Tx) -> dict[str, int]:
    """Return the tables without row numbers that hold personal words, with their first pages."""
    rows = tx.all(
        "select s.name, s.rootpage from sqlite_schema s join pragma_table_list l on l.name = s.name"
        " where l.wr and l.schema = 'main'"
    )
    return {name: root for name, root in rows if name in PERSONAL or name == _WORDS_OF_LEAVES}


def _to_write(path: Path, *, trees: dict[str, int]) -> list[str]:
    with page_format.opened(path) as pages:
        return [
            name for name, root in trees.items() if pages.has_traces(root, _MOST_PAGES_OF_INDEX)
        ]


def _write_index(tx: Tx, *, name: str) -> None:
    tx.run(f'reindex "{name}"')


def _write_table(tx: Tx, *, name: str) -> None:
    """Remove a table's rows and insert them again in order: SQLite zeroes the freed pages."""
    tx.run(f"create temp table moved as select * from main.{name}")
    tx.run(f"delete from main.{name}")
    tx.run(f"insert into main.{name} select * from temp.moved")
    tx.run("drop table temp.moved")


def find(path: Path, *, tables: list[Table]) -> list[Gap]:
    """Return the non-empty gaps of a database file; blocks its thread."""
    with page_format.opened(path) as pages:
        return [Gap(table, row, size) for table in tables for row, size in pages.gaps(table.root)]


def _clear_empty(tx: Tx, *, gaps: list[Gap]) -> None:
    """Overwrite the only page of each empty table, and those of its indexes.

    SQLite does so when all rows are deleted at once, unless another table's rows could depend on
    them.
    """
    tx.run("pragma foreign_keys = off")
    try:
        tx.run("begin immediate")
        for gap in gaps:
            if gap.row is None and tx.one(f"select 1 from {gap.table.name} limit 1") is None:
                tx.run(f"delete from {gap.table.name}")
        tx.run("commit")
    finally:
        tx.run("pragma foreign_keys = on")


def _fill_some(tx: Tx, *, gaps: list[Gap]) -> None:
    for gap in gaps:
        table = gap.table
        if gap.row is None:
            continue
        row = tx.one(f"select {table.column} from {table.name} where rowid = ?", gap.row)
        if row is None:  # the table got rows meanwhile, and its page was written
            continue
        value: Any = row[0]
        for longer in (_longer(value, gap.size, is_text=table.is_text), value):
            tx.run(f"update {table.name} set {table.column} = ? where rowid = ?", longer, gap.row)


def _longer(value: Any, size: int, *, is_text: bool) -> Any:
    """Return a value lengthened by so many bytes."""
    if isinstance(value, bytes) or (value is None and not is_text):
        return (value or b"") + bytes(size)
    return str("" if value is None else value) + " " * size
