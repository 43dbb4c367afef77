"""References that may mean several people, or one who is known by less."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from services import House, house

from ashd import errors
from ashd.access.scope import Scope
from ashd.memory.incoming_facts import AddParams
from ashd.people.directory import PeopleDirectory, ResolveParams, ResolveResult

ALONE = Scope(provider="test", user_id="u")


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def told(at: House, content: str, subject: str, scope: Scope = ALONE) -> str:
    """Return the id of the person whom a new fact is about."""
    at.clock.pass_by(seconds=60)
    call = replace(at.call(key=content.encode()), scope=scope)
    facts = AddParams(facts=[{"content": content, "subjects": [subject]}])
    return (await at.remember.add(call, facts)).memories[0].people[0].id


async def meant(at: House, reference: str, scope: Scope = ALONE) -> str:
    """Return the id of the person whom a reference means."""
    call = replace(at.call("person.resolve"), scope=scope)
    params = ResolveParams(reference=reference, create=False)
    return (await PeopleDirectory(at.db).resolve(call, params)).person_id


def group(user: str) -> Scope:
    return Scope(
        provider="test", user_id=user, chat_id="g", chat_type="group", participants=["u", "v"]
    )


async def test_candidates_have_the_relationships_that_the_asker_says_of_them_now(
    at: House,
) -> None:
    """Neither one that ended nor one that another member said helps to tell them apart."""
    await told(at, "My boss Sarah Jones sings", "my boss Sarah Jones", group("u"))
    await told(at, "My new boss Sarah Smith rows", "my new boss Sarah Smith", group("u"))
    await told(at, "My aunt Sarah Smith is here", "my aunt Sarah Smith", group("v"))

    with pytest.raises(errors.Ambiguous) as several:
        await meant(at, "Sarah", group("u"))

    found = several.value.data["candidates"]
    assert {one["name"]: one["relationships"] for one in found} == {
        "Sarah Jones": [],
        "Sarah Smith": ["new boss"],
    }


async def test_the_one_sister_is_meant_by_the_town_she_lives_in(at: House) -> None:
    """A place adds to what is known; it does not make another person."""
    sister = await told(at, "My sister Ida sings", "my sister Ida")

    assert await meant(at, "my sister in Boston") == sister


async def test_a_sister_of_one_town_is_not_the_sister_of_another(at: House) -> None:
    """With both known, each town means one, and the bare word neither."""
    boston = await told(at, "My sister in Boston sings", "my sister in Boston")
    denver = await told(at, "My sister in Denver rows", "my sister in Denver")

    assert boston != denver
    assert await meant(at, "my sister in Boston") == boston
    assert await meant(at, "my sister in Denver") == denver


async def test_a_name_finds_its_person_whatever_role_stands_before_it(at: House) -> None:
    """A role that no list has is a new thing to know of her, and not her name."""
    ida = await told(at, "Ida sings", "Ida")
    await told(at, "Robin rows", "Robin")

    assert await meant(at, "my physio Ida") == ida
    assert await meant(at, "my ida") == ida


async def test_a_role_with_its_name_offers_nobody_else(at: House) -> None:
    """The boss who is called so is meant, though another Sarah is known."""
    boss = await told(at, "My boss Sarah Jones sings", "my boss Sarah Jones")
    await told(at, "Sarah Smith rows", "Sarah Smith")

    facts = AddParams(facts=[{"content": "My boss Sarah swims", "subjects": ["my boss Sarah"]}])
    named = (await at.remember.add(at.call(key=b"3"), facts)).memories[0].people

    assert [(one.id, one.may_be) for one in named] == [(boss, [])]


async def test_a_role_alone_offers_the_others_who_have_it(at: House) -> None:
    """A mother's mother may be meant by "my grandmother"; not if the grandmother is named."""
    people = PeopleDirectory(at.db)

    async def resolved(reference: str) -> ResolveResult:
        return await people.resolve(at.call("person.resolve"), ResolveParams(reference=reference))

    told = [
        await resolved(reference)
        for reference in ("my grandmother Rosa", "my mother Ida", "Ida's mother Lena")
    ]

    alone, named = await resolved("my grandmother"), await resolved("my grandmother Rosa")
    assert alone.person_id == named.person_id == told[0].person_id
    assert [one.id for one in alone.may_be] == [told[2].person_id]
    assert named.may_be == []
