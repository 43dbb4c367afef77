"""Faults around the daemon: read-only disks, no space for files, jumping clocks. Budget: 40 s.

Budget: 40 s.
"""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clock_daemons import ClockDaemon
from daemons import CallFailed, Daemon
from mounts import abort, loop_disk, small_disk
from starts import failed_start
from waiting import until

Make = Callable[..., Daemon]
MINE = {"provider": "test", "user_id": "the witness"}
_NO_EMBEDDER = '[embedding]\nprovider = "none"\n'


def _add(daemon: Daemon, text: str) -> str:
    """Store a fact; its id."""
    entry = daemon.call("memory.add", scope=MINE, content=text)["memories"][0]
    memory: str = entry["memory"]["id"]
    return memory


def _texts(daemon: Daemon) -> set[str]:
    listed = daemon.call("memory.list", scope=MINE, limit=100)
    return {memory["content"] for memory in listed["memories"]}


def _warnings(daemon: Daemon) -> dict[str, str]:
    return {one["name"]: one["remedy"] for one in daemon.call("system.status")["warnings"]}


def test_a_disk_that_turns_read_only_costs_the_write_only(new_daemon: Make, tmp_path: Path) -> None:
    """Writes fail with the reason, reads go on, nothing is lost."""
    with loop_disk(tmp_path / "image", tmp_path / "disk") as mount_again:
        daemon = new_daemon(home=tmp_path / "disk" / "home")
        daemon.config(_NO_EMBEDDER)
        daemon.start(wait_for="daemon_ready")
        kept = {f"Crate {n} holds lamps" for n in range(20)}
        for text in kept:
            _add(daemon, text)
        abort(tmp_path / "disk")

        with pytest.raises(CallFailed) as failed:
            _add(daemon, "This is not stored")

        assert failed.value.kind == "storage_error"
        assert "writable" in failed.value.data["hint"]
        assert "disk_read_only" in _warnings(daemon)
        assert until(lambda: any("disk_read_only" in line for line in daemon.log))
        assert kept == _texts(daemon)
        assert daemon.call("memory.search", scope=MINE, query="crate lamps")["results"]
        daemon.expect_error("disk_")
        daemon.kill()
        mount_again()
        daemon.start(wait_for="daemon_ready")
        assert kept == _texts(daemon)
        _add(daemon, "Stored again")
        daemon.stop()


def _no_more_files(disk: Path) -> list[Path]:
    """Make files until there is room for no more."""
    made = []
    for number in itertools.count():
        try:
            (disk / f"filler-{number}").touch()
        except OSError:
            return made
        made.append(disk / f"filler-{number}")
    raise AssertionError


def test_a_full_table_of_files_loses_nothing(new_daemon: Make, tmp_path: Path) -> None:
    """A call that needs a new file fails and leaves none behind, after a kill too."""
    with small_disk(tmp_path / "disk", "32m", files=60) as disk:
        daemon = new_daemon(home=disk / "home")
        daemon.config(_NO_EMBEDDER)
        daemon.start(wait_for="daemon_ready")
        _add(daemon, "Stored before")
        fillers = _no_more_files(disk)

        _add(daemon, "Stored meanwhile")
        for method, params in (("db.backup", {}), ("db.export", {"path": str(disk / "out")})):
            with pytest.raises(CallFailed) as failed:
                daemon.call(method, **params)
            assert failed.value.kind in {"invalid_params", "storage_error"}
            assert "space" in failed.value.error["message"]
        assert {"Stored before", "Stored meanwhile"} == _texts(daemon)

        daemon.kill()
        for path in (disk / "home" / "data").glob("ash.db-shm"):
            path.unlink()
        fillers += _no_more_files(disk)
        done = failed_start(daemon)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "ashd cannot start: " in done.stderr

        for path in fillers:
            path.unlink(missing_ok=True)
        daemon.start(wait_for="daemon_ready")
        assert {"Stored before", "Stored meanwhile"} == _texts(daemon)
        assert daemon.call("db.backup")["verified"]
        daemon.stop()


@pytest.mark.parametrize("restarts", [False, True])
def test_a_clock_that_jumps_loses_and_hides_nothing_for_good(
    tmp_path: Path, restarts: bool
) -> None:
    """Everything is stored and found later, with a clock years ahead, behind, or before 1970."""
    daemon = ClockDaemon(tmp_path)
    daemon.config(_NO_EMBEDDER)
    try:
        daemon.start(wait_for="daemon_ready")
        known: dict[str, str] = {}
        for years in (0, 0.01, -0.01, 12, -30, -70, 0):
            daemon.jump(years)
            if restarts:
                daemon.stop()
                daemon.start(wait_for="daemon_ready")
            text = f"The clock went {years} years wrong {len(known)}"
            known[_add(daemon, text)] = text
            for number, stored in known.items():
                found: dict[str, Any] = daemon.call("memory.get", scope=MINE, id=number)
                assert stored == found["memory"]["content"]
            (changed,) = [daemon.call("memory.delete", scope=MINE, id=number)]
            daemon.call("memory.restore", scope=MINE, id=changed["memory"]["id"])
            messages = [{"content": f"Said {len(known)}", "external_id": str(len(known))}]
            daemon.call("conversation.ingest", scope=MINE, conversation_id="c", messages=messages)
            daemon.call("db.backup", keep=3)

        assert set(known.values()) == _texts(daemon)
        found = daemon.call("conversation.get", scope=MINE, conversation_id="c")["messages"]
        assert {f"Said {n}" for n in range(1, 8)} == {one["content"] for one in found}
        daemon.call("db.gc")
        assert set(known.values()) == _texts(daemon)
        assert not [
            one for one in daemon.call("db.check")["findings"] if one["severity"] == "error"
        ]
        assert [] == daemon.unexpected()
    finally:
        daemon.remove()
