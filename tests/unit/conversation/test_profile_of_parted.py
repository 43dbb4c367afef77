"""A profile that is written while accounts are joined or parted. Budget: 10 s."""

from pathlib import Path

import pytest
from erasures import daemon
from services import call_of

from ashd import errors
from ashd.conversation import profile_rebuild
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.people.merge import AccountParams, MergePeople
from ashd.people.participation import AccountNamed
from ashd.store import chats, profile_statements, profiles
from ashd.store.database import Database, Tx


def _say(tx: Tx, user: str, statement: str) -> int:
    account = chats.account(tx, "test", user)
    assert account is not None
    profile_statements.add(
        tx, account=account.id, statement=statement, confidence=1.0, message=None, said_at=tx.now
    )
    return account.id


@pytest.mark.parametrize("parts", [True, False])
async def test_a_profile_is_of_the_accounts_that_are_joined_when_it_is_stored(
    tmp_path: Path, *, parts: bool
) -> None:
    """Nothing of a parted account is stored for the other, and nothing of a joined one is lost."""
    async with daemon(tmp_path) as services:
        db, people, ann = services[Database], services[MergePeople], call_of("ann")
        who = ResolveParams(reference="me")
        person, _ = [
            (await services[PeopleDirectory].resolve(call_of(user), who)).person_id
            for user in ("ann", "bea")
        ]
        bea = AccountParams(id=person, account=AccountNamed("test", "bea"))
        if parts:
            await people.link_account(ann, bea)
        owner = await db.write(lambda tx: _say(tx, "ann", "Ann drinks tea"))
        await db.write(lambda tx: _say(tx, "bea", "Bea keeps bees"))
        made = await db.read(lambda tx: profile_rebuild.draft(tx, owner, whole=False))
        assert made is not None

        await (people.unlink_account if parts else people.link_account)(ann, bea)

        with pytest.raises(errors.Conflict):
            await db.write(lambda tx: profile_rebuild.store(tx, made, "Drinks tea, keeps bees."))
        assert await db.read(lambda tx: profiles.newest(tx, (owner,))) is None
