"""Withdraw memories as one act, and undo that: `memory.withdraw`, `memory.restore` (H5).

All memories of one session, grant, source or period are archived together and restored together.
What a withdrawn memory had superseded is active again, until the memory is restored.
"""

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Annotated, Final

import msgspec

from ashd import errors, limits
from ashd.access import grants
from ashd.access.actor import Call
from ashd.erasure.resumable import Resumable
from ashd.ids import GrantId, find_one
from ashd.memory import archive, ownership, status_changes, wire
from ashd.memory.by_id import IdParams
from ashd.memory.model import Memory, MemoryId, Short
from ashd.ops.progress import Progress
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import memories, memory_lists, slices, withdrawals
from ashd.store.database import Database
from ashd.store.filters import MemoryFilter
from ashd.store.transaction import Tx
from ashd.store.visibility import States
from ashd.wire_times import When, micros

_LISTED: Final = 1_000


class WithdrawParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The memories to withdraw: all that match every filter given.

    The scope's own, or everybody's with `all_scopes`; for a grant, all that came through it. Those
    named by `ids` are withdrawn in one transaction, all or none.
    """

    ids: (
        Annotated[list[MemoryId], msgspec.Meta(min_length=1, max_length=limits.RESULTS_PER_CALL)]
        | None
    ) = None

    session_id: Short | None = None
    grant_id: GrantId | None = None
    source: Short | None = None
    since: When | None = None
    until: When | None = None
    dry_run: bool = False


class WithdrawResult(msgspec.Struct, frozen=True):
    """The withdrawal, by which it is undone, and its memories, newest first, at most 1,000."""

    withdrawal_id: str | None
    memories: list[Memory]
    total: int


class RestoreParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A memory, or a withdrawal."""

    id: MemoryId | None = None
    withdrawal_id: (
        Annotated[
            str, msgspec.Meta(min_length=limits.ID_PREFIX_CHARS, max_length=limits.UUID_CHARS)
        ]
        | None
    ) = None


class RestoreResult(msgspec.Struct, frozen=True):
    """The memory as it is now; `restored` is false for one that was active.

    For a withdrawal: how many memories came back, and the ids of those that stay withdrawn because
    another memory says the same by now.
    """

    memory: Memory | None
    restored: bool
    count: int
    stay: list[str]


class Withdraw:
    """Withdraws and restores."""

    def __init__(self, db: Database, embeddings: CurrentEmbedder, progress: Progress) -> None:
        self._db = db
        self._embeddings = embeddings
        self._progress = progress

    async def withdraw(self, call: Call, params: WithdrawParams) -> WithdrawResult:
        """Archive all memories of a session, a grant, a source or a period.

        `memory.restore` undoes it with the `withdrawal_id`.

        Raises:
            errors.InvalidParams: nothing says what is to be withdrawn.
            errors.NotFound: there is no such grant.
        """
        filters = (params.session_id, params.grant_id, params.source, params.since, params.until)
        if (params.ids is None) == all(one is None for one in filters):
            raise errors.InvalidParams(
                "Say what is to be withdrawn.",
                "Give ids alone, or session_id, grant_id, source, since or until.",
            )
        withdrawal_id = None
        if params.ids is not None:
            named = params.ids
            if params.dry_run:
                numbers = await self._db.read(partial(_named, call=call, ids=named))
            else:
                withdrawal_id, numbers = await self._db.write(
                    partial(_withdraw_named, call=call, ids=named), scoped=True
                )
        else:
            withdrawal_id, numbers = await self._fitting(call, params)
        listed = await self._db.read(partial(_listed, call=call, numbers=numbers[:_LISTED]))
        return WithdrawResult(withdrawal_id, listed, len(numbers))

    async def _fitting(self, call: Call, params: WithdrawParams) -> tuple[str | None, list[int]]:
        """Withdraw all that match, in slices; return the withdrawal and the memories."""
        numbers = await self._db.read(partial(_fitting, call=call, params=params))
        progress = await Resumable.of(self._db, call)
        if params.dry_run or not (numbers or progress.is_resumed):
            return None, numbers
        start = partial(_begin, call=call, numbers=numbers, progress=progress)
        numbers = await self._db.write(start, scoped=True)
        with self._progress.of("withdraw") as show:
            await slices.run(
                self._db, numbers, partial(archive_one, reason="withdrawn"), show, scoped=True
            )
        withdrawal_id = progress.so_far.withdrawal_id
        assert withdrawal_id is not None
        return withdrawal_id, await self._db.read(lambda tx: withdrawals.all_of(tx, withdrawal_id))

    async def restore(self, call: Call, params: RestoreParams) -> RestoreResult:
        """Bring a deleted memory back.

        Raises:
            errors.NotFound: there is no such memory or withdrawal.
            errors.Conflict: another memory says the same already.
        """
        if (params.id is None) == (params.withdrawal_id is None):
            raise errors.InvalidParams(
                "Give exactly one of id and withdrawal_id.", "`ash memory withdraw` shows the id."
            )
        if params.id is not None:
            one = IdParams(params.id)
            back = partial(_restore_one, call=call, params=one)
            result = await self._db.write(back, scoped=True)
        else:
            assert params.withdrawal_id is not None
            result = await self._restore_all(call, params.withdrawal_id)
        self._embeddings.wake()
        return result

    async def _restore_all(self, call: Call, named: str) -> RestoreResult:
        withdrawal = await self._db.read(
            lambda tx: find_one(named, "withdrawal", partial(withdrawals.by_prefix, tx))
        )
        numbers = await self._db.read(lambda tx: withdrawals.memories(tx, withdrawal.id))
        with self._progress.of("restore") as show:
            counted = await slices.run(
                self._db,
                numbers,
                partial(_bring_back, call=call, withdrawal=withdrawal.id),
                show,
                scoped=True,
            )

        def finish(tx: Tx) -> RestoreResult:
            left = withdrawals.memories(tx, withdrawal.id)
            if not left:
                withdrawals.restored(tx, withdrawal.id)
            call.record(tx)
            stay = list(memories.uuids(tx, left).values())
            return RestoreResult(None, counted["restored"] > 0, counted["restored"], stay)

        return await self._db.write(finish, scoped=True)


