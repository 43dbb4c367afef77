"""Failures of the disk, for the log and the daemon's status.

A failure is logged when it begins and again after a while; its warning lasts until a write has
reached the disk, or for damage until a check has found none. Called from the database's threads.
"""

import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import apsw
import msgspec

from ashd import errors, log

_LOG_AGAIN_SECONDS: Final = 60.0
_PART_BYTES: Final = 1 << 20
_AS_DATABASE: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB


class Warned(msgspec.Struct, frozen=True):
    """A warning for the operator, with the remedy."""

    name: str
    detail: str
    remedy: str


class _Trouble(NamedTuple):
    """A kind of failure as `system.status` names it, and the error of calls that meet it."""

    warned: Warned
    error: Callable[[], errors.StorageError]
    is_damage: bool = False


_FULL: Final = _Trouble(
    Warned(
        "disk_full",
        "The disk is full: nothing new is stored.",
        "Free space on the disk that holds the database; writes go on by themselves.",
    ),
    lambda: errors.StorageError("The disk is full.", "Free space on the host; nothing was lost."),
)
_QUOTA: Final = _Trouble(
    Warned(
        "disk_quota",
        "The disk quota of the daemon's user is used up: nothing new is stored.",
        "Delete files of that user, or raise its quota; writes go on by themselves.",
    ),
    lambda: errors.StorageError(
        "The disk quota is used up.", "Free space of the daemon's user on the host."
    ),
)
_READ_ONLY: Final = _Trouble(
    Warned(
        "disk_read_only",
        "The disk that holds the database cannot be written.",
        "Mount it writable again; a disk that turns read-only by itself may be failing (dmesg).",
    ),
    lambda: errors.StorageError("The database is read-only.", "Make the home writable again."),
)
_FAILING: Final = _Trouble(
    Warned(
        "disk_failing",
        "The disk refused to read or write the database.",
        "Look at the system's log (dmesg) for errors of the disk; make a backup on another one.",
    ),
    lambda: errors.StorageError("The disk failed."),
)
_DAMAGED: Final = _Trouble(
    Warned(
        "database_damaged",
        "A part of the database is not as it was written.",
        "Run `ash doctor`: it names what is hurt and how to repair it.",
    ),
    lambda: errors.DatabaseDamaged("A part of the database is damaged."),
    is_damage=True,
)
_INDEX_DAMAGED: Final = _Trouble(
    Warned(
        "index_damaged",
        "An index of the database does not fit its rows.",
        "It is rebuilt by itself; `ash doctor` shows whether anything is left to do.",
    ),
    lambda: errors.StorageError(
        "An index of the database is damaged.", "It is being rebuilt: try again in a minute."
    ),
    is_damage=True,
)

INDEX_REBUILDING: Final = Warned(
    "index_rebuilding",
    "The full-text index is being rebuilt: searches may miss what it lacks.",
    "Wait: `ash status` shows how far it is.",
)


