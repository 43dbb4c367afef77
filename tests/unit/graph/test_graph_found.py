"""Relations and entities as they are found, stated again, and linked with people."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from services import FixedClock, call_of

from ashd import errors
from ashd.access.actor import Call
from ashd.graph.edit import EditGraph, EndParams, EntityParams, EntityResult
from ashd.graph.search import GraphSearch, SearchParams, SearchResult, relations_for
from ashd.graph.store_relation import RelateParams, RelateResult
from ashd.memory import status_changes
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.people.edit import AliasParams, CreateParams, EditPeople
from ashd.people.listing import ListParams
from ashd.people.merge import AccountParams, MergePeople
from ashd.people.participation import AccountNamed
from ashd.store.database import Database

ME = call_of("u")
GROUP = call_of("u", chat_id="g", chat_type="group", participants=["u", "v"])


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def db(tmp_path: Path, clock: FixedClock) -> Iterator[Database]:
    """A new database."""
    opened = Database.open(tmp_path / "ash.db", clock)
    yield opened
    opened.close()


def relate(
    db: Database, source: str, relation: str, target: str, call: Any = ME, **more: Any
) -> RelateResult:
    """State a relation."""
    params = RelateParams(source=source, relation=relation, target=target, **more)
    return asyncio.run(EditGraph(db).relate(call, params))


def entity(db: Database, kind: Any, name: str, **more: Any) -> EntityResult:
    """State an entity."""
    return asyncio.run(EditGraph(db).add_entity(ME, EntityParams(type=kind, name=name, **more)))


def search(db: Database, call: Any = ME, **params: Any) -> SearchResult:
    """Search the graph."""
    return asyncio.run(GraphSearch(db).search(call, SearchParams(**params)))


def found(db: Database, **params: Any) -> list[str]:
    """The targets that a search finds."""
    return [one.target.name for one in search(db, **params).relations]


def test_a_list_says_whether_there_is_more(db: Database) -> None:
    """From a name on, and without one."""
    for thing in ("a boat", "a bike", "a tent"):
        relate(db, "Vega", "owns", thing)

    for name in (None, "Vega"):
        full = [
            (len(found(db, name=name, limit=n)), search(db, name=name, limit=n).more)
            for n in (2, 3, 4)
        ]
        assert full == [(2, True), (3, False), (3, False)]


def test_relations_are_chosen_by_kind_direction_and_distance(db: Database) -> None:
    """Each of them narrows what is found."""
    relate(db, "Vega", "owns", "a boat")
    relate(db, "Vega", "works at", "Acme")
    relate(db, "Ida", "knows", "Vega")
    relate(db, "Acme", "located in", "Porto")

    assert found(db, relation="WORKS_AT") == ["Acme"]
    assert found(db, name="Vega", relation="owns") == ["a boat"]
    assert sorted(found(db, name="vega", depth=1)) == ["Acme", "Vega", "a boat"]
    assert sorted(found(db, name="vega")) == ["Acme", "Porto", "Vega", "a boat"]
    assert sorted(found(db, name="vega", direction="out")) == ["Acme", "Porto", "a boat"]
    assert found(db, name="vega", direction="in") == ["Vega"]


def test_relations_are_found_as_of_a_time(db: Database, clock: FixedClock) -> None:
    """A relation that ended is found where asked for, or as of a time at which it held."""
    relate(db, "Vega", "lives in", "Oslo", valid_from="2020-01-01", valid_until="2021-06-30")
    relate(db, "Vega", "lives in", "Porto", valid_from="2022-01-01")

    assert found(db, name="Vega") == ["Porto"]
    assert sorted(found(db, name="Vega", include_ended=True)) == ["Oslo", "Porto"]
    clock.pass_by(days=1)
    assert found(db, name="Vega", as_of="2020-06-01") == []
    moved = search(db, name="Vega", include_ended=True).relations
    assert {one.target.name: one.valid_until for one in moved} == {
        "Oslo": "2021-07-01T00:00:00Z",
        "Porto": None,
    }


def test_a_name_that_nothing_has(db: Database) -> None:
    """An empty one is refused; of an unknown one nothing is found or made."""
    relate(db, "Vega", "owns", "a boat")

    for empty in (" ", "\u200b"):
        with pytest.raises(errors.InvalidParams):
            search(db, name=empty)
        with pytest.raises(errors.InvalidParams):
            relate(db, "Vega", "owns", empty)
    unknown = search(db, name="Rigel")
    assert [one.kind for one in unknown.notices] == ["entity_not_found"]
    assert unknown.people == unknown.relations == unknown.entities == []
    assert search(db, name="Vega").notices == []
    people = asyncio.run(PeopleDirectory(db).list(ME, ListParams()))
    assert "Rigel" not in [one.name for one in people.people]


def test_a_known_person_is_found_by_each_name(db: Database) -> None:
    """With or without an entity; the entity has the person's id."""
    person = asyncio.run(EditPeople(db).create(ME, CreateParams(name="Ida Berg"))).person.id
    asyncio.run(EditPeople(db).add_alias(ME, AliasParams(person, "Muffin")))

    alone = search(db, name="Muffin")
    assert ([one.id for one in alone.people], alone.notices) == ([person], [])
    stated = relate(db, "Ida Berg", "sings with", "the choir")
    assert (stated.relation.source.type, stated.relation.target.type) == ("person", "concept")
    met = search(db, name="Muffin")
    assert [(one.name, one.person_id) for one in met.entities] == [("Ida Berg", person)]
    assert [one.id for one in met.people] == [person]
    assert [one.target.name for one in met.relations] == ["the choir"]
    # By another name it is the same entity, and the relation keeps the name it was stated with.
    again = relate(db, "Muffin", "sings with", "the band").relation.source
    assert (again.id, again.name) == (stated.relation.source.id, "Muffin")


