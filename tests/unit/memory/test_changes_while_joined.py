"""Changes that an account made to a joined account's memories are undone once they are parted."""

from pathlib import Path

from services import call_of, house

from ashd.memory import status_changes
from ashd.memory.incoming_facts import AddParams
from ashd.memory.read import GetParams
from ashd.memory.update_params import UpdateParams
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.people.merge import AccountParams, MergePeople
from ashd.people.participation import AccountNamed


async def test_a_change_is_undone_only_once(tmp_path: Path) -> None:
    """The same change, by the owner this time, outlasts a second join."""
    async with house(tmp_path) as at:
        phone, forum = call_of("phone"), call_of("forum")
        directory, joining = (
            PeopleDirectory(at.db),
            MergePeople(at.db, status_changes.part_accounts),
        )
        await directory.resolve(forum, ResolveParams(reference="me"))
        me = (await directory.resolve(phone, ResolveParams(reference="me"))).person_id
        join = AccountParams(me, AccountNamed("test", "forum"))
        (entry,) = (await at.remember.add(phone, AddParams(content="Tea is in the tin"))).memories
        assert entry.memory is not None
        tagged = UpdateParams(id=entry.memory.id, changes={"tags": ["kitchen"]})

        async def tags() -> list[str]:
            return (await at.read.get(phone, GetParams(tagged.id))).memory.tags

        await joining.link_account(phone, join)
        await at.change.update(forum, tagged)
        await joining.unlink_account(phone, join)
        assert await tags() == []

        await at.change.update(phone, tagged)
        await joining.link_account(phone, join)
        await joining.unlink_account(phone, join)
        assert await tags() == ["kitchen"]
