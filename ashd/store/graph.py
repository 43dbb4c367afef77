"""The graph: entities, their other names, and relations; read through the disclosure policy.

Each row was stated by somebody in some chat, as a memory is, and is disclosed like a memory about
nobody. A visible relation shows both its ends, by the names that were used when it was stated.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ashd.store import filters, graph_changes, merges, visibility
from ashd.store.database import Tx
from ashd.store.filters import RelationFilter
from ashd.store.visibility import Viewer


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a row: who stated it, where and when, and its disclosure fields."""

    owner: int | None
    chat: int | None
    learned_in: int
    learned_type: str
    stated_by: int | None
    said_at: int
    """The time of the turn that states it, by which presence is decided."""
    sensitivity: str | None
    portable: bool
    project: str | None


EntityType: TypeAlias = Literal["person", "company", "place", "project", "tool", "concept", "event"]


class Entity(NamedTuple):
    """A row of `entities`."""

    id: int
    uuid: str
    type: EntityType
    name: str
    key: str
    owner: int | None
    learned_in: int
    learned_type: str
    stated_by: int | None
    said_at: int
    sensitivity: str | None
    portable: bool
    project: str | None
    person: int | None
    """The person that it is, if known."""


class End(NamedTuple):
    """An entity as the end of a relation: with the name used there, and its key."""

    entity: Entity
    name: str
    key: str


class Relation(NamedTuple):
    """A row of `relations`, with its ends."""

    id: int
    uuid: str
    source: int
    source_uuid: str
    source_type: EntityType
    source_name: str
    relation: str
    target: int
    target_uuid: str
    target_type: EntityType
    target_name: str
    confidence: float
    valid_from: int | None
    valid_until: int | None
    owner: int | None
    learned_in: int
    learned_type: str
    stated_by: int | None
    said_at: int
    created_at: int
    asserted_at: int
    """The time at which the relation was last stated."""
    sensitivity: str | None
    portable: bool
    project: str | None


_STATED: Final = (
    "m.owner, m.learned_in, m.learned_type, m.stated_by, m.said_at, m.sensitivity, m.portable,"
    " m.project"
)
_ENTITY: Final = f"select m.id, m.uuid, m.type, m.name, m.key, {_STATED}, m.person from entities m"
_RELATION: Final = (
    "select m.id, m.uuid, m.source, s.uuid, s.type, m.source_name, m.relation, m.target, t.uuid,"
    " t.type, m.target_name, m.confidence, m.valid_from, m.valid_until, m.owner, m.learned_in,"
    " m.learned_type, m.stated_by, m.said_at, m.created_at, m.asserted_at, m.sensitivity,"
    " m.portable, m.project from relations m join entities s on s.id = m.source"
    " join entities t on t.id = m.target"
)
_NEWEST: Final = "order by m.asserted_at desc, m.id desc"


def seen(table: str, viewer: Viewer) -> str:
    """Return the condition on a row `m` of the table under which the viewer may see it.

    An index first excludes what no rule could show: others' statements in their own chats.
    """
    if viewer.everything:
        return "true"
    heard = (
        "learned_in = :chat"
        if viewer.group
        else f"learned_in in (select chat from participations where account in {visibility.ASKERS})"
    )
    return (
        f"m.id in (select id from {table} where owner in {visibility.ASKERS}"
        f" union select id from {table} where stated_by in {visibility.ASKERS}"
        f" union select id from {table} where {heard})"
        f" and {visibility.stated_condition(viewer)}"
    )


def _fits(column: str, keys: Collection[str], *, part: bool) -> str:
    """Return the condition that a column is one of the keys, or with `part` contains one as words.

    The keys are the parameters `:key0`, `:key1`, …
    """
    if not part:
        return f"{column} in ({', '.join(f':key{place}' for place in range(len(keys)))})"
    # Scripts without spaces have no word boundaries: any part counts.
    return " or ".join(
        f"instr(' ' || {column} || ' ', ' ' || :key{place} || ' ') > 0"
        if key.isascii()
        else f"instr({column}, :key{place}) > 0"
        for place, key in enumerate(keys)
    )


def _keys(keys: Collection[str]) -> dict[str, str]:
    return {f"key{place}": key for place, key in enumerate(keys)}


def insert_entity(
    tx: Tx, kind: str, name: str, key: str, origin: Provenance, person: int | None
) -> Entity:
    """Insert a new entity, with the person that it is, if any."""
    number = tx.insert(
        "insert into entities (uuid, type, name, key, owner, chat, learned_in, learned_type,"
        " stated_by, said_at, sensitivity, portable, created_at, person, project)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(
            tx.new_id(),
            kind,
            name,
            key,
            origin.owner,
            origin.chat,
            origin.learned_in,
            origin.learned_type,
        ),
        *(origin.stated_by, origin.said_at, origin.sensitivity, origin.portable, tx.now, person),
        origin.project,
    )
    graph_changes.grow(tx, origin.learned_in, origin.owner, origin.stated_by)
    return Entity(*tx.all(f"{_ENTITY} where m.id = ?", number)[0])