def test_an_entity_is_linked_once_its_person_is_known(db: Database) -> None:
    """A person who is made known later is the one whom the entity meant."""
    first = entity(db, "person", "Vega")
    wife = ResolveParams(reference="my wife Vega")
    person = asyncio.run(PeopleDirectory(db).resolve(ME, wife)).person_id

    again = entity(db, "person", "Vega")

    assert (first.outcome, first.entity.person_id) == ("added", None)
    assert (again.outcome, again.entity.id) == ("known", first.entity.id)
    assert again.entity.person_id == person
    assert entity(db, "company", "Vega").outcome == "added"


def test_the_type_of_an_end_is_that_of_what_is_known(db: Database) -> None:
    """The given type first, then that of the one thing which is called so."""
    company = entity(db, "company", "Acme").entity

    known = relate(db, "Acme", "sings with", "the choir").relation.source
    assert (known.type, known.id) == ("company", company.id)
    given = relate(db, "Acme", "sings with", "the choir", source_type="project").relation.source
    assert given.type == "project"
    with pytest.raises(errors.Ambiguous) as several:
        relate(db, "Acme", "sings with", "the band")
    types = [one["type"] for one in several.value.data["candidates"]]
    assert types == ["company", "project"]
    assert relate(db, "Vega", "works at", "Acme").relation.target.id == company.id


def test_a_relation_that_is_stated_again_is_the_same(db: Database, clock: FixedClock) -> None:
    """It gains dates and a confidence, and is revived after its end."""
    first = relate(db, "Vega", "owns", "a boat")
    clock.pass_by(days=1)
    again = relate(db, "vega", "OWNS", "A boat!", confidence=0.5, valid_from="2020-01-01")

    assert (first.outcome, first.relation.confidence) == ("added", 1.0)
    assert (again.outcome, again.relation.id) == ("known", first.relation.id)
    assert again.relation.valid_from == "2020-01-01T00:00:00Z"
    assert 0.4 < again.relation.confidence < 0.6
    assert again.relation.said_at == first.relation.said_at
    assert again.relation.asserted_at > first.relation.asserted_at
    later = relate(db, "Vega", "owns", "a boat", valid_until="2030-01-01").relation
    assert (later.valid_from, later.valid_until) == ("2020-01-01T00:00:00Z", "2030-01-02T00:00:00Z")
    assert 0.4 < later.confidence < 0.6
    for wrong in ({"valid_until": "2019-01-01"}, {"valid_from": "2031-01-01"}):
        with pytest.raises(errors.InvalidParams):
            relate(db, "Vega", "owns", "a boat", **wrong)

    asyncio.run(EditGraph(db).end(ME, EndParams(id=first.relation.id)))
    assert found(db, name="Vega") == []
    clock.pass_by(days=1)
    revived = relate(db, "Vega", "owns", "a boat")
    assert revived.outcome == "revived"
    assert revived.relation.id != first.relation.id
    assert found(db, name="Vega") == ["a boat"]


@pytest.mark.parametrize(("single", "ended"), [(None, 0), (True, 1), (False, 0)])
def test_a_caller_says_whether_a_relation_has_one_value(
    db: Database, single: bool | None, ended: int
) -> None:
    """It is not assumed of a relation that nobody knows."""
    relate(db, "Vega", "sings with", "the choir")

    assert len(relate(db, "Vega", "sings with", "the band", single=single).ended) == ended
    assert relate(db, "Rigel", "lives in", "Oslo", single=False).ended == []
    assert relate(db, "Rigel", "lives in", "Porto", single=False).ended == []


