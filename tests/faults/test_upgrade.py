"""Databases of earlier versions are upgraded and used, or left as they were. Budget: 90 s."""

import hashlib
import lzma
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from daemons import Daemon
from services import FixedClock

from ashd import errors
from ashd.ops import upgrade
from ashd.ops.progress import Progress
from ashd.store import migrations, restoring
from ashd.store.connection import connect
from ashd.store.database import Database
from ashd.store.transaction import Tx

Make = Callable[..., Daemon]
FROZEN = sorted((Path(__file__).parents[1] / "data" / "schemas").glob("*.db.xz"))
NEVER_RELEASED = {
    *("0001-first", "0001", "0002-first"),
    *("0009-doubled", "0012-doubled", "0014-doubled"),
}
"""Schemas that were changed in place, or had two files of one number: refused, and unchanged."""
ALICE = {"provider": "test", "user_id": "alice", "display_name": "Alice"}
KEY = "The spare key hangs behind the clock"
HELD = {KEY, "Anna likes tea", "Rent is due on the first", "The group meets on Mondays"}


def put(daemon: Daemon, packed: Path) -> Path:
    """Give a daemon a home with a frozen database."""
    path = daemon.home / "data" / "ash.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    return path


def schema_of(path: Path) -> int:
    """The schema number of a database file."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    number: int = connection.execute("pragma user_version").fetchone()[0]
    connection.close()
    return number


def named(packed: Path) -> str:
    """The name of a frozen database."""
    return packed.name.removesuffix(".db.xz")


def test_there_is_one_of_every_schema_that_was_released() -> None:
    """Every released schema has a database; schemas that were never released are excepted."""
    frozen = {int(named(packed)[:4]) for packed in FROZEN}

    assert {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 18, 19, 21} <= frozen
    assert NEVER_RELEASED <= {named(packed) for packed in FROZEN}


@pytest.mark.parametrize("packed", FROZEN, ids=named)
def test_an_earlier_database_is_upgraded_and_used(new_daemon: Make, packed: Path) -> None:
    """Old memories are found, new ones stored, one deleted; a backup has the earlier schema."""
    daemon = new_daemon()
    path = put(daemon, packed)
    schema, before = schema_of(path), path.read_bytes()
    if named(packed) in NEVER_RELEASED:
        done = subprocess.run(
            daemon.command(), capture_output=True, text=True, timeout=120, check=False
        )
        assert 1 == done.returncode, done.stderr
        assert "no released ashd made it" in done.stderr
        assert "Traceback" not in done.stderr
        assert schema == schema_of(path)
        assert rows(path) == rows_of(before, path.parent)
        return

    daemon.start()

    listed = daemon.call("memory.list", scope=ALICE)["memories"]
    assert HELD == {one["content"] for one in listed}
    daemon.call("memory.add", scope=ALICE, content="The red bicycle is in the shed")
    again = daemon.call("memory.add", scope=ALICE, content=KEY)["memories"][0]
    assert "duplicate" == again["outcome"]
    for query, wanted in (("Where is the spare key?", KEY), ("red bicycle", "The red bicycle")):
        found = daemon.call("memory.search", scope=ALICE, query=query, min_score=0)["results"]
        assert found[0]["memory"]["content"].startswith(wanted)
    (key,) = [one for one in listed if one["content"] == KEY]
    daemon.call("memory.delete", scope=ALICE, id=key["id"])
    left = daemon.call("memory.list", scope=ALICE)["memories"]
    assert KEY not in {one["content"] for one in left}
    talk = daemon.call("conversation.get", scope=ALICE, conversation_id="evening")["messages"]
    assert ["Which tyres?", "Wide ones."] == [one["content"] for one in talk]
    assert daemon.call("person.resolve", scope=ALICE, reference="my sister Jana", create=False)
    (backup,) = (daemon.home / "data" / "backups").glob("before-schema-*.db")
    assert schema == schema_of(backup)
    assert 0o600 == backup.stat().st_mode & 0o777
    daemon.stop()
    assert migrations.schema_files()[-1][0] == schema_of(path)


@pytest.mark.parametrize("packed", FROZEN, ids=named)
def test_a_command_on_the_files_is_recorded_in_every_schema(tmp_path: Path, packed: Path) -> None:
    """Before the database is upgraded, as by `ash db encrypt`."""
    path = tmp_path / "ash.db"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    schema = schema_of(path)

    restoring.note(path, FixedClock(), "db.encrypt")

    with closing(sqlite3.connect(path)) as connection:
        newest = connection.execute("select actor, method from audit order by id desc").fetchone()
    assert ("operator", "db.encrypt") == newest
    assert schema == schema_of(path)


def test_a_restore_says_that_it_brings_a_backup_to_the_present_schema(new_daemon: Make) -> None:
    """The newer `ash` is no way back to an older ashd, and says what is."""
    daemon = new_daemon()
    old = put(daemon, FROZEN[-1])
    present, backup = migrations.schema_files()[-1][0], daemon.home / "backup.db"
    earlier = schema_of(old)
    old.rename(backup)

    done = daemon.ash("db", "restore", str(backup), "--yes")

    assert (0, present) == (done.returncode, schema_of(old))
    assert f"The backup has schema {earlier}" in done.stderr
    assert "install that one first" in done.stderr


def rows(path: Path) -> str:
    """A digest of everything that a database holds."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    lines = "\n".join(
        f"{name} {connection.execute(f'select count(*) from {name}').fetchone()}"
        for (name,) in connection.execute(
            "select name from sqlite_schema where type = 'table' and sql not like '%virtual%'"
            " and name not like 'passage_%' order by name"
        )
    )
    connection.close()
    return hashlib.sha256(lines.encode()).hexdigest()


