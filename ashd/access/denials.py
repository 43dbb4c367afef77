"""Denials in the audit: one row each, but only so many a minute, so that nobody floods it."""

from typing import Final

from ashd.access.call import Call
from ashd.clock import SECOND
from ashd.store.database import Database

PER_MINUTE: Final = 30
"""Rows a minute for each grant, and for all who showed no token together."""
LEFT_OUT: Final = "denials_left_out"
"""The outcome of the last row of a minute that had more denials than are written."""


class Denials:
    """Writes what was denied, each grant within its share."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._minutes: dict[tuple[str, str | None], tuple[int, int]] = {}

    async def record(self, call: Call, kind: str, now: int) -> None:
        """Write that a call was denied, with the error's kind as the outcome."""
        minute = now // (60 * SECOND)
        who = (call.actor.kind, call.actor.grant_id)
        began, count = self._minutes.get(who, (minute, 0))
        if began != minute:
            began, count = minute, 0
        self._minutes[who] = (began, count + 1)
        if count <= PER_MINUTE:
            outcome = kind if count < PER_MINUTE else LEFT_OUT
            await self._db.write(lambda tx: call.record(tx, outcome), quiet=True)
