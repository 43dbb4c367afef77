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
from ashd.search.vectors import SharedVectors, VectorCache, VectorView
from ashd.store import embeddings, passages
from ashd.store.connection import connect
from ashd.store.database import Database, GaveWay, Tx
from ashd.store.embeddings import EmbeddingSet
from ashd.store.passages import Passage


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
        embeddings.put_vector(tx, index, number, pooled, tokens)
    return number


def test_each_passage_has_its_vectors(tx: Tx) -> None:
    """In the order asked for, of whatever length; one without vectors is near to nothing."""
    index = embeddings.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, item, length=item) for item in (1, 2, 3)])
    bare = store(tx, index, 4, length=None)
    cache = VectorCache(index, 2).view()

    asked = np.array([numbers[2], bare, numbers[0]])
    slots = cache.slots(tx, asked)
    tokens, offsets = cache.tokens(slots)

    assert [3, -1, 1] == cache.cosines(slots, np.array([1, 0], dtype=np.float32)).tolist()
    assert [0, 3, 3, 4] == offsets.tolist()
    assert [[3, 3]] * 3 + [[1, 1]] == tokens.tolist()
    assert [] == cache.slots(tx, np.zeros(0, dtype=np.int64)).tolist()


def test_what_comes_later_is_read_then(tx: Tx) -> None:
    """A vector that waited in the queue, and numbers beyond all that were asked for before."""
    index = embeddings.begin_set(tx, "m", 2)
    late = store(tx, index, 1, length=None)
    cache = VectorCache(index, 2)
    assert [-1] == cache.view().slots(tx, np.array([late])).tolist()

    pooled = pooled_to_bytes(np.array([5, 1], dtype=np.float32))
    embeddings.put_vector(tx, index, late, pooled, None)
    tx.run("update sqlite_sequence set seq = 5000 where name = 'passages'")
    far = store(tx, index, 2)

    assert far > 5000
    assert [5, 2] == cosines_of(cache.view(), tx, np.array([late, far]))


def read_each_time(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many vectors are read from now on, each time that some are."""
    counts: list[int] = []
    vectors_of = embeddings.vectors_of

    def counted(tx: Tx, index: EmbeddingSet, numbers: list[int]) -> list[tuple[int, bytes, Any]]:
        counts.append(len(numbers))
        return vectors_of(tx, index, numbers)

    monkeypatch.setattr(embeddings, "vectors_of", counted)
    return counts


def weight(passages: int) -> int:
    """The bytes of so many passages with a token each."""
    return passages * (2 * 4 + 16 + 2)


def cosines_of(view: VectorView, tx: Tx, numbers: NDArray[np.int64]) -> list[float]:
    """The first component of the vectors of some passages."""
    slots = view.slots(tx, numbers)
    cosines: list[float] = view.cosines(slots, np.array([1, 0], dtype=np.float32)).tolist()
    return cosines


def test_what_is_beyond_the_bound_leaves_the_others(
    tx: Tx, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once known to need too much, a search reads for itself alone, and what it finds is right."""
    monkeypatch.setattr(vectors, "KEPT_BYTES", weight(4))
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 2)
    index = embeddings.begin_set(tx, "m", 2)
    few = np.array([store(tx, index, item) for item in (1, 2)])
    many = np.array([store(tx, index, item) for item in (3, 4, 5, 6, 7)])
    shared, counts = SharedVectors(), read_each_time(monkeypatch)

    for _ in range(3):
        assert [1, 2] == cosines_of(shared.of(tx, index, 2, 2), tx, few)
        assert [3, 4, 5, 6, 7] == cosines_of(shared.of(tx, index, 2, 5), tx, many)

    assert [2, 5, 2, 5, 5] == counts
    assert 1 == capsys.readouterr().err.count("vectors_not_kept")


