"""Editing the graph: entities and relations, stated, ended and removed by the operator.

An entry is disclosed as a memory of the same owner or chat would be. An existing entity is reused
only if it was stated as openly as it is now; otherwise a new one is stored, so that no relation is
more restricted than it was stated.
"""

from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import msgspec

from ashd import limits
from ashd.access import disclosure, sensitivity
from ashd.access.actor import Call
from ashd.graph import model, persons, wire
from ashd.graph.audience import Spoken
from ashd.graph.model import EntityView, Name, Period, RelationView
from ashd.graph.store_relation import (
    DisclosureParams,
    RelateParams,
    RelateResult,
    checked,
    find_or_make,
    origin_of,
    read_relation,
    relate,
)
from ashd.ids import find_one
from ashd.memory.model import MemoryId, Sensitivity
from ashd.people import by_hand
from ashd.store import chats, graph, graph_changes
from ashd.store.database import Database, Tx
from ashd.store.filters import RelationFilter
from ashd.store.graph import Entity, EntityType, Relation
from ashd.store.visibility import Viewer
from ashd.wire_times import When, micros, require_order


class EntityParams(DisclosureParams, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A thing or a person, and its other names."""

    name: Name
    type: EntityType
    aliases: Annotated[list[Name], msgspec.Meta(max_length=limits.TAGS_PER_FACT)] = msgspec.field(
        default_factory=list
    )


class EntityResult(msgspec.Struct, frozen=True):
    """The entity, and whether it was known already."""

    outcome: Literal["added", "known"]
    entity: EntityView


class EndParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The relation to end, and the time since which it no longer holds; by default now."""

    id: MemoryId
    at: When | None = None


class EndResult(msgspec.Struct, frozen=True):
    """The relation as it is now."""

    relation: RelationView


class RemoveParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entity, which goes with its relations, or a relation."""

    id: MemoryId


class RemoveResult(msgspec.Struct, frozen=True):
    """The entity or relation that was removed."""

    id: str
    kind: Literal["entity", "relation"]


class EditGraph:
    """Stores, ends and removes entities and relations."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add_entity(self, call: Call, params: EntityParams) -> EntityResult:
        """Add a person or thing and its other names.

        Raises:
            errors.InvalidParams, errors.ContentRefused
        """
        stated = await self._db.compute(read_entity, params)

        def write(tx: Tx) -> EntityResult:
            result = store_entity(tx, call, call.enter(tx), stated)
            call.record(tx)
            return result

        return await self._db.write(write, scoped=True)

    async def relate(self, call: Call, params: RelateParams) -> RelateResult:
        """State a relation between two entities.

        If such a relation has one value at a time, the former relation ends.

        Raises:
            errors.InvalidParams, errors.ContentRefused
            errors.Ambiguous: an end's name is that of entities of several types.
        """
        stated = await self._db.compute(read_relation, params)

        def write(tx: Tx) -> RelateResult:
            result = relate(tx, call, call.enter(tx), stated)
            call.record(tx)
            return result

        return await self._db.write(write, scoped=True)

    async def end(self, call: Call, params: EndParams) -> EndResult:
        """State that a relation no longer holds; it stays in the history.

        Raises:
            errors.NotFound, errors.Ambiguous, errors.InvalidParams
        """
        at = micros(params.at, "at")
        return await self._db.write(lambda tx: _end(tx, call, params.id, at), scoped=True)

    async def remove(self, call: Call, params: RemoveParams) -> RemoveResult:
        """Remove an entity with its relations, or a relation, that was a mistake.

        Raises:
            errors.NotFound, errors.Ambiguous
        """
        return await self._db.write(lambda tx: _remove(tx, call, params.id), scoped=True)


class Stated(NamedTuple):
    """An entity that was stated, with its names checked."""

    params: EntityParams
    name: str
    aliases: list[str]
    label: Sensitivity | None
    """The given label, else the one that its names ask for."""


def read_entity(params: EntityParams) -> Stated:
    """Check an entity's names.

    Raises:
        errors.InvalidParams, errors.ContentRefused
    """
    aliases = [checked(alias, "aliases") for alias in params.aliases]
    name = checked(params.name, "name")
    label = params.sensitivity or _label_of(params.type, " ".join((name, *aliases)))
    return Stated(params, name, aliases, label)


def _label_of(kind: EntityType, names: str) -> Sensitivity | None:
    """Return the label that names ask for; only that of a person may be personal.

    A bare name has no sentence to tell a company from a person by.
    """
    label = sensitivity.classify(names)
    return None if label == "personal" and kind != "person" else label


def store_entity(
    tx: Tx, call: Call, viewer: Viewer, stated: Stated, spoken: Spoken | None = None
) -> EntityResult:
    """Store an entity, or add its other names to the one that is known.

    `spoken` is the turn that names it, if that was read later.

    Raises:
        errors.InvalidParams: it is shared where there is nobody to share it with.
    """
    params, name, aliases, label = stated
    viewer = replace(viewer, everything=False)
    origin = origin_of(tx, call, viewer, params, label, spoken)
    with by_hand.apart(tx, viewer) as alone:
        meant = persons.stated(tx, call, alone.viewer, name)
        entity, is_new = find_or_make(tx, alone.viewer, name, params.type, origin, meant)
    for alias in aliases:
        if model.key(alias) != entity.key:
            graph.add_alias(tx, entity.id, alias, model.key(alias), origin)
    others = graph.aliases(tx, viewer, [entity.id]).get(entity.id, [])
    person = entity.person
    linked = None if person is None else persons.ids(tx, viewer, {person}).get(person)
    view = EntityView(entity.uuid, params.type, entity.name, others, linked)
    return EntityResult("added" if is_new else "known", view)


def _relations_by_prefix(tx: Tx, viewer: Viewer, prefix: str) -> list[tuple[str, Relation]]:
    found = graph.relations(tx, viewer, RelationFilter(id_prefix=prefix), limits.RESULTS_PER_CALL)
    return sorted((entry.uuid, entry) for entry in found)


def _end(tx: Tx, call: Call, relation_id: str, at: int | None) -> EndResult:
    viewer = call.look(tx)
    found = find_one(
        relation_id, "relation", lambda prefix: _relations_by_prefix(tx, viewer, prefix)
    )
    disclosure.require_changeable(viewer, *chats.learned(tx, "relations", found.id))
    ends = Period(found.valid_from, tx.now if at is None else at)
    require_order(*ends)
    graph_changes.end_relation(tx, found.id, ends.end)
    call.record(tx)
    return EndResult(wire.relation(tx, viewer, graph.relation(tx, found.id)))


def _remove(tx: Tx, call: Call, thing_id: str) -> RemoveResult:
    viewer = call.look(tx)

    def lookup(prefix: str) -> list[tuple[str, Entity | Relation]]:
        found: list[tuple[str, Entity | Relation]] = [
            *_relations_by_prefix(tx, viewer, prefix),
            *((entity.uuid, entity) for entity in graph.entities_by_prefix(tx, viewer, prefix)),
        ]
        return sorted(found, key=lambda pair: pair[0])

    thing = find_one(thing_id, "entity or relation", lookup)
    if isinstance(thing, Entity):
        disclosure.require_changeable(viewer, *chats.learned(tx, "entities", thing.id))
        graph_changes.remove_entity(tx, thing.id)
    else:
        disclosure.require_changeable(viewer, *chats.learned(tx, "relations", thing.id))
        graph_changes.remove_relation(tx, thing.id)
    call.record(tx)
    return RemoveResult(thing.uuid, "entity" if isinstance(thing, Entity) else "relation")
