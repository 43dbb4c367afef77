"""Daemons on one server compare their clocks with the server's, which they have in common."""

import time
from pathlib import Path

import pytest
from server_databases import opened, warnings
from services import FixedClock

from ashd import errors
from ashd.clock import DAY, MINUTE, SECOND
from ashd.ops.clock_watch import BOUND, ClockWatch, Doubt, differs

THEN = 1_000 * DAY


class _Off(FixedClock):
    """A clock that is off by some microseconds."""

    off = 0

    def now(self) -> int:
        """The wrong time."""
        return time.time_ns() // 1_000 + self.off


def test_the_time_of_the_answer_is_no_difference() -> None:
    """The server may have looked at its clock at any moment of a slow call."""
    assert differs(THEN, THEN - BOUND - MINUTE, THEN) is None
    assert differs(THEN, THEN, THEN + BOUND + MINUTE) is None
    assert differs(THEN, THEN + BOUND + 1, THEN + BOUND + 2) == Doubt(THEN, THEN + BOUND + 2)
    assert differs(THEN, THEN - BOUND - 2, THEN - BOUND - 1) == Doubt(THEN, THEN - BOUND - 1)


@pytest.mark.parametrize("off", [BOUND + MINUTE, -BOUND - MINUTE, 400 * DAY])
async def test_a_clock_that_differs_is_said_and_cleans_nothing_up(
    url: str, tmp_path: Path, off: int
) -> None:
    """Until it agrees; a mark that another machine left says nothing about it."""
    clock = _Off()
    with opened(url, tmp_path) as db, opened(url, tmp_path) as other:
        await ClockWatch.started(other, _Off())
        clock.off = off
        watch = await ClockWatch.started(db, clock)
        assert warnings(db) == {"clock_differs"}
        assert db.clock_in_doubt
        with pytest.raises(errors.Conflict, match="server's"):
            await watch.require_certain()

        after = await ClockWatch.started(other, _Off())
        assert warnings(other) == set()
        assert not after.is_in_doubt

        clock.off = SECOND
        await watch.require_certain()
        assert warnings(db) == set()
