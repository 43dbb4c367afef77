"""The vectors in memory: read once, in slots by the number of the passage."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray
from services import FixedClock

from ashd.providers.embedder import TokenVectors, pooled_to_bytes
from ashd.search import vectors
from ashd.search.vectors import SharedVectors, VectorCache
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
        Passage(0, item, 0, 1, item.to_bytes(2), "x", "", "", "", False, 0.0, False, 1),
    )
    if length is not None:
        value = np.full((length, 2), item % 100, dtype=np.int8)
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


def read_each_time(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many vectors are read from now on, each time that some are."""
    counts: list[int] = []
    vectors_of = passages.vectors_of

    def counted(tx: Tx, index: EmbeddingSet, numbers: list[int]) -> list[tuple[int, bytes, Any]]:
        counts.append(len(numbers))
        return vectors_of(tx, index, numbers)

    monkeypatch.setattr(passages, "vectors_of", counted)
    return counts


def weight(passages: int) -> int:
    """The bytes of so many passages with a token each, and of the first table of places."""
    return passages * (2 * 4 + 2) + 4 * 1_024


def test_what_is_beyond_the_bound_leaves_the_others(
    tx: Tx, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once known to need too much, a search reads for itself alone, and what it finds is right."""
    monkeypatch.setattr(vectors, "KEPT_BYTES", weight(4))
    index = passages.begin_set(tx, "m", 2)
    few = np.array([store(tx, index, item) for item in (1, 2)])
    many = np.array([store(tx, index, item) for item in (3, 4, 5, 6, 7)])
    shared, counts = SharedVectors(), read_each_time(monkeypatch)

    def found(numbers: NDArray[np.int64]) -> list[float]:
        cache = shared.of(index, 2, len(numbers))
        slots = cache.slots(tx, numbers)
        cosines: list[float] = cache.cosines(slots, np.array([1, 0], dtype=np.float32)).tolist()
        return cosines

    for _ in range(3):
        assert [1, 2] == found(few)
        assert [3, 4, 5, 6, 7] == found(many)

    assert [2, 5, 2, 5, 5] == counts
    assert 1 == capsys.readouterr().err.count("vectors_not_kept")


def test_what_is_kept_has_a_bound(tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many that need little each: an empty cache takes the place of one that is full."""
    monkeypatch.setattr(vectors, "KEPT_BYTES", weight(4))
    index = passages.begin_set(tx, "m", 2)
    pairs = [np.array([store(tx, index, 2 * n), store(tx, index, 2 * n + 1)]) for n in range(3)]
    shared, counts = SharedVectors(), read_each_time(monkeypatch)

    for pair in (*pairs, pairs[2], pairs[2]):
        shared.of(index, 2, len(pair)).slots(tx, pair)

    assert [2, 2, 2, 2] == counts


def test_another_embedder_has_vectors_of_its_own(tx: Tx) -> None:
    """Whatever was kept of the one before."""
    one, other = passages.begin_set(tx, "m", 2), passages.begin_set(tx, "n", 2)
    shared = SharedVectors()
    first = shared.of(one, 2, 1)

    assert first is shared.of(one, 2, 5)
    assert other == shared.of(other, 2, 1).index
    assert first is not shared.of(one, 2, 1)


def test_it_grows_as_it_is_filled(tx: Tx) -> None:
    """Far beyond what it had room for at first, each passage keeps its vectors."""
    index = passages.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, n, length=n % 3) for n in range(3_000)])
    cache = VectorCache(index, 2)
    slots = cache.slots(tx, numbers)

    cosines = cache.cosines(slots, np.array([1, 0], dtype=np.float32))
    tokens, offsets = cache.tokens(slots)

    assert [*range(3_000)] == cosines.tolist()
    assert [n % 3 for n in range(3_000)] == np.diff(offsets).tolist()
    assert [n % 100 for n in range(3_000) for _ in range(n % 3)] == tokens[:, 0].tolist()
