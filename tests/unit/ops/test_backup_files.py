"""The due time of a backup, and the files known to hold copies."""

import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.from_thread
import pytest
from services import FixedClock, house

from ashd import errors
from ashd.clock import SECOND
from ashd.config import Backup as Settings
from ashd.config import Places
from ashd.erasure.engine import Erasing
from ashd.ops import database_copy, doctor_checks, files
from ashd.ops.backup import BackupParams, Backups
from ashd.ops.progress import Progress
from ashd.ops.transfer import encrypted_file
from ashd.ops.transfer.export import ExportParams, Exports
from ashd.store.connection import damaged
from ashd.store.database import Database
from ashd.store.erasure.traces import TraceRemoval


async def _no_damage() -> bool:
    return True


async def test_a_backup_is_made_when_the_last_is_old_enough(tmp_path: Path) -> None:
    """The newest backup in the folder counts, whoever made it; the oldest gives way."""
    clock, folder = FixedClock(), tmp_path / "backups"
    db = Database.open(tmp_path / "ash.db", clock)
    backups = Backups(
        db, clock, folder, Settings(every_hours=24, keep=2), Progress(), mend=_no_damage
    )
    counts = []
    try:
        for hours in (0, 23, 2, 24, 25):
            clock.pass_by(seconds=hours * 3600)
            before = set(folder.iterdir()) if folder.exists() else set()
            await backups._make_if_due()
            for path in set(folder.iterdir()) - before:
                os.utime(path, (clock.at / SECOND, clock.at / SECOND))
            counts.append(len(set(folder.iterdir()) - before))
        left = await db.read(backups.listed)
    finally:
        db.close()

    assert [1, 0, 1, 1, 1] == counts
    assert {copy.path for copy in left} == {str(path) for path in folder.iterdir()}
    assert 2 == len(left)


