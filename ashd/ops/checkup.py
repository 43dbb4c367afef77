"""Look for damage once a day and on suspicion; rebuild damaged tables that are derived.

Tables with people's own data are never changed: lost data can only be restored from a backup.
"""

from typing import Final

import anyio
import anyio.from_thread
import anyio.to_thread

from ashd import log
from ashd.clock import Clock
from ashd.conversation.summary_text import stored_as_text
from ashd.ops.progress import Progress
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.passage_reindexing import reindex
from ashd.store import checking, damage, index_rows
from ashd.store.checking import Examined
from ashd.store.damage import Hurt
from ashd.store.database import Database
from ashd.store.health import INDEX_REBUILDING, Warned

_FIRST_SECONDS: Final = 20.0
"""Seconds from the daemon's start to its first look for damage."""
_EVERY_SECONDS: Final = 24 * 3600.0
_AT_LEAST_SECONDS: Final = 30.0
"""Seconds between two looks, so that damage that cannot be repaired is not examined endlessly."""


class Checkup:
    """Examines and repairs the database. One for the daemon."""

    def __init__(
        self, db: Database, clock: Clock, embeddings: CurrentEmbedder, progress: Progress
    ) -> None:
        self._db = db
        self._clock = clock
        self._embeddings = embeddings
        self._progress = progress
        embeddings.misfit = self.suspect
        self._suspected = anyio.Event()
        self._one_at_a_time = anyio.Lock()

    def suspect(self) -> None:
        """Look soon, since something read was damaged."""
        self._suspected.set()

    async def run(self) -> None:
        """Look for damage and repair it, for as long as the daemon runs."""
        self._db.health.watch(self.suspect)
        wait = _FIRST_SECONDS
        while True:
            with anyio.move_on_after(wait):
                await self._suspected.wait()
            self._suspected = anyio.Event()
            await self.repair()
            await anyio.sleep(_AT_LEAST_SECONDS)
            wait = _EVERY_SECONDS

    async def examine(self) -> Examined:
        """Look at every page, row and index.

        Raises:
            errors.StorageError: the disk failed, or the damage hides everything.
        """
        if self._db.file is None:
            return await anyio.to_thread.run_sync(self._examine_index)
        return await anyio.to_thread.run_sync(
            checking.examine,
            self._db.file.long_read,
            self._clock,
            anyio.from_thread.check_cancelled,
            self._db.health,
        )

    def _examine_index(self) -> Examined:
        """Compare the index with the texts; the pages are the server's to check."""
        with self._db.snapshot() as tx:
            return Examined(Hurt(), index_rows.unfit(tx))

    async def repair(self) -> Examined:
        """Rebuild damaged derived data; return the findings from before the repair.

        Raises:
            errors.StorageError: the disk failed, or the damage hides everything.
        """
        async with self._one_at_a_time:
            found = await self._repair_tables()
            if found.hurt.by_disk:
                return found
            if found.hurt.is_repairable and not found.is_sound:
                await self._reindex(found)
            if found.is_sound or (found.hurt.is_repairable and (await self.examine()).is_sound):
                self._db.health.sound()
            else:
                self._db.health.warn(_damaged(found))
            return found

    async def mend(self) -> bool:
        """Make possible repairs; return whether nothing is damaged now.

        Raises:
            errors.StorageError: the disk failed, or the damage hides everything.
        """
        return (await self.repair()).hurt.is_repairable

    async def reindex(self) -> int:
        """Rebuild index rows that do not fit their texts; return their number.

        Raises:
            errors.StorageError: the disk failed.
        """
        async with self._one_at_a_time:
            return await self._reindex(await self._repair_tables())

    async def _repair_tables(self) -> Examined:
        found = await self.examine()
        if found.hurt and found.hurt.is_repairable:
            await self._db.alone(lambda tx: damage.repair(tx.connection, found.hurt))
            await self._db.write(lambda _tx: None)  # cached entries may be of rows that are gone
        return found

    async def _reindex(self, found: Examined) -> int:
        if not found.is_sound:
            self._db.health.warn(INDEX_REBUILDING)
        try:
            with self._progress.of("reindex") as show:
                changed = await reindex(self._db, show, stored_as_text)
        finally:
            self._db.health.clear(INDEX_REBUILDING.name)
        if changed:
            log.info("index_rebuilt", rows=changed)
        self._embeddings.wake()
        return changed


def _damaged(found: Examined) -> Warned:
    names = ", ".join(sorted(found.hurt.tables)) or "an index"
    return Warned(
        "database_damaged",
        f"Pages of the database are damaged, in: {names}.",
        "Stop the daemon; `ash doctor --offline` says how `ash db rescue` saves what can be read"
        " and `ash db restore` puts the newest backup in the database's place.",
    )
