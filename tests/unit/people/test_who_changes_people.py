"""The rights to name, relate, merge and delete people, on a real database."""

from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from services import FixedClock, call_of

from ashd import errors
from ashd.access.actor import Call
from ashd.access.scope import Scope
from ashd.clock import DAY, SECOND, to_text
from ashd.memory import status_changes
from ashd.people.directory import GetParams, IdParams, PeopleDirectory, PersonResult
from ashd.people.edit import AliasParams, CreateParams, EditPeople, RelateParams, UpdateParams
from ashd.people.listing import ListParams as PeopleParams
from ashd.people.merge import AccountParams, MergeParams, MergePeople
from ashd.people.participation import (
    AccountNamed,
    ChatNamed,
    ListParams,
    Participation,
    TakesPartParams,
)
from ashd.store import chats, people
from ashd.store.database import Database, Tx

CHAT = {"chat_id": "g", "chat_type": "group"}
ANN, BOB = call_of("ann", **CHAT), call_of("bob", **CHAT)
ANN_ALONE = call_of("ann")
OPERATOR = call_of("root", all_scopes=True)
GROUP = ChatNamed("test", "g", "group")


class World(NamedTuple):
    """Ann and Bob take part in a group."""

    db: Database
    clock: FixedClock
    edit: EditPeople
    merge: MergePeople
    parts: Participation

    async def made(self, call: Call, name: str, relationship: str | None = None) -> str:
        """The id of a person who is made known."""
        params = CreateParams(name=name, relationship=relationship)
        return (await self.edit.create(call, params)).person.id

    async def own(self, user: str) -> str:
        """The id of a user's own person."""

        def found(tx: Tx) -> str:
            account = chats.account(tx, "test", user)
            assert account is not None
            return people.by_id(tx, account.own_person).uuid

        return await self.db.read(found)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    clock = FixedClock()
    db = Database.open(tmp_path / "a.db", clock)
    for call in (ANN, BOB, ANN_ALONE, OPERATOR):
        await db.write(call.enter, scoped=True)
    yield World(
        db, clock, EditPeople(db), MergePeople(db, status_changes.part_accounts), Participation(db)
    )
    db.close()


async def outcome(change: Awaitable[Any]) -> str:
    """Return the outcome of a change: done, or the kind of the error."""
    try:
        await change
    except errors.AshError as error:
        return error.kind
    return "done"


async def test_a_person_is_named_by_who_made_it_known(world: World) -> None:
    """Other members cannot rename a person, however well they know it; the operator can."""
    tom = await world.made(ANN, "Tom")
    other = UpdateParams(id=tom, name="Thomas")

    assert await outcome(world.edit.update(BOB, other)) == "denied"
    assert await outcome(world.edit.update(ANN, other)) == "done"
    assert await outcome(world.edit.update(OPERATOR, UpdateParams(id=tom, name="Tim"))) == "done"
    assert await outcome(world.edit.update(ANN, UpdateParams(id=tom))) == "invalid_params"
    for metadata in ({"a": 1}, None):
        changed = await world.edit.update(OPERATOR, UpdateParams(id=tom, metadata=metadata))
        assert (changed.person.name, changed.person.metadata) == ("Tim", metadata)
    secret = await world.made(ANN_ALONE, "Uma")
    assert await outcome(world.edit.update(BOB, UpdateParams(id=secret, name="U"))) == "not_found"


async def test_a_member_who_joins_at_the_moment_of_a_statement_has_heard_it(world: World) -> None:
    """A therapist is personal: nobody is told who it is once somebody listens who was not there."""
    tom = GetParams(id=await world.made(ANN, "Tom", "therapist"))
    directory = PeopleDirectory(world.db)

    seen = [await outcome(directory.get(BOB, tom))]
    world.clock.pass_by(seconds=1)
    await world.db.write(call_of("cat", **CHAT).enter, scoped=True)
    seen.append(await outcome(directory.get(BOB, tom)))

    assert seen == ["done", "not_found"]


