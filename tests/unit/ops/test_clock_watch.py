"""The watch over the clock, and what waits while the clock is in doubt. Budget: 10 s."""

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from services import NOON, House, call_of, house

from ashd import errors
from ashd.clock import DAY, HOUR, MINUTE
from ashd.config import Memory
from ashd.conversation import summary_jobs
from ashd.erasure import cleanup
from ashd.erasure.cleanup import Cleanup, GcParams
from ashd.erasure.engine import Erasing
from ashd.ops import clock_watch
from ashd.ops.backup import Backups
from ashd.ops.clock_watch import BOUND, ClockWatch, Doubt, Moment, judge
from ashd.ops.progress import Progress
from ashd.store import jobs
from ashd.store.erasure.traces import TraceRemoval

YEAR = 365 * DAY
TRUSTED = Moment(NOON, "boot", HOUR)


def _later(elapsed: int, *, off: int = 0, boot: str = "boot") -> Moment:
    return Moment(NOON + elapsed + off, boot, HOUR + elapsed)


@pytest.mark.parametrize("elapsed", [0, MINUTE, 400 * DAY])
@pytest.mark.parametrize("off", [0, BOUND, -BOUND])
def test_a_clock_that_agrees_is_trusted(elapsed: int, off: int) -> None:
    """However long nobody looked: time passes in standby too."""
    assert judge(TRUSTED, None, _later(elapsed, off=off)) is None
    assert judge(TRUSTED, Doubt(NOON, NOON + DAY), _later(elapsed, off=off)) is None


@pytest.mark.parametrize("off", [BOUND + 1, -BOUND - 1, YEAR, -YEAR])
def test_a_jump_is_in_doubt(off: int) -> None:
    """In both directions, beyond the bound."""
    now = _later(DAY, off=off)
    assert judge(TRUSTED, None, now) == Doubt(NOON + DAY, now.wall)


def test_after_a_boot_the_clock_is_not_behind() -> None:
    """How long the machine was off is unknown, but time does not go back."""
    assert judge(TRUSTED, None, Moment(NOON + YEAR, "next", 0)) is None
    assert judge(TRUSTED, None, Moment(NOON - BOUND, "next", 0)) is None
    behind = Moment(NOON - DAY, "next", 0)
    assert judge(TRUSTED, None, behind) == Doubt(NOON, NOON - DAY)


def test_a_clock_that_was_ahead_before_a_boot_still_is() -> None:
    """Until it is back before the time to which it jumped."""
    ahead = Doubt(NOON, NOON + YEAR)
    assert judge(TRUSTED, ahead, Moment(NOON + YEAR + HOUR, "next", 0)) == ahead
    assert judge(TRUSTED, ahead, Moment(NOON + DAY, "next", 0)) is None
    behind = Doubt(NOON, NOON - YEAR)
    assert judge(TRUSTED, behind, Moment(NOON + HOUR, "next", 0)) is None


@pytest.fixture
async def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    """The services, on a machine that was booted an hour ago and whose time stands still."""
    stands = SimpleNamespace(clock_gettime_ns=lambda _: HOUR * 1000, CLOCK_BOOTTIME=7)
    monkeypatch.setattr(clock_watch, "time", stands)
    async with house(tmp_path) as made:
        yield made


def _cleanup(home: House, watch: ClockWatch) -> Cleanup:
    backups = cast("Backups", None)
    erasing = Erasing(home.db, backups, Progress(), TraceRemoval(home.db, [], 0))
    return Cleanup(erasing, Memory(), Progress(), watch)


async def test_clean_up_waits_for_a_clock_that_is_right(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On its schedule and on demand; confirmed, it goes on."""
    watch = await ClockWatch.started(home.db, home.clock)
    await home.add("The lease ends soon", expires_in_days=30)
    clean = _cleanup(home, watch)
    monkeypatch.setattr(cleanup, "_LOOK_EVERY_SECONDS", 0.01)
    home.clock.pass_by(days=365)

    with anyio.move_on_after(0.3):
        await clean.run()
    with pytest.raises(errors.Conflict):
        await clean.gc(call_of("u"), GcParams())
    home.clock.pass_by(days=-365)
    assert (await clean.gc(call_of("u"), GcParams())).archived == {}
    assert await home.listed() == ["The lease ends soon"]

    home.clock.pass_by(days=365)
    await watch.look()
    assert watch.is_in_doubt
    await watch.confirm()
    assert (await clean.gc(call_of("u"), GcParams())).archived == {"expired": 1}


async def test_no_age_is_told_from_a_clock_in_doubt(home: House) -> None:
    """Keys stay known; no summary is over."""
    watch = await ClockWatch.started(home.db, home.clock)
    assert await home.db.read(lambda tx: tx.before(DAY)) == NOON - DAY
    home.clock.pass_by(days=365)
    await watch.look()

    assert await home.db.read(lambda tx: tx.before(DAY)) < 0
    removed: list[Any] = []

    def remove(*given: Any) -> int:
        removed.append(given)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary_jobs.summaries, "remove_ended", remove)
        await home.db.write(summary_jobs._remove_ended)
        assert removed == []
        home.clock.pass_by(days=-365)
        await watch.look()
        await home.db.write(summary_jobs._remove_ended)
    assert len(removed) == 1


async def test_the_doubt_outlives_the_daemon(home: House) -> None:
    """A second watch on the database knows what the first one saw."""
    watch = await ClockWatch.started(home.db, home.clock)
    home.clock.pass_by(days=365)
    await watch.look()

    again = await ClockWatch.started(home.db, home.clock)

    assert again.is_in_doubt
    home.clock.pass_by(days=-365)
    await again.look()
    assert not again.is_in_doubt
    assert not (await ClockWatch.started(home.db, home.clock)).is_in_doubt


async def test_jobs_do_not_wait_for_a_clock_that_was_ahead(home: House) -> None:
    """What was put off by the wrong clock runs by the right one."""
    watch = await ClockWatch.started(home.db, home.clock)
    await home.db.write(
        lambda tx: jobs.put(
            tx, kind="k", key="k", owner="o", payload={}, not_before=tx.now + 100 * DAY
        )
    )
    home.clock.pass_by(days=-365)
    await watch.look()

    (job,) = await home.db.read(lambda tx: tx.all("select not_before from jobs"))

    assert job[0] == home.clock.now()


async def test_one_line_and_one_warning(home: House, capsys: pytest.CaptureFixture[str]) -> None:
    """However often it is looked at."""
    watch = await ClockWatch.started(home.db, home.clock)
    home.clock.pass_by(days=-2)
    for _ in range(3):
        await watch.look()

    assert capsys.readouterr().err.count("clock_jumped") == 1
    (warned,) = home.db.health.warnings()
    assert "back by 2 days" in warned.detail
