"""Denials in the audit: one row each, limited per minute, so that nobody floods the audit."""

from collections import Counter
from typing import Final

from ashd.access.actor import Call
from ashd.clock import SECOND
from ashd.store.database import Database

PER_MINUTE: Final = 30
"""Rows a minute for each grant, and for all connections without a valid token together."""
LEFT_OUT: Final = "denials_left_out"
"""The outcome of a minute's last row, if there were more denials than rows."""


class Denials:
    """Writes denials to the audit, limited for each grant."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._minute = 0
        self._counts: Counter[tuple[str, str | None]] = Counter()
        """The number of denials in this minute, by grant."""

    async def record(self, call: Call, kind: str, now: int) -> None:
        """Write a denial, with the error's kind as the outcome."""
        minute = now // (60 * SECOND)
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        who = (call.actor.kind, call.actor.grant_id)
        count = self._counts[who]
        self._counts[who] += 1
        if count <= PER_MINUTE:
            outcome = kind if count < PER_MINUTE else LEFT_OUT
            await self._db.write(lambda tx: call.record(tx, outcome), quiet=True)