async def test_a_member_who_leaves_at_the_moment_of_a_statement_has_not_heard_it(
    world: World,
) -> None:
    """Nor does coming back later tell it; whoever left a moment later has heard it."""
    directory = PeopleDirectory(world.db)
    seen = []
    for seconds, name in ((0, "Tom"), (1, "Tim")):
        at = world.clock.now() + seconds * SECOND
        tom = GetParams(id=await world.made(ANN, name, "therapist"))
        world.clock.pass_by(seconds=2)
        await world.parts.leave(ANN, part("bob", at))
        world.clock.pass_by(seconds=2)
        await world.parts.join(ANN, part("bob"))
        seen.append(await outcome(directory.get(BOB, tom)))
        world.clock.pass_by(seconds=2)

    assert seen == ["not_found", "done"]


async def test_nobody_has_a_boss_where_nobody_acts(world: World) -> None:
    """A call without a user makes people known, but none of them is anything to it."""
    nobody = replace(ANN, scope=Scope(provider="test", **CHAT))

    assert await outcome(world.edit.create(nobody, CreateParams(name="Tom"))) == "done"
    boss = CreateParams(name="Uma", relationship="boss")
    assert await outcome(world.edit.create(nobody, boss)) == "invalid_params"


async def test_an_alias_is_taken_back_by_who_gave_it_where_it_was_given(world: World) -> None:
    """The alias is removed in the group where it was given, not from a private chat."""
    tom = await world.made(ANN, "Tom")
    alias = AliasParams(tom, "Tommy")
    await world.edit.add_alias(ANN, alias)

    assert await outcome(world.edit.remove_alias(BOB, AliasParams(tom, "TOMMY"))) == "denied"
    assert await outcome(world.edit.remove_alias(ANN_ALONE, alias)) == "denied"
    assert await outcome(world.edit.remove_alias(ANN, AliasParams(tom, "Tam"))) == "not_found"
    assert await outcome(world.edit.remove_alias(ANN, alias)) == "done"
    assert await outcome(world.edit.remove_alias(ANN, alias)) == "not_found"
    await world.edit.add_alias(BOB, alias)
    assert await outcome(world.edit.remove_alias(OPERATOR, alias)) == "done"


async def test_a_relationship_is_ended_by_who_stated_it(world: World) -> None:
    """Only its author can end a relationship, in the place where it was stated."""
    tom, uma = await world.made(ANN, "Tom"), await world.made(ANN, "Uma")
    boss = RelateParams(id=tom, relationship="boss", to=uma)
    await world.edit.relate(ANN, boss)
    wrong = [
        RelateParams(id=tom, relationship="boss", to=tom),
        RelateParams(id=tom, relationship="friends", to=uma),
        RelateParams(id=tom, relationship="me", to=uma),
    ]

    assert [await outcome(world.edit.relate(ANN, one)) for one in wrong] == 3 * ["invalid_params"]
    nobody = call_of("ann", **CHAT)
    assert await outcome(
        world.edit.relate(nobody, RelateParams(id=tom, relationship="friend"))
    ) == ("done")
    assert await outcome(world.edit.unrelate(BOB, boss)) == "denied"
    assert await outcome(world.edit.unrelate(ANN_ALONE, boss)) == "denied"
    to_me = RelateParams(id=tom, relationship="boss")
    assert await outcome(world.edit.unrelate(ANN, to_me)) == "not_found"
    assert await outcome(world.edit.unrelate(ANN, boss)) == "done"
    assert await outcome(world.edit.unrelate(ANN, boss)) == "not_found"


async def test_only_what_one_told_alone_is_deleted(world: World) -> None:
    """Another's alias or relationship holds a person; an account does so for everybody."""
    tom, uma = await world.made(ANN, "Tom"), await world.made(ANN, "Uma")
    await world.edit.add_alias(BOB, AliasParams(tom, "Tommy"))
    await world.edit.relate(BOB, RelateParams(id=uma, relationship="friend"))

    for person in (tom, uma):
        assert await outcome(world.edit.delete(ANN, IdParams(person))) == "denied"
        assert await outcome(world.edit.delete(BOB, IdParams(person))) == "denied"
        assert await outcome(world.edit.delete(OPERATOR, IdParams(person))) == "done"
        assert await outcome(world.edit.delete(OPERATOR, IdParams(person))) == "not_found"
    bob = await world.own("bob")
    assert await outcome(world.edit.delete(OPERATOR, IdParams(bob))) == "denied"
    own = await world.made(ANN, "Vic")
    gone = await world.edit.delete(ANN, IdParams(own))
    assert gone.person.name == "Vic"


