"""A restore is done whole or not at all, and keeps what it replaces. Budget: 60 s."""

import json
import os
import re
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from rows import opened
from services import FixedClock
from starts import ash

from ashd.ops import restore as restoring
from ashd.ops.restore import prepare

Make = Callable[..., Daemon]
ALICE = {"provider": "test", "user_id": "alice"}


def add(daemon: Daemon, *texts: str) -> None:
    """Store facts of Alice."""
    for text in texts:
        daemon.call("memory.add", scope=ALICE, content=text)


def known(daemon: Daemon) -> set[str]:
    """The facts of Alice."""
    listed = daemon.call("memory.list", scope=ALICE, limit=100)
    return {memory["content"] for memory in listed["memories"]}


def test_a_backup_takes_the_place_of_the_database(new_daemon: Make) -> None:
    """Restoring the replaced database undoes the restore."""
    daemon = new_daemon().start()
    add(daemon, "I like tea", "My desk is by the window")
    backup = daemon.call("db.backup")["path"]
    add(daemon, "The red bicycle is in the shed")
    daemon.stop()

    done = ash(daemon, "db", "restore", backup, "--yes", "--json")

    daemon.start()
    assert {"I like tea", "My desk is by the window"} == known(daemon)
    methods = [entry["method"] for entry in daemon.call("audit.list", limit=5)["entries"]]
    assert "db.restore" in methods
    daemon.stop()
    kept = json.loads(done.stdout)["kept"]
    ash(daemon, "db", "restore", kept, "--yes")
    daemon.start()
    assert 3 == len(known(daemon))


def test_a_restore_is_asked_for_and_names_what_undoes_it(new_daemon: Make) -> None:
    """A no leaves the database; an answer may come from a pipe, as everywhere in `ash`."""
    daemon = new_daemon().start()
    add(daemon, "I like tea")
    backup = daemon.call("db.backup")["path"]
    add(daemon, "The red bicycle is in the shed")
    daemon.stop()

    assert 130 == daemon.ash("db", "restore", backup, text="n\n").returncode
    assert 2 == daemon.ash("db", "restore", backup).returncode
    done = daemon.ash("db", "restore", backup, text="y\n")
    assert 0 == done.returncode, done.stderr
    [command] = re.findall(r"`ash ([^`]+)` brings it back", done.stderr)
    words = shlex.split(command)
    assert ["db", "restore"] == words[-3:-1]
    ash(daemon, *words[-3:], "--yes")
    daemon.start()
    assert 2 == len(known(daemon))


def test_a_link_to_the_database_stays(new_daemon: Make, tmp_path: Path) -> None:
    """The file is replaced where it is, as on a larger disk, and the restore can be undone."""
    daemon = new_daemon().start()
    add(daemon, "I like tea")
    backup = daemon.call("db.backup")["path"]
    add(daemon, "The red bicycle is in the shed")
    daemon.stop()
    link, real = daemon.home / "data" / "ash.db", tmp_path / "disk" / "ash.db"
    real.parent.mkdir()
    link.rename(real)
    link.symlink_to(os.path.relpath(real, link.parent))

    kept = json.loads(ash(daemon, "db", "restore", backup, "--yes", "--json").stdout)["kept"]

    assert (link.resolve(), Path(kept).resolve()) == (real, Path(kept))
    daemon.start()
    assert {"I like tea"} == known(daemon)
    daemon.stop()
    ash(daemon, "db", "restore", kept, "--yes")
    daemon.start()
    assert 2 == len(known(daemon))


def test_the_replaced_database_has_the_writes_of_its_wal(new_daemon: Make) -> None:
    """The replaced database has every acknowledged write, and none of them enters the new one."""
    daemon = new_daemon().start()
    add(daemon, "I like tea")
    backup = daemon.call("db.backup")["path"]
    add(daemon, "The red bicycle is in the shed")
    daemon.kill()
    wal = daemon.home / "data" / "ash.db-wal"
    assert wal.stat().st_size > 0

    ash(daemon, "db", "restore", backup, "--yes")

    assert not wal.exists()
    (kept,) = (daemon.home / "data" / "backups").glob("replaced-*.db")
    with opened(kept, read_only=True) as connection:
        texts = {row[0] for row in connection.execute("select content from memories")}
    assert {"I like tea", "The red bicycle is in the shed"} == texts
    assert {"I like tea"} == known(daemon.start())


def test_a_running_daemon_is_not_restored_under(new_daemon: Make) -> None:
    """The daemon's lock stops the restore and names the holder's pid."""
    daemon = new_daemon().start()
    add(daemon, "I like tea")
    backup = daemon.call("db.backup")["path"]
    assert daemon.process is not None

    done = ash(daemon, "db", "restore", backup, "--yes", fails=1)

    assert f"pid {daemon.process.pid}" in done.stderr
    assert {"I like tea"} == known(daemon)


def test_nothing_is_restored_unasked(new_daemon: Make) -> None:
    """Restoring without a terminal needs --yes; the error shows the changes to come."""
    daemon = new_daemon().start()
    add(daemon, "I like tea")
    backup = daemon.call("db.backup")["path"]
    add(daemon, "The red bicycle is in the shed")
    daemon.stop()
    before = (daemon.home / "data" / "ash.db").read_bytes()

    done = ash(daemon, "db", "restore", backup, fails=2)

    assert "1 memory that you have now will be gone" in done.stderr
    assert "--yes" in done.stderr
    assert before == (daemon.home / "data" / "ash.db").read_bytes()
    assert [] == list((daemon.home / "data").glob(".*"))


