"""Relations and entities as they are stated, found, ended and removed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from services import FixedClock, call_of

from ashd import errors
from ashd.graph.edit import EditGraph, EndParams, EntityParams, RemoveParams
from ashd.graph.search import GraphSearch, SearchParams
from ashd.graph.store_relation import RelateParams
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.store import watched
from ashd.store.database import Database

ME = call_of("u")
IDS = ["abcdef01-0000-4000-8000-000000000001", "abcdef02-0000-4000-8000-000000000002"]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new database."""
    opened = Database.open(tmp_path / "ash.db", FixedClock())
    yield opened
    opened.close()


def relate(db: Database, source: str, relation: str, target: str) -> int:
    """State a relation; the number of relations that it ends."""
    params = RelateParams(source=source, relation=relation, target=target)
    return len(asyncio.run(EditGraph(db).relate(ME, params)).ended)


@pytest.mark.parametrize(
    ("relation", "ends"),
    [
        *((one, 1) for one in ("works at", "works for", "employed by", "lives in", "lives at")),
        *((one, 1) for one in ("based in", "headquartered in", "located in", "born in")),
        *((one, 1) for one in ("reports to", "married to", "engaged to", "studies at")),
        *((one, 0) for one in ("leads", "manages", "knows", "founded", "owns", "works on", "uses")),
        *((one, 0) for one in ("depends on", "part of", "attended", "visited", "sings with")),
    ],
)
def test_a_new_value_ends_the_only_one(db: Database, relation: str, ends: int) -> None:
    """A person studies at one place at a time, and visits many."""
    relate(db, "Vega", relation, "Aldebaran")

    assert relate(db, "Vega", relation, "Capella") == ends


def test_a_prefix_of_both_kinds_removes_nothing(db: Database) -> None:
    """An entity and a relation whose ids begin alike are candidates, in the order of their ids."""
    relate(db, "Vega", "owns", "a boat")
    asyncio.run(
        db.write(
            lambda tx: [
                tx.run("update relations set uuid = ? where id = 1", IDS[1]),
                tx.run("update entities set uuid = ? where id = 2", IDS[0]),
            ]
        )
    )
    edit = EditGraph(db)

    with pytest.raises(errors.Ambiguous) as several:
        asyncio.run(edit.remove(ME, RemoveParams("abcdef")))
    removed = [asyncio.run(edit.remove(ME, RemoveParams(one))) for one in reversed(IDS)]

    assert several.value.data["candidates"] == [{"id": one} for one in IDS]
    assert [(one.id, one.kind) for one in removed] == [(IDS[1], "relation"), (IDS[0], "entity")]


def test_a_list_of_relations_is_at_no_distance(db: Database) -> None:
    """Without a name each relation is one of its own ends; from a name on the steps count."""
    relate(db, "Vega", "owns", "a boat")
    relate(db, "a boat", "lies in", "Porto")
    search = GraphSearch(db)

    listed = asyncio.run(search.search(ME, SearchParams(direction="both"))).relations
    from_vega = asyncio.run(search.search(ME, SearchParams(name="vega")))

    assert [(one.relation, one.depth) for one in listed] == [("lies in", 1), ("owns", 1)]
    assert [(one.relation, one.depth) for one in from_vega.relations] == [
        ("owns", 1),
        ("lies in", 2),
    ]
    assert [(one.name, one.person_id) for one in from_vega.entities] == [("Vega", None)]


def test_an_entity_of_a_known_person_has_the_id_of_the_person(db: Database) -> None:
    """A name that nobody known has is an entity without a person."""
    known = ResolveParams(reference="my wife Vega")
    wife = asyncio.run(PeopleDirectory(db).resolve(ME, known)).person_id
    edit = EditGraph(db)

    stated = [
        asyncio.run(edit.add_entity(ME, EntityParams(type="person", name=name))).entity.person_id
        for name in ("Vega", "Capella")
    ]

    assert stated == [wife, None]


def test_an_alias_that_is_the_name_is_no_other_name(db: Database) -> None:
    """A different spelling of the name adds nothing; another name does."""
    params = EntityParams(type="company", name="Acme", aliases=["ACME", "The Mill"])

    assert asyncio.run(EditGraph(db).add_entity(ME, params)).entity.aliases == ["The Mill"]


def test_a_relation_does_not_end_before_it_begins(db: Database) -> None:
    """Such an end is refused, and the relation still holds."""
    params = RelateParams(
        source="Vega", relation="owns", target="a boat", valid_from="2026-01-01T00:00:00Z"
    )
    edit = EditGraph(db)
    number = asyncio.run(edit.relate(ME, params)).relation.id

    with pytest.raises(errors.InvalidParams):
        asyncio.run(edit.end(ME, EndParams(id=number, at="2025-01-01T00:00:00Z")))

    (held,) = asyncio.run(GraphSearch(db).search(ME, SearchParams(name="Vega"))).relations
    assert held.valid_until is None