def _fitting(tx: Tx, *, call: Call, params: WithdrawParams) -> list[int]:
    """Return the matching memories, not archived, that the caller may change, newest first."""
    viewer = call.look(tx)
    grant_id = None
    if params.grant_id is not None:
        grant_id = grants.find_id(tx, params.grant_id)
        viewer = replace(viewer, everything=True)  # a grant belongs to the operator
    wanted = MemoryFilter(source=params.source, session_id=params.session_id, grant_id=grant_id)
    since = micros(params.since, "since")
    until = micros(params.until, "until", end_of_day=True)
    seen = memory_lists.seen(tx, viewer, wanted, States(superseded=True, expired=True))
    records = memories.by_ids(tx, viewer, seen)
    return [
        number
        for number in seen
        if (since is None or records[number].created_at >= since)
        and (until is None or records[number].created_at < until)
        and ownership.may_change(viewer, records[number])
    ]


def _named(tx: Tx, *, call: Call, ids: list[str]) -> list[int]:
    """Return the memories with these ids that are not archived already.

    Raises:
        errors.NotFound, errors.Denied: one of them is not the caller's to withdraw.
    """
    found = [ownership.find(tx, call, one)[1] for one in ids]
    return list(dict.fromkeys(record.id for record in found if record.archived_at is None))


def _withdraw_named(tx: Tx, *, call: Call, ids: list[str]) -> tuple[str | None, list[int]]:
    """Withdraw the memories with these ids in this transaction."""
    numbers = _named(tx, call=call, ids=ids)
    if not numbers:
        return None, numbers
    call.record(tx)
    withdrawal = withdrawals.insert(tx, numbers)
    for number in numbers:
        archive_one(tx, number, reason="withdrawn")
    return withdrawal.uuid, numbers


def begin(tx: Tx, numbers: list[int], progress: Resumable) -> list[int]:
    """Record what is archived as one act, or go on with it; return what is left to archive."""
    so_far = progress.so_far
    if so_far.withdrawal_id is not None:
        return withdrawals.unfinished(tx, so_far.withdrawal_id)
    if numbers:
        so_far.withdrawal_id = withdrawals.insert(tx, numbers).uuid
        # Since they were found, others may have erased or archived some of them.
        numbers = withdrawals.unfinished(tx, so_far.withdrawal_id)
        so_far.archived = len(numbers)
    progress.note(tx)
    return numbers


def archive_one(tx: Tx, number: int, *, reason: str) -> Counter[str]:
    """Archive a memory for a reason, under which it is counted.

    One that was erased, or archived for another reason, is left alone.
    """
    record = memories.by_id(tx, number) if memories.exists(tx, number) else None
    if record is None or record.archive_reason not in {None, "superseded"}:
        return Counter()
    status_changes.archive(tx, record, reason)
    return Counter({reason: 1})


def _begin(tx: Tx, *, call: Call, numbers: list[int], progress: Resumable) -> list[int]:
    if progress.so_far.withdrawal_id is None:
        call.record(tx)
    return begin(tx, numbers, progress)


def _bring_back(tx: Tx, number: int, *, call: Call, withdrawal: int) -> Counter[str]:
    """Restore a memory that is still withdrawn, unless another says the same by now."""
    if not withdrawals.holds(tx, withdrawal, number):
        return Counter()
    viewer = replace(call, all_scopes=True).look(tx)
    try:
        with tx.savepoint():
            status_changes.unarchive(tx, memories.by_id(tx, number))
            archive.require_single(tx, viewer, memories.by_id(tx, number))
    except errors.Conflict:
        return Counter()
    return Counter({"restored": 1})


def _listed(tx: Tx, *, call: Call, numbers: list[int]) -> list[Memory]:
    viewer = replace(call, all_scopes=True).look(tx)
    found = memories.by_ids(tx, viewer, numbers)
    return [wire.memory(tx, viewer, found[number]) for number in numbers]


def _restore_one(tx: Tx, *, call: Call, params: IdParams) -> RestoreResult:
    memory, restored = archive.restore(tx, call, params)
    return RestoreResult(memory, restored, int(restored), [])
