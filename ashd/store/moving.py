"""Copy all rows of a database into an empty one of the other engine, and compare them.

Both have the same tables. A table is read in the order of its key, a part at a time, so that memory
stays bounded; the full-text index is made anew from its texts. Blocks its thread.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from ashd import errors
from ashd.clock import Clock
from ashd.store import checksums, migrations, witness
from ashd.store.connection import connect, own_errors
from ashd.store.transaction import Row, Tx

Progress = Callable[[int, int], None]

_PART: Final = 500
_FULL_TEXT: Final = "passage_fts"
_FILE_ONLY: Final = "('database_id', 'commits', 'commits_lost')"
"""Keys of `meta` that are about one file and are not copied."""


def row_counts(tx: Tx) -> dict[str, int]:
    """Return the number of rows of each table that is copied."""
    return {
        table: tx.value(_sql("count(*)", table))
        for table in tx.dialect.catalog.tables(tx.connection)
    }


@contextmanager
def into_file(path: Path, clock: Clock) -> Iterator[Tx]:
    """Yield a transaction on a database without rows, which an empty file becomes."""
    with own_errors(), closing(connect(path, read_only=False)) as connection:
        checksums.begin(connection)
        tx = Tx(connection, clock.now(), clock.new_id)
        migrations.migrate(tx)
        connection.execute("begin immediate")
        yield tx
        witness.new_id(tx)
        connection.execute("commit")


def copy_and_compare(source: Tx, target: Tx, show: Progress) -> dict[str, int]:
    """Copy every row, then compare each; return how many each table has.

    Raises:
        errors.StorageError: a row differs; the message names its table.
    """
    counts = copy(source, target, lambda done, total: show(done, 2 * total))
    compare(source, target, lambda done, total: show(total + done, 2 * total))
    return counts


def copy(source: Tx, target: Tx, show: Progress) -> dict[str, int]:
    """Copy every row; return how many each table has.

    The target has no constraints between tables meanwhile, and no rows.
    """
    counts = row_counts(source)
    total, done = sum(counts.values()), 0
    for table in counts:
        columns = source.dialect.catalog.columns(source.connection, table)
        places = ", ".join("?" * len(columns))
        insert = f"insert into {table} ({', '.join(columns)}) values ({places})"
        for row in _rows(source, table, columns):
            if table == _FULL_TEXT:
                target.index_text(row[0], row[1:])
            else:
                target.run(insert, *row)
            done += 1
            if done % _PART == 0:
                show(done, total)
    target.dialect.catalog.continue_numbers(
        target.connection, source.dialect.catalog.last_numbers(source.connection)
    )
    show(total, total)
    return counts


def compare(source: Tx, target: Tx, show: Progress) -> None:
    """Compare every row of two databases.

    Raises:
        errors.StorageError: a row differs; the message names its table.
    """
    counts = row_counts(source)
    total, done = sum(counts.values()), 0
    for table in counts:
        columns = source.dialect.catalog.columns(source.connection, table)
        pairs = zip_longest(_rows(source, table, columns), _rows(target, table, columns))
        for before, after in pairs:
            if before != after:
                raise errors.StorageError(
                    f"A row of the table {table} is not the same in the copy.",
                    "Nothing was moved. The source is as it was; report this, please.",
                )
            done += 1
            if done % _PART == 0:
                show(done, total)


def _rows(tx: Tx, table: str, columns: list[str]) -> Iterator[Row]:
    """Yield the rows of a table in the order of its key, which is among the columns."""
    key = tx.dialect.catalog.key(tx.connection, table)
    places = [columns.index(column) for column in key]
    named, wanted = ", ".join(key), ", ".join(columns)
    last: Row | None = None
    while True:
        after = "" if last is None else f" and ({named}) > ({', '.join('?' * len(key))})"
        part = tx.all(
            f"{_sql(wanted, table)}{after} order by {named} limit {_PART}",
            *(() if last is None else [last[place] for place in places]),
        )
        yield from (_as_stored(table, row) for row in part)
        if len(part) < _PART:
            return
        last = part[-1]


def _sql(wanted: str, table: str) -> str:
    rows = f"key not in {_FILE_ONLY}" if table == "meta" else "true"
    return f"select {wanted} from {table} where {rows}"


def _as_stored(table: str, row: Row) -> Row:
    """Return a row with values that both engines can hold: a value of `meta` is a text."""
    return (row[0], _text(row[1])) if table == "meta" else row


def _text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
