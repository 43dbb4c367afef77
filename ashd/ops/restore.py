"""Restore: replace the database with a backup, and keep the replaced file.

For a program that holds the database's lock. Nothing is changed before the backup was copied beside
the database, verified and brought to the schema of this ashd; then one rename replaces the file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from ashd import atomic_file, errors
from ashd.clock import Clock
from ashd.ops import files
from ashd.ops.backup import free_name
from ashd.store import restoring, verified_copy
from ashd.store.connection import reader_of
from ashd.store.restoring import Current

SHOWN: Final = (
    *("memories", "people", "accounts", "chats", "conversations", "messages"),
    *("overrides", "profile_versions", "entities", "relations", "grants"),
)
"""The tables whose rows are counted before a restore, for the person who decides."""


class Restored(msgspec.Struct, frozen=True):
    """A restore that was done; `kept` is the path of the replaced database."""

    path: str
    kept: str | None
    grants_closed: int


class Restore:
    """A backup that is ready to replace the database."""

    def __init__(
        self,
        database: Path,
        part: Path,
        current: Current | None,
        clock: Clock,
        earlier_schema: int | None,
    ) -> None:
        self._database = database
        self._part = part
        self._current = current
        self._clock = clock
        self.earlier_schema = earlier_schema
        """The schema of the backup, if it was migrated from one of an earlier ashd."""
        self.before = current.counts if current else None
        """Rows by table now; None if there is no readable database."""
        self.after = verified_copy.verify(part, check_cancelled=lambda: None)
        self.lost, self.returning = restoring.change(part, current)

    def do(self) -> Restored:
        """Replace the database with the backup.

        Raises:
            errors.StorageError: the disk failed; the database is as it was.
        """
        closed = restoring.carry_over(self._part, self._current, self._clock)
        atomic_file.give_to_owner_of(self._database.parent, self._part)
        kept = None
        if self._database.exists():
            restoring.write_back_wal(self._database)
            folder = self._database.parent / "backups"
            files.make_folder(folder)
            atomic_file.give_to_owner_of(folder.parent, folder)
            kept = free_name(folder, files.REPLACED, self._clock.now())
        files.replace(self._part, self._database, kept)
        return Restored(str(self._database), str(kept) if kept else None, closed)


@contextmanager
def prepare(
    database: Path, file: Path, clock: Clock, progress: verified_copy.Progress
) -> Iterator[Restore]:
    """Copy a backup beside the database and verify it; it is removed again unless it is used.

    Raises:
        errors.NotFound: there is no such file.
        errors.InvalidParams: it is no database, or encrypted with another key.
        errors.StartError: it is of a newer ashd, or of another program.
        errors.StorageError: it is damaged, or the disk failed.
    """
    if not file.is_file():
        raise errors.NotFound(
            f"There is no file {file}.",
            "Name a file that `ash db backup` made; `ls` in the backup folder shows them.",
        )
    if database.exists() and file.samefile(database):
        raise errors.InvalidParams("This is the database itself.", "Name a backup of it.")
    restoring.require_database(file)
    current = restoring.read_current(database, clock)
    with files.part_of(database) as part:
        try:
            verified_copy.make(
                reader_of(file), part, progress=progress, check_cancelled=lambda: None
            )
        except errors.StorageError as error:
            raise errors.StorageError(
                f"{file} cannot be restored. {error.message}", "Name another backup."
            ) from error
        earlier_schema = restoring.bring_up_to_date(part, clock)
        yield Restore(database, part, current, clock, earlier_schema)