class Health:
    """The failures of one database. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._troubles: dict[str, Warned] = {}
        self._logged: dict[str, float] = {}
        self._suspected: tuple[asyncio.AbstractEventLoop, Callable[[], None]] | None = None

    def watch(self, suspected: Callable[[], None]) -> None:
        """Call this in the running event loop whenever something read was damaged."""
        self._suspected = (asyncio.get_running_loop(), suspected)

    def failed(self, error: apsw.Error, system: int = 0) -> errors.StorageError | None:
        """Note a failure of SQLite; return the error for the caller, if the disk is at fault.

        `system` is the system's error number, if it is known. Called by all code that runs SQL for
        others.
        """
        trouble = _trouble(error, self._path, system)
        if trouble is None:
            return None
        # The result of a check is more specific than a single failure.
        self._show(trouble.warned, replaces=False, reason=_code(error))
        if trouble.is_damage and self._suspected is not None:
            loop, suspected = self._suspected
            if not loop.is_closed():
                loop.call_soon_threadsafe(suspected)
        return _error(trouble, error)

    def warn(self, warned: Warned, **fields: object) -> None:
        """Show a warning from now on, and log it."""
        self._show(warned, replaces=True, **fields)

    def _show(self, warned: Warned, *, replaces: bool, **fields: object) -> None:
        with self._lock:
            if replaces or warned.name not in self._troubles:
                self._troubles[warned.name] = warned
            now = time.monotonic()
            last = self._logged.get(warned.name)
            if last is not None and now - last < _LOG_AGAIN_SECONDS:
                return
            self._logged[warned.name] = now
        log.warning(warned.name, **fields)

    def clear(self, *names: str) -> None:
        """Stop showing these warnings."""
        with self._lock:
            for name in names:
                if self._troubles.pop(name, None) is not None:
                    self._logged.pop(name, None)
                    log.info("trouble_over", name=name)

    def written(self) -> None:
        """Note that a write has reached the disk."""
        if self._troubles:
            self.clear(*(trouble.warned.name for trouble in (_FULL, _QUOTA, _READ_ONLY, _FAILING)))

    def sound(self) -> None:
        """Note that a check has found no damage."""
        self.clear(_DAMAGED.warned.name, _INDEX_DAMAGED.warned.name)

    @property
    def lacks_index(self) -> bool:
        """Return whether searches may miss something for now."""
        return INDEX_REBUILDING.name in self._troubles

    def warnings(self) -> list[Warned]:
        """The warnings that hold now."""
        with self._lock:
            return list(self._troubles.values())


def error_of(error: apsw.Error) -> errors.StorageError | None:
    """Return the error for a call that meets a failure of the disk; None for other failures."""
    trouble = _trouble(error, None, 0)
    return _error(trouble, error) if trouble else None


def is_damage(error: BaseException) -> bool:
    """Return whether SQLite met data that differs from what was written."""
    if not isinstance(error, apsw.Error):
        return False
    return _extended(error) == apsw.SQLITE_IOERR_DATA or isinstance(
        error, apsw.CorruptError | apsw.NotADBError
    )


def is_full(error: apsw.Error) -> bool:
    """Return whether the disk was full; the index of the log needs space too."""
    return isinstance(error, apsw.FullError) or _extended(error) == apsw.SQLITE_IOERR_SHMSIZE


def _error(trouble: _Trouble, cause: apsw.Error) -> errors.StorageError:
    failure = trouble.error()
    failure.__cause__ = cause
    return failure


def _trouble(error: apsw.Error, path: Path | None, system: int) -> _Trouble | None:
    if is_damage(error):
        if path and isinstance(error, apsw.CorruptError) and _is_unreadable(path):
            return _FAILING
        return _INDEX_DAMAGED if _extended(error) == apsw.SQLITE_CORRUPT_VTAB else _DAMAGED
    if is_full(error):
        return _FULL
    if isinstance(error, apsw.ReadOnlyError):
        return _READ_ONLY
    if isinstance(error, apsw.IOError | apsw.CantOpenError):
        if system == errno.EDQUOT:
            return _QUOTA
        is_read_only = system == errno.EROFS or (path and _is_read_only(path))
        return _READ_ONLY if is_read_only else _FAILING
    return None


def _is_read_only(path: Path) -> bool:
    """Return whether the file system is read-only, which SQLite reports as a failed write.

    A file system that became read-only after a disk error only says so on a change.
    """
    try:
        if os.statvfs(path).f_flag & os.ST_RDONLY:
            return True
        os.utime(path.parent)
    except OSError as error:
        return error.errno == errno.EROFS
    return False


def _is_unreadable(path: Path) -> bool:
    """Return whether the disk refuses to read the file; some of SQLite calls such a failure damage.

    The file is read through SQLite: closing it in any other way would drop its locks.
    """
    try:
        file = apsw.VFSFile("", str(path), [_AS_DATABASE, 0])
    except apsw.Error:
        return False  # it has no name any more
    try:
        for start in range(0, file.xFileSize(), _PART_BYTES):
            file.xRead(min(_PART_BYTES, file.xFileSize() - start), start)
    except apsw.Error as error:
        return isinstance(error, apsw.IOError) and not is_damage(error)
    finally:
        file.xClose()
    return False


def _extended(error: apsw.Error) -> int:
    return getattr(error, "extendedresult", 0)


def _code(error: apsw.Error) -> str:
    """Return the name of SQLite's result code; its message may hold a path."""
    name = apsw.mapping_extended_result_codes.get(_extended(error))
    return str(name or type(error).__name__)
