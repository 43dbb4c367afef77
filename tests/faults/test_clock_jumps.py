"""A clock that jumps is warned of, reopens nothing and cleans nothing up. Budget: 60 s."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clock_daemons import ClockDaemon
from daemons import CallFailed
from starts import ash
from waiting import until

MINE = {"provider": "test", "user_id": "the witness"}
_DAY = 1 / 365.25


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ClockDaemon]:
    """A daemon whose clock is right as yet."""
    made = ClockDaemon(tmp_path)
    made.config('[embedding]\nprovider = "none"\n')
    made.start(wait_for="daemon_ready")
    yield made
    made.remove()
    assert made.unexpected() == []


def _is_warned(daemon: ClockDaemon) -> bool:
    names = [one["name"] for one in daemon.call("system.status")["warnings"]]
    assert names.count("clock_jumped") <= 1
    return "clock_jumped" in names


def _restart(daemon: ClockDaemon) -> None:
    daemon.stop()
    daemon.start(wait_for="daemon_ready")


def _lines(daemon: ClockDaemon) -> int:
    return sum("clock_jumped hours=" in line for line in daemon.log)


@pytest.mark.parametrize("years", [12, 2 * _DAY, -2 * _DAY, -30])
def test_a_jump_is_warned_of_while_it_lasts(daemon: ClockDaemon, years: float) -> None:
    """One line in the log, a warning, a finding; all end when the clock is right again."""
    assert not _is_warned(daemon)
    daemon.jump(years)

    assert until(lambda: _is_warned(daemon))
    assert until(lambda: _lines(daemon)) == 1
    assert "clock_jumped" in ash(daemon, "--socket", str(daemon.socket), "doctor", fails=1).stdout
    _restart(daemon)
    assert _is_warned(daemon), "a restart hides it"

    daemon.jump(0)
    assert until(lambda: not _is_warned(daemon))
    assert daemon.call("db.check")["findings"] == []
    _restart(daemon)
    assert not _is_warned(daemon)


@pytest.mark.parametrize("years", [1, -1])
def test_a_jump_while_the_daemon_was_stopped_is_noticed(daemon: ClockDaemon, years: float) -> None:
    """The start compares the clock with the time since the boot."""
    daemon.call("memory.add", scope=MINE, content="Stored before")
    daemon.stop()
    daemon.jump(years)

    daemon.start(wait_for="daemon_ready")

    assert _is_warned(daemon)


def test_nothing_is_cleaned_up_until_the_clock_is_confirmed(daemon: ClockDaemon) -> None:
    """What a jump lets expire is there again afterwards; clean-up and compaction are refused."""
    kept = daemon.call("memory.add", scope=MINE, content="The lease ends soon", expires_in_days=30)
    archived = daemon.call("memory.add", scope=MINE, content="The old boiler leaks")
    daemon.call("memory.delete", scope=MINE, id=archived["memories"][0]["memory"]["id"])
    daemon.jump(1)

    for method, params in (("db.gc", {}), ("db.compact", {"force": True})):
        with pytest.raises(CallFailed, match="conflict") as failed:
            daemon.call(method, **params)
        assert "ash doctor --fix" in failed.value.data["hint"]
    assert daemon.call("memory.list", scope=MINE)["total"] == 0
    assert daemon.call("db.gc", dry_run=True)["archived"] == {"expired": 1}

    daemon.jump(0)
    assert daemon.call("db.gc")["archived"] == {}
    listed = daemon.call("memory.list", scope=MINE)["memories"]
    assert [one["id"] for one in listed] == [kept["memories"][0]["memory"]["id"]]
    daemon.jump(1)
    until(lambda: _is_warned(daemon))
    found = ash(daemon, "--socket", str(daemon.socket), "doctor", "--fix").stdout
    assert "acknowledged: clock_jumped" in found
    assert not _is_warned(daemon)
    assert daemon.call("db.gc")["archived"] == {"expired": 1}


@pytest.mark.parametrize("how", ["a call", "the daemon alone", "a restart", "a kill"])
def test_an_expired_grant_stays_expired_when_the_clock_goes_back(
    daemon: ClockDaemon, how: str
) -> None:
    """Its end was noticed, by whomever, and is stored."""
    made: dict[str, Any] = daemon.call("grant.create", scope=MINE, expires_in_s=3600)
    daemon.call("memory.list", at=made["socket"])
    if how in {"a call", "a kill"}:
        daemon.jump(2 * _DAY)
        with pytest.raises(CallFailed, match="grant_expired"):
            daemon.call("memory.list", at=made["socket"])
        if how == "a kill":
            daemon.kill()
    elif how == "a restart":
        daemon.stop()
        daemon.jump(2 * _DAY)
        daemon.start(wait_for="daemon_ready")
        daemon.stop()
    else:
        daemon.jump(2 * _DAY)
        until(lambda: not Path(made["socket"]).exists())

    daemon.jump(0)
    if daemon.process is None:
        daemon.start(wait_for="daemon_ready")

    (grant,) = daemon.call("grant.list", include_closed=True)["grants"]
    assert grant["state"] == "expired"
    until(lambda: not Path(made["socket"]).exists())
    _restart(daemon)
    assert not Path(made["socket"]).exists()
    assert daemon.call("grant.list")["grants"] == []


def test_a_key_is_known_while_the_clock_is_ahead(daemon: ClockDaemon) -> None:
    """A call repeated over a jump of years has no second effect."""
    pinned = {"scope": MINE, "content": "Be brief", "idempotency_key": "k"}
    first = daemon.call("override.add", **pinned)
    daemon.jump(3)
    until(lambda: _is_warned(daemon))

    assert daemon.call("override.add", **pinned) == first


def test_before_1970_everything_is_read(daemon: ClockDaemon) -> None:
    """Lists and searches are as ever."""
    daemon.call("memory.add", scope=MINE, content="The boat is in the harbour")
    daemon.jump(-70)

    assert daemon.call("memory.list", scope=MINE)["total"] == 1
    assert daemon.call("memory.search", scope=MINE, query="boat harbour")["results"]
    daemon.call("memory.add", scope=MINE, content="The oars are in the shed")
    assert daemon.call("memory.list", scope=MINE)["total"] == 2


def test_a_backup_from_the_future_is_not_the_newest(daemon: ClockDaemon, tmp_path: Path) -> None:
    """It is pruned first, and never in the place of one made at the right time."""
    folder = tmp_path / "backups"
    folder.mkdir()
    daemon.jump(1)
    ahead = daemon.call("db.backup", path=str(folder))["path"]
    os.utime(ahead, (4e9, 4e9))
    daemon.jump(0)

    made = daemon.call("db.backup", path=str(folder), keep=1)

    assert [str(path) for path in folder.iterdir()] == [made["path"]]
