"""Memories by id, as a list, and with their history."""

from dataclasses import replace
from typing import Annotated

import msgspec

from ashd import errors, limits
from ashd.access import grants
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.ids import GrantId, find_grant, no_cursor
from ashd.memory import filters, model, validation, wire
from ashd.memory.access_counts import AccessCounts
from ashd.memory.filters import Filters, Notice
from ashd.memory.model import Memory, MemoryId, Short
from ashd.people import model as people_model
from ashd.people.model import PersonView
from ashd.store import memories
from ashd.store.database import Database, Tx
from ashd.store.memories import Record
from ashd.store.visibility import States, Viewer


class ListParams(Filters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The memories to list, and how many at a time."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None
    source: Short | None = None
    session_id: Short | None = None
    grant_id: GrantId | None = None
    include_archived: bool = False


class ListResult(msgspec.Struct, frozen=True):
    """A page of memories, newest first; `total` counts all pages."""

    memories: list[Memory]
    next_cursor: str | None
    total: int
    notices: list[Notice]


class IdParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One memory."""

    id: MemoryId


class GetResult(msgspec.Struct, frozen=True):
    """A memory and the people it is about."""

    memory: Memory
    people: list[PersonView]


class Event(msgspec.Struct, frozen=True):
    """Something that happened to a memory when another came."""

    memory_id: str
    at: str
    event: str
    reason: str


class HistoryResult(msgspec.Struct, frozen=True):
    """The chain of memories that superseded one another, oldest first."""

    chain: list[Memory]
    events: list[Event]
    """What was superseded or refused as a repetition, and by which rule, oldest first."""


class ReadMemory:
    """Shows memories."""

    def __init__(self, db: Database, accesses: AccessCounts) -> None:
        self._db = db
        self._accesses = accesses

    async def list(self, call: Call, params: ListParams) -> ListResult:
        """The memories under the filters that the caller may see."""
        return await self._db.read(lambda tx: _list(tx, call, params))

    async def get(self, call: Call, params: IdParams) -> GetResult:
        """One memory, whatever its state."""
        result, number = await self._db.read(lambda tx: _get(tx, call, params))
        self._accesses.note([number])
        return result

    async def history(self, call: Call, params: IdParams) -> HistoryResult:
        """The chain that the memory belongs to."""
        return await self._db.read(lambda tx: _history(tx, call, params))


def readable(tx: Tx, call: Call, memory_id: str) -> tuple[Viewer, Record]:
    """The viewer of the call, and the memory.

    What has faded or expired is gone for a sandbox at that moment (A2), and what was taken away is
    too; the person on the host still finds it by its id.

    Raises:
        errors.NotFound: none that the viewer may see.
    """
    viewer = call.look(tx)
    record = validation.find(tx, viewer, memory_id)
    if call.actor.kind == "sandbox" and _gone(tx, record):
        raise errors.NotFound("No such memory.")
    return viewer, record


def _gone(tx: Tx, record: Record) -> bool:
    """Return whether the memory has faded, has expired or was taken away."""
    return record.ends_at <= tx.now or record.archive_reason not in {None, "superseded"}


def _list(tx: Tx, call: Call, params: ListParams) -> ListResult:
    viewer = call.look(tx)
    if params.include_archived and call.actor.kind == "sandbox":
        raise errors.Denied(
            "What was taken away is shown on the host only.", "Leave include_archived out."
        )
    wanted, notices = filters.resolved(tx, call, viewer, params)
    wanted = replace(
        wanted,
        source=params.source,
        session_id=params.session_id,
        grant_id=_grant(tx, call, viewer, params.grant_id),
    )
    states = States(params.include_superseded, params.include_expired, params.include_archived)
    seen = left = memories.seen(tx, viewer, wanted, states)
    if params.cursor is not None:
        before = _from_cursor(tx, viewer, params.cursor)
        left = [number for number in seen if number < before]
    page = left[: params.limit]
    records = memories.by_ids(tx, viewer, page)
    return ListResult(
        memories=wire.memories(tx, viewer, [records[number] for number in page]),
        next_cursor=records[page[-1]].uuid if len(left) > len(page) else None,
        total=len(seen),
        notices=notices,
    )


def _grant(tx: Tx, call: Call, viewer: Viewer, named: str | None) -> str | None:
    """The id of the grant that is meant; a sandbox finds those alone whose memories it sees."""
    if named is None:
        return None
    if call.actor.kind == "operator":
        return grants.find_id(tx, named)
    own = call.actor.grant_id

    def lookup(prefix: str) -> list[tuple[str, str]]:
        found = set(memories.grants_seen(tx, viewer, prefix))
        if own is not None and own.startswith(prefix):
            found.add(own)
        return [(grant_id, grant_id) for grant_id in sorted(found)]

    return find_grant(named, lookup)


def _get(tx: Tx, call: Call, params: IdParams) -> tuple[GetResult, int]:
    viewer, record = readable(tx, call, params.id)
    known = people_model.load(tx, viewer, {number for number, _ in model.subjects(record)})
    about = [
        people_model.to_wire(tx, known[number], viewer) for number, _ in model.subjects(record)
    ]
    return GetResult(wire.memory(tx, viewer, record), about), record.id


def _history(tx: Tx, call: Call, params: IdParams) -> HistoryResult:
    viewer, record = readable(tx, call, params.id)
    chain = memories.chain(tx, viewer, record.id)
    if call.actor.kind == "sandbox":
        chain = [entry for entry in chain if not _gone(tx, entry)]
    shown = frozenset(entry.uuid for entry in chain)
    ids = {entry.id: entry.uuid for entry in chain}
    return HistoryResult(
        wire.memories(tx, viewer, chain, shown=shown),
        [
            Event(ids[number], to_text(at) or "", event, reason)
            for number, at, event, reason in memories.events(tx, list(ids))
        ],
    )


def _from_cursor(tx: Tx, viewer: Viewer, cursor: str) -> int:
    """The row number of the page's last memory; its id goes over the wire.

    A row number would tell a sandbox how much all others store.
    """
    try:
        return validation.find(tx, viewer, cursor).id
    except errors.AshError as error:
        raise no_cursor() from error