def rows_of(content: bytes, folder: Path) -> str:
    """The same of a database in memory."""
    path = folder / "copy"
    path.write_bytes(content)
    try:
        return rows(path)
    finally:
        path.unlink()


@pytest.mark.parametrize("packed", [FROZEN[5], FROZEN[-1]], ids=named)
def test_a_killed_upgrade_leaves_the_old_or_the_new(
    new_daemon: Make, tmp_path: Path, packed: Path
) -> None:
    """Some kills hit the middle; the database opens each time, with all its contents."""
    schemas = set()
    for round_ in range(4):
        daemon = new_daemon(home=tmp_path / str(round_))
        path = put(daemon, packed)
        process = subprocess.Popen(daemon.command(), stderr=subprocess.DEVNULL)
        backups = path.parent / "backups"
        while not list(backups.glob("before-schema-*.db")) and process.poll() is None:
            time.sleep(0.002)
        time.sleep(round_ * 0.008)
        process.send_signal(signal.SIGKILL)
        process.wait(120)
        schemas.add(schema_of(path))
        daemon.start(wait_for="daemon_ready")
        listed = daemon.call("memory.list", scope=ALICE)["memories"]
        assert HELD == {one["content"] for one in listed}
        daemon.stop()
        shutil.rmtree(daemon.home)

    assert schemas <= {int(named(packed)[:4]), migrations.schema_files()[-1][0]}


@pytest.mark.parametrize("statement", range(1, 60, 7))
def test_an_upgrade_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: int
) -> None:
    """A failure at any statement leaves the schema and every row as they were."""
    path = tmp_path / "ash.db"
    path.write_bytes(lzma.decompress(FROZEN[4].read_bytes()))
    schema, before = schema_of(path), rows(path)
    files = migrations.schema_files()
    newer = [(number, sql) for number, sql in files if number > schema]
    number, _ = newer[statement % len(newer)]
    broken = [(n, f"{s}\n;select no_such_function()" if n == number else s) for n, s in files]
    monkeypatch.setattr(migrations, "schema_files", lambda: broken)
    connection = connect(path, read_only=False)

    with pytest.raises(errors.StartError, match="as it was"):
        migrations.migrate(Tx(connection, 0, str))

    assert not connection.in_transaction
    connection.close()
    assert (schema, before) == (schema_of(path), rows(path))


def test_backups_of_upgrades_are_kept_like_others(new_daemon: Make) -> None:
    """The newest stay, also beside those made every day; files of other names are left alone."""
    daemon = new_daemon()
    daemon.config("[backup]\nkeep = 2\n")
    backups = put(daemon, FROZEN[-1]).parent / "backups"
    backups.mkdir()
    others = {f"ash-2025010{day}T000000Z.db" for day in range(1, 5)}
    others |= {"before-schema-9.db", "replaced-20250101T000000Z.db"}
    earlier = [f"before-schema-{schema}-20250101T00000{schema}Z.db" for schema in (4, 9, 3)]
    for age, name in enumerate([*sorted(others), *earlier]):
        (backups / name).touch()
        os.utime(backups / name, (1_735_700_000 + age,) * 2)

    daemon.start(wait_for="daemon_ready")

    left = {path.name for path in backups.iterdir()} - others
    (made,) = left - set(earlier)
    assert made.startswith(f"before-schema-{named(FROZEN[-1])[:4].lstrip('0')}-")
    assert left == {earlier[-1], made}
    assert others <= {path.name for path in backups.iterdir()}


def test_an_upgrade_needs_its_backup(new_daemon: Make) -> None:
    """An upgrade whose backup cannot be made changes nothing."""
    daemon = new_daemon()
    path = put(daemon, FROZEN[-1])
    (path.parent / "backups").write_text("no directory")
    before = path.read_bytes()

    done = subprocess.run(
        daemon.command(), capture_output=True, text=True, timeout=120, check=False
    )

    assert 1 == done.returncode
    assert "cannot be backed up" in done.stderr
    assert before == path.read_bytes()


def test_a_schema_that_is_not_as_released_is_refused(tmp_path: Path) -> None:
    """A table more or a column less is seen before anything is committed."""
    path = tmp_path / "ash.db"
    path.write_bytes(lzma.decompress(FROZEN[-1].read_bytes()))
    connection = apsw.Connection(str(path))
    connection.execute("alter table chats add column colour text")
    connection.close()
    schema = schema_of(path)

    with pytest.raises(errors.StartError, match="no released ashd"):
        Database.open(path, FixedClock())

    assert schema == schema_of(path)


def test_an_upgrade_that_is_tried_again_makes_no_further_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service manager starts a daemon that fails again and again; each copy takes the disk."""
    path = tmp_path / "ash.db"
    path.write_bytes(lzma.decompress(FROZEN[-1].read_bytes()))
    files = migrations.schema_files()
    broken = [*files[:-1], (files[-1][0], "select no_such_function()")]
    clock = FixedClock()

    def attempt() -> Path | None:
        clock.pass_by(seconds=60)
        return upgrade.back_up_before(path, clock, Progress())

    first = attempt()
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "schema_files", lambda: broken)
        with pytest.raises(errors.StartError, match="as it was"):
            Database.open(path, clock)
    assert first == attempt()

    with closing(connect(path, read_only=False)) as connection:
        connection.execute("update meta set value = value + 1 where key = 'commits'")
    assert first != attempt()
