"""Read the database's file itself, page by page, while nothing is written to it.

A checkpoint copies the write-ahead log into the file in the order of the pages: halfway, one page
may refer to another that is not there yet. A read that began when the log was empty reads the file
alone, and no checkpoint begins before it ends ("WAL-mode File Format", WAL_READ_LOCK). What is
committed meanwhile stays in the log.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.to_thread
import apsw

from ashd import errors
from ashd.store import connection as connections
from ashd.store.connection import connect, own_errors
from ashd.store.database import Database
from ashd.store.sqlite import Sqlite

T = TypeVar("T")

_CHECKPOINTS: Final = 600
_CHECKPOINT_PAUSE_SECONDS: Final = 0.05


async def empty_log(db: Database, then: Callable[[], None] = lambda: None) -> None:
    """Copy the write-ahead log into the file, empty it, and call `then` at once.

    Nobody waits for it: while a reader needs the log, it is tried again later.

    Raises:
        errors.StorageError: readers kept the log in use all the time, or the disk failed.
    """
    for _ in range(_CHECKPOINTS):
        if await db.alone(lambda tx: connections.empty_log(tx.connection, then)):
            return
        await anyio.sleep(_CHECKPOINT_PAUSE_SECONDS)
    raise errors.StorageError(
        "The write-ahead log could not be emptied: it is being read all the time.",
        "The rows are gone. Ask again in a moment; a restart empties the log too.",
    )


async def read(db: Database, file: Sqlite, work: Callable[[Path], T]) -> T:
    """Empty the log, and run `work` on the file in a thread of its own.

    Raises:
        errors.StorageError: the log is being read all the time, the file is not at its name, or the
            disk failed.
    """
    run = anyio.to_thread.run_sync
    with own_errors():
        connection = await run(partial(connect, db.path, read_only=True))
        try:
            await empty_log(db, partial(_begin, connection))
            file.presence.require()
            return await run(work, db.path)
        finally:
            connection.close()


def _begin(connection: apsw.Connection) -> None:
    connection.execute("begin")
    connection.execute("select count(*) from sqlite_schema").fetchall()
