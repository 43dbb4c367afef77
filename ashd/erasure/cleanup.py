"""Clean-up and compaction: `db.gc`, `db.compact`, and the schedule.

Clean-up archives superseded, expired and faded memories, and those beyond an owner's cap; it
removes rows past their time: stored replies, counts of past days, old audit rows, closed grants,
vectors without a text. It deletes no memory; compaction does, on request. Both work in slices, each
a whole, and continue after an interruption, because what is due is looked up anew.
"""

from collections import Counter
from functools import partial
from typing import Annotated, Final

import anyio
import msgspec

from ashd import errors, limits, log
from ashd.access.actor import Call
from ashd.clock import DAY
from ashd.config import Memory as Settings
from ashd.erasure import walk
from ashd.erasure.engine import Erasing, Receipt
from ashd.erasure.resumable import Resumable
from ashd.erasure.walk import Selection
from ashd.erasure.withdraw import archive_one
from ashd.memory import status_changes
from ashd.ops.clock_watch import ClockWatch
from ashd.ops.progress import Progress
from ashd.store import cleanup, memories, slices
from ashd.store.cleanup import Due
from ashd.store.database import Database
from ashd.store.erasure import rows
from ashd.store.erasure.rows import Rows
from ashd.store.transaction import Tx

_LOOK_EVERY_SECONDS: Final = 600.0
"""Seconds between looks at the schedule; the first is that long after the start."""
_EVERY_HOURS: Final = 24.0
_ROWS_A_TIME: Final = 200
_LISTED: Final = 1_000


class GcParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """With `dry_run` nothing is changed."""

    dry_run: bool = False


class Archived(msgspec.Struct, frozen=True):
    """A memory whose state changed, and why."""

    id: str
    reason: str


class GcResult(msgspec.Struct, frozen=True):
    """The number of memories archived for each reason, and of rows removed from each table.

    `returned` counts those that are active again because their winner ended.
    """

    archived: dict[str, int]
    removed: dict[str, int]
    memories: list[Archived]
    """The first 1,000 of the memories."""


class CompactParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Erases what was archived longer ago; needs `force`, since nothing brings it back."""

    older_than_days: Annotated[float, msgspec.Meta(ge=0, le=limits.EXPIRY_DAYS)] = 90
    force: bool = False
    dry_run: bool = False


class CompactResult(msgspec.Struct, frozen=True):
    """The number of memories removed, and the receipt."""

    removed: int
    receipt: Receipt


class Cleanup:
    """Cleans up, on demand and once a day."""

    def __init__(
        self, erasing: Erasing, settings: Settings, progress: Progress, clock_watch: ClockWatch
    ) -> None:
        self._clock_watch = clock_watch
        self._erasing = erasing
        self._db: Database = erasing.db
        self._settings = settings
        self._progress = progress
        self._one_at_a_time = anyio.Lock()

    async def run(self) -> None:
        """Clean up once a day while the daemon runs."""
        while self._settings.auto_gc:
            await anyio.sleep(_LOOK_EVERY_SECONDS)
            last = await self._db.read(cleanup.last_run)
            now = await self._db.read(lambda tx: tx.now)
            await self._clock_watch.look()
            if self._clock_watch.is_in_doubt:
                continue
            if not last <= now < last + cleanup.interval(_EVERY_HOURS):
                result = await self._clean()
                log.info("cleaned_up", **result.archived, **result.removed)

    async def gc(self, call: Call, params: GcParams) -> GcResult:
        """Archive superseded, expired, faded and surplus memories; remove expired records.

        Raises:
            errors.Conflict: the machine's clock is in doubt.
        """
        if params.dry_run:
            due = await self._db.read(partial(_due, most=self._settings.max_entries))
            removed = await self._db.read(
                lambda tx: rows.take(tx, cleanup.REMOVED, cleanup.times(tx), erase=False)
            )
            return await self._result(due, removed)
        await self._clock_watch.require_certain()
        await self._db.write(call.record, quiet=True)
        return await self._clean()

    async def _clean(self) -> GcResult:
        async with self._one_at_a_time:
            due = await self._db.read(partial(_due, most=self._settings.max_entries))
            result = await self._result(due, Counter())
            by_memory = {one.memory: one for one in due}
            with self._progress.of("gc") as show:
                done = await slices.run(
                    self._db,
                    list(by_memory),
                    lambda tx, number: _change(tx, by_memory[number]),
                    show,
                    scoped=True,
                )
            removed = Counter[str]()
            for kind in cleanup.REMOVED:
                removed[kind.table] += await slices.until_none(
                    self._db, partial(_remove_some, kind=kind)
                )
            await self._db.write(cleanup.note_run, quiet=True)
            return GcResult(dict(done), dict(+removed), result.memories)

    async def _result(self, due: list[Due], removed: Counter[str]) -> GcResult:
        ids = await self._db.read(
            lambda tx: memories.uuids(tx, [one.memory for one in due[:_LISTED]])
        )
        return GcResult(
            dict(Counter(one.reason for one in due)),
            dict(removed),
            [Archived(ids[one.memory], one.reason) for one in due[:_LISTED] if one.memory in ids],
        )

    async def compact(self, call: Call, params: CompactParams) -> CompactResult:
        """Erase memories for good that were archived at least `older_than_days` ago.

        Raises:
            errors.InvalidParams: `force` is missing.
            errors.Conflict: the machine's clock is in doubt.
        """
        if not (params.force or params.dry_run):
            raise errors.InvalidParams(
                "Compaction erases memories for good.", "Give force: true, or dry_run: true."
            )
        if not params.dry_run:
            await self._clock_watch.require_certain()
        now = await self._db.read(lambda tx: tx.now)
        before = now - int(params.older_than_days * DAY) + 1
        numbers = await self._db.read(lambda tx: cleanup.archived_before(tx, before))
        selected = Selection(memories=numbers)
        if params.dry_run:
            found = partial(_found, selected=selected, before=before)
            receipt = await self._erasing.receipt(await self._db.read(found))
            return CompactResult(len(numbers), receipt)
        progress = await Resumable.of(self._db, call)
        async with self._erasing.begun(call, progress), self._one_at_a_time:
            stays = partial(_is_back, before=before)
            await self._erasing.these("compact", selected, progress, remade=False, stays=stays)
            for kind in cleanup.ENDED:
                await self._erasing.some(kind, progress, _ROWS_A_TIME, before=before)
            await self._erasing.traces.remove()
        receipt = await self._erasing.receipt(progress.rows)
        return CompactResult(progress.rows["memories"], receipt)


def _is_back(tx: Tx, part: Selection, *, before: int) -> bool:
    """Return whether a memory was restored since it was selected."""
    return not all(cleanup.was_archived_before(tx, number, before) for number in part.memories)


def _found(tx: Tx, *, selected: Selection, before: int) -> Counter[str]:
    counted = walk.take(tx, selected, erase=False, remade=False)
    return counted + rows.take(tx, cleanup.ENDED, {"before": before}, erase=False)


def _remove_some(tx: Tx, *, kind: Rows) -> int:
    return rows.take_some(tx, kind, cleanup.times(tx), limit=_ROWS_A_TIME)


def _due(tx: Tx, *, most: int | None) -> list[Due]:
    found = cleanup.due(tx)
    if most is not None:
        known = {one.memory for one in found}
        found += [
            Due(number, "evicted")
            for place in cleanup.crowded(tx, most)
            for number in cleanup.least_valuable(tx, place, most)
            if number not in known
        ]
    return found


def _change(tx: Tx, due: Due) -> Counter[str]:
    """Archive a memory, or make it active again, if that is still due."""
    if not cleanup.is_due(tx, due):
        return Counter()
    if due.reason != "returned":
        return archive_one(tx, due.memory, reason=due.reason)
    status_changes.unarchive(tx, memories.by_id(tx, due.memory))
    return Counter({due.reason: 1})
