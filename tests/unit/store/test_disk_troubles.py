"""Failures of the disk: what a caller is told, what is shown, and when it is over."""

import asyncio
import errno
import os
import time
from pathlib import Path

import apsw
import pytest

from ashd import errors, log
from ashd.store import health
from ashd.store.health import INDEX_REBUILDING, Health


def failure(kind: type[apsw.Error], extended: int = 0) -> apsw.Error:
    """Return an error of SQLite with its extended code."""
    error = kind("failed")
    error.extendedresult = extended  # type: ignore[attr-defined]  # apsw sets it
    return error


FULL = failure(apsw.FullError, apsw.SQLITE_FULL)
LOG_FULL = failure(apsw.IOError, apsw.SQLITE_IOERR_SHMSIZE)
READ_ONLY = failure(apsw.ReadOnlyError, apsw.SQLITE_READONLY)
UNWRITTEN = failure(apsw.IOError, apsw.SQLITE_IOERR_WRITE)
UNOPENED = failure(apsw.CantOpenError, apsw.SQLITE_CANTOPEN)
DAMAGE = failure(apsw.CorruptError, apsw.SQLITE_CORRUPT)
NO_DATABASE = failure(apsw.NotADBError, apsw.SQLITE_NOTADB)
CHECKSUM = failure(apsw.IOError, apsw.SQLITE_IOERR_DATA)
INDEX_DAMAGE = failure(apsw.CorruptError, apsw.SQLITE_CORRUPT_VTAB)
OTHER = failure(apsw.ConstraintError, apsw.SQLITE_CONSTRAINT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in the place of the database."""
    made = tmp_path / "ash.db"
    made.write_bytes(b"x" * 100)
    return made


@pytest.mark.parametrize(
    ("error", "system", "shown"),
    [
        (FULL, 0, "disk_full"),
        (LOG_FULL, 0, "disk_full"),
        (READ_ONLY, 0, "disk_read_only"),
        (UNWRITTEN, 0, "disk_failing"),
        (UNWRITTEN, errno.EIO, "disk_failing"),
        (UNWRITTEN, errno.EDQUOT, "disk_quota"),
        (UNWRITTEN, errno.EROFS, "disk_read_only"),
        (UNOPENED, 0, "disk_failing"),
        (UNOPENED, errno.EDQUOT, "disk_quota"),
        (DAMAGE, 0, "database_damaged"),
        (NO_DATABASE, 0, "database_damaged"),
        (CHECKSUM, 0, "database_damaged"),
        (INDEX_DAMAGE, 0, "index_damaged"),
        (OTHER, 0, None),
        (OTHER, errno.EDQUOT, None),
    ],
)
def test_a_failure_is_shown_by_its_cause(
    path: Path, error: apsw.Error, system: int, shown: str | None
) -> None:
    """A failure that is not the disk's shows nothing, and has no error of its own."""
    noted = Health(path)

    told = noted.failed(error, system)

    assert [one.name for one in noted.warnings()] == ([shown] if shown else [])
    assert (told is None) is (shown is None)
    if told is not None:
        assert told.__cause__ is error
        assert isinstance(told, errors.DatabaseDamaged) is (shown == "database_damaged")


@pytest.mark.parametrize(
    ("error", "is_damage", "is_full"),
    [
        *((one, True, False) for one in (DAMAGE, NO_DATABASE, CHECKSUM, INDEX_DAMAGE)),
        *((one, False, True) for one in (FULL, LOG_FULL)),
        *((one, False, False) for one in (READ_ONLY, UNWRITTEN, UNOPENED, OTHER)),
    ],
)
def test_damage_and_a_full_disk_are_told_apart(
    error: apsw.Error, *, is_damage: bool, is_full: bool
) -> None:
    """A checksum that does not fit is damage, though SQLite calls it a failed read."""
    assert (health.is_damage(error), health.is_full(error)) == (is_damage, is_full)
    told = health.error_of(error)
    assert (told is None) is (error is OTHER)


def test_an_error_of_the_program_is_no_damage() -> None:
    """Only SQLite's errors say something of the disk."""
    assert not health.is_damage(ValueError())


def test_a_read_only_file_system_is_told_by_a_change(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any other refusal of the change leaves the failure as it was."""
    for number, shown in ((errno.EROFS, "disk_read_only"), (errno.EACCES, "disk_failing")):

        def refuse(_path: Path, number: int = number) -> None:
            raise OSError(number, "refused")

        monkeypatch.setattr(os, "utime", refuse)
        noted = Health(path)
        noted.failed(UNWRITTEN)
        assert [one.name for one in noted.warnings()] == [shown]


def test_parts_on_an_unreadable_disk_are_not_called_damaged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is read to its end; a file that is gone, or has wrong bytes, is damaged."""
    places = []

    class File:
        def __init__(self, *_: object) -> None:
            pass

        def xFileSize(self) -> int:  # noqa: N802  as SQLite calls it
            return 2 * (1 << 20) + 5

        def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  as SQLite calls it
            places.append((offset, amount))
            if reads is not None and offset:
                raise reads
            return b""

        def xClose(self) -> None:  # noqa: N802  as SQLite calls it
            places.append((-1, -1))

    monkeypatch.setattr(apsw, "VFSFile", File)
    for reads, unreadable in ((None, False), (UNWRITTEN, True), (CHECKSUM, False), (OTHER, False)):
        places.clear()
        assert health._is_unreadable(path) is unreadable
        assert places[-1] == (-1, -1), "the file is closed"
        if reads is None:
            assert places[:-1] == [(0, 1 << 20), (1 << 20, 1 << 20), (2 << 20, 5)]
    reads = UNWRITTEN
    noted = Health(path)
    noted.failed(DAMAGE)
    assert [one.name for one in noted.warnings()] == ["disk_failing"]
    monkeypatch.undo()
    assert not health._is_unreadable(path)
    assert not health._is_unreadable(path.with_name("none"))


def test_a_warning_lasts_until_what_ends_it(path: Path) -> None:
    """A write ends those of a full disk, a check those of damage, and neither the other's."""
    noted = Health(path)
    for error, system in ((FULL, 0), (READ_ONLY, 0), (UNWRITTEN, 0), (UNWRITTEN, errno.EDQUOT)):
        noted.failed(error, system)
    for error in (DAMAGE, INDEX_DAMAGE):
        noted.failed(error)
    noted.warn(INDEX_REBUILDING)
    assert noted.lacks_index
    assert len(noted.warnings()) == 7

    noted.written()
    left = {one.name for one in noted.warnings()}
    assert left == {"database_damaged", "index_damaged", "index_rebuilding"}
    noted.sound()
    assert [one.name for one in noted.warnings()] == ["index_rebuilding"]
    noted.clear("index_rebuilding", "unheard_of")
    assert noted.warnings() == []
    assert not noted.lacks_index


def test_a_check_says_more_than_a_failure(path: Path) -> None:
    """A warning with its findings stays, and is replaced by that of the next check."""
    noted = Health(path)
    noted.failed(DAMAGE)
    found = noted.warnings()[0].__class__("database_damaged", "2 tables", "Repair it.")
    noted.warn(found)
    noted.failed(DAMAGE)

    assert noted.warnings() == [found]


def test_a_failure_is_logged_again_after_a_minute(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And at once when it comes back after it was over."""
    lines: list[str] = []
    monkeypatch.setattr(log, "warning", lambda name, **_: lines.append(name))
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    noted = Health(path)

    for passed, logged in ((0, 1), (59, 1), (1, 2), (1, 2)):
        now[0] += passed
        noted.failed(FULL)
        assert len(lines) == logged
    noted.written()
    noted.failed(FULL)
    assert len(lines) == 3


async def _calls(path: Path, error: apsw.Error) -> int:
    called: list[int] = []
    noted = Health(path)
    noted.watch(lambda: called.append(1))
    noted.failed(error)
    await asyncio.sleep(0)
    return len(called)


@pytest.mark.parametrize(("error", "times"), [(DAMAGE, 1), (CHECKSUM, 1), (FULL, 0), (OTHER, 0)])
def test_damage_that_is_met_is_checked(path: Path, error: apsw.Error, times: int) -> None:
    """In the daemon's loop; nobody is called once that is closed."""
    assert asyncio.run(_calls(path, error)) == times

    async def watched() -> Health:
        noted = Health(path)
        noted.watch(lambda: None)
        return noted

    asyncio.run(watched()).failed(error)
