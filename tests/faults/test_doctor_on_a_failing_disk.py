"""The doctor answers on a disk that fails, and calls fixed only what is. Budget: 40 s."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from rounds import FaultyDaemon
from starts import ash

Make = Callable[..., Daemon]
MINE = {"provider": "test", "user_id": "the witness"}


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[Callable[[str, str], tuple[FaultyDaemon, Path]]]:
    """Makes a daemon whose disk fails once the returned file exists."""
    made: list[FaultyDaemon] = []

    def make(kind: str, operation: str) -> tuple[FaultyDaemon, Path]:
        report = tmp_path / "fault.txt"
        daemon = FaultyDaemon(tmp_path / "home", kind, f"{operation}:1", report, armed=True)
        made.append(daemon)
        daemon.config('[embedding]\nprovider = "none"\n')
        daemon.start(wait_for="daemon_ready")
        for number in range(300):
            daemon.call("memory.add", scope=MINE, content=f"Parcel {number} is in locker {number}")
        daemon.call("db.backup")
        return daemon, report.with_suffix(".armed")

    yield make
    for daemon in made:
        daemon.remove()


def _names(daemon: Daemon, **params: Any) -> set[str]:
    return {one["name"] for one in daemon.call("db.check", **params)["findings"]}


@pytest.mark.parametrize(
    ("kind", "operation", "expected"),
    [
        ("full", "write", {"disk_full"}),
        ("quota", "write", {"disk_quota"}),
        ("failing", "write", {"disk_failing"}),
        ("failing", "read", {"disk_failing", "not_examined"}),
        ("part", "read", {"disk_failing"}),
    ],
)
def test_the_doctor_reports_while_the_disk_fails(
    failing: Callable[[str, str], tuple[FaultyDaemon, Path]],
    kind: str,
    operation: str,
    expected: set[str],
) -> None:
    """The standing warning is an error with a status, with and without --fix, until it is over."""
    daemon, armed = failing(kind, operation)
    armed.touch()
    fails = {
        "write": {"method": "memory.add", "scope": MINE, "content": "This is not stored"},
        "read": {"method": "db.backup"},
    }
    with pytest.raises(CallFailed) as failed:
        daemon.call(**fails[operation])
    assert failed.value.kind == "storage_error"
    assert failed.value.data["retryable"] is True

    assert expected <= _names(daemon)
    assert expected <= _names(daemon, fix=True)
    assert not _names(daemon) & {"unreadable", "damaged_tables", "damaged_index"}
    found = ash(daemon, "--socket", str(daemon.socket), "doctor", "--fix", fails=1)
    assert f"error: {min(expected)}: " in found.stdout
    assert "fixed" not in found.stdout

    armed.with_suffix(".over").touch()
    daemon.call("memory.add", scope=MINE, content="It works again")
    assert not _names(daemon)


def test_half_a_database_has_advice_that_works(new_daemon: Make) -> None:
    """Nothing of it can be rescued, so the newest backup is named; without one, how to begin."""
    daemon = new_daemon().start()
    daemon.call("memory.add", scope=MINE, content="The boat is in the harbour")
    backup = daemon.call("db.backup")["path"]
    daemon.stop()
    path = daemon.home / "data" / "ash.db"
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)

    found = ash(daemon, "doctor", "--offline", fails=1).stdout

    assert "unreadable" in found
    assert "rescue" not in found
    assert f"`ash --home {daemon.home} db restore {backup}`" in found  # not another home
    ash(daemon, "db", "restore", backup, "--yes")
    daemon.start()
    assert daemon.call("memory.list", scope=MINE)["total"] == 1


def test_lost_writes_are_acknowledged_not_fixed(new_daemon: Make) -> None:
    """What is gone stays gone: --fix ends the warning and says no more than that."""
    daemon = new_daemon().start()
    daemon.call("memory.add", scope=MINE, content="The boat is in the harbour")
    daemon.kill()
    (daemon.home / "data" / "ash.db-wal").unlink()
    daemon.expect_error("writes_lost")
    daemon.start()
    at = ["--socket", str(daemon.socket)]
    assert (
        "error (--fix acknowledges it): writes_lost" in ash(daemon, *at, "doctor", fails=1).stdout
    )

    found = ash(daemon, *at, "doctor", "--fix").stdout

    assert "acknowledged: writes_lost" in found
    assert "fixed" not in found
    assert not _names(daemon)