def link(tx: Tx, number: int, person: int) -> None:
    """Record which person an entity is."""
    graph_changes.note(tx, "entities", "id = ?", number)
    tx.run("update entities set person = ? where id = ?", person, number)


def _entities(
    tx: Tx, viewer: Viewer, where: str, params: dict[str, Any], tail: str = "order by m.id"
) -> list[Entity]:
    """Return the entities under `where`, not removed, whose statement the viewer may see."""
    rows = tx.named(
        f"{_ENTITY} where m.removed_at is null and ({where}) and {seen('entities', viewer)} {tail}",
        {**visibility.parameters(viewer), **params},
    )
    return [Entity(*row) for row in rows]


def entities_by_prefix(tx: Tx, viewer: Viewer, prefix: str) -> list[Entity]:
    """The entities whose id begins so and that the viewer may see."""
    return _entities(tx, viewer, *filters.prefix_condition(prefix))


def called_here(tx: Tx, viewer: Viewer, key: str) -> list[Entity]:
    """Return the entities of this name that were stated here: in this group, or in private.

    In private means any private chat of the viewer.
    """
    where = f"{_here(viewer)} and {_called(viewer, [key], part=False)}"
    return _entities(tx, viewer, where, _keys([key]))


def persons_here(tx: Tx, viewer: Viewer, people: Collection[int]) -> list[Entity]:
    """Return the entities that are one of these people and were stated here."""
    where = f"{_here(viewer)} and m.person in (select value from json_each(:people))"
    return _entities(tx, viewer, where, {"people": json.dumps(list(people))})


def _here(viewer: Viewer) -> str:
    return "m.learned_in = :chat" if viewer.group else "m.learned_type = 'private'"


def ends_called(
    tx: Tx,
    viewer: Viewer,
    keys: Collection[str],
    people: Collection[int],
    limit: int,
    *,
    part: bool = False,
) -> list[Entity]:
    """Return the entities with one of these names (or, with `part`, with it among their words).

    An entity counts if the viewer may see its statement, or a relation that was stated with it. If
    the name means one of the `people` (the rows of one person), this also includes that person by
    other names, and excludes other people of the same name.
    """
    params = {**_keys(keys), "people": json.dumps(list(people)), "limit": limit}
    among = "in (select value from json_each(:people))"
    nobody_else = f" and (:people = '[]' or {{0}}.person is null or {{0}}.person {among})"
    tail = "order by m.id limit :limit"
    fits = f"({_called(viewer, keys, part=part)} or m.person {among}){nobody_else.format('m')}"
    found = {entity.id: entity for entity in _entities(tx, viewer, fits, params, tail)}
    for end in ("source", "target"):
        rows = tx.named(
            f"select e.id, e.uuid, e.type, m.{end}_name, m.{end}_key, {_STATED}, e.person"
            f" from (select m.{end} as entity, min(m.id) as relation"
            f"  from relations m join entities e on e.id = m.{end}"
            f"  where m.removed_at is null and (({_fits(f'm.{end}_key', keys, part=part)})"
            f"   or e.person {among}){nobody_else.format('e')} and {seen('relations', viewer)}"
            f"  group by m.{end} order by m.{end} limit :limit) told"
            " cross join relations m on m.id = told.relation"
            " cross join entities e on e.id = told.entity",
            {**visibility.parameters(viewer), **params},
        )
        for row in rows:
            found.setdefault(row[0], Entity(*row))
    return sorted(found.values())[:limit]


def _called(viewer: Viewer, keys: Collection[str], *, part: bool) -> str:
    """Return the condition on an entity whose name, or a visible alias, matches."""
    return (
        f"({_fits('m.key', keys, part=part)} or m.id in (select alias.entity"
        f" from ({_aliases(viewer)}) alias where {_fits('alias.key', keys, part=part)}))"
    )


def same_things(tx: Tx, numbers: Collection[int]) -> set[int]:
    """Return these entities and those of the same type and name, visible or not.

    Two people of one name count as one only in one chat, or in one owner's private chats, and not
    if they are known to be two. A known person counts as one under every name, also after a merge.
    """
    wanted = json.dumps(list(numbers))
    linked = tx.all(
        "select distinct person from entities where person is not null"
        " and id in (select value from json_each(?))",
        wanted,
    )
    rows = tx.all(
        "select o.id from entities e join entities o on o.key = e.key and o.type = e.type"
        " where e.id in (select value from json_each(?1)) and (e.type <> 'person'"
        " or ((o.learned_in = e.learned_in or (o.owner = e.owner"
        "     and o.learned_type = 'private' and e.learned_type = 'private'))"
        "   and coalesce(o.person = e.person, true)))"
        " union select id from entities where person in (select value from json_each(?2))",
        *(wanted, json.dumps(merges.one_with(tx, (row[0] for row in linked)))),
    )
    return {*numbers, *(row[0] for row in rows)}


