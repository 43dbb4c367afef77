"""Search the graph: the relations of an entity, near and at some distance, or relations of a kind.

Every relation on the way must be visible to the reader; nothing is reached through a hidden one.
"""

from dataclasses import replace
from typing import Annotated, Literal

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.access.text_cleaning import one_line
from ashd.graph import model, persons, wire
from ashd.graph.model import EntityView, Name, RelationView
from ashd.memory.filters import Notice
from ashd.people.model import PersonView
from ashd.store import graph
from ashd.store.database import Database, Query, Tx
from ashd.store.filters import RelationFilter, Side
from ashd.store.graph import Entity, Relation
from ashd.store.visibility import Viewer
from ashd.wire_times import When, micros


class SearchParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The entity to start from, and the relation; without either, all relations, last said first.

    `depth`: how many relations away. `direction` is seen from the named entity.
    """

    name: Name | None = None
    relation: Name | None = None
    direction: Literal["both", "out", "in"] = "both"
    depth: Annotated[int, msgspec.Meta(ge=1, le=limits.GRAPH_DEPTH)] = 2
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 30
    include_ended: bool = False
    as_of: When | None = None


class FoundRelation(RelationView, frozen=True):
    """A relation; `depth` 1 is one of the named entity itself."""

    depth: int


class SearchResult(msgspec.Struct, frozen=True):
    """The entities that were meant, and their relations, nearest first; `more` if some were cut.

    `people` has the known person that the name means, and the known people who are something to
    that person ("son"); for a relation without a name, those who are this to the asker.
    """

    entities: list[EntityView]
    people: list[PersonView]
    relations: list[FoundRelation]
    more: bool
    notices: list[Notice]


class GraphSearch:
    """Answers from the graph."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def search(self, call: Call, params: SearchParams) -> SearchResult:
        """Find the relations of an entity, near or at some distance, or relations of a kind."""
        return await self._db.read(lambda tx: _search(tx, call, params))


def queries(tx: Tx, viewer: Viewer, limit: int) -> list[Query]:
    """Return the queries of `relations_for` that need no others before them."""
    return [graph.relations_query(viewer, RelationFilter(valid_at=tx.now), limit)]


def relations_for(tx: Tx, viewer: Viewer, limit: int) -> list[str]:
    """Return the relations that hold now, as sentences with their dates, last said first."""
    found = graph.relations(tx, viewer, RelationFilter(valid_at=tx.now), limit)
    # A relation stated in several chats is shown once.
    said = {
        (model.key(entry.source_name), entry.relation, model.key(entry.target_name)): entry
        for entry in reversed(found)
    }
    return [model.line(one) for one in wire.relations(tx, viewer, [*reversed(said.values())])]


def _search(tx: Tx, call: Call, params: SearchParams) -> SearchResult:
    viewer = call.look(tx)
    wanted = _wanted(tx, params)
    if params.name is None:
        found = graph.relations(tx, viewer, wanted, params.limit + 1)
        shown = [(entry, 1) for entry in found]
        result = _result(tx, viewer, shown, params.limit)
        if params.relation is None:
            return result
        account = call.speaker(tx, viewer)
        own = account.person if account else None
        related = persons.related(tx, viewer, own, params.relation, params.limit)
        return msgspec.structs.replace(result, people=related)
    keys, person = _keys(tx, call, viewer, params.name)
    people = persons.one(tx, person)
    known = [] if person is None else persons.view(tx, viewer, person)
    if params.direction != "out":
        known += persons.related(tx, viewer, person, params.relation, params.limit)
    meant = graph.ends_called(tx, viewer, keys, people, params.limit) or graph.ends_called(
        tx, viewer, keys, people, params.limit, part=True
    )
    if not meant:
        # A known person needs no entity to be found.
        notice = Notice("entity_not_found", "Nothing of this name is in the graph.")
        result = _result(tx, viewer, [], params.limit)
        return msgspec.structs.replace(result, people=known, notices=[] if known else [notice])
    start = {entity.id for entity in meant}
    others = graph.aliases(tx, viewer, start)
    linked = persons.ids(tx, viewer, {e.person for e in meant if e.person is not None})
    entities = [
        EntityView(
            id=same[0].uuid,
            type=same[0].type,
            name=same[0].name,
            aliases=list(dict.fromkeys(name for one in same for name in others.get(one.id, []))),
            person_id=next((linked[one.person] for one in same if one.person in linked), None),
        )
        for same in _as_one(tx, meant)
    ]
    walked = _walk(tx, viewer, start, params, wanted)
    result = _result(tx, viewer, walked, params.limit)
    return msgspec.structs.replace(result, entities=entities, people=known)


def _as_one(tx: Tx, entities: list[Entity]) -> list[list[Entity]]:
    """Return entities in groups that are one thing, though stated to different audiences."""
    found: list[list[Entity]] = []
    left = entities
    while left:
        same = graph.same_things(tx, [left[0].id])
        found.append([one for one in left if one.id in same])
        left = [one for one in left if one.id not in same]
    return found


def _walk(
    tx: Tx,
    viewer: Viewer,
    start: set[int],
    params: SearchParams,
    wanted: RelationFilter,
) -> list[tuple[Relation, int]]:
    """Return (relation, distance) from these entities on, nearest first; one beyond the limit."""
    sides: tuple[Side, ...] = ("out", "in") if params.direction == "both" else (params.direction,)
    found: dict[int, tuple[Relation, int]] = {}
    frontier = graph.same_things(tx, start)
    visited = set(frontier)
    for depth in range(1, params.depth + 1):
        if not frontier or len(found) > params.limit:
            break
        step = graph.relations(
            tx,
            viewer,
            replace(wanted, ends=frozenset(frontier), sides=sides),
            params.limit + 1 + len(found),
        )
        new = [entry for entry in step if entry.id not in found]
        found |= {entry.id: (entry, depth) for entry in new}
        ends = {end for entry in new for end in (entry.source, entry.target)}
        frontier = graph.same_things(tx, ends) - visited
        visited |= frontier
    return list(found.values())


def _wanted(tx: Tx, params: SearchParams) -> RelationFilter:
    """Return the filter on relations, without their ends."""
    at = micros(params.as_of, "as_of", end_of_day=True)
    if at is None and not params.include_ended:
        at = tx.now
    return RelationFilter(
        relation=None if params.relation is None else model.relation_key(params.relation),
        valid_at=at,
        created_by=None if params.as_of is None else at,
    )


def _keys(tx: Tx, call: Call, viewer: Viewer, name: str) -> tuple[list[str], int | None]:
    """Return the keys of a name, with those of the person's other names, and the person.

    There is no person if the name means nobody known, or several people.
    """
    cleaned = one_line(name)
    if not cleaned:
        raise errors.InvalidParams("name is empty.", "Name an entity, or leave it out.")
    called = {cleaned}
    person = persons.meant(tx, call, viewer, cleaned)
    if person is not None:
        called |= persons.names(tx, viewer, person)
    return sorted({model.key(one) for one in called}), person


def _result(
    tx: Tx,
    viewer: Viewer,
    found: list[tuple[Relation, int]],
    limit: int,
) -> SearchResult:
    page = found[:limit]
    shown = wire.relations(tx, viewer, [entry for entry, _ in page])
    return SearchResult(
        entities=[],
        people=[],
        relations=[
            FoundRelation(**msgspec.structs.asdict(view), depth=depth)
            for view, (_, depth) in zip(shown, page, strict=True)
        ],
        more=len(found) > limit,
        notices=[],
    )
