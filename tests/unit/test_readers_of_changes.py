"""A change of people, chats, the graph or pinned facts is noticed by its readers alone.

What is cached for everybody else stays good.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from services import FixedClock, call_of

from ashd.context.overrides import AddParams, Overrides
from ashd.context.overrides import RemoveParams as UnpinParams
from ashd.graph.edit import EditGraph, EndParams, EntityParams, RemoveParams
from ashd.graph.store_relation import RelateParams as StateParams
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.people.edit import AliasParams, CreateParams, EditPeople, RelateParams
from ashd.people.participation import AccountNamed, ChatNamed, Participation, TakesPartParams
from ashd.store.change_tracker import EVERYTHING, Key
from ashd.store.database import Database, Tx

ANN, BOB = call_of("ann"), call_of("bob")
GROUP = call_of("ann", chat_id="g", chat_type="group")


class Noticed:
    """Asks whether Bob, or anybody, could notice what has changed since it was asked last."""

    def __init__(self, db: Database, bob: list[Key]) -> None:
        self.db = db
        self._bob = bob
        self._generation = 0

    async def look(self) -> tuple[bool, bool]:
        """Whether Bob can notice it, and whether somebody can."""
        found = tuple(
            self.db.since(keys, self._generation) != "same" for keys in (self._bob, [EVERYTHING])
        )
        self._generation = await self.db.read(lambda tx: tx.generation)
        return found[0], found[1]


@pytest.fixture
async def noticed(tmp_path: Path) -> AsyncIterator[Noticed]:
    db = Database.open(tmp_path / "ash.db", FixedClock())

    def keys(tx: Tx) -> list[Key]:
        viewer = BOB.look(tx)
        return [("account", viewer.accounts[0]), ("person", viewer.persons[0])]

    try:
        for call in (ANN, BOB, GROUP):
            await db.write(call.enter, scoped=True)
        found = Noticed(db, await db.read(keys))
        await found.look()
        yield found
    finally:
        db.close()


HERS = (False, True)


async def test_people_are_changed_for_those_who_know_them(noticed: Noticed) -> None:
    edits, directory = EditPeople(noticed.db), PeopleDirectory(noticed.db)

    kurt = (await edits.create(ANN, CreateParams(name="Kurt"))).person.id
    assert await noticed.look() == HERS
    await edits.add_alias(ANN, AliasParams(id=kurt, alias="Kurti"))
    assert await noticed.look() == HERS
    await edits.relate(ANN, RelateParams(id=kurt, relationship="uncle"))
    assert await noticed.look() == HERS
    await edits.unrelate(ANN, RelateParams(id=kurt, relationship="uncle"))
    assert await noticed.look() == HERS
    await directory.resolve(ANN, ResolveParams(reference="my friend Eva"))
    assert await noticed.look() == HERS


async def test_a_group_is_changed_for_those_who_take_part(noticed: Noticed) -> None:
    group = Participation(noticed.db)
    carl = TakesPartParams(
        chat=ChatNamed(provider="test", chat_type="group", chat_id="g"),
        account=AccountNamed("test", "carl"),
    )

    await group.join(ANN, carl)
    assert await noticed.look() == HERS
    await group.leave(ANN, carl)
    assert await noticed.look() == HERS


async def test_the_graph_is_changed_for_its_owner(noticed: Noticed) -> None:
    graph = EditGraph(noticed.db)

    boat = (await graph.add_entity(ANN, EntityParams(name="Vega", type="thing"))).entity.id
    assert await noticed.look() == HERS
    stated = StateParams(source="Vega", relation="owned by", target="Capella")
    relation = (await graph.relate(ANN, stated)).relation.id
    assert await noticed.look() == HERS
    await graph.end(ANN, EndParams(id=relation))
    assert await noticed.look() == HERS
    await graph.remove(ANN, RemoveParams(id=boat))
    assert await noticed.look() == HERS


async def test_facts_are_pinned_for_their_owner(noticed: Noticed) -> None:
    pinned = Overrides(noticed.db)

    made = await pinned.add(ANN, AddParams(content="Vegan."))
    assert await noticed.look() == HERS
    await pinned.remove(ANN, UnpinParams(id=made.override.id))
    assert await noticed.look() == HERS
