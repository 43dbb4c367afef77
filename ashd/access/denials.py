"""Denials in the audit: one row each, but only so many a minute, so that nobody floods it."""

from typing import Final

from ashd.access.call import Call
from ashd.clock import SECOND
from ashd.store.database import Database

PER_MINUTE: Final = 30
"""Rows a minute for each grant; what is more is counted and told with the next row."""


class Denials:
    """Writes what was denied, each grant within its share."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._minutes: dict[str | None, tuple[int, int]] = {}

    async def record(self, call: Call, kind: str, now: int) -> None:
        """Write that a call was denied, with the error's kind as the outcome."""
        minute = now // (60 * SECOND)
        grant = call.actor.grant_id
        began, count = self._minutes.get(grant, (minute, 0))
        if began != minute:
            began, count = minute, 0
        self._minutes[grant] = (began, count + 1)
        if count < PER_MINUTE:
            await self._db.write(lambda tx: call.record(tx, kind), quiet=True)
        elif count == PER_MINUTE:
            await self._db.write(lambda tx: call.record(tx, f"{kind}, and more"), quiet=True)
