"""Counts of the times memories are returned, stored in the background so that no search waits."""

from collections import Counter

from ashd import errors, log
from ashd.access.actor import Call
from ashd.store import memories
from ashd.store.database import Database
from ashd.store.deferred_writes import DeferredWrites


class AccessCounts(DeferredWrites):
    """Counts returns by row number and stores the counts from time to time (A15)."""

    def __init__(self, db: Database, *, memory_on: bool = True) -> None:
        super().__init__()
        self._db = db
        self._memory_on = memory_on
        self._noted: Counter[int] = Counter()

    def note(self, call: Call, numbers: list[int]) -> None:
        """Count a return of these memories, unless a person looks or memory is switched off."""
        if numbers and self._memory_on and not call.is_a_persons_look:
            self._noted.update(numbers)
            self.wake()

    async def flush(self) -> None:
        """Store the counts."""
        noted, self._noted = self._noted, Counter()
        if not noted:
            return
        try:
            await self._db.write(lambda tx: memories.accessed(tx, noted), quiet=True)
        except errors.StorageError as error:
            log.warning("accesses_lost", count=noted.total(), reason=error.message)
