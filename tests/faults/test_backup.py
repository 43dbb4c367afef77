"""A backup is whole, verified and private, or does not exist. Budget: 30 s."""

import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from damage_pages import overwrite, pages
from encrypted import needs_plain_pages
from mounts import read_only
from rows import opened

from ashd.store import checksums, verified_copy
from ashd.store.connection import connect, make_durable, reader_of

Make = Callable[..., Daemon]


def contents(path: Path) -> list[str]:
    """The texts of the memories in a database file."""
    with opened(path, read_only=True) as connection:
        return [row[0] for row in connection.execute("select content from memories")]


def test_a_backup_holds_what_was_acknowledged(
    daemon: Daemon, scope: Callable[..., dict[str, Any]]
) -> None:
    """A backup is one private file in the backup folder, with the reported figures."""
    daemon.call("memory.add", scope=scope(), content="The spare key hangs behind the clock")

    result = daemon.call("db.backup")

    path = Path(result["path"])
    assert daemon.home / "data" / "backups" == path.parent
    assert "The spare key hangs behind the clock" in contents(path)
    assert 0o600 == path.stat().st_mode & 0o777
    assert path.stat().st_size == result["bytes"]
    assert result["memories"] == len(contents(path))
    assert result["verified"]
    assert {path.name} <= {entry.name for entry in path.parent.iterdir()}
    assert not [entry for entry in path.parent.iterdir() if entry.suffix != ".db"]


def test_a_backup_goes_where_it_is_told(daemon: Daemon, tmp_path: Path) -> None:
    """A backup goes to a new file or into a directory; an existing file is never replaced."""
    file = tmp_path / "mine.db"

    assert daemon.call("db.backup", path=str(file))["path"] == str(file)
    assert Path(daemon.call("db.backup", path=str(tmp_path))["path"]).parent == tmp_path
    before = file.read_bytes()
    for path in (str(file), "mine.db", str(tmp_path / "none" / "mine.db")):
        with pytest.raises(CallFailed, match="invalid_params"):
            daemon.call("db.backup", path=path)
    assert file.read_bytes() == before


@pytest.mark.parametrize("method", ["db.backup", "db.export"])
def test_a_name_that_no_file_can_have_is_refused(
    daemon: Daemon, tmp_path: Path, method: str
) -> None:
    """The error says why; it is the caller's."""
    with pytest.raises(CallFailed, match="File name too long") as failed:
        daemon.call(method, path=str(tmp_path / ("a" * 300)))

    assert failed.value.kind == "invalid_params"


def test_the_oldest_backups_give_way(daemon: Daemon, tmp_path: Path) -> None:
    """Only backups that the daemon named are removed, and only in that directory."""
    (tmp_path / "photos.db").write_bytes(b"mine")
    made = [daemon.call("db.backup", path=str(tmp_path))["path"] for _ in range(3)]

    result = daemon.call("db.backup", path=str(tmp_path), keep=2)

    assert made[:2] == result["removed"]
    assert {made[2], result["path"], str(tmp_path / "photos.db")} == {
        str(path) for path in tmp_path.iterdir()
    }


def test_backup_folder_keeps_the_configured_number(new_daemon: Make) -> None:
    """Backups made on demand count too, like those of a daily timer."""
    daemon = new_daemon()
    daemon.config("[backup]\nkeep = 2\n")
    daemon.start()

    made = [daemon.call("db.backup")["path"] for _ in range(3)]

    folder = daemon.home / "data" / "backups"
    assert set(made[1:]) == {str(path) for path in folder.iterdir()}


def test_a_backup_shows_one_moment_while_others_write(new_daemon: Make) -> None:
    """A backup has everything acknowledged before it began, and no half of a later write."""
    daemon = new_daemon().start()
    scope = {"provider": "test", "user_id": "writer"}
    for start in range(0, 200, 50):
        facts = [{"content": f"Fact number {n} of the list"} for n in range(start, start + 50)]
        daemon.call("memory.add", scope=scope, facts=facts)
    stop, acknowledged = threading.Event(), []

    def write() -> None:
        with daemon.client() as client:
            while not stop.is_set():
                text = f"Later fact number {len(acknowledged)}"
                client.call("memory.add", scope=scope, content=text)
                acknowledged.append(text)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        results = []
        for _ in range(3):
            before = set(acknowledged)
            results.append((before, daemon.call("db.backup")))
    finally:
        stop.set()
        writer.join()

    for before, result in results:
        found = contents(Path(result["path"]))
        assert before <= set(found)
        assert {f"Fact number {n} of the list" for n in range(200)} <= set(found)
        assert result["memories"] == len(found)