def newer(path: Path) -> None:
    """Make a backup look like a newer version's."""
    with opened(path) as connection:
        connection.execute("pragma user_version = 9999")


def damaged(path: Path) -> None:
    """Write over some pages."""
    with path.open("r+b") as file:
        for page in range(5, 40):
            file.seek(page * 4096 + 100)
            file.write(b"\x5a" * 900)


def foreign(path: Path) -> None:
    """Make it another program's database."""
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("create table photos (id integer primary key)")
    connection.close()


def text(path: Path) -> None:
    """Let it be no database at all."""
    path.write_text("These are notes, and no database. " * 500)


def empty(path: Path) -> None:
    """Let nothing be in it."""
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("spoil", "fails", "why"),
    [
        (newer, 1, "schema 9999"),
        (damaged, 7, "damaged"),
        (foreign, 1, "another program"),
        (text, 2, "is no database"),
        (empty, 2, "is no database"),
    ],
)
def test_an_unusable_backup_is_refused(
    new_daemon: Make, spoil: Callable[[Path], None], fails: int, why: str
) -> None:
    """The error gives the reason, and nothing is changed."""
    daemon = new_daemon().start()
    add(daemon, *(f"Fact number {n} of the list" for n in range(20)))
    backup = Path(daemon.call("db.backup")["path"])
    daemon.stop()
    spoil(backup)
    before = (daemon.home / "data" / "ash.db").read_bytes()

    done = ash(daemon, "db", "restore", str(backup), "--yes", fails=fails)

    assert "Traceback" not in done.stderr
    assert why in done.stderr
    assert before == (daemon.home / "data" / "ash.db").read_bytes()
    assert [] == list((daemon.home / "data").glob(".*"))


def test_a_damaged_database_is_replaced_and_kept(new_daemon: Make) -> None:
    """The WAL is kept too; every grant ends, since none can be checked."""
    daemon = new_daemon().start()
    add(daemon, "I like tea")
    grant = daemon.call("grant.create", scope=ALICE)["grant_id"]
    backup = daemon.call("db.backup")["path"]
    daemon.stop()
    database = daemon.home / "data" / "ash.db"
    text(database)
    wal = database.with_name("ash.db-wal")
    wal.write_bytes(b"half a frame")
    before = database.read_bytes()

    ash(daemon, "db", "restore", backup, "--yes")

    (kept,) = (daemon.home / "data" / "backups").glob("replaced-*.db")
    assert before == kept.read_bytes()
    assert not wal.exists()
    assert {"I like tea"} == known(daemon.start())
    assert grant not in {one["grant_id"] for one in daemon.call("grant.list")["grants"]}


def test_a_revoked_grant_stays_revoked(new_daemon: Make) -> None:
    """The backup still had it in force; other grants stay in force."""
    daemon = new_daemon().start()
    revoked = daemon.call("grant.create", scope=ALICE)["grant_id"]
    in_force = daemon.call("grant.create", scope=ALICE)["grant_id"]
    backup = daemon.call("db.backup")["path"]
    daemon.call("grant.revoke", grant_id=revoked)
    daemon.stop()

    ash(daemon, "db", "restore", backup, "--yes")

    grants = daemon.start().call("grant.list")["grants"]
    assert {in_force} == {one["grant_id"] for one in grants}


def test_a_restore_onto_an_empty_home_moves_everything(new_daemon: Make, tmp_path: Path) -> None:
    """A database can be restored on another machine."""
    daemon, other = new_daemon().start(), new_daemon()
    add(daemon, "I like tea")
    backup = shutil.copy(daemon.call("db.backup")["path"], tmp_path / "moved.db")

    ash(other, "db", "restore", str(backup), "--yes")

    assert {"I like tea"} == known(other.start())


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("at", range(5, 10))
def test_a_restore_that_is_killed_leaves_a_whole_database(
    new_daemon: Make, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """After a kill at each rename, the daemon starts on old or restored data."""
    daemon = new_daemon().start()
    add(daemon, "I like tea")
    backup = Path(daemon.call("db.backup")["path"])
    add(daemon, "The red bicycle is in the shed")
    daemon.kill()
    steps = {"left": at}

    def killing(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **options: Any) -> Any:
            steps["left"] -= 1
            if steps["left"] == 0:
                raise Killed
            return original(*args, **options)

        return step

    with monkeypatch.context() as patched:
        for name in ("rename", "hardlink_to", "unlink"):
            patched.setattr(Path, name, killing(getattr(Path, name)))
        patched.setattr(restoring.files, "sync", killing(restoring.files.sync))
        database = daemon.home / "data" / "ash.db"
        with (
            pytest.raises(Killed),
            prepare(database, backup, FixedClock(), lambda _a, _b: None) as ready,
        ):
            ready.do()

    found = known(daemon.start())
    assert found in ({"I like tea"}, {"I like tea", "The red bicycle is in the shed"})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_restore_by_root_into_a_new_home_is_for_the_user_of_the_home(new_daemon: Make) -> None:
    """As on a new machine, before the service's first start."""
    daemon = new_daemon().start()
    backup = Path(daemon.call("db.backup")["path"])
    daemon.stop()
    saved = daemon.home.parent / "saved.db"
    backup.rename(saved)
    shutil.rmtree(daemon.home)
    daemon.home.mkdir()
    daemon.config("")  # with the key's file, where homes are encrypted
    for path in (daemon.home, daemon.home / "config.toml"):
        os.chown(path, 65534, 65534)

    ash(daemon, "db", "restore", str(saved), "--yes")

    made = list(daemon.home.rglob("*"))
    assert daemon.home / "data" / "ash.db" in made
    assert {65534} == {path.stat().st_uid for path in made}
