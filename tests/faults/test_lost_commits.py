"""Acknowledged commits that the disk lost are noticed at the next start. Budget: 30 s."""

import lzma
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from encrypted import needs_plain_pages
from starts import ash, failed_start
from waiting import until

from ashd.store.connection import connect
from ashd.store.witness import witness_path

Make = Callable[..., Daemon]
OLD = Path(__file__).parents[1] / "data" / "schemas" / "0010.db.xz"


def _killed(
    new_daemon: Make, mine: dict[str, Any], *, lives: int = 2, **options: Any
) -> tuple[Daemon, Path]:
    """A daemon that was killed in one of its lives after some facts, and its write-ahead log."""
    daemon = new_daemon(**options)
    for _ in range(lives - 1):
        daemon.start()
        daemon.stop()
    daemon.start()
    for number in range(20):
        daemon.call("memory.add", scope=mine, content=f"Fact number {number}")
    daemon.kill()
    wal = daemon.home / "data" / "ash.db-wal"
    assert wal.stat().st_size > 50_000
    return daemon, wal


def _cut(wal: Path) -> None:
    with wal.open("r+b") as file:
        file.truncate(wal.stat().st_size // 2)


def _flip(wal: Path) -> None:
    place = wal.stat().st_size // 2
    with wal.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)
        file.seek(place)
        file.write(bytes([byte[0] ^ 1]))


def _empty(wal: Path) -> None:
    wal.write_bytes(b"")


def _warnings(daemon: Daemon) -> list[str]:
    return [warning["name"] for warning in daemon.call("system.status")["warnings"]]


@pytest.mark.parametrize("lives", [1, 2], ids=["first life", "later life"])
@pytest.mark.parametrize(
    "harm", [_cut, _flip, _empty, Path.unlink], ids=["cut", "one bit", "emptied", "removed"]
)
def test_a_damaged_write_ahead_log_is_noticed(
    new_daemon: Make, scope: Callable[..., Any], harm: Callable[[Path], None], lives: int
) -> None:
    """The daemon starts with the rest, reports how much is missing, and goes on reporting it."""
    mine = scope()
    daemon, wal = _killed(new_daemon, mine, lives=lives)
    harm(wal)
    daemon.expect_error("writes_lost")

    daemon.start()

    assert daemon.call("memory.list", scope=mine)["total"] < 20, "the test harmed nothing"
    assert until(lambda: any("writes_lost commits=" in line for line in daemon.log))
    assert "writes_lost" in _warnings(daemon)
    daemon.stop()
    daemon.start()
    assert "writes_lost" in _warnings(daemon)
    assert "writes_lost" in {one["name"] for one in daemon.call("db.check")["findings"]}


def test_a_log_lost_before_the_id_was_in_the_file_is_noticed(
    new_daemon: Make, scope: Callable[..., Any]
) -> None:
    """A count beside a database without an id is of commits that it has lost."""
    mine = scope()
    daemon, wal = _killed(new_daemon, mine, lives=1)
    wal.unlink()
    connection = connect(daemon.home / "data" / "ash.db", read_only=False)
    connection.execute("delete from meta where key in ('database_id', 'commits')")
    connection.close()
    daemon.expect_error("writes_lost")

    daemon.start()

    assert "writes_lost" in _warnings(daemon)


@pytest.mark.parametrize("change", [pytest.param("upgrade", marks=needs_plain_pages), "restore"])
def test_a_log_lost_after_the_database_was_changed_offline_is_noticed(
    new_daemon: Make, scope: Callable[..., Any], tmp_path: Path, change: str
) -> None:
    """What is acknowledged in the first life after an upgrade or a restore is counted too."""
    mine = scope()
    if change == "upgrade":
        (tmp_path / "home" / "data").mkdir(parents=True)
        (tmp_path / "home" / "data" / "ash.db").write_bytes(lzma.decompress(OLD.read_bytes()))
    else:
        daemon = new_daemon(home=tmp_path / "home").start()
        backup = daemon.call("db.backup", path=str(tmp_path / "backup.db"))["path"]
        daemon.stop()
        ash(daemon, "db", "restore", backup, "--yes")
    daemon, wal = _killed(new_daemon, mine, lives=1, home=tmp_path / "home")
    assert "writes_lost" not in "".join(daemon.log)
    wal.unlink()
    daemon.expect_error("writes_lost")

    daemon.start()

    assert "writes_lost" in _warnings(daemon)


def test_the_id_is_in_the_file_from_the_start(
    new_daemon: Make, scope: Callable[..., Any], tmp_path: Path
) -> None:
    """The file without its log, as a careless copy has it, tells which database it was."""
    daemon, _ = _killed(new_daemon, scope(), lives=1)
    alone = tmp_path / "alone.db"
    shutil.copy(daemon.home / "data" / "ash.db", alone)

    with closing(connect(alone, read_only=False)) as copy:
        found = copy.execute("select value from meta where key = 'database_id'").fetchall()

    assert 1 == len(found)


def test_a_lost_index_of_the_log_loses_nothing(new_daemon: Make, scope: Callable[..., Any]) -> None:
    """The shared memory beside the log is made anew from it."""
    mine = scope()
    daemon, _ = _killed(new_daemon, mine, lives=1)
    (daemon.home / "data" / "ash.db-shm").unlink()

    daemon.start()

    assert daemon.call("memory.list", scope=mine)["total"] == 20
    assert "writes_lost" not in _warnings(daemon)


def test_a_kill_alone_loses_no_commit(new_daemon: Make, scope: Callable[..., Any]) -> None:
    """The count beside the database never runs ahead of it."""
    mine = scope()
    daemon, _ = _killed(new_daemon, mine)

    daemon.start()

    assert daemon.call("memory.list", scope=mine)["total"] == 20
    assert "writes_lost" not in _warnings(daemon)


def test_a_database_that_became_empty_is_refused(
    new_daemon: Make, scope: Callable[..., Any]
) -> None:
    """An empty database is refused; without the count beside it, it counts as new."""
    daemon = new_daemon().start()
    daemon.call("memory.add", scope=scope(), content="Kept for years")
    daemon.stop()
    path = daemon.home / "data" / "ash.db"
    path.write_bytes(b"")

    done = failed_start(daemon)

    assert done.returncode == 1
    assert "empty" in done.stderr
    assert str(witness_path(path)) in done.stderr
    assert path.read_bytes() == b""
    witness_path(path).unlink()
    daemon.start(wait_for="daemon_ready")