async def test_a_merge_takes_nothing_that_others_told(world: World) -> None:
    """A user's merge joins no accounts; a dry run shows its effects."""
    tom, thomas = await world.made(ANN, "Tom"), await world.made(ANN, "Thomas")
    bobs = await world.made(BOB, "Tommy")
    bob = await world.own("bob")

    def merged(
        call: Call, loser: str, winner: str, *, dry: bool = False
    ) -> Awaitable[PersonResult]:
        return world.merge.merge(call, MergeParams(id=loser, into=winner, dry_run=dry))

    assert await outcome(merged(ANN, bobs, tom)) == "denied"
    assert await outcome(merged(ANN, bob, tom)) == "denied"
    assert await outcome(merged(ANN, tom, tom)) == "conflict"
    assert await outcome(merged(ANN, tom, thomas, dry=True)) == "done"
    assert await outcome(world.merge.split(ANN, IdParams(tom))) == "conflict"
    assert await outcome(merged(ANN, tom, thomas)) == "done"
    assert await outcome(merged(ANN, tom, thomas)) == "conflict"
    assert await outcome(world.merge.split(BOB, IdParams(tom))) == "denied"
    assert await outcome(world.merge.split(ANN, IdParams(thomas))) == "done"
    await world.edit.relate(ANN, RelateParams(id=tom, relationship="brother", to=thomas))
    assert await outcome(merged(ANN, tom, thomas)) == "conflict"
    assert await outcome(merged(OPERATOR, bobs, tom)) == "done"
    assert await outcome(world.merge.split(ANN, IdParams(tom))) == "denied"
    assert await outcome(world.merge.split(BOB, IdParams(bobs))) == "done"


async def test_a_person_with_an_account_is_merged_away_by_the_operator_alone(
    world: World,
) -> None:
    """Whoever told of the person alone could move another user's account to somebody else."""
    tom, thomas = await world.made(ANN, "Tom"), await world.made(ANN, "Thomas")
    account = AccountNamed("test", "tom")
    await world.merge.link_account(OPERATOR, AccountParams(tom, account))
    into = MergeParams(id=tom, into=thomas)

    assert await outcome(world.merge.merge(ANN, into)) == "denied"
    assert await outcome(world.merge.merge(OPERATOR, into)) == "done"


async def test_a_person_who_is_split_has_no_more_names_than_before_the_merge(
    world: World,
) -> None:
    """The name that a merge adds to the other person ends with the merge."""
    tom, thomas = await world.made(ANN, "Tom"), await world.made(ANN, "Thomas")
    directory = PeopleDirectory(world.db)

    async def names() -> list[tuple[str, list[str]]]:
        found = [(await directory.get(ANN, GetParams(id=one))).person for one in (tom, thomas)]
        return [(one.name, [alias.value for alias in one.aliases]) for one in found]

    before = await names()
    await world.merge.merge(ANN, MergeParams(id=tom, into=thomas))
    merged = await names()
    await world.merge.split(ANN, IdParams(tom))

    assert before == [("Tom", []), ("Thomas", [])]
    assert merged == 2 * [("Thomas", ["Tom"])]
    assert await names() == before


async def test_a_name_given_while_joined_makes_nobody_known(world: World) -> None:
    """The account knows the person, whom others made known, by itself: nobody was merged there."""
    tom = await world.made(BOB, "Tom")
    other = AccountParams(await world.own("ann"), AccountNamed("test", "second"))
    await world.merge.link_account(OPERATOR, other)
    newest = await world.db.read(people.newest)
    await world.edit.add_alias(ANN, AliasParams(tom, "Tommy"))
    assert await world.db.read(people.newest) == newest
    await world.merge.unlink_account(OPERATOR, other)

    found = (await PeopleDirectory(world.db).get(ANN, GetParams(id=tom))).person

    assert (found.name, [alias.value for alias in found.aliases]) == ("Tom", ["Tommy"])


