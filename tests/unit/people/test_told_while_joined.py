"""Statements about people while accounts are joined are stored for whom each account knows."""

from pathlib import Path

from services import call_of, house

from ashd.memory import status_changes
from ashd.memory.incoming_facts import AddParams
from ashd.memory.read import GetParams
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.people.merge import AccountParams, MergePeople
from ashd.people.participation import AccountNamed


async def test_a_person_given_by_id_is_parted_without_doubt(tmp_path: Path) -> None:
    """Whom the other account made known is a new person of the one that tells of them."""
    async with house(tmp_path) as at:
        phone, forum = call_of("phone"), call_of("forum")
        directory = PeopleDirectory(at.db)
        joining = MergePeople(at.db, status_changes.part_accounts)
        sarah = (
            await directory.resolve(forum, ResolveParams(reference="my friend Sarah"))
        ).person_id
        me = (await directory.resolve(phone, ResolveParams(reference="me"))).person_id
        join = AccountParams(me, AccountNamed("test", "forum"))
        await joining.link_account(phone, join)

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
