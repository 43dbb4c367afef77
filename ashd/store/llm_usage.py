"""Calls and tokens of the language model by day and task."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from ashd.clock import DAY
from ashd.store.database import Tx

_DAYS: Final = 400


class Counted(NamedTuple):
    """Calls of a task on a day (days since 1970, UTC), and the tokens that they took."""

    day: int
    task: str
    calls: int = 0
    sent: int = 0
    received: int = 0

    def plus(self, other: "Counted") -> "Counted":
        """Return the sum of two counts of the same day and task."""
        return self._replace(
            calls=self.calls + other.calls,
            sent=self.sent + other.sent,
            received=self.received + other.received,
        )


def of_day(tx: Tx, day: int) -> list[Counted]:
    """Return every task of a day."""
    rows = tx.all(
        "select day, task, calls, sent_tokens, received_tokens from llm_usage where day = ?", day
    )
    return [Counted(*row) for row in rows]


def totals(tx: Tx) -> list[Counted]:
    """Return every task over all stored days; `day` is the first of them."""
    rows = tx.all(
        "select min(day), task, sum(calls), sum(sent_tokens), sum(received_tokens)"
        " from llm_usage group by task order by task"
    )
    return [Counted(*row) for row in rows]


def add(tx: Tx, counted: Iterable[Counted]) -> None:
    """Add to the counts of these days and tasks; drop those older than 400 days.

    While the clock is in doubt, none is dropped.
    """
    for entry in counted:
        tx.run(
            "insert into llm_usage (day, task, calls, sent_tokens, received_tokens)"
            " values (?, ?, ?, ?, ?) on conflict (day, task) do update set"
            " calls = llm_usage.calls + excluded.calls,"
            " sent_tokens = llm_usage.sent_tokens + excluded.sent_tokens,"
            " received_tokens = llm_usage.received_tokens + excluded.received_tokens",
            *entry,
        )
    tx.run("delete from llm_usage where day < ?", tx.before(_DAYS * DAY) // DAY)
