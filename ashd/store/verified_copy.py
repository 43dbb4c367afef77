"""Verified copies of a database file, made while others read and write it.

A copy shows one moment: it is made from one snapshot, however long it takes. It is one file,
without a WAL. A copy with another key than its source, or of a plain file, is written anew, while
nobody writes to the source. Everything here blocks its thread; it often calls `check_cancelled`,
which raises to stop it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import apsw

from ashd import errors
from ashd.clock import Clock
from ashd.store import checksums, encryption
from ashd.store.connection import Reader, connect, own_errors
from ashd.store.encryption import Key
from ashd.store.transaction import Tx

_PAGES_PER_STEP: Final = 256
_PAUSE_SECONDS: Final = 0.002
"""Pause between two steps, so that a copy does not take the disk for itself."""
_STEPS_PER_CHECK: Final = 100_000

Progress = Callable[[int, int], None]
Check = Callable[[], None]


def make(
    source: Reader, target: Path, *, progress: Progress, check_cancelled: Check
) -> dict[str, int]:
    """Copy a database to an empty file and verify it; return the rows of each table.

    Raises:
        errors.StorageError: the copy is not sound, or the disk failed.
    """
    with own_errors(), source() as reader:
        before, key = encryption.key_of(Path(reader.filename)), encryption.key_of(target)
        if key is None or key == before:
            with encryption.keyed(target, before):
                counts = _copy_pages(reader, target, progress, check_cancelled)
        else:
            counts = _rewrite(reader, target, key, progress, check_cancelled)
        if key is None and before is not None:
            _decrypt(target, before)
    verify(target, counts, check_cancelled=check_cancelled)
    return counts


def _copy_pages(
    reader: apsw.Connection, target: Path, progress: Progress, check_cancelled: Check
) -> dict[str, int]:
    reader.execute("begin")
    counts = row_counts(reader)
    if checksums.has(reader):
        _begin_checksums(target)
    with closing(connect(target, read_only=False)) as writer:
        # The caller syncs the finished file.
        writer.pragma("journal_mode", "off")
        writer.pragma("synchronous", "off")
        if checksums.has(reader):
            checksums.prepare(writer)
        with writer.backup("main", reader, "main") as backup:
            while not backup.done:
                backup.step(_PAGES_PER_STEP)
                check_cancelled()
                progress(backup.page_count - backup.remaining, backup.page_count)
                time.sleep(_PAUSE_SECONDS)
        writer.pragma("journal_mode", "delete")
    reader.execute("rollback")
    return counts


def _rewrite(
    reader: apsw.Connection, target: Path, key: Key, progress: Progress, check_cancelled: Check
) -> dict[str, int]:
    """Write the rows to a file with another key; free pages and gaps are left out."""
    total = int(reader.pragma("page_count")) * int(reader.pragma("page_size"))

    def show() -> bool:
        check_cancelled()
        progress(min(target.stat().st_size, total), total)
        return False

    counts = row_counts(reader)
    reader.set_progress_handler(show, _STEPS_PER_CHECK)
    try:
        reader.execute("vacuum into ?", (encryption.uri(target, key),))
    except apsw.Error as error:
        error.args = ("A copy with another key could not be written.",)  # the text has the key
        raise
    finally:
        reader.set_progress_handler(None)
    progress(total, total)
    return counts


def _decrypt(target: Path, key: Key) -> None:
    """Make an encrypted copy plain, and add checksums."""
    with encryption.keyed(target, key), closing(connect(target, read_only=False)) as writer:
        writer.pragma("journal_mode", "memory")
        encryption.remove(writer)
    with closing(connect(target, read_only=False)) as writer:
        checksums.add(writer)


def _begin_checksums(target: Path) -> None:
    """Enable checksums in an empty file from its first page on.

    A page from the WAL gets its checksum only when it is written to a file known to have them, and
    a large copy writes pages before the first one.
    """
    with closing(connect(target, read_only=False)) as connection:
        checksums.begin(connection)
        connection.execute("create table begun (x); drop table begun")


@contextmanager
def scratch(path: Path, clock: Clock) -> Iterator[Tx]:
    """Yield a transaction on a copy that is thrown away: it is never committed."""
    with own_errors(), closing(connect(path, read_only=False)) as connection:
        connection.pragma("journal_mode", "memory")
        connection.pragma("foreign_keys", 1)
        connection.execute("begin")
        yield Tx(connection, clock.now(), clock.new_id)
        connection.execute("rollback")


def verify(
    path: Path, counts: dict[str, int] | None = None, *, check_cancelled: Check
) -> dict[str, int]:
    """Check every page and index of a database that nobody writes; return the rows of each table.

    Raises:
        errors.StorageError: it is not sound, or has other than the expected rows.
    """
    with own_errors(), closing(connect(path, read_only=True)) as connection:
        connection.set_progress_handler(partial(_go_on, check_cancelled), _STEPS_PER_CHECK)
        findings = [row[0] for row in connection.execute("pragma integrity_check(1)")]
        found = row_counts(connection)
    if findings != ["ok"]:
        raise errors.DatabaseDamaged(
            "The database is damaged, so it was not copied; earlier backups are untouched.",
            "`ash doctor` says what is damaged, and how to save what can be read.",
        )
    if counts is not None and found != counts:
        raise errors.StorageError("The copy has other rows than the database.", "Try again.")
    return found


def row_counts(connection: apsw.Connection) -> dict[str, int]:
    """The number of rows of every ordinary table."""
    names: list[tuple[Any, ...]] = connection.execute(
        "select name from pragma_table_list where schema = 'main' and type = 'table'"
        " and name not like 'sqlite\\_%' escape '\\' order by name"
    ).fetchall()
    return {name: _count(connection, name) for (name,) in names}


def _count(connection: apsw.Connection, table: str) -> int:
    rows: list[tuple[Any, ...]] = connection.execute(f'select count(*) from "{table}"').fetchall()
    return int(rows[0][0])


def _go_on(check_cancelled: Check) -> bool:
    """Call `check_cancelled` in a long statement; return False, so that the statement goes on."""
    check_cancelled()
    return False
