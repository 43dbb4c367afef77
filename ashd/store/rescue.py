"""Read the readable records of a damaged database, and name the others.

Rows are read in ranges of their numbers. A range that meets a damaged page is halved until single
rows are found; an intact index gives their ids. References are looked up in a temporary copy of a
damaged table, which has what an index still knows as well.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import apsw

from ashd.clock import Clock
from ashd.store import transfer
from ashd.store.connection import as_ash_error, connect
from ashd.store.health import is_damage
from ashd.store.transaction import Tx
from ashd.store.transfer_kinds import KINDS, TABLES_BY_UUID, WITHOUT_NUMBER

T = TypeVar("T")
_AT_ONCE: Final = 200
_REFERRED_BY: Final = {
    "accounts": ("provider", "user_id"),
    **dict.fromkeys(TABLES_BY_UUID.values(), ("uuid",)),
}
"""Table to the columns by which records refer to its rows; each has a unique index."""


class Lost(NamedTuple):
    """Rows that cannot be read; their ids, as far as an index has them."""

    rows: int | None
    """None if the number of lost rows is unknown."""
    ids: list[str]


@contextmanager
def opened(path: Path, clock: Clock) -> Iterator[Tx]:
    """Open a database that nobody writes; without a transaction, which damage would end.

    Raises:
        errors.StorageError: it cannot be read at all, or the disk failed.
    """
    try:
        with closing(connect(path, read_only=True)) as connection:
            yield Tx(connection, clock.now(), clock.new_id)
    except apsw.Error as error:
        raise as_ash_error(error) from error


def look_up_elsewhere(tx: Tx, damaged: Collection[str]) -> None:
    """Look up references to rows of damaged tables in copies of their readable rows."""
    for table in damaged:
        columns = [row[0] for row in tx.all("select name from pragma_table_info(?, 'main')", table)]
        if columns[:1] == ["id"] and table not in WITHOUT_NUMBER:
            is_by_uuid = _REFERRED_BY.get(table) == ("uuid",)
            _copy(tx, table, ["uuid"] if is_by_uuid else columns[1:])


def each(tx: Tx, name: str) -> Iterator[dict[str, Any] | Lost]:
    """Yield every readable record of a kind, then the unreadable rows, if any.

    Raises:
        apsw.Error: something else than damage.
    """
    table = KINDS[name].table
    top = None if table in WITHOUT_NUMBER else _highest_number(tx, table)
    if top is None:
        yield from _as_far_as_it_goes(tx, name)
        return
    gone: list[int] = []
    for rows in _in_ranges(top, partial(_range, tx, name), gone):
        yield from rows
    if gone:
        yield _lost(tx, table, set(gone))


def _in_ranges(top: int, read: Callable[[int, int], T], gone: list[int]) -> Iterator[T]:
    """Read row numbers up to `top` in ranges; those that cannot be read go to `gone`."""
    waiting = [(first, min(first + _AT_ONCE - 1, top)) for first in range(1, top + 1, _AT_ONCE)][
        ::-1
    ]
    while waiting:
        low, high = waiting.pop()
        try:
            found = read(low, high)
        except apsw.Error as error:
            _require_unreadable(error)
            if low == high:
                gone.append(low)
            else:
                middle = (low + high) // 2
                waiting += [(middle + 1, high), (low, middle)]
        else:
            yield found


def _range(tx: Tx, name: str, low: int, high: int) -> list[dict[str, Any]]:
    # A range goes on to the row after it, which may be on a damaged page.
    where = "m.rowid = :low" if low == high else "m.rowid between :low and :high"
    return list(transfer.each(tx, name, where, {"low": low, "high": high}))


def _as_far_as_it_goes(tx: Tx, name: str) -> Iterator[dict[str, Any] | Lost]:
    try:
        yield from transfer.each(tx, name)
    except apsw.Error as error:
        _require_unreadable(error)
        yield Lost(None, [])


def _highest_number(tx: Tx, table: str) -> int | None:
    """Return the highest row number; None if neither the table nor an index has it."""
    indexes = tx.all("select name from pragma_index_list(?, 'main') where not partial", table)
    for by in ("not indexed", *(f"indexed by {name}" for (name,) in indexes)):
        try:
            return int(tx.value(f"select coalesce(max(rowid), 0) from main.{table} {by}"))
        except apsw.Error as error:
            _require_unreadable(error)
    return None


def _lost(tx: Tx, table: str, gone: set[int]) -> Lost:
    """Return the rows that had the numbers; without an index each number may have had one."""
    known = _REFERRED_BY.get(table)
    try:
        rows = tx.all(f"select {_by_index(tx, table)}") if known else []
    except apsw.Error as error:
        _require_unreadable(error)
        rows = []
    ids = ["/".join(names) for number, *names in rows if number in gone]
    return Lost(len(ids) if rows else None, ids)


def _by_index(tx: Tx, table: str) -> str:
    """Return SQL for the row number and reference of every row, read from an index."""
    index = tx.value("select name from pragma_index_list(?, 'main') where origin = 'u'", table)
    return f"rowid, {', '.join(_REFERRED_BY[table])} from main.{table} indexed by {index}"


def _copy(tx: Tx, table: str, columns: list[str]) -> None:
    """Make a temporary table of a table's readable rows; it hides the original."""
    tx.run(f"create temp table {table} (id integer primary key, {', '.join(columns)})")

    def take(low: int, high: int) -> None:
        where = "id = ?1" if low == high else "id between ?1 and ?2"
        tx.run(
            f"insert into temp.{table} (id, {', '.join(columns)})"
            f" select id, {', '.join(columns)} from main.{table} where {where}",
            *((low,) if low == high else (low, high)),
        )

    for _ in _in_ranges(_highest_number(tx, table) or 0, take, []):
        pass
    if table in _REFERRED_BY:
        try:
            tx.run(
                f"insert or ignore into temp.{table} (id, {', '.join(_REFERRED_BY[table])})"
                f" select {_by_index(tx, table)}"
            )
        except apsw.Error as error:
            _require_unreadable(error)


def _require_unreadable(error: apsw.Error) -> None:
    """Raise any error but that pages are damaged, or that the disk cannot read them."""
    if not (is_damage(error) or isinstance(error, apsw.IOError)):
        raise error
