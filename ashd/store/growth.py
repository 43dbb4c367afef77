"""Counts of stored rows by the day on which they were stored."""

from typing import Final, NamedTuple

from ashd.clock import DAY
from ashd.store.database import Tx

_KINDS: Final = ("memories", "messages")


class Day(NamedTuple):
    """Counts of the rows stored on a day (days since 1970, UTC) that still exist."""

    day: int
    memories: int
    messages: int


def by_day(tx: Tx, first: int) -> list[Day]:
    """Return each day since `first` on which something was stored, oldest first.

    The first entry is the sum of all earlier days, under the day before `first`.
    """
    counts = {kind: _counts(tx, kind, first) for kind in _KINDS}
    days = {first - 1, *(day for one in counts.values() for day in one)}
    return [Day(day, *(counts[kind].get(day, 0) for kind in _KINDS)) for day in sorted(days)]


def _counts(tx: Tx, kind: str, first: int) -> dict[int, int]:
    rows = tx.all(f"select max(created_at / {DAY}, ?), count(*) from {kind} group by 1", first - 1)
    return dict(rows)
