"""Which memories were returned to a reader: counted aside, so that no search waits for the disk."""

from typing import Final

import anyio

from ashd import errors, log
from ashd.store import memories
from ashd.store.database import Database

_EVERY_SECONDS: Final = 0.5


class Accesses:
    """Collects row numbers and writes them down now and then (A15)."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._noted: list[int] = []
        self._wake = anyio.Event()

    def note(self, numbers: list[int]) -> None:
        """These were returned."""
        if numbers:
            self._noted += numbers
            self._wake.set()

    async def run(self) -> None:
        """Write down what was noted, for as long as the daemon runs."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await anyio.sleep(_EVERY_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        """Write down what was noted; a disk that is full costs the count, not the daemon."""
        noted, self._noted = self._noted, []
        if not noted:
            return
        try:
            await self._db.write(lambda tx: memories.accessed(tx, noted), quiet=True)
        except errors.StorageError as error:
            log.warning("accesses_lost", count=len(noted), reason=error.message)