def test_a_shared_relation_belongs_to_a_group(db: Database) -> None:
    """In a private chat there is nobody to share it with."""
    with pytest.raises(errors.InvalidParams):
        relate(db, "Vega", "owns", "a boat", shared=True)

    relate(db, "Vega", "owns", "a bike", GROUP, shared=True, portable=False)
    relate(db, "Vega", "owns", "a tent", GROUP, portable=False)
    other = call_of("v", chat_id="g", chat_type="group", participants=["u", "v"])
    assert sorted(one.target.name for one in search(db, other).relations) == ["a bike", "a tent"]
    owners = asyncio.run(
        db.read(lambda tx: tx.all("select target_name, owner is null from relations"))
    )
    assert dict(owners) == {"a bike": 1, "a tent": 0}


def test_a_prompt_has_each_relation_that_holds_once(db: Database, clock: FixedClock) -> None:
    """The relations that were said last come first; one that ended has no line."""
    relate(db, "Vega", "owns", "a boat")
    clock.pass_by(days=1)
    relate(db, "Vega", "owns", "a boat", GROUP, shared=True)
    clock.pass_by(days=1)
    relate(db, "Vega", "owns", "a bike")
    relate(db, "Vega", "owns", "a tent", valid_until="2020-01-01")

    lines = asyncio.run(
        db.read(lambda tx: relations_for(tx, call_of("u", all_scopes=True).look(tx), 10))
    )

    assert ["a bike" in line or "a boat" in line for line in lines] == [True, True]
    assert "a bike" in lines[0]


def test_relatives_of_the_asker_are_found_by_the_relation(db: Database) -> None:
    """Not those who are it to somebody else; a word for several finds each of them."""
    told = (
        "my son Tom",
        "my daughter Mia",
        "my wife Ida",
        "Ida's sister Eva",
        "my older brother Kai",
    )
    for reference in told:
        asyncio.run(PeopleDirectory(db).resolve(ME, ResolveParams(reference=reference)))

    def people(**params: Any) -> list[str]:
        return sorted(one.name for one in search(db, **params).people)

    assert people(relation="son") == ["Tom"]
    assert people(relation="children") == ["Mia", "Tom"]
    assert people(relation="sister") == []
    assert people(relation="brother") == ["Kai"]
    assert people(name="Ida", relation="sister") == ["Eva", "Ida"]
    assert people() == []


def test_a_value_that_began_before_the_known_one_ends_where_that_begins(db: Database) -> None:
    relate(db, "Vega", "lives in", "Porto", valid_from="2022-01-01")

    earlier = relate(db, "Vega", "lives in", "Oslo", valid_from="2020-01-01")

    assert earlier.ended == []
    assert earlier.relation.valid_until == "2022-01-01T00:00:00Z"
    assert found(db, name="Vega") == ["Porto"]


def test_a_part_of_a_name_means_an_entity_only_if_it_is_nobodys_whole_name(db: Database) -> None:
    relate(db, "Vega", "owns", "a boat")
    relate(db, "Vega Works", "located in", "Porto")

    assert [one.name for one in search(db, name="Vega").entities] == ["Vega"]
    assert [one.name for one in search(db, name="Works").entities] == ["Vega Works"]


def test_a_statement_on_a_joined_account_is_of_the_person_whom_it_parts_into(
    db: Database,
) -> None:
    """A group that knows one account of somebody has its person, whatever it was joined with."""
    here = {"chat_id": "g", "chat_type": "group", "participants": ["u", "v"]}
    vera, elsewhere = call_of("v", display_name="Vera", **here), call_of("w")
    group = call_of("u", **here)
    people, joining = PeopleDirectory(db), MergePeople(db, status_changes.part_accounts)

    def known(call: Call, reference: str) -> str:
        return asyncio.run(people.resolve(call, ResolveParams(reference=reference))).person_id

    own, other = known(vera, "me"), known(elsewhere, "me")
    join = AccountParams(other, AccountNamed("test", "v"))
    asyncio.run(joining.link_account(call_of("w", all_scopes=True), join))
    relate(db, "Vera", "lives in", "Rome", group)
    asyncio.run(joining.unlink_account(call_of("w", all_scopes=True), join))

    assert known(group, "Vera") == own
    assert [one.person_id for one in search(db, group, name="Vera").entities] == [own]
