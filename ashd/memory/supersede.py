"""Supersede one memory by another at a caller's word: `supersedes` of a fact, `memory.supersede`.

The caller decides what the judge was unsure of; the rules that nobody may break hold all the same
(A11, A13, B8).
"""

from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ashd import errors
from ashd.access import disclosure
from ashd.access.actor import Call
from ashd.memory import expiry, model, ownership, protection, status_changes, validation, wire
from ashd.memory.by_id import readable
from ashd.memory.judge.guard import observed_before
from ashd.memory.judge.statement import Statement
from ashd.memory.judge.verdict import LINKED_FROM
from ashd.memory.model import Memory, MemoryId
from ashd.memory.statements import statement_of
from ashd.memory.verdicts import Scope
from ashd.store import memories, memory_events, memory_links, settled_pairs
from ashd.store.database import Database, Tx
from ashd.store.memories import Record, is_active
from ashd.store.visibility import Viewer

Verdict: TypeAlias = Literal["replaces", "both", "unsure"]


class SupersedeParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The newer memory, the older one that it may replace, and the verdict on them.

    `both` settles that both hold; `unsure` leaves the conflict open again, which undoes the other
    verdicts.
    """

    id: MemoryId
    superseded_id: MemoryId
    verdict: Verdict = "replaces"


class SupersedeResult(msgspec.Struct, frozen=True):
    """The newer of the two memories."""

    memory: Memory


class SupersedeMemory:
    """Confirms or rejects that a memory replaces another."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def supersede(self, call: Call, params: SupersedeParams) -> SupersedeResult:
        """Settle a conflict: the newer memory replaces the older one, or both hold.

        Raises:
            errors.NotFound, errors.Denied, errors.Conflict, errors.InvalidParams
        """
        return await self._db.write(
            lambda tx: _supersede(tx, call, params), scoped=True, seconds=call.writer_seconds
        )


def _supersede(tx: Tx, call: Call, params: SupersedeParams) -> SupersedeResult:
    call.enter(tx)
    viewer, newer = readable(tx, call, params.id)
    _, older = ownership.find(tx, call, params.superseded_id)
    if newer.id == older.id:
        raise errors.InvalidParams("A memory cannot supersede itself.", "Give two different ids.")
    between = settled_pairs.state(tx, newer.id, older.id)
    owners = {newer.owner, older.owner}
    if params.verdict != "replaces":
        _keep_both(tx, viewer, newer, older, is_open=params.verdict == "unsure")
        settled_pairs.note(tx, between, older.id, owners)
        call.record(tx)
        return SupersedeResult(wire.memory(tx, viewer, newer))
    if older.superseded_by == newer.id and older.superseded_until > tx.now:
        return SupersedeResult(wire.memory(tx, viewer, newer))
    if not is_active(newer, tx.now):
        raise errors.Conflict(
            "The memory that is to replace the other is no longer active.",
            "Look at its history and give the one that is active now.",
        )
    require_superseding(tx, viewer, newer, older)
    _widen(tx, viewer, newer, older)
    status_changes.supersede(tx, older, newer.id, "confirmed")
    protection.inherit(tx, newer.id, older)
    memory_links.remove(tx, newer.id, older.id)
    settled_pairs.note(tx, between, older.id, owners)
    call.record(tx)
    return SupersedeResult(wire.memory(tx, viewer, memories.by_id(tx, newer.id)))


def _widen(tx: Tx, viewer: Viewer, newer: Record, older: Record) -> None:
    """Make a project's memory hold everywhere, if the one that it replaces does.

    Raises:
        errors.Denied: the newer memory is somebody else's.
    """
    if newer.project is None or older.project is not None:
        return
    if not ownership.may_change(viewer, newer):
        raise errors.Denied(
            "The newer memory holds in one project alone, and is not yours to change.",
            "Leave both, or ask whoever said it.",
        )
    memories.change(tx, newer.id, {"project": None, "project_name": None})


def _keep_both(tx: Tx, viewer: Viewer, newer: Record, older: Record, *, is_open: bool) -> None:
    """Make both memories active and settle that both hold; with `is_open`, leave the conflict open.

    Raises:
        errors.Denied, errors.Conflict
    """
    disclosure.require_changeable(viewer, older.learned_in, older.learned_type)
    if older.superseded_by == newer.id:
        status_changes.release(tx, older)
        if older.archive_reason == "superseded":
            status_changes.unarchive(tx, memories.by_id(tx, older.id))
    older = memories.by_id(tx, older.id)
    if not (is_active(newer, tx.now) and is_active(older, tx.now)):
        raise errors.Conflict(
            "One of the two memories is not active.", "Look at its history, or restore it first."
        )
    if is_open:
        require_superseding(tx, viewer, newer, older)
        memory_links.remove(tx, newer.id, older.id)
        memory_links.add(tx, newer.id, older.id, "may_replace", LINKED_FROM)
        memory_events.add(tx, older.id, "may_be_replaced", memory_links.LEFT_OPEN, newer=newer.id)
    else:
        memory_links.add(tx, newer.id, older.id, "both")
        memory_events.add(tx, older.id, "kept", "rejected", newer=newer.id)
    memories.touch(tx, older)


