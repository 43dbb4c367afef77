"""Back up the database before an upgrade, so that there is a way back."""

import re
from pathlib import Path
from typing import Final

from ashd import errors, log
from ashd.clock import Clock
from ashd.ops import backup, files
from ashd.ops.progress import Progress
from ashd.store import checking, verified_copy
from ashd.store.connection import reader_of
from ashd.store.opening import last_commit, schema_to_upgrade

_NAME: Final = re.compile(r"before-schema-\d+-\d{8}T\d{6}Z(-\d+)?\.db")


def back_up_before(database: Path, clock: Clock, progress: Progress) -> Path | None:
    """Back up a database of an earlier ashd; return the path.

    None if no upgrade is due. The backup of an upgrade that failed, or was killed, is used again:
    a service manager may start the daemon any number of times.

    Raises:
        errors.StartError: it cannot be backed up, and so it is not upgraded.
    """
    schema = schema_to_upgrade(database)
    if schema is None:
        return None
    folder = database.parent / "backups"
    try:
        files.make_folder(folder)
        if (made := _made_before(database, folder, schema)) is not None:
            return made
        path = backup.free_name(folder, f"before-schema-{schema}", clock.now())
        with progress.of("backup_before_upgrade") as show:
            try:
                _copy(database, path, show)
            except errors.DatabaseDamaged:
                if not _mend(database, clock):
                    raise
                _copy(database, path, show)
    except (errors.AshError, OSError) as error:
        raise errors.StartError(
            f"The database has schema {schema} and is to be upgraded, but cannot be backed up "
            f"before: {error} It is as it was. Free some space, or mend what is said, and start "
            "again."
        ) from error
    log.info("database_backed_up", schema=schema, name=path.name)
    return path


def remove_older(database: Path, clock: Clock, keep: int) -> None:
    """Remove all but the newest backups of upgrades, once the database is open."""
    folder = database.parent / "backups"
    removed = backup.remove_older(folder, _NAME, keep, clock.now())
    if removed:
        log.info("backups_removed", count=len(removed))


def _made_before(database: Path, folder: Path, schema: int) -> Path | None:
    """Return a backup that ends with the same commit as the database."""
    made = files.changed_at(folder.glob(f"before-schema-{schema}-*.db"))
    newest = max(made, key=made.__getitem__, default=None)
    commit = None if newest is None else last_commit(newest)
    return newest if commit is not None and commit == last_commit(database) else None


def _copy(database: Path, path: Path, show: verified_copy.Progress) -> None:
    with files.new_file(path) as part:
        verified_copy.make(reader_of(database), part, progress=show, check_cancelled=lambda: None)


def _mend(database: Path, clock: Clock) -> bool:
    """Empty damaged derived tables, to be filled again later; return whether any was emptied."""
    hurt = checking.examine(reader_of(database), clock, lambda: None).hurt
    if not hurt or not hurt.is_repairable:
        return False
    checking.repair(database, hurt)
    return True