async def test_accounts_are_joined_by_the_operator_and_once(world: World) -> None:
    """The first account is not taken away; joined ones are split by no other command."""
    tom = await world.made(ANN, "Tom")
    link, unlink = world.merge.link_account, world.merge.unlink_account
    of_tom = AccountParams(tom, AccountNamed("test", "tom"))

    linked = await link(ANN, of_tom)
    assert await outcome(link(ANN, of_tom)) == "done"
    other = await world.made(ANN, "Other")
    elsewhere = AccountParams(other, AccountNamed("test", "tom"))
    assert await outcome(link(ANN, elsewhere)) == "conflict"
    assert await outcome(unlink(ANN, elsewhere)) == "not_found"
    unknown = AccountParams(tom, AccountNamed("test", "unheard"))
    assert await outcome(unlink(ANN, unknown)) == "not_found"
    assert await outcome(world.merge.split(ANN, IdParams(linked.person.id))) == "denied"
    assert await outcome(unlink(ANN, of_tom)) == "done"
    first = AccountParams(await world.own("bob"), AccountNamed("test", "bob"))
    assert await outcome(unlink(OPERATOR, first)) == "conflict"
    assert await outcome(link(OPERATOR, AccountParams(tom, first.account))) == "done"
    assert await outcome(unlink(OPERATOR, AccountParams(tom, first.account))) == "done"


def part(user: str, at: int | None = None, **fields: Any) -> TakesPartParams:
    chat = ChatNamed(**{"provider": "test", "chat_id": "g", "chat_type": "group", **fields})
    return TakesPartParams(chat, AccountNamed("test", user), to_text(at))


async def test_stays_are_intervals_up_to_now(world: World) -> None:
    """A stay needs accounts of the group's provider, and never ends in the future."""
    now = world.clock.now()
    join, leave = world.parts.join, world.parts.leave
    wrong = [part("cat", now + DAY), part("cat", chat_type="private"), part("cat", provider="q")]

    for change in (join, leave):
        assert [await outcome(change(ANN, one)) for one in wrong] == 3 * ["invalid_params"]
    assert await outcome(leave(ANN, part("cat"))) == "not_found"
    assert await outcome(leave(ANN, part("ann", chat_id="none"))) == "not_found"
    assert await outcome(join(ANN, part("cat", now))) == "done"
    assert await outcome(leave(ANN, part("cat", now - DAY))) == "not_found"
    world.clock.pass_by(days=1)
    assert await outcome(leave(ANN, part("cat"))) == "done"
    assert await outcome(leave(ANN, part("cat"))) == "done"

    listed = await world.parts.list(ListParams(chat=GROUP))
    stays = {one.user_id: (one.joined_at, one.left_at) for one in listed.participants}
    assert stays["cat"] == (to_text(now), to_text(now + DAY))
    assert stays["ann"][1] is None
    private = ListParams(chat=ChatNamed("test", "g", "private"))
    assert await outcome(world.parts.list(private)) == "not_found"


async def test_chats_are_listed_page_by_page(world: World) -> None:
    """Each once, and the last page says that it is the last."""
    seen: list[tuple[str, str | None, int]] = []
    cursor = None
    for _ in range(3):
        page = await world.parts.list(ListParams(limit=1, cursor=cursor))
        assert page.participants == []
        seen += [(one.chat_type, one.chat_id, one.participants) for one in page.chats]
        cursor = page.next_cursor
    every = await world.parts.list(ListParams(limit=3))

    assert seen == [(one.chat_type, one.chat_id, one.participants) for one in every.chats]
    assert (len(seen), cursor, every.next_cursor) == (3, None, None)
    assert ("group", "g", 2) in seen
    assert (await world.parts.list(ListParams())).next_cursor is None


async def test_people_are_ordered_by_how_many_they_are_connected_to(world: World) -> None:
    """Relationships count for both sides; equals stay in the order of their last mention."""
    tom, uma, viv = [await world.made(ANN, name) for name in ("Tom", "Uma", "Viv")]
    for one in (uma, viv):
        await world.edit.relate(ANN, RelateParams(id=one, relationship="sister", to=tom))
    directory = PeopleDirectory(world.db)

    orders = [
        [
            one.name
            for one in (await directory.list(ANN, PeopleParams(order=order))).people
            if one.id in {tom, uma, viv}
        ]
        for order in ("name", "connections")
    ]

    assert orders[0] == ["Tom", "Uma", "Viv"]
    assert orders[1][0] == "Tom"
    assert sorted(orders[1][1:]) == ["Uma", "Viv"]


async def test_a_person_who_is_renamed_has_lost_the_former_name(world: World) -> None:
    """In the chat where the name was told it was a mistake, and is no other name."""
    tom = await world.made(ANN, "Tom")

    renamed = await world.edit.update(ANN, UpdateParams(id=tom, name="Timothy"))

    assert (renamed.person.name, [one.value for one in renamed.person.aliases]) == ("Timothy", [])
