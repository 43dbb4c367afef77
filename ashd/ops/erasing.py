"""Erase rows by number, in slices: the part that every kind of erasure has in common.

A memory or a message is erased whole or not at all, so an interrupted erasure is finished by
repeating the call. At its end no stored reply and no log holds a word of it; after an error or a
crash before that end, the daemon removes the traces in the background.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from ashd.access.actor import Call
from ashd.memory import erase as memory_erase
from ashd.ops.backup import Backups
from ashd.ops.progress import Progress
from ashd.ops.receipt import Receipt, receipt
from ashd.ops.resumable import Resumable
from ashd.store import conversations, erasure, memories, passages, slices, summaries, traces
from ashd.store.database import Database
from ashd.store.trace_removal import TraceRemoval
from ashd.store.transaction import Tx


@dataclass(frozen=True, slots=True)
class Target:
    """The rows to erase, as row numbers."""

    memories: list[int] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    conversations: list[int] = field(default_factory=list)
    people: list[int] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to erase in slices."""
        return not (self.memories or self.messages or self.conversations)


class Erasing:
    """Erases rows for good."""

    def __init__(
        self,
        db: Database,
        backups: Backups,
        progress: Progress,
        removal: TraceRemoval,
    ) -> None:
        self.db = db
        self.traces = removal
        self._backups = backups
        self._progress = progress

    @asynccontextmanager
    async def begun(self, call: Call, progress: Resumable) -> AsyncIterator[None]:
        """Record the call, and that traces will have to be removed, before any row is erased.

        They are removed in the background if the block fails.
        """
        await self.db.write(partial(_begin, call=call, progress=progress), quiet=True)
        with self.traces.later_on_failure():
            yield

    async def all_of(self, name: str, find: Callable[[Tx], Target], progress: Resumable) -> None:
        """Erase what `find` finds until it finds nothing: others may write meanwhile."""
        with self._progress.of(name) as show:
            while not (target := await self.db.read(find)).is_empty:
                await self._slices(target, progress, show)

    async def these(self, name: str, target: Target, progress: Resumable) -> None:
        """Erase the memories, messages and conversations of a target."""
        with self._progress.of(name) as show:
            await self._slices(target, progress, show)

    async def _slices(
        self, target: Target, progress: Resumable, show: Callable[[int, int], None]
    ) -> None:
        for numbers, erase in (
            (target.memories, memory_erase.erase_memory),
            (target.messages, _erase_message),
            (target.conversations, _erase_conversation),
        ):
            await slices.run(self.db, numbers, erase, show, scoped=True, note=progress.note)

    async def finish(self, progress: Resumable) -> None:
        """Empty the stored replies, the index of words and the log, once the rows are gone."""
        gone = await self.traces.empty_replies()
        await self.db.write(lambda tx: progress.note(tx, Counter({"replies": gone})), quiet=True)
        await self.traces.remove()

    async def receipt(self, rows: Counter[str]) -> Receipt:
        """Return the receipt for rows that were erased, or that would be."""
        return receipt(rows, await self.db.read(self._backups.listed))


def _begin(tx: Tx, *, call: Call, progress: Resumable) -> None:
    call.record(tx)
    traces.note_left(tx)
    progress.note(tx)


def found(tx: Tx, target: Target) -> Counter[str]:
    """Count the rows that erasing would remove."""
    counted = memory_erase.found(tx, target.memories, target.people)
    counted += erasure.rows_of(tx, "entity", target.entities)
    counted += erasure.derived(tx, passages.MESSAGE, target.messages, erase=False)
    counted += erasure.indexed(tx, passages.MESSAGE, target.messages)
    counted += erasure.rows_of(tx, "message", target.messages)
    counted["summaries"] += len(summaries.covering(tx, target.messages))
    counted += erasure.rows_of(tx, "conversation", target.conversations)
    texts = [
        *memories.texts(tx, target.memories).values(),
        *conversations.texts(tx, target.messages),
    ]
    counted["jobs"] += len(erasure.jobs_with(tx, texts))
    counted["replies"] += erasure.replies_with_text(tx)
    return +counted


def _erase_message(tx: Tx, number: int) -> Counter[str]:
    conversations.touch(tx, number)
    gone = erasure.derived(tx, passages.MESSAGE, [number], erase=True)
    gone += erasure.erase_jobs(tx, erasure.jobs_with(tx, conversations.texts(tx, [number])))
    gone["summaries"] += summaries.remove_covering(tx, [number])
    gone += erasure.erase_indexed(tx, passages.MESSAGE, number)
    return gone + erasure.erase_rows(tx, "message", [number])


def _erase_conversation(tx: Tx, number: int) -> Counter[str]:
    """Erase a conversation once no message of it is left."""
    if conversations.message_count(tx, number):
        return Counter()
    return erasure.erase_rows(tx, "conversation", [number])