class Newer(NamedTuple):
    """The properties of a memory, stored or not, that decide which memories it may replace."""

    scope: Scope
    statement: Statement
    subjects: frozenset[int]
    """The people whom the memory names, by row number."""
    memory_type: str
    learned_in: int | None
    sensitivity: str | None
    portable: bool

    @classmethod
    def of(cls, record: Record, accounts: tuple[int, ...]) -> "Newer":
        """Return a stored memory's properties; `accounts` are the joined accounts of its owner."""
        return cls(
            scope=Scope.of(record, accounts),
            statement=statement_of(record),
            subjects=model.given_subjects(record),
            memory_type=record.memory_type,
            learned_in=record.learned_in,
            sensitivity=record.sensitivity,
            portable=bool(record.portable),
        )


def require_superseding(tx: Tx, viewer: Viewer, newer: Record, older: Record) -> None:
    """Require that the viewer may confirm that a memory replaces an active one.

    Raises:
        errors.Denied, errors.Conflict, errors.InvalidParams
    """
    accounts = viewer.accounts
    if newer.owner is not None and newer.owner not in accounts:
        accounts = (newer.owner,)
    _require_replaceable(tx, viewer, older, Newer.of(newer, accounts))


def may_confirm(tx: Tx, viewer: Viewer, newer: Newer, older: Record) -> bool:
    """Return whether the viewer may confirm that a memory replaces an older one."""
    try:
        _require_replaceable(tx, viewer, older, newer)
    except errors.AshError:
        return False
    return True


def to_supersede(tx: Tx, viewer: Viewer, memory_id: str, newer: Newer) -> Record:
    """Return the memory that the caller wants a new fact to replace.

    Raises:
        errors.NotFound, errors.Denied, errors.Conflict, errors.InvalidParams
    """
    older = validation.find(tx, viewer, memory_id)
    _require_replaceable(tx, viewer, older, newer)
    if not newer.scope.is_as_wide(older):
        raise errors.InvalidParams(
            "What holds everywhere is not superseded by what holds in one project.",
            "Leave everywhere out: the new one then holds everywhere. Or store it without"
            " supersedes: both stay.",
        )
    return older


def require_no_stricter(
    viewer: Viewer, older: Record, sensitivity: str | None, *, portable: bool
) -> None:
    """Require that all readers of a group's memory may also read its replacement.

    Otherwise it would vanish for some of them, who would learn that something replaced it.

    Raises:
        errors.Denied: fewer people may see the replacement.
    """
    if viewer.everything or older.learned_type != "group":
        return
    if protection.is_stricter(older, sensitivity, portable=portable):
        raise errors.Denied(
            "Fewer people may see the new words than those that they replace.",
            "Store them as a memory of their own, or give the older one the same label first.",
        )


def _require_replaceable(tx: Tx, viewer: Viewer, older: Record, newer: Newer) -> None:
    if not (newer.scope.holds(older) or newer.scope.borders(older)):
        raise errors.InvalidParams(
            "A memory supersedes one of the same owner or chat only.",
            "Store it without supersedes: both stay.",
        )
    if model.is_own_word(older) and older.stated_by not in viewer.accounts:
        raise errors.Denied(
            "What somebody said of himself is not for others to replace.",
            "Store it without supersedes: both stay.",
        )
    if not is_active(older, tx.now):
        raise errors.Conflict(
            "The memory to supersede is no longer active.",
            "Look at its history and supersede the one that is active now.",
        )
    if newer.memory_type in expiry.FADES_AFTER and not statement_of(older).fades:
        raise errors.InvalidParams(
            f"What fades ({newer.memory_type}) cannot replace what lasts.",
            "Store it without supersedes, or give it a type that lasts and its own expiry.",
        )
    about = model.given_subjects(older)
    if about and newer.subjects and about.isdisjoint(newer.subjects):
        raise errors.InvalidParams(
            "A memory does not supersede one about other people.",
            "Store it without supersedes: both stay; or change the subjects of one with update.",
        )
    if observed_before(newer.statement, statement_of(older)):
        raise errors.InvalidParams(
            "The earlier of two observations does not supersede the later one.",
            "Store it without supersedes, or without the earlier observed_at.",
        )
    if older.learned_type == "group" and newer.learned_in != older.learned_in:
        raise errors.Denied(
            "What a group was told is replaced by what was told there.",
            "Leave both, or store the newer one in that group.",
        )
    disclosure.require_changeable(viewer, older.learned_in, older.learned_type)
    require_no_stricter(viewer, older, newer.sensitivity, portable=newer.portable)
