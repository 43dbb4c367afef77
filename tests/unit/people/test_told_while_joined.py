"""Statements about people while accounts are joined are stored for whom each account knows."""

from pathlib import Path

from services import House, call_of, house

from ashd.access.actor import Call
from ashd.memory import status_changes
from ashd.memory.incoming_facts import AddParams
from ashd.memory.read import GetParams
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.people.edit import AliasParams, EditPeople
from ashd.people.merge import AccountParams, MergeParams, MergePeople
from ashd.people.participation import AccountNamed
from ashd.store import memory_links, people
from ashd.store.database import Tx


async def joined(at: House) -> tuple[Call, MergePeople, AccountParams, str]:
    """Let the forum's account tell of Sarah, and join it to the phone's.

    Return the phone's call, with what parts them again, and Sarah's id.
    """
    phone, forum = call_of("phone"), call_of("forum")
    directory = PeopleDirectory(at.db)
    joining = MergePeople(at.db, status_changes.part_accounts)
    sarah = (await directory.resolve(forum, ResolveParams(reference="my friend Sarah"))).person_id
    me = (await directory.resolve(phone, ResolveParams(reference="me"))).person_id
    join = AccountParams(me, AccountNamed("test", "forum"))
    await joining.link_account(phone, join)
    return phone, joining, join, sarah


async def test_a_person_given_by_id_is_parted_without_doubt(tmp_path: Path) -> None:
    """Whom the other account made known is a new person of the one that tells of them."""
    async with house(tmp_path) as at:
        phone, joining, join, sarah = await joined(at)

        fact = AddParams(content="Sarah plays the oboe", subjects=[sarah])
        (entry,) = (await at.remember.add(phone, fact)).memories
        assert entry.memory is not None
        assert [one.id for one in entry.people] == [sarah]
        parted = await joining.unlink_account(phone, join)

        assert parted.not_parted.memories == []
        (subject,) = (
            await at.read.get(phone, GetParams(entry.memory.id))
        ).memory.subject_person_ids
        assert subject != sarah


async def test_readers_learn_that_a_person_of_the_other_account_is_known_to_this_one(
    tmp_path: Path,
) -> None:
    """A name makes the account's own person, who is merged with the other's: a change of both."""
    async with house(tmp_path) as at:
        phone, _, _, sarah = await joined(at)

        def numbers(tx: Tx) -> tuple[int, int, int | None]:
            account = phone.speaker(tx, phone.look(tx))
            person = people.by_prefix(tx, sarah)[0][1]
            return tx.generation, person, account.id if account else None

        before, person, account = await at.db.read(numbers)
        assert account is not None
        await at.remember.add(phone, AddParams(content="Sarah plays the oboe", subjects=["Sarah"]))

        keys = [("person", person), ("account", account)]
        assert [at.db.since([key], before) for key in keys] == ["changed", "changed"]


async def test_a_name_by_hand_is_one_of_the_accounts_own_person_and_makes_nobody(
    tmp_path: Path,
) -> None:
    """The newest person of all is the account's own, and is merged by the join already."""
    async with house(tmp_path) as at:
        phone, joining, join, sarah = await joined(at)
        await at.remember.add(phone, AddParams(content="Sarah plays the oboe", subjects=["Sarah"]))
        newest = await at.db.read(people.newest)

        await EditPeople(at.db).add_alias(phone, AliasParams(id=sarah, alias="Muffin"))

        assert await at.db.read(people.newest) == newest
        merged = await at.db.read(lambda tx: tx.all("select loser from person_merges order by 1"))
        assert len(merged) == len(set(merged)) == 2
        assert merged[-1] == (newest,)
        await joining.unlink_account(phone, join)
        params = ResolveParams(reference="Muffin", create=False)
        assert (await PeopleDirectory(at.db).resolve(phone, params)).person_id != sarah


async def test_the_id_of_the_other_accounts_person_means_none_of_ones_own_merged_ones(
    tmp_path: Path,
) -> None:
    """The account's own name may mean two people; the other account's person is known."""
    async with house(tmp_path) as at:
        phone, forum = call_of("phone"), call_of("forum")
        directory = PeopleDirectory(at.db)
        joining = MergePeople(at.db, status_changes.part_accounts)

        async def known(name: str) -> str:
            return (await directory.resolve(phone, ResolveParams(reference=name))).person_id

        me, sarah, sally = await known("me"), await known("Sarah"), await known("Sally")
        await joining.merge(phone, MergeParams(id=sally, into=sarah))
        join = AccountParams(me, AccountNamed("test", "forum"))
        await joining.link_account(phone, join)
        said = AddParams(content="Sarah paints herons", subjects=["Sarah"])
        await at.remember.add(forum, said)

        def rows(tx: Tx) -> list[str]:
            return [one.uuid for one in people.by_ids(tx, set(range(1, 99)))]

        (theirs,) = [
            one
            for one in await at.db.read(rows)
            if one not in {sarah, sally} and (await known(one)) == sarah
        ]
        fact = AddParams(content="She plays the oboe", subjects=[theirs])
        (entry,) = (await at.remember.add(phone, fact)).memories
        assert entry.memory is not None
        await joining.unlink_account(phone, join)

        memory = (await at.read.get(phone, GetParams(entry.memory.id))).memory
        assert memory.subject_person_ids == [sarah]


async def test_a_merge_with_a_contact_compares_no_memories(tmp_path: Path) -> None:
    """One account's memories are compared with those of another account alone."""
    async with house(tmp_path) as at:
        ann = call_of("ann")
        directory = PeopleDirectory(at.db)
        await at.remember.add(ann, AddParams(content="I play the oboe"))
        waiting = await at.db.read(lambda tx: memory_links.ready_to_judge(tx, None, 9))
        numbers = [one.memory for one in waiting]
        await at.db.write(lambda tx: memory_links.judged(tx, numbers))
        me, tom = [
            (await directory.resolve(ann, ResolveParams(reference=name))).person_id
            for name in ("me", "Tom")
        ]

        joining = MergePeople(at.db, status_changes.part_accounts)
        await joining.merge(ann, MergeParams(id=tom, into=me))

        assert await at.db.read(lambda tx: memory_links.ready_to_judge(tx, None, 9)) == []
