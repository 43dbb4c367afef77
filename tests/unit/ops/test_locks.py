"""A lock file belongs to the home's user, and is never a way to another file."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ashd import atomic_file, errors
from ashd.key_file import KeyFile
from ashd.ops import locks

ROOT_ALONE = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
NOBODY = 65534


def test_a_link_in_the_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    """A user of the service could have it lead to a file of root's, who empties it."""
    precious = tmp_path / "precious"
    precious.write_text("as it was")
    (tmp_path / "ash.db.lock").symlink_to(precious)
    (tmp_path / "http_keys.lock").symlink_to(precious)

    with pytest.raises(errors.StartError), locks.hold(tmp_path / "ash.db.lock", "database"):
        pass
    with pytest.raises(OSError, match="symbolic links"):
        KeyFile(tmp_path / "http_keys.json").create(["notes"])

    assert "as it was" == precious.read_text()


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_database_is_held_under_each_of_its_names(
    tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    """Two daemons on one file would each take it for their own."""
    one, other = tmp_path / "one" / "ash.db", tmp_path / "other" / "ash.db"
    for path in (one, other):
        path.parent.mkdir()
    one.touch()
    link(other, one)

    with (
        locks.hold_database(one),
        pytest.raises(errors.StartError, match="under another name"),
        locks.hold_database(other),
    ):
        pass
    with locks.hold_database(other):
        pass


def test_the_lock_of_a_database_is_not_one_of_sqlites(tmp_path: Path) -> None:
    """Another connection reads and writes it as before."""
    path = tmp_path / "ash.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table words (word)")
        with locks.hold_database(path):
            connection.execute("insert into words values ('bees')")
            connection.commit()
        connection.execute("pragma wal_checkpoint(truncate)")

        assert [("bees",)] == connection.execute("select word from words").fetchall()


def test_a_lock_is_private_whatever_the_umask_is(tmp_path: Path) -> None:
    """Another user who could open it could hold it, and keep the daemon from starting."""
    before = os.umask(0)
    try:
        with locks.hold(tmp_path / "ash.db.lock", "database"):
            pass
    finally:
        os.umask(before)

    assert 0 == (tmp_path / "ash.db.lock").stat().st_mode & 0o077


@ROOT_ALONE
def test_a_lock_that_root_makes_belongs_to_the_owner_of_the_home(tmp_path: Path) -> None:
    """The daemon of that user has to hold it next."""
    os.chown(tmp_path, NOBODY, NOBODY)

    with locks.hold(tmp_path / "ash.db.lock", "database"):
        pass

    assert NOBODY == (tmp_path / "ash.db.lock").stat().st_uid


@ROOT_ALONE
def test_a_folder_of_ones_own_can_be_made_where_root_owns_the_folder_above() -> None:
    """As in /tmp: only root gives folders away."""
    with TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o1777)
        os.seteuid(NOBODY)
        try:
            atomic_file.make_folder(Path(name, "home", "data"), 0o700)
        finally:
            os.seteuid(0)

        assert NOBODY == Path(name, "home", "data").stat().st_uid


def test_the_name_of_a_new_file_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power failure would bring a revoked key back."""
    synced: list[Path] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)

    atomic_file.write(tmp_path / "http_keys.json", b"[]")

    assert tmp_path == synced[-1]
    assert 2 == len(synced)
