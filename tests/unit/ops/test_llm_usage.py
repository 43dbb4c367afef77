"""Use of the language model: today's for its ceiling, and the counter that never falls."""

from pathlib import Path

import anyio
import anyio.lowlevel
from services import NOON, FixedClock, house

from ashd.clock import DAY
from ashd.ops.llm_usage import LlmUsage
from ashd.store import llm_usage


async def test_midnight_ends_the_day_but_no_counter(tmp_path: Path) -> None:
    """The ceiling begins anew, what the metrics count goes on; a restart begins anew, too."""
    clock = FixedClock(NOON)
    async with house(tmp_path) as at:
        usage = LlmUsage(at.db, clock)
        usage.count("plan_search", 30, 12)
        clock.at += DAY
        before = usage.tokens_today
        usage.count("plan_search", 1, 2)
        await usage.flush()
        again = LlmUsage(at.db, clock)
        await again.load()

    assert (before, usage.tokens_today) == (0, 3)
    assert usage.tokens == {"plan_search": 45}
    assert (again.tokens_today, again.tokens) == (3, {})


async def test_daemons_add_to_the_same_counts(tmp_path: Path) -> None:
    """None overwrites what another has counted, and each takes over the sum."""
    clock = FixedClock(NOON)
    async with house(tmp_path) as at:
        one, other = LlmUsage(at.db, clock), LlmUsage(at.db, clock)
        one.count("plan_search", 30, 12)
        other.count("plan_search", 1, 2)
        other.count("summarise", 5, 5)
        await other.flush()
        await one.flush()

    assert (one.tokens_today, other.tokens_today) == (55, 13)


async def test_calls_that_are_stored_twice_at_a_time_count_once(tmp_path: Path) -> None:
    """The daemon's end stores them, too, while the background does."""
    async with house(tmp_path) as at:
        usage = LlmUsage(at.db, FixedClock(NOON))
        usage.count("plan_search", 30, 12)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(usage.flush)
            tasks.start_soon(usage.flush)
            await anyio.lowlevel.checkpoint()
            usage.count("plan_search", 1, 2)
        await usage.flush()

    assert usage.tokens_today == 45


async def test_a_clock_in_doubt_drops_no_counts(tmp_path: Path) -> None:
    """A clock that went ahead by years makes all counts old; once it is trusted, they are."""
    clock = FixedClock(NOON)
    kept = []
    async with house(tmp_path, clock) as at:
        usage = LlmUsage(at.db, clock)
        usage.count("plan_search", 30, 12)
        await usage.flush()
        clock.pass_by(days=500)
        for doubt in (True, False):
            at.db.clock_in_doubt = doubt
            usage.count("plan_search", 1, 2)
            await usage.flush()
            kept.append([one.sent for one in await at.db.read(llm_usage.totals)])

    assert [[31], [2]] == kept


def test_counts_of_a_day_are_summed_up_each() -> None:
    """Calls, tokens sent and tokens received."""
    one, other = llm_usage.Counted(3, "t", 1, 20, 300), llm_usage.Counted(3, "t", 4, 50, 600)

    assert one.plus(other) == llm_usage.Counted(3, "t", 5, 70, 900)
