"""Audit rows for lists of everybody's data: one row when a program begins to list."""

from typing import Final

from ashd.access.actor import Call
from ashd.clock import SECOND
from ashd.store.database import Database

OUTCOME: Final = "all_scopes"
_SAME_LOOK: Final = 600 * SECOND
"""The time within which the same list for the same program and user is the same look."""


class Looks:
    """Writes looks to the audit; a program that asks again and again does not flood it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._recorded_at: dict[tuple[str, int | None, str], int] = {}
        """The last row of each program's name, user and method."""

    async def record(self, call: Call, now: int) -> None:
        """Write a row, unless this look has one."""
        key = (call.actor.name, call.actor.peer.uid, call.method)
        at = self._recorded_at.get(key)
        if at is None or not at <= now < at + _SAME_LOOK:
            await self._db.write(lambda tx: call.record(tx, OUTCOME), quiet=True)
            self._recorded_at[key] = now