def test_a_groups_entities_and_relations_are_removed_in_that_group(db: Database) -> None:
    """From a private chat, also of the one who stated them, both are refused and stay."""
    there = call_of("u", chat_id="g", chat_type="group", participants=["u", "v"])
    params = RelateParams(source="Vega", relation="owns", target="a boat")
    edit = EditGraph(db)
    relation = asyncio.run(edit.relate(there, params)).relation
    ids = [relation.id, relation.target.id]

    for one in ids:
        with pytest.raises(errors.Denied):
            asyncio.run(edit.remove(ME, RemoveParams(one)))

    removed = [asyncio.run(edit.remove(there, RemoveParams(one))).kind for one in ids]
    assert removed == ["relation", "entity"]


def test_another_name_is_a_change_for_those_who_may_know_it(db: Database) -> None:
    """Their cached answers are made again; a name that is known already changes nothing."""
    edit = EditGraph(db)
    asyncio.run(edit.add_entity(ME, EntityParams(type="company", name="Acme")))
    keys = asyncio.run(db.read(lambda tx: watched.keys_of(tx, ME.look(tx))))

    became = []
    for aliases in ([], ["The Mill"], ["the mill"]):
        before = db.generation
        params = EntityParams(type="company", name="Acme", aliases=aliases)
        asyncio.run(edit.add_entity(ME, params))
        became.append(db.since(keys, before))

    assert became == ["same", "grown", "same"]


def test_relations_further_away_come_up_to_the_limit(db: Database) -> None:
    """Nearer relations, which the next step reads again, do not count towards its limit."""
    relate(db, "a boat", "lies in", "Porto")
    for thing in ("a boat", "a bike", "a tent"):
        relate(db, "Vega", "owns", thing)
    relate(db, "a tent", "lies in", "Bergen")

    def reached(limit: int) -> list[int]:
        params = SearchParams(name="vega", limit=limit)
        found = asyncio.run(GraphSearch(db).search(ME, params)).relations
        return sorted(one.depth for one in found)

    assert reached(5) == [1, 1, 1, 2, 2]
    assert reached(4) == [1, 1, 1, 2]
    assert reached(3) == [1, 1, 1]


def test_only_the_name_of_a_person_may_be_personal(db: Database) -> None:
    """A company may be called like an illness; a person who is called so has it."""
    edit = EditGraph(db)
    for kind, name in (("company", "Therapist Jobs"), ("person", "Ida the therapist")):
        asyncio.run(edit.add_entity(ME, EntityParams(type=kind, name=name)))

    labels = asyncio.run(db.read(lambda tx: tx.all("select name, sensitivity from entities")))

    assert dict(labels) == {"Therapist Jobs": None, "Ida the therapist": "personal"}


@pytest.mark.parametrize("field", ["source", "relation", "target"])
def test_a_secret_is_no_part_of_a_relation(db: Database, field: str) -> None:
    """Neither of its ends nor of its words; nothing is stored."""
    words = {"source": "Vega", "relation": "owns", "target": "a boat"}

    with pytest.raises(errors.ContentRefused):
        relate(db, **(words | {field: "the card 4111 1111 1111 1111"}))

    assert asyncio.run(db.read(lambda tx: tx.value("select count(*) from entities"))) == 0


@pytest.mark.parametrize(
    "named",
    [
        {"name": "4111 1111 1111 1111"},
        {"name": "Vega", "aliases": ["the boat", "card 4111 1111 1111 1111"]},
    ],
)
def test_a_secret_is_no_name_of_an_entity(db: Database, named: dict[str, Any]) -> None:
    """Nor another name of it."""
    with pytest.raises(errors.ContentRefused):
        asyncio.run(EditGraph(db).add_entity(ME, EntityParams(type="thing", **named)))

    assert asyncio.run(db.read(lambda tx: tx.value("select count(*) from entities"))) == 0


def test_each_change_of_the_graph_is_in_the_audit(db: Database) -> None:
    graph = EditGraph(db)

    async def changes() -> list[int]:
        async def rows() -> int:
            count: int = await db.read(lambda tx: tx.value("select count(*) from audit"))
            return count

        found = []
        vega = (await graph.add_entity(ME, EntityParams(name="Vega", type="thing"))).entity.id
        found.append(await rows())
        params = RelateParams(source="Vega", relation="owns", target="a boat")
        relation = (await graph.relate(ME, params)).relation.id
        found.append(await rows())
        await graph.end(ME, EndParams(id=relation))
        found.append(await rows())
        await graph.remove(ME, RemoveParams(id=vega))
        found.append(await rows())
        return found

    assert asyncio.run(changes()) == [1, 2, 3, 4]
