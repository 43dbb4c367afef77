"""Roles that one person has at a time: who has them after each statement."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from services import House, house

from ashd.access.scope import Scope
from ashd.memory.incoming_facts import AddParams

ALONE = Scope(provider="test", user_id="u")
GROUP = Scope(provider="test", user_id="u", chat_id="g", chat_type="group")


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def tell(at: House, content: str, subject: str, scope: Scope = ALONE) -> None:
    """Store a fact about somebody, a minute after the one before."""
    at.clock.pass_by(seconds=60)
    call = replace(at.call(key=f"{content}{at.clock.at}".encode()), scope=scope)
    facts = AddParams(facts=[{"content": content, "subjects": [subject]}])
    assert (await at.remember.add(call, facts)).memories[0].memory


async def roles(at: House) -> dict[str, set[str]]:
    """Return what everybody is, with a minus before what they no longer are."""
    select = (
        "select p.name, r.relationship, r.ended_at from person_relationships r"
        " join people p on p.id = r.person"
    )
    found: dict[str, set[str]] = {}
    for name, word, ended in await at.db.read(lambda tx: tx.all(select)):
        found.setdefault(name, set()).add(word if ended is None else f"-{word}")
    return found


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            [("My boss Tom rows", "my boss Tom"), ("My boss Uma sings", "my boss Uma")],
            {"Tom": {"-boss"}, "Uma": {"boss"}},
        ),
        (
            [("My boss Tom rows", "my boss Tom"), ("My boss Tom sings", "my boss Tom")],
            {"Tom": {"boss"}},
        ),
        (
            [("My boss Tom rows", "my boss Tom"), ("My new boss Uma sings", "my new boss Uma")],
            {"Tom": {"-boss"}, "Uma": {"new boss"}},
        ),
        # One may have several friends, and a landlord beside a boss.
        (
            [("My friend Tom rows", "my friend Tom"), ("My friend Uma sings", "my friend Uma")],
            {"Tom": {"friend"}, "Uma": {"friend"}},
        ),
        (
            [("My boss Tom rows", "my boss Tom"), ("My landlord Ulf sings", "my landlord Ulf")],
            {"Tom": {"boss"}, "Ulf": {"landlord"}},
        ),
        # A former wife is no longer the wife; another's divorce does not concern her.
        (
            [("My wife Ida rows", "my wife Ida"), ("My ex-wife Ida sings", "my ex-wife Ida")],
            {"Ida": {"-wife", "ex-wife"}},
        ),
        (
            [("My wife Ida rows", "my wife Ida"), ("My ex-wife Uma sings", "my ex-wife Uma")],
            {"Ida": {"wife"}, "Uma": {"ex-wife"}},
        ),
        (
            [("My wife Ida rows", "my wife Ida"), ("My ex-boss Ida sings", "my ex-boss Ida")],
            {"Ida": {"wife", "ex-boss"}},
        ),
        # A sentence may say that a role has ended, or who took it over.
        (
            [("My boss Tom rows", "my boss Tom"), ("Tom is no longer my boss", "Tom")],
            {"Tom": {"-boss"}},
        ),
        (
            [
                ("My boss Tom rows", "my boss Tom"),
                ("My landlord Ulf sings", "my landlord Ulf"),
                ("Tom is no longer my boss", "Tom"),
            ],
            {"Tom": {"-boss"}, "Ulf": {"landlord"}},
        ),
        (
            [("My coach Tom rows", "my coach Tom"), ("Tom is no longer my coach", "Tom")],
            {"Tom": {"-coach"}},
        ),
    ],
)
async def test_a_role_moves_to_whom_it_was_given_last(
    at: House, said: list[tuple[str, str]], expected: dict[str, set[str]]
) -> None:
    """The roles of others to the speaker are not changed by it."""
    for content, subject in said:
        await tell(at, content, subject)

    assert await roles(at) == expected


async def test_a_claim_ends_where_it_was_said(at: House) -> None:
    """A group does not learn from a private chat that somebody is no longer the boss."""
    await tell(at, "My boss Tom rows", "my boss Tom", GROUP)
    await tell(at, "My wife Ida rows", "my wife Ida", GROUP)

    await tell(at, "My boss Uma sings", "my boss Uma")
    await tell(at, "My ex-wife Ida sings", "my ex-wife Ida")
    await tell(at, "Tom is no longer my boss", "Tom")
    assert (await roles(at))["Tom"] == {"boss"}
    assert (await roles(at))["Ida"] >= {"wife"}

    await tell(at, "My boss Kim sings", "my boss Kim", GROUP)
    after = await roles(at)
    assert after["Tom"] == {"-boss"}
    assert after["Kim"] == {"boss"}
    # What was said in private may end in any place: nobody else reads it.
    assert after["Uma"] == {"-boss"}


async def test_an_older_statement_that_is_read_late_is_over(at: House) -> None:
    """It ends when the later one was said, and the later one holds."""
    await tell(at, "My boss Uma sings", "my boss Uma")
    said = at.clock.at
    at.clock.pass_by(days=-3)
    await tell(at, "My boss Tom rows", "my boss Tom")
    await tell(at, "Uma is no longer my boss", "Uma")

    assert await roles(at) == {"Uma": {"boss"}, "Tom": {"-boss"}}
    ended = "select ended_at from person_relationships where ended_at is not null"
    assert await at.db.read(lambda tx: tx.all(ended)) == [(said,)]
