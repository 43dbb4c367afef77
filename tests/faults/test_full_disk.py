"""A full disk, at the start and while running: told, survived, nothing lost. Budget: 15 s."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from mounts import fill, small_disk
from starts import failed_start

Make = Callable[..., Daemon]
_LONG = "A long story about the sea, the wind and the harbour. " * 100


@pytest.mark.parametrize("size", ["64k", "192k"])
def test_a_start_on_a_full_disk_says_so(new_daemon: Make, tmp_path: Path, size: str) -> None:
    """The same home starts once there is space."""
    with small_disk(tmp_path / "disk", size) as disk:
        if size == "64k":
            filler = fill(disk)
        daemon = new_daemon(home=disk / "home")
        done = failed_start(daemon)

        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "ashd cannot start: " in done.stderr
        assert "space" in done.stderr
        if size == "64k":
            filler.unlink()
        subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
        daemon.start(wait_for="daemon_ready")
        assert daemon.call("memory.add", content="There is space")
        daemon.stop()


def test_a_start_without_any_room_left_says_so(new_daemon: Make, tmp_path: Path) -> None:
    """SQLite cannot make the index of its log then, and calls that no full disk."""
    with small_disk(tmp_path / "disk", "8m") as disk:
        daemon = new_daemon(home=disk / "home").start()
        daemon.stop()
        fill(disk)

        done = failed_start(daemon)

        assert "Traceback" not in done.stderr
        assert "is full. Free some space" in done.stderr


def _until_full(daemon: Daemon, mine: dict[str, Any]) -> CallFailed:
    """Add until the disk is full."""
    for number in range(500):
        try:
            daemon.call("memory.add", scope=mine, content=f"{number} {_LONG}")
        except CallFailed as error:
            return error
    raise AssertionError("the disk never filled up")


def test_a_disk_that_fills_up_costs_the_write_only(
    new_daemon: Make, scope: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """Writes fail with storage_error, reads go on, and with space everything does (issue 2)."""
    with small_disk(tmp_path / "disk", "8m") as disk:
        daemon = new_daemon(home=disk / "home").start()
        mine = scope()
        sandbox = daemon.call("grant.create", scope=mine)["socket"]
        daemon.call("memory.add", scope=mine, content="The boat is in the harbour")
        filler = fill(disk)

        error = _until_full(daemon, mine)
        assert error.kind == "storage_error"
        assert error.data["retryable"] is True
        assert "space" in error.data["hint"]
        before = daemon.call("memory.list", scope=mine)["total"]
        with pytest.raises(CallFailed, match="storage_error"):
            daemon.call(
                "memory.add",
                scope=mine,
                facts=[{"content": f"{number} {_LONG} again"} for number in range(20)],
                idempotency_key="k",
            )

        # Reads count what they return, which cannot be written either.
        for _ in range(3):
            assert daemon.call("memory.search", at=sandbox, query="boat harbour")["results"]
        assert daemon.call("memory.list", scope=mine)["total"] == before
        _wait_for(daemon, "accesses_lost")
        assert daemon.call("session.hello")["server"] == "ashd"

        filler.unlink()
        entries = daemon.call(
            "memory.add",
            scope=mine,
            facts=[{"content": f"{number} {_LONG} again"} for number in range(20)],
            idempotency_key="k",
        )["memories"]
        assert [entry["outcome"] for entry in entries] == ["added"] * 20
        assert daemon.call("memory.list", scope=mine)["total"] == before + 20

        assert daemon.stop() == 0
        daemon.start()
        assert daemon.call("memory.list", scope=mine)["total"] == before + 20
        daemon.stop()


def test_a_stop_on_a_full_disk_loses_nothing(
    new_daemon: Make, scope: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """After a stop or a kill, the next start with space has everything acknowledged."""
    with small_disk(tmp_path / "disk", "8m") as disk:
        daemon = new_daemon(home=disk / "home").start()
        mine = scope()
        for end in (daemon.stop, daemon.kill):
            filler = fill(disk)
            _until_full(daemon, mine)
            total = daemon.call("memory.list", scope=mine)["total"]
            end()
            filler.unlink()
            daemon.start()
            assert daemon.call("memory.list", scope=mine)["total"] == total
            daemon.call("memory.add", scope=mine, content=f"After {end.__name__}")
        daemon.stop()


def _wait_for(daemon: Daemon, event: str) -> None:
    """Ask the daemon things until it has logged the event."""
    for _ in range(20_000):
        if any(event in line for line in daemon.log):
            return
        daemon.call("session.hello")
    raise AssertionError(f"no {event} in {daemon.log}")
