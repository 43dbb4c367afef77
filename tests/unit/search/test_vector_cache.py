"""The vectors in memory: read once, in slots by the number of the passage."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from services import FixedClock

from ashd.providers.embedder import TokenVectors, pooled_to_bytes
from ashd.search.vectors import VectorCache
from ashd.store import passages
from ashd.store.connection import connect
from ashd.store.database import Database, Tx
from ashd.store.passages import EmbeddingSet, Passage


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[Tx]:
    Database.open(tmp_path / "a.db", FixedClock()).close()
    connection: apsw.Connection = connect(tmp_path / "a.db", read_only=False)
    connection.execute(
        "insert into chats (id, provider, chat_id, chat_type, created_at)"
        " values (1, 'p', 'c', 'private', 0)"
    )
    yield Tx(connection, 0, str)
    connection.close()


def store(tx: Tx, index: EmbeddingSet, item: int, *, length: int | None = 1) -> int:
    """A passage with `length` token vectors of its number; None stores no vector."""
    number = passages.insert(
        tx,
        Passage(0, item, 0, 1, bytes([item]), "x", "", "", "", False, 0.0, False, 1),
    )
    if length is not None:
        value = np.full((length, 2), item, dtype=np.int8)
        tokens = TokenVectors(value, np.zeros(length, dtype=np.int32)).to_bytes()
        pooled = pooled_to_bytes(np.array([item, 1], dtype=np.float32))
        passages.put_vector(tx, index, number, pooled, tokens)
    return number


def test_each_passage_has_its_vectors(tx: Tx) -> None:
    """In the order asked for, of whatever length; one without vectors is near to nothing."""
    index = passages.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, item, length=item) for item in (1, 2, 3)])
    bare = store(tx, index, 4, length=None)
    cache = VectorCache(index, 2)

    asked = np.array([numbers[2], bare, numbers[0]])
    slots = cache.slots(tx, asked)
    tokens, offsets = cache.tokens(slots)

    assert [3, -1, 1] == cache.cosines(slots, np.array([1, 0], dtype=np.float32)).tolist()
    assert [0, 3, 3, 4] == offsets.tolist()
    assert [[3, 3]] * 3 + [[1, 1]] == tokens.tolist()
    assert [] == cache.slots(tx, np.zeros(0, dtype=np.int64)).tolist()


def test_what_comes_later_is_read_then(tx: Tx) -> None:
    """A vector that waited in the queue, and numbers beyond all that were asked for before."""
    index = passages.begin_set(tx, "m", 2)
    late = store(tx, index, 1, length=None)
    cache = VectorCache(index, 2)
    assert [-1] == cache.slots(tx, np.array([late])).tolist()

    pooled = pooled_to_bytes(np.array([5, 1], dtype=np.float32))
    passages.put_vector(tx, index, late, pooled, None)
    tx.run("update sqlite_sequence set seq = 5000 where name = 'passages'")
    far = store(tx, index, 2)
    slots = cache.slots(tx, np.array([late, far]))

    assert far > 5000
    assert [5, 2] == cache.cosines(slots, np.array([1, 0], dtype=np.float32)).tolist()
