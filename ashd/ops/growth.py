"""`db.growth`: how much was stored day by day, for the operator."""

from typing import Annotated

import msgspec

from ashd import limits
from ashd.clock import DAY, from_micros
from ashd.store import growth
from ashd.store.database import Database


class GrowthParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number of days, up to today."""

    days: Annotated[int, msgspec.Meta(ge=1, le=limits.GROWTH_DAYS)] = 90


class Stored(msgspec.Struct, frozen=True):
    """Memories and messages that were stored on a day (UTC) and still are."""

    date: str
    memories: int
    messages: int


class GrowthResult(msgspec.Struct, frozen=True):
    """Each day on which something was stored, oldest first; `before` is the sum before them."""

    before: Stored
    days: list[Stored]


async def growth_of(db: Database, params: GrowthParams) -> GrowthResult:
    """Return what was stored in the last days."""
    before, *days = await db.read(lambda tx: growth.by_day(tx, tx.now // DAY - params.days + 1))
    return GrowthResult(_view(before), [_view(day) for day in days])


def _view(day: growth.Day) -> Stored:
    return Stored(from_micros(day.day * DAY).date().isoformat(), day.memories, day.messages)
