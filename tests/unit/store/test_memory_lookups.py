"""Look-ups among the memories of some owners, against plain statements over all rows."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from rows import begin, opened_tx
from services import FixedClock

from ashd.clock import FOREVER
from ashd.store import memories
from ashd.store.database import Database, Tx
from ashd.store.visibility import Viewer

OPERATOR = Viewer(
    everything=True,
    account=None,
    accounts=(),
    persons=(),
    chat=None,
    group=False,
    audience=(),
    audience_persons=(),
    audience_known=True,
)
OWNERS = [[1], [2], [1, 2], [2, 3, 4], [9]]


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[Tx]:
    """Memories of three owners and of chats, the same few texts over and over."""
    Database.open(tmp_path / "a.db", FixedClock()).close()
    with opened_tx(tmp_path / "a.db", 1_000) as made:
        begin(made, chats=4, accounts=3)
        draw = random.Random(5)
        for number in range(400):
            owner = draw.choice([None, 1, 2, 3])
            learned_in = draw.choice([1, 2, 3, 4])
            values = dict.fromkeys(memories.WRITTEN) | {
                "uuid": str(number),
                "version": 1,
                "revision": 1,
                "content": "x",
                "content_key": draw.choice("abcde"),
                "memory_type": "knowledge",
                "created_at": 0,
                "said_at": 0,
                "owner": owner,
                "chat": learned_in if owner is None else None,
                "learned_in": learned_in,
                "learned_type": draw.choice(["private", "group"]),
                "source": "rpc",
                "portable": 1,
                "ends_at": draw.choice([FOREVER, FOREVER, 900]),
                "tags": "[]",
                "superseded_until": draw.choice([0, 0, FOREVER]),
                "archived_at": draw.choice([None, None, 1]),
                "access_count": 0,
            }
            memories.insert(made, values, [], are_read=False)
        yield made


@pytest.mark.parametrize("owners", OWNERS)
def test_joined_accounts_have_the_same_content_together(tx: Tx, owners: list[int]) -> None:
    """The lookup has active memories of every joined account, and none of a chat or of others."""
    expected = tx.all(
        "select id from memories where content_key = 'c' and chat is null and owner in"
        " (select value from json_each(?)) and archived_at is null and superseded_until = 0"
        " and ends_at > 1000 order by id",
        json.dumps(owners),
    )
    found = memories.same_content(tx, OPERATOR, "c", owners=owners)

    assert [number for (number,) in expected] == found


def test_the_content_of_a_chat_is_its_own(tx: Tx) -> None:
    """A member's own memories learned in the chat belong to the member."""
    found = memories.same_content(tx, OPERATOR, "c", owners=[], chat=2)

    assert found
    records = [memories.by_id(tx, number) for number in found]
    assert {(None, 2)} == {(record.owner, record.chat) for record in records}


@pytest.mark.parametrize("owners", OWNERS)
def test_private_chats_are_those_where_something_was_learned(tx: Tx, owners: list[int]) -> None:
    """Each once, of all these owners."""
    expected = tx.all(
        "select distinct learned_in from memories where learned_type = 'private' and owner in"
        " (select value from json_each(?))",
        json.dumps(owners),
    )
    found = memories.private_chats_of(tx, owners)

    assert sorted(number for (number,) in expected) == sorted(found)


def test_each_memory_is_counted_as_often_as_it_was_returned(tx: Tx) -> None:
    memories.accessed(tx, {1: 2, 2: 2, 3: 1})
    memories.accessed(tx, {2: 3})

    rows = tx.all("select id, access_count, last_accessed_at from memories where id < 5")
    assert sorted(rows) == [(1, 2, 1_000), (2, 5, 1_000), (3, 1, 1_000), (4, 0, None)]
