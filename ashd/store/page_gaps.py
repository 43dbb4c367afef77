"""Gaps of pages: the unused bytes between a page's list of cells and the cells.

When SQLite splits or joins pages it leaves copies of the cells that moved in the gap, and what
they held stays there when the rows are erased. `fill` overwrites gaps that are not empty: a row of
the page is made longer by the size of the gap and short again, which SQLite overwrites with zeros.
Both happen in one transaction, so no reader ever sees the longer row.

An index with somebody's words in its keys is written anew where such a gap is found, unless it is
so large that others would wait for that; those keys are ids and names. The format of a page is that
of SQLite's documentation ("Database File Format", section 1.6).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import anyio.to_thread
import apsw

from ashd.store.database import Database
from ashd.store.register import PERSONAL
from ashd.store.transaction import Tx

_INDEX_INTERIOR: Final = 2
_INDEX_LEAF: Final = 10
_TABLE_INTERIOR: Final = 5
_TABLE_LEAF: Final = 13
_HEADER_BYTES: Final = {
    _TABLE_INTERIOR: 12,
    _TABLE_LEAF: 8,
    _INDEX_INTERIOR: 12,
    _INDEX_LEAF: 8,
}
_MOST_PAGES_OF_INDEX: Final = 400
"""Such an index is written in some 20 ms."""
_FEWEST_BYTES: Final = 8
"""A gap with fewer bytes in it has no word of anybody's."""
_ROUNDS: Final = 3
"""A row that is made longer may itself split a page, which leaves a gap."""
_GAPS_A_WRITE: Final = 8
_PAUSE_SECONDS: Final = 0.005


class Table(NamedTuple):
    """A table with row numbers: its first page, and a column that can be made longer."""

    name: str
    root: int
    column: str
    is_text: bool


class Gap(NamedTuple):
    """A gap that is not empty: its size, and the first row of its page."""

    table: Table
    row: int | None
    """None where the table is empty."""
    size: int


async def fill(db: Database) -> int:
    """Overwrite the gaps that are not empty; how many there were. The log must be empty."""
    tables = await db.read(_tables)
    filled = 0
    indexes = await db.read(_indexes_with_words)
    for index in await anyio.to_thread.run_sync(_indexes_to_write, db.path, indexes):
        await db.write(partial(_write_index, name=index), quiet=True)
        await anyio.sleep(_PAUSE_SECONDS)
        filled += 1
    for _ in range(_ROUNDS):
        gaps = await anyio.to_thread.run_sync(find, db.path, tables)
        for start in range(0, len(gaps), _GAPS_A_WRITE):
            part = gaps[start : start + _GAPS_A_WRITE]
            if any(gap.row is None for gap in part):
                await db.alone(partial(_clear_empty, gaps=part))
            await db.write(partial(_fill_some, gaps=part), quiet=True)
            await anyio.sleep(_PAUSE_SECONDS)
        filled += len(gaps)
        if not gaps:
            break
        await db.empty_log()
    return filled


def _tables(tx: Tx) -> list[Table]:
    """The tables with row numbers that have a column of text or bytes that no index has."""
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
    """The indexes with a column of somebody's words, with their first pages."""
    rows = tx.all(
        "select s.name, s.tbl_name, s.rootpage, i.name from sqlite_schema s"
        " join pragma_index_info(s.name) i where s.type = 'index' and s.rootpage > 0"
    )
    return {index: root for index, table, root, column in rows if column in PERSONAL.get(table, ())}


def _indexes_to_write(path: Path, indexes: dict[str, int]) -> list[str]:
    with _open(path) as pages:
        return [name for name, root in indexes.items() if pages.has_traces(root)]


def _write_index(tx: Tx, *, name: str) -> None:
    tx.run(f'reindex "{name}"')


def find(path: Path, tables: list[Table]) -> list[Gap]:
    """The gaps of a database file that are not empty; it blocks its thread."""
    with _open(path) as pages:
        return [gap for table in tables for gap in pages.gaps(table)]


