"""Counts the language model's calls and tokens by task and day, for its ceiling and for statistics.

The counts are stored every moment, so a crash forgives at most that moment.
"""

from collections import Counter
from functools import partial
from typing import Annotated, Literal

import msgspec

from ashd import errors, limits, log
from ashd.access.actor import Call
from ashd.clock import DAY, Clock
from ashd.prometheus_text import ModelCalls
from ashd.store import llm_usage
from ashd.store.database import Database, Tx
from ashd.store.deferred_writes import DeferredWrites
from ashd.store.llm_usage import Counted

_Tokens = Annotated[int, msgspec.Meta(ge=0, le=limits.LLM_TOKENS_PER_CALL)]


class CountParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One completion: its task, and the tokens that were sent and received."""

    task: Literal["chat"]
    sent: _Tokens
    received: _Tokens


class CountResult(msgspec.Struct, frozen=True):
    """Tokens of all tasks since midnight, UTC."""

    tokens_today: int


class LlmUsage(DeferredWrites):
    """The usage of the language model by each task on the current day."""

    def __init__(self, db: Database, clock: Clock) -> None:
        super().__init__()
        self._db = db
        self._clock = clock
        self._stored: dict[str, Counted] = {}
        """The counts of the last day that was looked at, by task; of all daemons."""
        self._new: list[Counted] = []
        """Calls that are not stored yet."""
        self.tokens: Counter[str] = Counter()
        """Tokens sent and received by each task since the start."""

    async def load(self) -> None:
        """Load the counts of the current day."""
        self._stored = await self._db.read(partial(_of_day, day=self._clock.now() // DAY))

    @property
    def by_task(self) -> list[Counted]:
        """Return the usage of each task since midnight, UTC."""
        day = self._clock.now() // DAY
        today = {task: entry for task, entry in self._stored.items() if entry.day == day}
        for entry in self._new:
            if entry.day == day:
                today[entry.task] = today.get(entry.task, Counted(day, entry.task)).plus(entry)
        return sorted(today.values())

    @property
    def tokens_today(self) -> int:
        """Tokens sent and received since midnight, UTC."""
        return sum(entry.sent + entry.received for entry in self.by_task)

    def count(self, task: str, sent: int, received: int) -> None:
        """Count one call that was answered."""
        self._new.append(Counted(self._clock.now() // DAY, task, 1, sent, received))
        self.tokens[task] += sent + received
        self.wake()

    async def flush(self) -> None:
        """Store the counts."""
        async with self._flushing:
            new = list(self._new)
            if not new:
                return
            day = self._clock.now() // DAY
            try:
                stored = await self._db.write(partial(_stored, new=new, day=day), quiet=True)
            except errors.StorageError as error:
                log.warning("llm_usage_not_stored", reason=error.message)
                return
            self._stored = stored
            del self._new[: len(new)]


def _stored(tx: Tx, *, new: list[Counted], day: int) -> dict[str, Counted]:
    """Add new calls to the counts; return all that are stored of a day."""
    llm_usage.add(tx, new)
    return _of_day(tx, day=day)


def _of_day(tx: Tx, *, day: int) -> dict[str, Counted]:
    return {entry.task: entry for entry in llm_usage.of_day(tx, day)}


async def count(
    usage: LlmUsage, calls: ModelCalls, db: Database, call: Call, params: CountParams
) -> CountResult:
    """Count the tokens of a completion that the caller made itself, as `ash chat` does."""
    usage.count(params.task, params.sent, params.received)
    calls.count(params.task, "ok")
    await db.write(call.record, quiet=True)
    return CountResult(usage.tokens_today)
