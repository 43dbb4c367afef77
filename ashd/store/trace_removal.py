"""Remove the traces of erasures: at the end of each, or later if something failed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import anyio

from ashd import errors, log
from ashd.store import erasure, slices, traces
from ashd.store.database import Database

_REPLIES_A_TIME: Final = 100


class TraceRemoval:
    """Removes the traces of erasures, one after the other. One for the daemon."""

    def __init__(self, db: Database, caches: Sequence[Callable[[], None]], left: int) -> None:
        """`caches` are functions, each of which empties a cache of texts; `left` is of a crash."""
        self._db = db
        self._caches = caches
        self._one_at_a_time = anyio.Lock()
        self._left = left
        """Erasures that are not in progress any more, with traces that are not removed yet."""
        self._is_left = anyio.Event()

    @contextmanager
    def later_on_failure(self) -> Iterator[None]:
        """Remove the traces in the background, if the block fails: of an erasure that has begun."""
        try:
            yield
        except BaseException:
            self._left += 1
            self._is_left.set()
            raise

    async def empty_replies(self) -> int:
        """Erase the text of all stored replies, in parts; return how many there were."""
        part = partial(erasure.erase_replies, limit=_REPLIES_A_TIME)
        return await slices.until_none(self._db, part)

    async def remove(self, erasures: int = 1) -> None:
        """Remove every word of erased rows from memory, the index of words, pages and the log.

        Raises:
            errors.StorageError: words may be left. The log has the cause.
        """
        try:
            async with self._one_at_a_time:
                await traces.remove(self._db)
            # Only now does no reader see the rows any more, who could fill a cache with them again.
            for empty in self._caches:
                empty()
            await self._db.write(partial(traces.note_removed, erasures=erasures), quiet=True)
        except Exception as error:
            log.error("traces_left", error=type(error).__name__, at=log.place_of(error))
            raise errors.StorageError(
                "The rows are erased, but words of them may still be in the database's files.",
                "Repeat the call with its idempotency_key for the receipt. The daemon goes on"
                " removing the words by itself; its log says what failed (traces_left).",
            ) from error

    async def run(self) -> None:
        """Remove what erasures left that a crash interrupted, and those that fail from now on."""
        while True:
            if left := self._left:
                await self.empty_replies()
                await self.remove(left)
                self._left -= left
            else:
                self._is_left = anyio.Event()
                await self._is_left.wait()
