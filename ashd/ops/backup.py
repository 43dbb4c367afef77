"""Backups: copies of the whole database, made while the daemon runs.

A backup is verified before it gets its name, so every file with such a name can be restored.
Scheduled backups go into the backup folder, where the newest replace the oldest.
"""

import hashlib
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import anyio
import anyio.to_thread
import msgspec

from ashd import errors, limits, log
from ashd.access.actor import Call
from ashd.atomic_file import sync
from ashd.clock import DAY, HOUR, Clock, from_micros
from ashd.config import Backup as Settings
from ashd.ids import OwnWord
from ashd.ops import database_copy, files
from ashd.ops.progress import Progress
from ashd.store import copies
from ashd.store.copies import Copy
from ashd.store.database import Database
from ashd.store.transaction import Tx
from ashd.store.verified_copy import Progress as ShowProgress

_NAME: Final = re.compile(r"ash-\d{8}T\d{6}Z(-\d+)?\.db")
_LOOK_EVERY_SECONDS: Final = 600.0
"""Seconds between looks at the schedule; the first is that long after the start."""

FilePath = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.PATH_CHARS)]
"""An absolute path on the daemon's machine."""


class BackupParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The destination (a new file, or a directory), and how many backups a directory keeps.

    The backup folder, which is used without a path, keeps `[backup] keep` by default.
    """

    path: FilePath | None = None
    keep: Annotated[int, msgspec.Meta(ge=1, le=limits.BACKUPS_KEPT)] | None = None


class BackupResult(msgspec.Struct, frozen=True):
    """A backup that was made; `removed` are older ones that were deleted for it."""

    path: OwnWord
    bytes: int
    sha256: OwnWord
    memories: int
    verified: bool
    removed: list[OwnWord]


class Backups:
    """Makes and lists backups."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        folder: Path,
        settings: Settings,
        progress: Progress,
        *,
        mend: Callable[[], Awaitable[bool]],
    ) -> None:
        """`mend` rebuilds damaged derived tables, and returns whether everything is sound then."""
        self._db = db
        self._mend = mend
        self._clock = clock
        self.folder = folder
        """Where scheduled backups go."""
        self._settings = settings
        self._progress = progress
        self._one_at_a_time = anyio.Lock()
        self._unfinished: list[Copy] = []
        self.failure: str | None = None
        """The reason why the last scheduled backup failed; None once one was made in its folder."""

    async def make(self, call: Call | None, params: BackupParams) -> BackupResult:
        """Copy the whole database to a new file, and verify the copy.

        Raises:
            errors.InvalidParams: it cannot be written there.
            errors.StorageError: the disk failed, or the database is damaged.
        """
        async with self._one_at_a_time:
            made_at = self._clock.now()
            path = await anyio.to_thread.run_sync(self._target, params.path, made_at)
            with self.making(Copy(str(path), "backup", made_at)):
                result = await self._made(path)
                removed = []
                # The backup folder is always pruned; other directories only on demand.
                keep = params.keep or (self._settings.keep if params.path is None else None)
                if keep is not None:
                    remove = partial(remove_older, path.parent, _NAME, keep, made_at, made=path)
                    removed = await anyio.to_thread.run_sync(remove)
                await noted(self._db, lambda tx: _note(tx, call, path, made_at, removed))
            if params.path is None:
                self.failure = None
            return msgspec.structs.replace(result, removed=removed)

    async def _made(self, path: Path) -> BackupResult:
        """Make a backup, once more if damage was mended that stopped it."""
        with self._progress.of("backup") as show:
            make = partial(anyio.to_thread.run_sync, _make, self._db, path, self._clock, show)
            try:
                return await make()
            except errors.DatabaseDamaged:
                if not await self._mend():
                    raise
                return await make()

    async def run(self) -> None:
        """Make backups when they are due, for as long as the daemon runs."""
        while self._settings.every_hours and self._db.file is not None:
            await anyio.sleep(_LOOK_EVERY_SECONDS)
            try:
                await self._make_if_due()
            except errors.AshError as error:
                self.failure = error.message
                log.error("backup_failed", error=error.kind)

    async def _make_if_due(self) -> None:
        made = await anyio.to_thread.run_sync(_in_folder, self.folder)
        now = self._clock.now()
        backups = (copy.made_at for copy in made if files.is_backup(Path(copy.path)))
        # One from the future was made while the clock was wrong.
        newest = max((made_at for made_at in backups if made_at <= now), default=0)
        if newest + self._settings.every_hours * HOUR <= now:
            await self.make(None, BackupParams())

    @contextmanager
    def making(self, copy: Copy) -> Iterator[None]:
        """Count a copy as unfinished while it is made."""
        self._unfinished.append(copy)
        try:
            yield
        finally:
            self._unfinished.remove(copy)

    @property
    def unfinished(self) -> tuple[Copy, ...]:
        """The copies that are being made: they hold data of before, and have no name yet."""
        return tuple(self._unfinished)

    def listed(self, tx: Tx) -> list[Copy]:
        """Return the existing backups and exports, oldest first.

        The backup folder is searched too, since a restored database does not know its newer files.
        """
        found = {copy.path: copy for copy in (*_in_folder(self.folder), *copies.noted(tx))}
        existing = [copy for copy in found.values() if files.is_there(Path(copy.path))]
        return sorted(existing, key=lambda copy: copy.made_at)

    def _target(self, given: str | None, made_at: int) -> Path:
        if given is None:
            files.make_folder(self.folder)
            return free_name(self.folder, "ash", made_at)
        path = Path(given)
        require_absolute(path)
        # Of a folder that may not be looked into, the new file's error tells.
        return free_name(path, "ash", made_at) if os.path.isdir(path) else path  # noqa: PTH112  Path.is_dir raises there


