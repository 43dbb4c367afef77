"""Counts the language model's calls and tokens by task and day, for its ceiling and for statistics.

The counts are stored every moment, so a crash forgives at most that moment.
"""

from collections import Counter
from typing import Annotated, Literal

import msgspec

from ashd import errors, limits, log
from ashd.access.actor import Call
from ashd.clock import DAY, Clock
from ashd.prometheus_text import ModelCalls
from ashd.store import llm_usage
from ashd.store.database import Database
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
        self._today: dict[str, Counted] = {}
        self._changed: dict[tuple[int, str], Counted] = {}
        self.tokens: Counter[str] = Counter()
        """Tokens sent and received by each task since the start."""

    async def load(self) -> None:
        """Load the counts of the current day."""
        day = self._clock.now() // DAY
        stored = await self._db.read(lambda tx: llm_usage.of_day(tx, day))
        self._today = {entry.task: entry for entry in stored}

    @property
    def by_task(self) -> list[Counted]:
        """Return the usage of each task since midnight, UTC."""
        day = self._clock.now() // DAY
        return sorted(entry for entry in self._today.values() if entry.day == day)

    @property
    def tokens_today(self) -> int:
        """Tokens sent and received since midnight, UTC."""
        return sum(entry.sent + entry.received for entry in self.by_task)

    def count(self, task: str, sent: int, received: int) -> None:
        """Count one call that was answered."""
        day = self._clock.now() // DAY
        before = self._today.get(task)
        if before is None or before.day != day:
            before = Counted(day, task)
        entry = Counted(day, task, before.calls + 1, before.sent + sent, before.received + received)
        self._today[task] = self._changed[day, task] = entry
        self.tokens[task] += sent + received
        self.wake()

    async def flush(self) -> None:
        """Store the counts."""
        changed, self._changed = self._changed, {}
        if not changed:
            return
        try:
            await self._db.write(lambda tx: llm_usage.keep(tx, changed.values()), quiet=True)
        except errors.StorageError as error:
            self._changed = {**changed, **self._changed}
            log.warning("llm_usage_not_stored", reason=error.message)


async def count(
    usage: LlmUsage, calls: ModelCalls, db: Database, call: Call, params: CountParams
) -> CountResult:
    """Count the tokens of a completion that the caller made itself, as `ash chat` does."""
    usage.count(params.task, params.sent, params.received)
    calls.count(params.task, "ok")
    await db.write(call.record, quiet=True)
    return CountResult(usage.tokens_today)
