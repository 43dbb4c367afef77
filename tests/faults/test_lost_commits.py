"""Acknowledged commits that the disk lost are noticed at the next start. Budget: 15 s."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from starts import failed_start
from waiting import until

from ashd.store.witness import witness_path

Make = Callable[..., Daemon]


def _killed(new_daemon: Make, mine: dict[str, Any]) -> tuple[Daemon, Path]:
    """A daemon that was killed after some facts, and its write-ahead log."""
    daemon = new_daemon().start()
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


def _warnings(daemon: Daemon) -> list[str]:
    return [warning["name"] for warning in daemon.call("system.status")["warnings"]]


@pytest.mark.parametrize("harm", [_cut, _flip, Path.unlink], ids=["cut", "one bit", "removed"])
def test_a_damaged_write_ahead_log_is_noticed(
    new_daemon: Make, scope: Callable[..., Any], harm: Callable[[Path], None]
) -> None:
    """The daemon starts with the rest, reports how much is missing, and goes on reporting it."""
    mine = scope()
    daemon, wal = _killed(new_daemon, mine)
    harm(wal)
    daemon.expect_error("writes_lost")

    daemon.start()

    assert daemon.call("memory.list", scope=mine)["total"] < 20, "the test harmed nothing"
    assert until(lambda: any("writes_lost commits=" in line for line in daemon.log))
    assert "writes_lost" in _warnings(daemon)
    daemon.stop()
    daemon.start()
    assert "writes_lost" in _warnings(daemon)


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
