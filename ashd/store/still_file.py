"""Read the database's file itself, page by page, while nothing is written to it.

A checkpoint copies the write-ahead log into the file in the order of the pages: halfway, one page
may refer to another that is not there yet. A read that began when the log was empty reads the file
alone, and no checkpoint begins before it ends ("WAL-mode File Format", WAL_READ_LOCK). What is
committed meanwhile stays in the log.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio.to_thread
import apsw

from ashd.store.connection import connect, own_errors
from ashd.store.database import Database

T = TypeVar("T")


async def read(db: Database, work: Callable[[Path], T]) -> T:
    """Empty the log, and run `work` on the file in a thread of its own.

    Raises:
        errors.StorageError: the log is being read all the time, the file is not at its name, or the
            disk failed.
    """
    run = anyio.to_thread.run_sync
    with own_errors():
        connection = await run(partial(connect, db.path, read_only=True))
        try:
            await db.empty_log(partial(_begin, connection))
            db.presence.require()
            return await run(work, db.path)
        finally:
            connection.close()


def _begin(connection: apsw.Connection) -> None:
    connection.execute("begin")
    connection.execute("select count(*) from sqlite_schema").fetchall()