def _aliases(viewer: Viewer) -> str:
    return (
        "select m.id, m.entity, m.value, m.key from entity_aliases m"
        f" where {seen('entity_aliases', viewer)}"
    )


def add_alias(tx: Tx, entity: int, value: str, key: str, origin: Provenance) -> None:
    """Insert another name of an entity, unless the same audience knows the name already."""
    known = tx.one(
        "select 1 from entity_aliases where entity = ? and key = ?"
        " and stated_by is not distinct from ?"
        " and sensitivity is not distinct from ? and project is not distinct from ?",
        *(entity, key, origin.stated_by, origin.sensitivity, origin.project),
    )
    if known is None:
        graph_changes.grow(tx, origin.learned_in, origin.owner, origin.stated_by)
        tx.run(
            "insert into entity_aliases (entity, value, key, owner, learned_in, learned_type,"
            " stated_by, said_at, sensitivity, portable, project)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(entity, value, key, origin.owner, origin.learned_in, origin.learned_type),
            *(origin.stated_by, origin.said_at, origin.sensitivity, origin.portable),
            origin.project,
        )


def aliases(tx: Tx, viewer: Viewer, numbers: Collection[int]) -> dict[int, list[str]]:
    """Return the other names of these entities that the viewer may know."""
    found: dict[int, list[str]] = {}
    for _, entity, value, _ in tx.named(
        f"select * from ({_aliases(viewer)}) a where entity in (select value from json_each(:ids))"
        " order by id",
        {**visibility.parameters(viewer), "ids": json.dumps(list(numbers))},
    ):
        found.setdefault(entity, []).append(value)
    return found


def insert_relation(
    tx: Tx,
    source: End,
    relation: str,
    target: End,
    confidence: float,
    period: tuple[int | None, int | None],
    origin: Provenance,
) -> int:
    """Insert a new relation; return its row number."""
    graph_changes.grow(tx, origin.learned_in, origin.owner, origin.stated_by)
    return tx.insert(
        "insert into relations (uuid, source, source_name, source_key, relation, target,"
        " target_name, target_key, confidence, valid_from, valid_until, owner, chat, learned_in,"
        " learned_type, stated_by, said_at, sensitivity, portable, created_at, asserted_at,"
        " project) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(tx.new_id(), source.entity.id, source.name, source.key, relation),
        *(target.entity.id, target.name, target.key, confidence, *period),
        *(origin.owner, origin.chat, origin.learned_in, origin.learned_type, origin.stated_by),
        *(origin.said_at, origin.sensitivity, origin.portable, tx.now, origin.said_at),
        origin.project,
    )


def relation(tx: Tx, number: int) -> Relation:
    """Return the relation with that row number, which must exist."""
    return Relation(*tx.all(f"{_RELATION} where m.id = ?", number)[0])


def stated_alike(tx: Tx, source: Entity, relation_: str, origin: Provenance) -> list[Relation]:
    """Return the source's earlier relations of this kind from the same scope and project.

    Newest first. In private, that is any private chat of the owner. For a known person it includes
    relations stated by any of its names, and those of people merged with it.
    """
    one = merges.one_with(tx, [source.person]) if source.person is not None else []
    among = "s.person in (select value from json_each(:people))"
    rows = tx.named(
        f"{_RELATION} where m.removed_at is null and m.relation = :relation"
        " and ((s.key = :key and s.type = :type and (s.person is null or :people = '[]'))"
        f"  or {among}) and m.owner is not distinct from :owner"
        " and m.chat is not distinct from :chat and m.project is not distinct from :project"
        " and (m.learned_in = :learned_in"
        "      or (m.learned_type = 'private' and :learned_type = 'private'))"
        f" {_NEWEST}",
        {
            "relation": relation_,
            "key": source.key,
            "type": source.type,
            "people": json.dumps(one),
            "owner": origin.owner,
            "chat": origin.chat,
            "learned_in": origin.learned_in,
            "learned_type": origin.learned_type,
            "project": origin.project,
        },
    )
    return [Relation(*row) for row in rows]


def relations_query(
    viewer: Viewer, wanted: RelationFilter, limit: int
) -> tuple[str, dict[str, Any]]:
    """Return the query of `relations`."""
    where, values = filters.relation_condition(wanted)
    sql = (
        f"{_RELATION} where m.id in (select m.id from relations m where m.removed_at is null"
        f" and ({where}) and {seen('relations', viewer)} {_NEWEST} limit :limit) {_NEWEST}"
    )
    return sql, {**visibility.parameters(viewer), "limit": limit, **values}


def relations(tx: Tx, viewer: Viewer, wanted: RelationFilter, limit: int) -> list[Relation]:
    """Return the relations that match and that the viewer may see, last stated first."""
    return [Relation(*row) for row in tx.named(*relations_query(viewer, wanted, limit))]