def test_what_was_not_used_for_longest_is_dropped(tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many that need little each: the others' stay."""
    monkeypatch.setattr(vectors, "KEPT_BYTES", weight(4))
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 2)
    index = embeddings.begin_set(tx, "m", 2)
    pairs = [np.array([store(tx, index, 2 * n), store(tx, index, 2 * n + 1)]) for n in range(3)]
    shared, counts = SharedVectors(), read_each_time(monkeypatch)

    for n in (0, 1, 0, 2, 0, 2):
        assert [2 * n, 2 * n + 1] == cosines_of(shared.of(tx, index, 2, 2), tx, pairs[n])
    assert [2, 2, 2] == counts
    cosines_of(shared.of(tx, index, 2, 2), tx, pairs[1])
    assert [2, 2, 2, 2] == counts


def test_what_a_search_uses_stays_until_it_is_done(tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much others read meanwhile."""
    monkeypatch.setattr(vectors, "KEPT_BYTES", weight(2))
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 2)
    index = embeddings.begin_set(tx, "m", 2)
    pairs = [np.array([store(tx, index, 2 * n), store(tx, index, 2 * n + 1)]) for n in range(4)]
    shared, counts = SharedVectors(), read_each_time(monkeypatch)
    view = shared.of(tx, index, 2, 2)
    slots = view.slots(tx, pairs[0])

    for pair in pairs[1:]:
        cosines_of(shared.of(tx, index, 2, 2), tx, pair)

    assert [0, 1] == view.cosines(slots, np.array([1, 0], dtype=np.float32)).tolist()
    assert [0, 1] == cosines_of(view, tx, pairs[0])
    assert [2, 2, 2, 2] == counts


def test_much_is_read_in_slices_between_which_others_have_their_turn(
    tx: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is not read again, nor asked for again where there is none yet."""
    monkeypatch.setattr(vectors, "_SLICE", 2)
    index = embeddings.begin_set(tx, "m", 2)
    bare = [store(tx, index, item, length=None) for item in (1, 2)]
    numbers = np.array([*bare, *(store(tx, index, item) for item in (3, 4, 5))])
    shared, counts = SharedVectors(), read_each_time(monkeypatch)
    tx.progress = {}

    for _ in range(2):
        with pytest.raises(GaveWay):
            shared.of(tx, index, 2, 5).slots(tx, numbers)

    assert [-1, -1, 3, 4, 5] == cosines_of(shared.of(tx, index, 2, 5), tx, numbers)
    assert [2, 2, 1] == counts


def test_some_of_many_have_the_cosines_of_all(tx: Tx) -> None:
    """A few rows of a block are multiplied by themselves, most of them with the block."""
    index = embeddings.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, item) for item in range(100)])
    cache = VectorCache(index, 2)
    cosines_of(cache.view(), tx, numbers)

    for chosen in ([7], [99, 0, 50], list(range(0, 100, 2)), list(range(99, -1, -1))):
        assert chosen == cosines_of(cache.view(), tx, numbers[chosen])


def test_another_embedder_has_vectors_of_its_own(tx: Tx) -> None:
    """Whatever was held of the one before."""
    one, other = embeddings.begin_set(tx, "m", 2), embeddings.begin_set(tx, "n", 2)
    number = np.array([store(tx, one, 5)])
    embeddings.put_vector(tx, other, int(number[0]), pooled_to_bytes(np.ones(2, np.float32)), None)
    shared = SharedVectors()

    for index, first in ((one, 5), (other, 1), (one, 5)):
        assert [first] == cosines_of(shared.of(tx, index, 2, 1), tx, number)


def test_it_grows_as_it_is_filled(tx: Tx) -> None:
    """Far beyond what it had room for at first, each passage keeps its vectors."""
    index = embeddings.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, n, length=n % 3) for n in range(9_000)])
    cache = VectorCache(index, 2).view()
    slots = cache.slots(tx, numbers)

    cosines = cache.cosines(slots, np.array([1, 0], dtype=np.float32))
    tokens, offsets = cache.tokens(slots)

    assert [*range(9_000)] == cosines.tolist()
    assert [n % 3 for n in range(9_000)] == np.diff(offsets).tolist()
    assert [n % 100 for n in range(9_000) for _ in range(n % 3)] == tokens[:, 0].tolist()