@needs_plain_pages
def test_a_large_database_with_a_wal_is_copied_whole(tmp_path: Path) -> None:
    """Larger than the cache, and its newest pages in the WAL alone, without checksums as yet."""
    source, target = tmp_path / "a.db", tmp_path / "copy.db"
    connection = connect(source, read_only=False)
    make_durable(connection, source)
    connection.pragma("wal_autocheckpoint", 0)
    connection.execute("create table memories (id integer primary key, content text)")
    for _ in range(5):
        connection.execute(
            "insert into memories (content) with n (i) as (select 1 union all"
            " select i + 1 from n where i < 2000) select hex(randomblob(500)) from n"
        )
    assert checksums.has(connection)

    counts = verified_copy.make(
        reader_of(source), target, progress=lambda *_: None, check_cancelled=lambda: None
    )

    connection.close()
    assert 10_000 == counts["memories"]
    assert counts == verified_copy.verify(target, check_cancelled=lambda: None)
    copied = connect(target, read_only=True)
    assert checksums.has(copied)
    copied.close()


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
def test_a_backup_that_cannot_be_written_says_so(new_daemon: Make, tmp_path: Path) -> None:
    """A failed backup leaves no file behind."""
    daemon = new_daemon().start()
    folder = tmp_path / "full"
    folder.mkdir()
    folder.chmod(0o500)

    with read_only(folder), pytest.raises(CallFailed) as failed:
        daemon.call("db.backup", path=str(folder))

    assert failed.value.kind == "invalid_params"
    assert [] == list(folder.iterdir())
    folder.chmod(0o700)


def _with_a_backup(daemon: Daemon) -> Path:
    """Store memories and a backup, and stop the daemon."""
    daemon.start()
    scope = {"provider": "test", "user_id": "writer"}
    for n in range(60):
        daemon.call("memory.add", scope=scope, content=f"Fact number {n} of the list")
    good = Path(daemon.call("db.backup", keep=1)["path"])
    daemon.stop()
    return good


def test_a_damaged_database_makes_no_backup(new_daemon: Make) -> None:
    """The earlier ones stay as they are, and the error names the doctor."""
    daemon = new_daemon()
    good = _with_a_backup(daemon)
    overwrite(daemon.home, pages(daemon.home)["memories"][0], random.Random(1))
    daemon.start()

    with pytest.raises(CallFailed) as failed:
        daemon.call("db.backup", keep=1)

    assert failed.value.kind == "storage_error"
    assert "ash doctor" in failed.value.data["hint"]
    assert [good] == list(good.parent.iterdir())


def _swap_index_entries(home: Path) -> None:
    """Make an index differ from its table, as an outdated page would."""
    with opened(home) as connection:
        connection.pragma("writable_schema", 1)
        connection.execute("create table stray (a, b); create index stray_index on stray (a, b)")
        roots: dict[str, int] = dict(
            connection.execute(
                "select name, rootpage from sqlite_schema"
                " where name in ('memories_by_owner', 'stray_index')"
            ).fetchall()
        )
        swapped = zip(roots, reversed(roots.values()), strict=True)
        for name, root in swapped:
            connection.execute("update sqlite_schema set rootpage = ? where name = ?", (root, name))


def _spoil_full_text(home: Path) -> None:
    overwrite(home, pages(home)["passage_fts_data"][0], random.Random(1))


def _spoil_vectors(home: Path) -> None:
    overwrite(home, pages(home)["embeddings"][0], random.Random(1))


@pytest.mark.parametrize("spoil", [_spoil_full_text, _spoil_vectors, _swap_index_entries])
def test_a_damaged_index_is_mended_for_a_backup(
    new_daemon: Make, spoil: Callable[[Path], None]
) -> None:
    """The index is rebuilt, and the copy is sound."""
    daemon = new_daemon()
    _with_a_backup(daemon)
    spoil(daemon.home)
    daemon.start()

    result = daemon.call("db.backup")

    assert result["verified"]
    assert 60 == len(contents(Path(result["path"])))


def test_leftovers_of_a_killed_backup_are_removed(new_daemon: Make) -> None:
    """The next start removes the leftovers."""
    daemon = new_daemon().start()
    daemon.call("db.backup")
    daemon.kill()
    folder = daemon.home / "data" / "backups"
    for name in (".ash-20260101T000000Z.db.part", ".ash-20260101T000000Z.db.part-journal"):
        (folder / name).write_bytes(b"half")

    daemon.start()

    assert [True] == [path.suffix == ".db" for path in folder.iterdir()]