async def noted(db: Database, note: Callable[[Tx], None]) -> None:
    """Note a finished copy; without a writable database go on, as the copy matters most then."""
    try:
        await db.write(note, quiet=True)
    except errors.StorageError:
        log.warning("copy_not_noted")


def require_absolute(path: Path) -> None:
    """Refuse a path that means another place to the daemon than to the caller, or none at all.

    Raises:
        errors.InvalidParams
    """
    if not path.is_absolute():
        raise errors.InvalidParams("path is not absolute.", "Begin it with a slash.")
    if "\0" in str(path):
        raise errors.InvalidParams("path has a NUL character.", "Name a file that there can be.")


def free_name(folder: Path, kind: str, made_at: int) -> Path:
    """Return a path that no file has yet, named by the kind of file and the time."""
    name, number = f"{kind}-{from_micros(made_at):%Y%m%dT%H%M%SZ}", 1
    path = folder / f"{name}.db"
    while os.path.lexists(path):  # false in a folder that may not be looked into
        number += 1
        path = folder / f"{name}-{number}.db"
    return path


def _make(db: Database, path: Path, clock: Clock, show: ShowProgress) -> BackupResult:
    with files.new_file(path) as part:
        counts = database_copy.make(db, part, clock, show)
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = part.stat().st_size
    return BackupResult(str(path), size, digest, counts["memories"], verified=True, removed=[])


def _note(tx: Tx, call: Call | None, path: Path, made_at: int, removed: list[str]) -> None:
    copies.note(tx, Copy(str(path), "backup", made_at))
    for one in removed:
        copies.forget(tx, one)
    if call is not None:
        call.record(tx)


def remove_older(
    folder: Path, named: re.Pattern[str], keep: int, now: int, *, made: Path | None = None
) -> list[str]:
    """Remove all but the newest backups of a folder; return the removed paths.

    Only files of that name are removed. Backups from the future, made while the clock was wrong,
    count as the oldest; `made`, the one that was just made, as the newest.
    """
    latest = (now + DAY) * 1000
    changed = files.changed_at(path for path in folder.glob("*.db") if named.fullmatch(path.name))

    def age(path: Path) -> tuple[bool, bool, int, str]:
        return path == made, changed[path] <= latest, changed[path], path.name

    removed = []
    for path in sorted(changed, key=age)[:-keep]:
        with suppress(OSError):  # of somebody else: the backup is made all the same
            path.unlink()
            removed.append(str(path))
    if removed:
        with suppress(OSError):  # a removed name that a crash brings back is removed again
            sync(folder)
    return removed


def _in_folder(folder: Path) -> list[Copy]:
    """Return every copy in the backup folder, whoever made it; one may be removed meanwhile.

    A folder that is not there, or that may not be looked into, has none: noted ones are known.
    """
    changed = files.changed_at(folder.glob("*.db"))
    return [Copy(str(path), "backup", at // 1000) for path, at in changed.items()]
