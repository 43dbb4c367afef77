"""Prefixes of several ids: only visible ones count. Budget: 2 s."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ashd import errors
from ashd.access import scope
from ashd.access.scope import Scope
from ashd.clock import SystemClock
from ashd.memory import validation
from ashd.people import directory
from ashd.store import memories, people
from ashd.store.database import Database, Tx

ALICE, BOB = Scope(provider="t", user_id="alice"), Scope(provider="t", user_id="bob")
IDS = ["abcdef01-0000-4000-8000-000000000001", "abcdef02-0000-4000-8000-000000000002"]
PREFIX = "abcdef"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[[Callable[[Tx], Any]], Any]]:
    """Runs in the writer thread of a new database."""
    db = Database.open(tmp_path / "ash.db", SystemClock())
    yield lambda work: asyncio.run(db.write(work))
    db.close()


def remember(tx: Tx, owner: Scope, uuid: str) -> None:
    """A memory in the private chat of its owner, with that id."""
    viewer = scope.enter(tx, owner)
    values: dict[str, Any] = dict.fromkeys(memories.WRITTEN)
    values |= {"uuid": uuid, "version": 1, "revision": 1, "content": "x", "content_key": "x"}
    values |= {"memory_type": "knowledge", "created_at": tx.now, "said_at": tx.now}
    values |= {"owner": viewer.account, "learned_in": viewer.chat, "learned_type": "private"}
    values |= {"source": "rpc", "portable": True, "ends_at": 2**62, "tags": "[]"}
    memories.insert(tx, values | {"superseded_until": 0, "access_count": 0}, [], are_read=False)


def meet(tx: Tx, teller: Scope, uuid: str) -> None:
    """A person whom somebody told of in private, with that id."""
    viewer = scope.enter(tx, teller)
    number = people.insert(
        *(tx,),
        name="Zoe",
        named=True,
        created_by=viewer.account,
        learned_in=viewer.chat,
        said_at=tx.now,
    )
    tx.run("update people set uuid = ? where id = ?", uuid, number)


def find_memory(tx: Tx, asker: Scope) -> str:
    """Find by the prefix that both ids share."""
    return validation.find(tx, scope.look(tx, asker), PREFIX).uuid


def find_person(tx: Tx, asker: Scope) -> str:
    """The same for people."""
    return people.by_id(tx, directory.find(tx, scope.look(tx, asker), PREFIX)).uuid


KINDS = [(remember, find_memory), (meet, find_person)]


@pytest.mark.parametrize(("tell", "find"), KINDS)
def test_a_hidden_one_makes_nothing_ambiguous(run: Any, tell: Any, find: Any) -> None:
    """Alice's hidden id makes no prefix of Bob's ambiguous, and is no candidate."""

    def both(tx: Tx) -> tuple[str, str]:
        tell(tx, ALICE, IDS[0])
        tell(tx, BOB, IDS[1])
        return find(tx, ALICE), find(tx, BOB)

    assert tuple(IDS) == run(both)


@pytest.mark.parametrize(("tell", "find"), KINDS)
def test_several_of_ones_own_are_candidates(run: Any, tell: Any, find: Any) -> None:
    """A viewer of both is asked which; a viewer of neither gets "not found"."""

    def both(tx: Tx) -> tuple[Any, str]:
        for uuid in IDS:
            tell(tx, ALICE, uuid)
        scope.enter(tx, BOB)
        with pytest.raises(errors.Ambiguous) as several:
            find(tx, ALICE)
        with pytest.raises(errors.NotFound) as none:
            find(tx, BOB)
        return several.value.data["candidates"], none.value.message

    candidates, message = run(both)

    assert [{"id": uuid} for uuid in IDS] == candidates
    assert "No such" in message
