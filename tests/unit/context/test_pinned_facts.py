"""Pinned facts: a user's in private, a group's in the group, and marked ones in both."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from services import FixedClock, call_of

from ashd import errors
from ashd.access.actor import Call
from ashd.context.overrides import AddParams, ListParams, Overrides, RemoveParams
from ashd.store import audit
from ashd.store.database import Database

GROUP = {"chat_id": "g", "chat_type": "group"}
ANN, BOB, ANN_IN_GROUP, BOB_IN_GROUP = (
    call_of("ann"),
    call_of("bob"),
    call_of("ann", **GROUP),
    call_of("bob", **GROUP),
)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    found = Database.open(tmp_path / "a.db", FixedClock())
    for call in (ANN, BOB, ANN_IN_GROUP, BOB_IN_GROUP):
        await found.write(call.enter, scoped=True)
    yield found
    found.close()


@pytest.fixture
def pinned(db: Database) -> Overrides:
    return Overrides(db)


async def listed(pinned: Overrides, call: Call) -> list[str]:
    """Return the pinned facts of the caller."""
    return [one.content for one in (await pinned.list(call, ListParams())).overrides]


async def test_a_fact_is_pinned_where_it_was_said(pinned: Overrides) -> None:
    """One's own shows in a group where it is marked for it; a group's stays there."""
    for call, content, for_groups in (
        (ANN, "Vegan.", None),
        (ANN, "No nuts.", True),
        (ANN_IN_GROUP, "We meet on Mondays.", None),
    ):
        made = await pinned.add(call, AddParams(content=content, for_groups=for_groups))
        assert made.outcome == "added"
        assert made.override.for_groups is (content != "Vegan.")
        is_ann = call is ANN
        assert (made.override.owner_user_id, made.override.chat_id) == (
            ("ann", None) if is_ann else (None, "g")
        )
    assert await listed(pinned, ANN) == ["Vegan.", "No nuts."]
    assert await listed(pinned, ANN_IN_GROUP) == ["No nuts.", "We meet on Mondays."]
    assert await listed(pinned, BOB_IN_GROUP) == ["We meet on Mondays."]
    assert await listed(pinned, BOB) == []


async def test_the_same_fact_is_pinned_once(pinned: Overrides) -> None:
    """Said again it may be marked otherwise; in a group there is nothing to choose."""
    outcomes = [
        (await pinned.add(ANN, AddParams(content=content, for_groups=mark))).outcome
        for content, mark in (
            ("Vegan.", None),
            ("vegan", None),
            ("Vegan.", False),
            ("Vegan.", True),
            ("Vegan.", None),
            ("Vegan.", False),
        )
    ]
    assert outcomes == ["added", "duplicate", "duplicate", "changed", "duplicate", "changed"]
    assert await listed(pinned, ANN_IN_GROUP) == []
    assert [await pinned.pin(BOB, "Vegan."), await pinned.pin(BOB, "Vegan.")] == [True, False]
    again = [
        await pinned.add(ANN_IN_GROUP, AddParams(content="Hi.", for_groups=True)) for _ in "ab"
    ]
    assert [one.outcome for one in again] == ["added", "duplicate"]
    with pytest.raises(errors.InvalidParams):
        await pinned.add(ANN_IN_GROUP, AddParams(content="Ho.", for_groups=False))


async def test_a_fact_is_unpinned_by_those_for_whom_it_is(pinned: Overrides) -> None:
    """A pinned fact is unknown to all others."""
    own = (await pinned.add(ANN, AddParams(content="Vegan."))).override
    groups = (await pinned.add(ANN_IN_GROUP, AddParams(content="Mondays."))).override

    for call, one in ((BOB, own), (ANN_IN_GROUP, own), (ANN, groups), (BOB, groups)):
        with pytest.raises(errors.NotFound):
            await pinned.remove(call, RemoveParams(one.id))
    for call, one in ((ANN, own), (BOB_IN_GROUP, groups)):
        assert (await pinned.remove(call, RemoveParams(one.id))).override.removed_at
        assert await listed(pinned, call) == []


async def test_pinning_and_unpinning_are_on_record(db: Database, pinned: Overrides) -> None:
    """A fact that is pinned already changes nothing, and leaves no row."""

    async def rows() -> int:
        every = audit.Filter(None, None, None, None, None)
        return len(await db.read(lambda tx: audit.newest(tx, every, 100)))

    made = await pinned.add(ANN, AddParams(content="Vegan."))
    assert await rows() == 1
    await pinned.add(ANN, AddParams(content="Vegan."))
    assert await rows() == 1
    await pinned.add(ANN, AddParams(content="Vegan.", for_groups=True))
    assert await rows() == 2
    await pinned.remove(ANN, RemoveParams(made.override.id))
    assert await rows() == 3
