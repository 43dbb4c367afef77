"""Warn while a file of the open database is not at its name."""

from ashd.store import connection, presence
from ashd.store.database import Database


async def look(db: Database) -> None:
    """Warn, or end the warning; write the rows of a lost log to the database's file.

    Raises:
        errors.StorageError: the disk failed.
    """
    if db.file is None:
        return
    missing = db.file.presence.missing()
    if missing is None:
        db.health.clear(*presence.WARNINGS)
    else:
        db.health.warn(missing)
        if missing is presence.LOG_MISSING:
            await db.alone(lambda tx: connection.empty_log(tx.connection))
