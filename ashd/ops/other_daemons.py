"""Follow what other daemons on the same database do, as far as this one holds it in memory.

Every read notes what others have committed (`store.noted_commits`), so caches of rows need nothing
more. A part that holds something else registers under a topic, and is called when another daemon
has told of it (`Tx.tell`). One daemon leads: it does the periodic work of all.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import anyio

from ashd import errors, log
from ashd.store.database import Database, Tx

_LOOK_SECONDS: Final = 0.25
"""Seconds within which a revoked grant loses its connections at every daemon."""
_LEAD_SECONDS: Final = 5.0
"""Seconds after which another daemon takes over the lead of one that has gone."""

ReadAgain = Callable[[], Awaitable[None]]


class OtherDaemons:
    """Follows the other daemons. One for the daemon; where there are none, it does nothing."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._parts: dict[str, ReadAgain] = {}
        self._awaited: set[str] = set()
        """Topics for which calls wait; all others are dealt with in the background."""
        self._left: set[str] = set()
        """Topics that were told and not dealt with yet."""
        self._one_at_a_time = anyio.Lock()
        self._leads = anyio.Event()
        self._follows = anyio.Event()

    def on(self, topic: str, read_again: ReadAgain, *, is_awaited: bool = False) -> None:
        """Call a function when another daemon has told of a topic."""
        self._parts[topic] = read_again
        if is_awaited:
            self._awaited.add(topic)

    async def catch_up(self) -> None:
        """Return once all that is awaited of what others had committed before the call is done.

        Raises:
            errors.StorageError: the database does not answer.
        """
        if not self._db.is_shared:
            return
        await self._db.read(_nothing)
        # Another call may be dealing with what this one has seen: wait for it.
        async with self._one_at_a_time:
            self._left |= self._db.take_topics()
            await self._deal_with(self._left & self._awaited)

    async def _deal_with(self, topics: set[str]) -> None:
        for topic in topics & self._parts.keys():
            self._left.discard(topic)  # it may be told again meanwhile
            try:
                await self._parts[topic]()
            except BaseException:
                self._left.add(topic)
                raise

    async def run(self) -> None:
        """Follow the others, and take the lead when nobody has it, while the daemon runs."""
        if not self._db.is_shared:
            self._leads.set()
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._look)
            tasks.start_soon(self._look_later)
            tasks.start_soon(self._lead)

    async def _look(self) -> None:
        while True:
            with suppress(errors.StorageError):  # it has a warning; calls are refused meanwhile
                await self.catch_up()
            await anyio.sleep(_LOOK_SECONDS)

    async def _look_later(self) -> None:
        """Deal with what no call waits for, which may take long: an embedder to load."""
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            try:
                await self._deal_with(self._left - self._awaited)
            except errors.AshError as error:
                log.warning("other_daemons_wait", kind=error.kind, reason=error.message)

    async def _lead(self) -> None:
        while True:
            try:
                leads = await self._db.lead()
            except errors.StorageError:
                leads = False
            if leads and not self._leads.is_set():
                self._follows = anyio.Event()
                self._leads.set()
            elif not leads and self._leads.is_set():
                self._leads = anyio.Event()
                self._follows.set()
            await anyio.sleep(_LEAD_SECONDS)

    async def while_leading(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` whenever this daemon leads, until it returns."""
        while True:
            await self._leads.wait()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._cancel_when_following, tasks.cancel_scope)
                await work()
                tasks.cancel_scope.cancel()
                return

    async def _cancel_when_following(self, scope: anyio.CancelScope) -> None:
        await self._follows.wait()
        scope.cancel()


def _nothing(_tx: Tx) -> None:
    """Read nothing: a snapshot begins with what others have committed."""
