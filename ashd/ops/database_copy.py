"""Copies of the whole database in one file, whatever its engine, made while others read and write.

A copy shows one moment. Of a database on a server it has the same rows, in a file of SQLite.
"""

from pathlib import Path

import anyio.from_thread

from ashd.clock import Clock
from ashd.store import moving, verified_copy
from ashd.store.database import Database
from ashd.store.verified_copy import Progress


def make(db: Database, part: Path, clock: Clock, show: Progress) -> dict[str, int]:
    """Copy the database to an empty file and verify it; return the rows of each table.

    Blocks a thread of anyio, whose caller may be cancelled meanwhile.

    Raises:
        errors.StorageError: the copy is not sound, or the disk or the server failed.
    """
    check_cancelled = anyio.from_thread.check_cancelled
    if db.file is not None:
        return verified_copy.make(
            db.file.long_read, part, progress=show, check_cancelled=check_cancelled
        )

    def show_and_check(done: int, total: int) -> None:
        check_cancelled()
        show(done, total)

    with db.snapshot() as source, moving.into_file(part, clock) as target:
        counts = moving.copy_and_compare(source, target, show_and_check)
    verified_copy.verify(part, check_cancelled=check_cancelled)
    return counts
