"""Which memories were returned to a reader: counted aside, so that no search waits for the disk."""

from ashd import errors, log
from ashd.store import memories
from ashd.store.aside import Aside
from ashd.store.database import Database


class Accesses(Aside):
    """Collects row numbers and writes them down now and then (A15)."""

    def __init__(self, db: Database, *, memory_on: bool = True) -> None:
        super().__init__()
        self._db = db
        self._memory_on = memory_on
        self._noted: list[int] = []

    def note(self, numbers: list[int]) -> None:
        """These were returned; while memory is off nobody keeps that."""
        if numbers and self._memory_on:
            self._noted += numbers
            self.wake()

    async def flush(self) -> None:
        """Write down what was noted."""
        noted, self._noted = self._noted, []
        if not noted:
            return
        try:
            await self._db.write(lambda tx: memories.accessed(tx, noted), quiet=True)
        except errors.StorageError as error:
            log.warning("accesses_lost", count=len(noted), reason=error.message)
