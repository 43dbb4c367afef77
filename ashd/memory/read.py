"""Memories by id, as a list, and with their history."""

from dataclasses import replace
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from ashd import errors, limits
from ashd.access import grants
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.ids import GrantId, find_grant, no_cursor
from ashd.memory import filters, model, provenance, validation, wire
from ashd.memory.access_counts import AccessCounts
from ashd.memory.by_id import IdParams, is_gone, readable
from ashd.memory.filters import Filters, Notice
from ashd.memory.model import Memory, Short
from ashd.memory.provenance import Explained
from ashd.people import model as people_model
from ashd.people.model import PersonView
from ashd.search.engine import Engine
from ashd.store import memories, memory_events, memory_lists
from ashd.store.database import Database, Tx
from ashd.store.filters import MemoryFilter
from ashd.store.visibility import State, States, Viewer
from ashd.wire_times import When, micros

Sort = Literal["newest", "oldest", "most_used", "last_used", "ends_first"]


class ListParams(Filters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The memories to list, and how many at a time; `since` and `until` are of their storing."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None
    source: Short | None = None
    session_id: Short | None = None
    grant_id: GrantId | None = None
    project: Short | None = None
    """Only memories that belong to the project with this id."""
    since: When | None = None
    until: When | None = None
    include_archived: bool = False
    state: State | None = None
    """Only memories in this state; excludes include_superseded and similar fields."""
    sort: Sort = "newest"


class ListResult(msgspec.Struct, frozen=True):
    """A page of memories in the requested order; `total` counts all pages.

    `names` has the names of the people they are about, by id, as the viewer knows them.
    """

    memories: list[Memory]
    next_cursor: str | None
    total: int
    notices: list[Notice]
    names: dict[str, str]


class GetParams(IdParams, frozen=True, forbid_unknown_fields=True):
    """One memory; with `explain` also where it came from and who may read it."""

    explain: bool = False


class GetResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory and the people it is about; `explained` if it was asked for."""

    memory: Memory
    people: list[PersonView]
    explained: Explained | UnsetType = UNSET


class Event(msgspec.Struct, frozen=True):
    """An effect of another memory on this one."""

    memory_id: str
    at: str
    event: str
    reason: str


class HistoryResult(msgspec.Struct, frozen=True):
    """The chain of memories that superseded one another, oldest first."""

    chain: list[Memory]
    events: list[Event]
    """Memories superseded by this one or refused as its repetition, with the rule, oldest first."""


class ReadMemory:
    """Shows memories."""

    def __init__(self, db: Database, accesses: AccessCounts, engine: Engine) -> None:
        self._db = db
        self._accesses = accesses
        self._engine = engine

    async def list(self, call: Call, params: ListParams) -> ListResult:
        """List memories, newest first or in another order."""
        return await self._db.read(lambda tx: _list(tx, call, params, self._engine))

    async def get(self, call: Call, params: GetParams) -> GetResult:
        """Show a memory and the people it is about; on request also where it came from."""
        result, number = await self._db.read(lambda tx: _get(tx, call, params))
        self._accesses.note(call, [number])
        return result

    async def history(self, call: Call, params: IdParams) -> HistoryResult:
        """Show which memories superseded one another, oldest first."""
        return await self._db.read(lambda tx: _history(tx, call, params))


def _list(tx: Tx, call: Call, params: ListParams, engine: Engine) -> ListResult:
    viewer = call.look(tx)
    if params.include_archived and call.actor.kind == "sandbox":
        raise errors.Denied(
            "What was taken away is shown on the host only.", "Leave include_archived out."
        )
    wanted, notices = filters.resolved(tx, call, viewer, params, if_nobody="nothing is listed")
    wanted = replace(
        wanted,
        source=params.source,
        session_id=params.session_id,
        grant_id=_grant(tx, call, viewer, params.grant_id),
        project=params.project,
        stored_from=micros(params.since, "since"),
        stored_before=micros(params.until, "until", end_of_day=True),
    )
    states = _states(call, params)
    if (
        notices
    ):  # `about` means nobody: without this, everybody's memories would look like the answer
        return ListResult(memories=[], next_cursor=None, total=0, notices=notices, names={})
    cursor = None if params.cursor is None else _from_cursor(tx, viewer, params.cursor)
    if wanted == MemoryFilter() and _are_cached(viewer, states) and params.sort == "newest":
        kept = engine.active_memories(tx, viewer, states)
        seen = len(kept)
        end = seen if cursor is None else int(np.searchsorted(kept, cursor))
        left = kept[max(end - params.limit - 1, 0) : end][::-1].tolist()
    else:
        seen, left = _seen(tx, viewer, wanted, states, params.sort, cursor)
    page = left[: params.limit]
    records = memories.by_ids(tx, viewer, page)
    listed = [records[number] for number in page]
    shown = wire.memories(tx, viewer, listed)
    return ListResult(
        memories=shown,
        next_cursor=records[page[-1]].uuid if len(left) > len(page) else None,
        total=seen,
        notices=notices,
        names=wire.names(tx, viewer, listed, shown),
    )


def _states(call: Call, params: ListParams) -> States:
    """Return the states to list.

    Raises:
        errors.Denied: a sandbox asks for what has expired or was taken away.
        errors.InvalidParams: both ways of asking at once.
    """
    if params.state is None:
        return States(params.include_superseded, params.include_expired, params.include_archived)
    if params.include_superseded or params.include_expired or params.include_archived:
        raise errors.InvalidParams(
            "state lists one state alone.", "Leave state out, or include_superseded and its like."
        )
    if params.state in {"expired", "archived"} and call.actor.kind == "sandbox":
        raise errors.Denied(
            "What has ended or was taken away is shown on the host only.", "Leave state out."
        )
    return States(only=params.state)


def _are_cached(viewer: Viewer, states: States) -> bool:
    """Return whether searches keep what a viewer sees in these states, and a list may use it."""
    return not viewer.everything and states.only is None and not states.archived


def _seen(
    tx: Tx, viewer: Viewer, wanted: MemoryFilter, states: States, sort: Sort, cursor: int | None
) -> tuple[int, list[int]]:
    """Return the number of matching memories, and those after the cursor, in order."""
    if sort == "newest":
        seen = memory_lists.seen(tx, viewer, wanted, states)
        return len(seen), [one for one in seen if cursor is None or one < cursor]
    return memory_lists.seen_in_order(tx, viewer, wanted, states, sort, cursor)


def _grant(tx: Tx, call: Call, viewer: Viewer, named: str | None) -> str | None:
    """Return the id of a grant; a sandbox finds only grants whose memories it sees."""
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


def _get(tx: Tx, call: Call, params: GetParams) -> tuple[GetResult, int]:
    viewer, record = readable(tx, call, params.id)
    known = people_model.load(tx, viewer, {number for number, _ in model.subjects(record)})
    about = [
        people_model.to_wire(tx, known[number], viewer) for number, _ in model.subjects(record)
    ]
    shown = wire.memory(tx, viewer, record)
    explained = provenance.explained(tx, call, viewer, record, shown) if params.explain else UNSET
    return GetResult(shown, about, explained), record.id


def _history(tx: Tx, call: Call, params: IdParams) -> HistoryResult:
    viewer, record = readable(tx, call, params.id)
    chain = memories.chain(tx, viewer, record.id)
    if call.actor.kind == "sandbox":
        chain = [entry for entry in chain if not is_gone(tx, entry)]
    shown = frozenset(entry.uuid for entry in chain)
    ids = {entry.id: entry.uuid for entry in chain}
    return HistoryResult(
        wire.memories(tx, viewer, chain, shown=shown),
        [
            Event(ids[number], to_text(at) or "", event, reason)
            for number, at, event, reason in memory_events.of(tx, viewer, list(ids))
        ],
    )


def _from_cursor(tx: Tx, viewer: Viewer, cursor: str) -> int:
    """Return the row number of the page's last memory, whose id is the cursor.

    A row number on the wire would tell a sandbox how much others store.
    """
    try:
        return validation.find(tx, viewer, cursor).id
    except errors.AshError as error:
        raise no_cursor() from error
