"""Pages of an encrypted file that no table or index uses, perhaps damaged ones.

`vacuum` replaces every page of a file, and reads each before that, which fails for a page whose tag
does not fit. Such a page, if nothing uses it, is overwritten with an empty one of the same number
and key, which a scratch file has. A checksum is different: it can be left unread.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import apsw

from ashd.store.connection import connect

_AT_ONCE: Final = 64 * 1024 * 1024
_SYNC: Final = 2
"""SQLITE_SYNC_NORMAL."""


def overwrite(connection: apsw.Connection) -> None:
    """Overwrite the unused pages of the file of a writer's connection, outside a transaction.

    Raises:
        apsw.BusyError: a reader needs the log, whose pages it might look for in the file.
    """
    path = Path(connection.filename)
    if connection.pragma("journal_mode") == "wal":
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    size, count = int(connection.pragma("page_size")), int(connection.pragma("page_count"))
    used = {number for (number,) in connection.execute("select pageno from dbstat")}
    unused = [number for number in range(1, count + 1) if number not in used]
    if not unused:
        return
    scratch = path.with_name(f".{path.name}.empty.part")
    try:
        _fill(scratch, pages=count)
        with _file(scratch) as source, _file(path, writes=True) as target:
            for number in unused:
                start = (number - 1) * size
                target.xWrite(source.xRead(size, start), start)
            target.xSync(_SYNC)
    finally:
        scratch.unlink(missing_ok=True)


def _fill(scratch: Path, *, pages: int) -> None:
    """Make an encrypted file with at least so many pages, most of them of zeros."""
    scratch.unlink(missing_ok=True)
    with closing(connect(scratch, read_only=False)) as connection:
        connection.pragma("journal_mode", "off")
        connection.pragma("synchronous", "off")
        connection.execute("create table empty (bytes blob)")
        while connection.pragma("page_count") <= pages:
            left = (pages + 1) * int(connection.pragma("page_size"))
            connection.execute("insert into empty values (zeroblob(?))", (min(left, _AT_ONCE),))


@contextmanager
def _file(path: Path, *, writes: bool = False) -> Iterator[apsw.VFSFile]:
    """Open a file through SQLite: closing another handle of the database would drop its locks."""
    mode = apsw.SQLITE_OPEN_READWRITE if writes else apsw.SQLITE_OPEN_READONLY
    file = apsw.VFSFile("unix", str(path), [apsw.SQLITE_OPEN_MAIN_DB | mode, 0])
    try:
        yield file
    finally:
        file.xClose()