@contextmanager
def _open(path: Path) -> Iterator["_Pages"]:
    # SQLite's own way to the file: to open and close it by another drops the locks of the process.
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    file = apsw.VFSFile("", str(path), flags)
    try:
        size = int.from_bytes(file.xRead(18, 0)[16:18])
        yield _Pages(file, 65_536 if size == 1 else size)
    finally:
        file.xClose()


class _Pages:
    """The pages of a file."""

    def __init__(self, file: apsw.VFSFile, size: int) -> None:
        self._file = file
        self._size = size

    def gaps(self, table: Table) -> Iterator[Gap]:
        """The gaps of a table that are not empty."""
        for page in self._leaves(table.root):
            first, top = _gap(page)
            if _has_bytes(page):
                yield Gap(table, _first_row(page), top - first)

    def has_traces(self, root: int) -> bool:
        """Return whether an index small enough to be written anew has a gap that is not empty."""
        count, found, waiting = 0, False, [root]
        while waiting and count <= _MOST_PAGES_OF_INDEX:
            count += 1
            page = self._file.xRead(self._size, (waiting.pop() - 1) * self._size)
            if page[0] == _INDEX_INTERIOR:
                waiting.append(int.from_bytes(page[8:12]))
                waiting += [int.from_bytes(page[at : at + 4]) for at in _cells(page)]
            if page[0] in {_INDEX_INTERIOR, _INDEX_LEAF}:
                found = found or _has_bytes(page)
        return found and not waiting

    def _leaves(self, root: int) -> Iterator[bytes]:
        waiting = [root]
        while waiting:
            page = self._file.xRead(self._size, (waiting.pop() - 1) * self._size)
            kind = page[0]
            if kind == _TABLE_LEAF:
                yield page
            elif kind == _TABLE_INTERIOR:
                waiting.append(int.from_bytes(page[8:12]))
                waiting += [int.from_bytes(page[at : at + 4]) for at in _cells(page)]


def _cells(page: bytes) -> list[int]:
    """Return the offsets of a page's cells."""
    start, count = _HEADER_BYTES[page[0]], int.from_bytes(page[3:5])
    return [int.from_bytes(page[at : at + 2]) for at in range(start, start + 2 * count, 2)]


def _has_bytes(page: bytes) -> bool:
    """Return whether the gap of a page is not empty."""
    first, top = _gap(page)
    return len(page[first:top].strip(b"\0")) >= _FEWEST_BYTES


def _gap(page: bytes) -> tuple[int, int]:
    """Return the start and the end of a page's gap."""
    count = int.from_bytes(page[3:5])
    return _HEADER_BYTES[page[0]] + 2 * count, int.from_bytes(page[5:7]) or 65_536


def _first_row(page: bytes) -> int | None:
    """The row number of a leaf's first cell: after the size of the row, both as varints."""
    cells = _cells(page)
    if not cells:
        return None
    _, at = _varint(page, cells[0])
    return _varint(page, at)[0]


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """A number of up to nine bytes, and where it ends."""
    value = 0
    for place in range(8):
        byte = page[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    value = value << 8 | page[at + 8]
    return value - (1 << 64 if value >> 63 else 0), at + 9


def _clear_empty(tx: Tx, *, gaps: list[Gap]) -> None:
    """Overwrite the only page of each table that is empty, and those of its indexes.

    SQLite does so when all rows are deleted at once, which it does while no other table's rows
    could depend on them.
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
        if row is None:  # it went meanwhile, and its page was written
            continue
        value: Any = row[0]
        for longer in (_longer(value, gap.size, is_text=table.is_text), value):
            tx.run(f"update {table.name} set {table.column} = ? where rowid = ?", longer, gap.row)


def _longer(value: Any, size: int, *, is_text: bool) -> Any:
    """A value that is longer by so many bytes."""
    if isinstance(value, bytes) or (value is None and not is_text):
        return (value or b"") + bytes(size)
    return str("" if value is None else value) + " " * size