async def test_the_copies_that_exist_are_listed(tmp_path: Path) -> None:
    """The list has copies outside of the folder, and none that somebody removed."""
    clock, elsewhere = FixedClock(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    db = Database.open(tmp_path / "ash.db", clock)
    backups = Backups(db, clock, tmp_path / "backups", Settings(), Progress(), mend=_no_damage)
    try:
        first = await backups.make(None, BackupParams())
        second = await backups.make(None, BackupParams(path=str(elsewhere)))
        third = await backups.make(None, BackupParams(path=str(elsewhere / "mine.db")))
        await anyio.Path(third.path).unlink()
        found = await db.read(backups.listed)
    finally:
        db.close()

    assert {first.path, second.path} == {copy.path for copy in found}
    assert {clock.at} == {copy.made_at for copy in found}


async def test_a_link_to_nothing_is_no_backup(tmp_path: Path) -> None:
    """Its disk may be unplugged: the backups that are there are listed, made and pruned."""
    clock, folder = FixedClock(), tmp_path / "backups"
    folder.mkdir()
    for name in ("elsewhere.db", "ash-20200101T000000Z.db"):
        (folder / name).symlink_to(tmp_path / "unplugged.db")
    db = Database.open(tmp_path / "ash.db", clock)
    backups = Backups(db, clock, folder, Settings(keep=1), Progress(), mend=_no_damage)
    try:
        made = await backups.make(None, BackupParams())
        listed = await db.read(backups.listed)
    finally:
        db.close()

    assert [made.path] == [copy.path for copy in listed]
    places = Places(tmp_path, tmp_path, tmp_path / "ash.db", tmp_path, tmp_path)
    assert str(made.path) == str(doctor_checks._newest_backup(places))


async def test_a_path_with_a_nul_character_is_refused(tmp_path: Path) -> None:
    """No file can have such a name."""
    db = Database.open(tmp_path / "ash.db", FixedClock())
    folder = tmp_path / "backups"
    backups = Backups(db, FixedClock(), folder, Settings(), Progress(), mend=_no_damage)
    try:
        with pytest.raises(errors.InvalidParams):
            await backups.make(None, BackupParams(path=f"{tmp_path}/a\0b.db"))
    finally:
        db.close()


async def test_a_replaced_database_is_no_backup(tmp_path: Path) -> None:
    """A restore keeps it, perhaps as it was replaced for its damage, and newest of all files."""
    clock, folder = FixedClock(), tmp_path / "backups"
    folder.mkdir()
    db = Database.open(tmp_path / "ash.db", clock)
    backups = Backups(db, clock, folder, Settings(), Progress(), mend=_no_damage)
    places = Places(tmp_path, tmp_path, tmp_path / "ash.db", tmp_path, tmp_path)
    replaced = folder / "replaced-20260101T000000Z.db"
    replaced.touch()
    os.utime(replaced, (clock.at / SECOND, clock.at / SECOND))
    try:
        assert doctor_checks._newest_backup(places) is None
        assert replaced.name not in damaged(places.database)
        await backups._make_if_due()
        listed = await db.read(backups.listed)
    finally:
        db.close()

    [made] = set(folder.iterdir()) - {replaced}
    assert {str(replaced), str(made)} == {copy.path for copy in listed}
    os.utime(made, (0, 0))
    assert made == doctor_checks._newest_backup(places)


async def test_a_receipt_names_the_backup_that_is_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was begun before the erasure, so it holds what was erased; it is verified for minutes."""
    copy, receipts = database_copy.make, []
    async with house(tmp_path) as home:
        backups = Backups(
            home.db, home.clock, tmp_path / "backups", Settings(), Progress(), mend=_no_damage
        )
        erasing = Erasing(home.db, backups, Progress(), TraceRemoval(home.db, [], 0))

        def make(*given: Any) -> dict[str, int]:
            counts = copy(*given)
            receipts.append(anyio.from_thread.run(erasing.receipt, Counter()))
            return counts

        monkeypatch.setattr(database_copy, "make", make)
        made = await backups.make(None, BackupParams())
        receipts.append(await erasing.receipt(Counter()))

    assert [[made.path]] * 2 == [[one.path for one in receipt.backups] for receipt in receipts]
    assert () == backups.unfinished


async def test_a_receipt_names_the_export_that_is_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server an erasure ends while an older snapshot is still written to the file."""
    write, receipts, path = encrypted_file.write, [], str(tmp_path / "all.jsonl")
    async with house(tmp_path) as home:
        given = (home.db, home.clock, tmp_path / "backups", Settings(), Progress())
        backups = Backups(*given, mend=_no_damage)
        erasing = Erasing(home.db, backups, Progress(), TraceRemoval(home.db, [], 0))

        def slowly(*given: Any) -> None:
            write(*given)
            receipts.append(anyio.from_thread.run(erasing.receipt, Counter()))

        monkeypatch.setattr(encrypted_file, "write", slowly)
        exports = Exports(home.db, home.clock, Progress(), backups)
        await exports.export(home.call("db.export"), ExportParams(path=path))
        receipts.append(await erasing.receipt(Counter()))

    assert [[path]] * 2 == [[one.path for one in receipt.backups] for receipt in receipts]
    assert () == backups.unfinished


@pytest.mark.parametrize("remedy", [doctor_checks._restore, doctor_checks._replace])
@pytest.mark.parametrize("folder", ["my home", ".ash"])
def test_a_remedy_can_be_pasted_into_a_shell(
    tmp_path: Path, remedy: Callable[[Places], str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that is not everybody's own is named, perhaps with a space: root mends a service's."""
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / folder
    backup = home / "backups" / "ash-20260101T000000Z.db"
    backup.parent.mkdir(parents=True)
    backup.touch()

    said = remedy(Places(home, home, home / "ash.db", home, home))

    commands = [shlex.split(one) for one in said.split("`")[1::2]]
    named = [] if folder == ".ash" else ["--home", str(home)]
    assert ["ash", *named, "db", "restore", str(backup)] in commands
    assert all(one[: 1 + len(named)] == ["ash", *named] for one in commands)


@pytest.fixture
def of_root() -> Iterator[Path]:
    """A folder that only root may look into, for a test that is nobody meanwhile."""
    if os.geteuid() != 0:
        pytest.skip("only root can be nobody")
    with TemporaryDirectory(dir="/tmp") as name:  # nobody may not pass through pytest's own
        Path(name).chmod(0o755)
        folder = Path(name, "backups")
        folder.mkdir(mode=0o700)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(0)


async def test_a_backup_folder_of_somebody_else_is_an_error_of_backups_alone(
    tmp_path: Path, of_root: Path
) -> None:
    """Receipts and metrics list the backups, and need none of them."""
    os.seteuid(0)
    db = Database.open(tmp_path / "ash.db", FixedClock())
    os.seteuid(65534)
    backups = Backups(db, FixedClock(), of_root, Settings(), Progress(), mend=_no_damage)
    try:
        assert [] == await db.read(backups.listed)
        with pytest.raises(errors.InvalidParams, match="Permission denied"):
            await backups.make(None, BackupParams())
        with pytest.raises(errors.AshError, match="Permission denied"):
            await backups._make_if_due()
    finally:
        os.seteuid(0)
        db.close()


def _old_backup(folder: Path) -> Path:
    """Open a folder to all, and make a backup there that only its owner may remove."""
    folder.chmod(0o1777)
    old = folder / "ash-20200101T000000Z.db"
    old.touch()
    os.utime(old, (0, 0))
    return old


async def test_a_backup_is_made_though_an_old_one_cannot_be_removed(
    tmp_path: Path, of_root: Path
) -> None:
    """It is of another user, in a folder where each removes only his own files."""
    os.seteuid(0)
    db = Database.open(tmp_path / "ash.db", FixedClock())
    old = _old_backup(of_root)
    os.seteuid(65534)
    backups = Backups(db, FixedClock(), tmp_path, Settings(), Progress(), mend=_no_damage)
    try:
        made = await backups.make(None, BackupParams(path=str(of_root), keep=1))
    finally:
        os.seteuid(0)
        db.close()

    assert [] == made.removed
    assert {old, Path(made.path)} == set(files.changed_at([old, Path(made.path)]))


async def test_a_backup_by_hand_ends_the_warning_about_the_schedule(tmp_path: Path) -> None:
    """The warning names the command that ends it."""
    db = Database.open(tmp_path / "ash.db", FixedClock())
    backups = Backups(
        db, FixedClock(), tmp_path / "backups", Settings(), Progress(), mend=_no_damage
    )
    backups.failure = "The disk is full."
    try:
        await backups.make(None, BackupParams(path=str(tmp_path / "elsewhere.db")))
        assert backups.failure is not None
        await backups.make(None, BackupParams())
    finally:
        db.close()

    assert backups.failure is None


def test_only_parts_of_our_own_files_are_removed(tmp_path: Path) -> None:
    """The folder of the database may be one in which others download files."""
    ours = [".ash.db.part", ".ash.db.part-wal", ".dry-run.db.part", "backups/.ash-2026.db.part"]
    others = [".film.part", "backups/.film.part", ".other.db.part"]
    (tmp_path / "backups").mkdir()
    for name in (*ours, *others):
        (tmp_path / name).touch()

    files.remove_parts(tmp_path / "ash.db", tmp_path / "backups")

    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.part*")}
    assert set(others) == left


def test_the_doctor_takes_no_rights_away_in_a_folder_outside_of_the_home(tmp_path: Path) -> None:
    """The database may be in one that others use."""
    home, shared = tmp_path / "home", tmp_path / "shared"
    (home / "data").mkdir(parents=True, mode=0o755)
    shared.mkdir(mode=0o755)
    for folder in (home / "data", shared):
        folder.chmod(0o755)
        (folder / "ash.db").touch(mode=0o644)
        places = Places(home, home, folder / "ash.db", home, home)
        assert ["open_to_others"] == [found.name for found in doctor_checks._of_places(places)]
        doctor_checks.make_private(places)
        assert 0o600 == (folder / "ash.db").stat().st_mode & 0o777

    assert 0o700 == (home / "data").stat().st_mode & 0o777
    assert 0o755 == shared.stat().st_mode & 0o777


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_somebody_else_stays_open_to_others() -> None:
    """The rest is put right, and the finding stays."""
    with TemporaryDirectory(dir="/tmp") as name:
        home = Path(name)
        folder = home / "data"
        folder.mkdir()
        database = folder / "ash.db"
        database.touch()
        for path, mode in ((home, 0o755), (folder, 0o777), (database, 0o644)):
            path.chmod(mode)
        os.chown(folder, 65534, 65534)
        places = Places(home, home, database, home, home)
        os.seteuid(65534)
        try:
            doctor_checks.make_private(places)
            (left,) = [f for f in doctor_checks._of_places(places) if f.name == "open_to_others"]
        finally:
            os.seteuid(0)

        assert 0 == folder.stat().st_mode & 0o077
        assert left.detail.endswith(f": {database}.")
