"""Audit rows that any caller can cause, limited per minute, so that nobody floods the audit."""

from collections import Counter
from typing import Final

from ashd.access.actor import Call
from ashd.clock import SECOND
from ashd.store.database import Database

PER_MINUTE: Final = 30
"""Rows a minute for each grant, and for all connections without a valid token together."""


class LimitedRows:
    """Writes rows of one kind, denials or looks, to the audit, limited for each grant."""

    def __init__(self, db: Database, left_out: str) -> None:
        """`left_out` is the outcome of a minute's last row, if more were due."""
        self._db = db
        self._left_out = left_out
        self._minute = 0
        self._counts: Counter[tuple[str, str | None]] = Counter()
        """The number of rows that were due in this minute, by grant."""

    async def record(self, call: Call, outcome: str, now: int) -> None:
        """Write a row: the error's kind, or `all_scopes`, as the outcome."""
        minute = now // (60 * SECOND)
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        who = (call.actor.kind, call.actor.grant_id)
        count = self._counts[who]
        self._counts[who] += 1
        if count <= PER_MINUTE:
            written = outcome if count < PER_MINUTE else self._left_out
            await self._db.write(lambda tx: call.record(tx, written), quiet=True)
