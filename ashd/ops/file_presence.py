"""Warn while a file of the open database is not at its name."""

from ashd.store import presence
from ashd.store.database import Database
from ashd.store.transaction import Tx


async def look(db: Database) -> None:
    """Warn, or end the warning; write the rows of a lost log to the database's file.

    Raises:
        errors.StorageError: the disk failed.
    """
    missing = db.presence.missing()
    if missing is None:
        db.health.clear(*presence.WARNINGS)
    else:
        db.health.warn(missing)
        if missing is presence.LOG_MISSING:
            await db.alone(Tx.empty_log)
