"""Roles that people are told to have, by whom and where they are told."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from services import House, house

from ashd.access.scope import Scope
from ashd.memory.incoming_facts import AddParams
from ashd.people.directory import PeopleDirectory

ALONE = Scope(provider="test", user_id="u")
GROUP = Scope(provider="test", user_id="u", chat_id="g", chat_type="group")
NOBODY = Scope(provider="test", chat_id="g", chat_type="group")


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def tell(at: House, content: str, subject: str, scope: Scope) -> None:
    """Store a fact about somebody."""
    call = replace(at.call(key=content.encode()), scope=scope)
    facts = AddParams(facts=[{"content": content, "subjects": [subject]}])
    assert [one.outcome for one in (await at.remember.add(call, facts)).memories] == ["added"]


async def words(at: House, scope: Scope) -> dict[str, str | None]:
    """Return the active relationship of everybody who is known in a chat."""
    call = replace(at.call("person.list"), scope=scope)
    known = await at.db.read(lambda tx: PeopleDirectory(at.db).known(tx, call, 10))
    return {one.person.name: one.relationship for one in known}


@pytest.mark.parametrize(
    ("later", "earlier", "boss"),
    [
        (ALONE, GROUP, {"Tom": "boss"}),
        (GROUP, GROUP, {"Tom": None, "Kurt": "boss"}),
    ],
)
async def test_a_group_never_learns_from_an_older_role_that_it_ended_elsewhere(
    at: House, later: Scope, earlier: Scope, boss: dict[str, str | None]
) -> None:
    """An older statement that is read late is over, unless a private one says so alone."""
    await tell(at, "My boss Kurt sings", "my boss Kurt", later)
    at.clock.pass_by(days=-3)
    await tell(at, "My boss Tom rows", "my boss Tom", earlier)

    assert await words(at, GROUP) == boss


async def test_a_sister_of_nobody_is_stored_without_a_relationship(at: House) -> None:
    """A bot's own words have no speaker to be related to; the fact is stored all the same."""
    await tell(at, "Kim is my sister and sings", "Kim", NOBODY)
    await tell(at, "My brother Ole rows", "my brother Ole", NOBODY)

    assert set((await words(at, NOBODY)).values()) == {None}


async def test_a_role_that_is_nobodys_is_a_name(at: House) -> None:
    """Without a speaker "the beekeeper" is called so, unless a name stands beside it."""
    await tell(at, "The beekeeper sells honey", "the beekeeper", NOBODY)
    await tell(at, "The florist Anton sells roses", "the florist Anton", NOBODY)

    assert set(await words(at, NOBODY)) == {"Beekeeper", "Anton"}
