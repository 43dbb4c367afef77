"""`db.stats` and `db.growth`: how much is stored, and on which days, for the operator."""

from typing import Annotated

import msgspec

from ashd import limits
from ashd.clock import DAY, from_micros
from ashd.ops.llm_status import TaskUsage
from ashd.ops.llm_usage import LlmUsage
from ashd.store import growth, llm_usage, meta
from ashd.store.database import Database


class GrowthParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number of days, up to today."""

    days: Annotated[int, msgspec.Meta(ge=1, le=limits.GROWTH_DAYS)] = 90


class Stored(msgspec.Struct, frozen=True):
    """Memories and messages that were stored on a day (UTC) and still exist."""

    date: str
    memories: int
    messages: int


class GrowthResult(msgspec.Struct, frozen=True):
    """Each day on which something was stored, oldest first; `before` is the sum of earlier days."""

    before: Stored
    days: list[Stored]


class StatsResult(msgspec.Struct, frozen=True):
    """The database's contents: rows of each kind, and bytes."""

    counts: dict[str, int]
    language_model: list[TaskUsage]
    """Calls and tokens of the language model in the last 400 days."""


async def stats(usage: LlmUsage, db: Database) -> StatsResult:
    """Count what the database holds."""
    await usage.flush()
    counts, used = await db.read(lambda tx: (meta.table_counts(tx), llm_usage.totals(tx)))
    return StatsResult(
        counts, [TaskUsage(one.task, one.calls, one.sent, one.received) for one in used]
    )


async def growth_of(db: Database, params: GrowthParams) -> GrowthResult:
    """Count what was stored on each of the last days."""
    before, *days = await db.read(lambda tx: growth.by_day(tx, tx.now // DAY - params.days + 1))
    return GrowthResult(_view(before), [_view(day) for day in days])


def _view(day: growth.Day) -> Stored:
    return Stored(from_micros(day.day * DAY).date().isoformat(), day.memories, day.messages)
