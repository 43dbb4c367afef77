"""Delete memories and bring them back: `memory.delete`, `memory.restore`."""

from collections.abc import Sequence
from typing import Final

import msgspec

from ashd import errors
from ashd.access.actor import Call
from ashd.memory import ownership, same_words, status_changes, wire
from ashd.memory.by_id import IdParams, require_revision
from ashd.memory.model import Memory
from ashd.store import memories
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_DELETED: Final = "user_deleted"
_ENDED: Final = frozenset({None, "expired", "ephemeral_decay"})
"""Reasons why a memory that ended is not shown: its end alone."""


class DeleteParams(IdParams, frozen=True, forbid_unknown_fields=True):
    """One memory; `expected_revision` guards against a change in between."""

    expected_revision: int | None = None


class DeleteResult(msgspec.Struct, frozen=True):
    """The memory as it is now; `reactivated` are the ids of memories that are active again."""

    memory: Memory
    reactivated: list[str]


def delete(tx: Tx, call: Call, params: DeleteParams) -> DeleteResult:
    """Archive a memory as deleted, also one that was archived for another reason."""
    viewer, record = ownership.find(tx, call, params.id)
    again: list[str] = []
    if record.archive_reason != _DELETED:  # a repeat finds its own revision
        require_revision(record, params.expected_revision)
        older = _older(tx, record.id)
        were = _active(tx, viewer, older)
        status_changes.archive(tx, record, _DELETED)
        call.record(tx)
        are = _active(tx, viewer, older)
        again = [are[one] for one in older if one in are.keys() - were.keys()]
    return DeleteResult(wire.memory(tx, viewer, memories.by_id(tx, record.id)), again)


def _older(tx: Tx, number: int) -> list[int]:
    """Return the memories that this one supersedes, directly or not, nearest first."""
    found = [number]
    for one in found:
        found += [loser for loser in memories.losers(tx, one) if loser not in found]
    return found[1:]


def _active(tx: Tx, viewer: Viewer, numbers: Sequence[int]) -> dict[int, str]:
    """Return the ids of those memories that are active for the viewer."""
    seen = memories.by_ids(tx, viewer, numbers)
    return {one.id: one.uuid for one in seen.values() if memories.is_active(one, tx.now)}


def restore(tx: Tx, call: Call, params: IdParams) -> tuple[Memory, bool]:
    """Bring back a deleted or ended memory, unless another memory says the same.

    Returns the memory as it is now, and whether it was restored; a memory that was active is not. A
    deleted memory that ended meanwhile stays ended: only the deletion is undone.
    """
    viewer, record = ownership.find(tx, call, params.id)
    was_taken, has_ended = record.archived_at is not None, record.ends_at <= tx.now
    restored = was_taken or has_ended
    if was_taken:
        status_changes.unarchive(tx, record)
    if has_ended and record.archive_reason in _ENDED:
        status_changes.let_last(tx, record)
    if restored:
        require_single(tx, viewer, memories.by_id(tx, record.id))
        call.record(tx)
    return wire.memory(tx, viewer, memories.by_id(tx, record.id)), restored


def require_single(tx: Tx, viewer: Viewer, record: Record) -> None:
    """Refuse to restore a memory if another one says the same about the same people.

    Call this once the memory is active again: the memories it supersedes are hidden by then.
    """
    owners = [] if record.owner is None else [record.owner]
    same = [
        other
        for other in same_words.find(
            tx, viewer, record.content, record.content_key, owners=owners, chat=record.chat
        )
        if same_words.are_one_fact(other, record)
    ]
    if record.id not in {other.id for other in same}:
        return
    others = [other.id for other in same if other.id != record.id]
    for other in memories.by_ids(tx, viewer, others).values():
        raise errors.Conflict(
            f"Memory {other.uuid} says the same already.",
            "Keep that one, or delete it first.",
            memory_id=other.uuid,
        )
