"""The vectors in memory: read once, in slots by the number of the passage."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rows import begin, opened_tx, together
from services import FixedClock

from ashd.providers.embedder import TokenVectors, pooled_to_bytes
from ashd.search import token_vectors, vector_cache, vectors
from ashd.search.token_vectors import TokenCache
from ashd.search.vector_cache import VectorCache
from ashd.search.vectors import SharedVectors, VectorView
from ashd.store import embeddings, passages
from ashd.store.database import Database, GaveWay, Tx
from ashd.store.embeddings import EmbeddingSet
from ashd.store.passages import Passage

FIRST = np.array([1, 0], dtype=np.float32)
"""A question whose cosine is the first component."""


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[Tx]:
    Database.open(tmp_path / "a.db", FixedClock()).close()
    with opened_tx(tmp_path / "a.db") as made:
        begin(made, chats=1)
        yield made


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
    """Vectors come in the requested order and of any length; a passage without them is near to
    nothing."""
    index = embeddings.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, item, length=item) for item in (1, 2, 3)])
    bare = store(tx, index, 4, length=None)
    view = VectorCache(index, 2).view()

    asked = np.array([numbers[2], bare, numbers[0]])
    [(tokens, offsets)] = view.tokens.of(tx, asked)

    assert [3, -1, 1] == cosines_of(view, tx, asked)
    assert [1, -1] == view.cosines(tx, asked[:0:-1], FIRST).tolist()
    assert [0, 3, 3, 4] == offsets.tolist()
    assert [[3, 3]] * 3 + [[1, 1]] == tokens.tolist()
    assert [] == cosines_of(view, tx, asked[:0])


def test_what_comes_later_is_read_then(tx: Tx) -> None:
    """A vector that waited in the queue, and numbers beyond all that were asked for before."""
    index = embeddings.begin_set(tx, "m", 2)
    late = store(tx, index, 1, length=None)
    cache = VectorCache(index, 2)
    assert [-1] == cosines_of(cache.view(), tx, np.array([late]))

    pooled = pooled_to_bytes(np.array([5, 1], dtype=np.float32))
    embeddings.put_vector(tx, index, late, pooled, None)
    catalog = tx.dialect.catalog
    last = catalog.last_numbers(tx.connection)
    catalog.continue_numbers(tx.connection, last | {"passages": 5_000})
    far = store(tx, index, 2)

    assert far > 5000
    assert [5, 2] == cosines_of(cache.view(), tx, np.array([late, far]))


def read_each_time(monkeypatch: pytest.MonkeyPatch, name: str = "pooled_of") -> list[int]:
    """Return a list that grows by the number of vectors at each read from now on."""
    counts: list[int] = []
    read = getattr(embeddings, name)

    def counted(tx: Tx, index: EmbeddingSet, numbers: list[int]) -> list[tuple[int, bytes]]:
        counts.append(len(numbers))
        found: list[tuple[int, bytes]] = read(tx, index, numbers)
        return found

    monkeypatch.setattr(embeddings, name, counted)
    return counts


def weight(passages: int) -> int:
    """The bytes of so many passages, each with its number."""
    return passages * (2 * 4 + 8)


def cosines_of(view: VectorView, tx: Tx, numbers: NDArray[np.int64]) -> list[float]:
    """The first component of the vectors of some passages."""
    cosines: list[float] = view.compare(tx, numbers, FIRST).tolist()
    return cosines


def test_vectors_of_deleted_passages_leave_the_cache(
    tx: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block goes with its last passage; the others' vectors are not read again."""
    monkeypatch.setattr(vector_cache, "BLOCK_ROWS", 2)
    index = embeddings.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, item) for item in (1, 2, 3, 4)])
    shared = SharedVectors()
    view = shared.of(tx, index, 2, 4)
    assert [1, 2, 3, 4] == cosines_of(view, tx, numbers)
    list(view.tokens.of(tx, numbers))
    held = shared.bytes
    counts = read_each_time(monkeypatch)

    shared.delete([int(numbers[0]), int(numbers[3]), int(numbers[1]), 5_000])

    assert shared.bytes == {name: held[name] * 2 // 4 for name in held} | {
        "token_vectors": held["token_vectors"] // 4
    }
    assert [3] == cosines_of(shared.of(tx, index, 2, 1), tx, numbers[2:3])
    assert [] == counts
    assert not next(iter(view._cache._blocks.values())).pooled[1].any()  # type: ignore[attr-defined]


def test_a_search_beyond_the_bound_holds_a_slice_and_leaves_the_others(
    tx: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slice is read at a time, each vector once a search, and the results are right."""
    monkeypatch.setattr(vector_cache, "KEPT_BYTES", weight(4))
    monkeypatch.setattr(vector_cache, "BLOCK_ROWS", 2)
    monkeypatch.setattr(vectors, "_SLICE", 3)
    index = embeddings.begin_set(tx, "m", 2)
    few = np.array([store(tx, index, item) for item in (1, 2)])
    many = np.array([store(tx, index, item) for item in range(3, 11)])
    many = np.append(many, store(tx, index, 11, length=None))
    shared, counts = SharedVectors(), read_each_time(monkeypatch)

    for _ in range(2):
        assert [1, 2] == cosines_of(shared.of(tx, index, 2, 2), tx, few)
        view, tx.progress = shared.of(tx, index, 2, 9), {}
        for _ in range(2):
            with pytest.raises(GaveWay):
                cosines_of(view, tx, many)
        assert [*range(3, 11), -1] == cosines_of(view, tx, many)
        assert [5, 3, -1] == view.cosines(tx, many[[2, 0, 8]], FIRST).tolist()
        tx.progress = None

    assert [2, 3, 3, 3, 3, 3, 3, 3, 3] == counts


@pytest.mark.parametrize("kept", [weight(9), weight(0)])
def test_compared_passages_can_be_compared_with_each_other(
    tx: Tx, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Each has its own vector, also if the cache cannot hold them; a deleted one has none."""
    monkeypatch.setattr(vector_cache, "KEPT_BYTES", kept)
    monkeypatch.setattr(vector_cache, "BLOCK_ROWS", 2)
    index = embeddings.begin_set(tx, "m", 2)
    numbers = [store(tx, index, item) for item in (1, 2, 3)]
    bare = store(tx, index, 4, length=None)
    shared = SharedVectors()
    view = shared.of(tx, index, 2, 4)
    cosines_of(view, tx, np.array([*numbers, bare]))

    asked = [numbers[2], bare, numbers[0]]
    pooled = view.pooled(tx, asked)
    assert {numbers[2]: [3, 1], numbers[0]: [1, 1]} == {
        number: vector.tolist() for number, vector in pooled.items()
    }
    assert {} == view.pooled(tx, [])

    passages.delete(tx, [numbers[0]])
    shared.delete([numbers[0]])
    assert [numbers[2]] == [*view.pooled(tx, asked)]
    assert [1, 1] == pooled[numbers[0]].tolist()


def test_a_search_beyond_the_bound_takes_what_comes_meanwhile(
    tx: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New rows come at the end; where others have moved it begins again."""
    monkeypatch.setattr(vector_cache, "KEPT_BYTES", 0)
    monkeypatch.setattr(vectors, "_SLICE", 2)
    index = embeddings.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, item) for item in range(1, 7)])
    counts = read_each_time(monkeypatch)
    tx.progress = {}
    view = SharedVectors().of(tx, index, 2, 5)

    for part in (numbers[:5], numbers, numbers):
        with suppress(GaveWay):
            cosines_of(view, tx, part)
    assert [1, 2, 3, 4, 5, 6] == cosines_of(view, tx, numbers)
    assert [2, 2, 2] == counts
    for _ in range(2):
        with suppress(GaveWay):
            cosines_of(view, tx, numbers[2:])
    assert [3, 4, 5, 6] == cosines_of(view, tx, numbers[2:])
    assert [2, 2, 2, 2, 2] == counts


def test_tokens_are_read_of_those_asked_for_and_held_up_to_a_bound(
    tx: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least recently used go first."""
    monkeypatch.setattr(token_vectors, "KEPT_BYTES", 3 * (2 + token_vectors._OF_ITSELF))
    index = embeddings.begin_set(tx, "m", 2)
    numbers = np.array([store(tx, index, item) for item in (1, 2, 3, 4)])
    tokens, counts = TokenCache(index, 2), read_each_time(monkeypatch, "tokens_of")

    for asked in ([0, 1], [1, 0], [2], [0], [3], [2, 0, 3]):
        [(found, offsets)] = tokens.of(tx, numbers[asked])
        assert [place + 1 for place in asked] == found[:, 0].tolist()
        assert [*range(len(asked) + 1)] == offsets.tolist()

    assert [2, 1, 1] == counts
    assert 1 == len(next(tokens.of(tx, numbers[[1]])).vectors)
    assert [2, 1, 1, 1] == counts


def test_what_was_not_used_for_longest_is_dropped(tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many that need little each: the others' stay."""
    monkeypatch.setattr(vector_cache, "KEPT_BYTES", weight(4))
    monkeypatch.setattr(vector_cache, "BLOCK_ROWS", 2)
    index = embeddings.begin_set(tx, "m", 2)
    pairs = [np.array([store(tx, index, 2 * n), store(tx, index, 2 * n + 1)]) for n in range(3)]
    shared, counts = SharedVectors(), read_each_time(monkeypatch)

    for n in (0, 1, 0, 2, 0, 2):
        assert [2 * n, 2 * n + 1] == cosines_of(shared.of(tx, index, 2, 2), tx, pairs[n])
    assert [2, 2, 2] == counts
    cosines_of(shared.of(tx, index, 2, 2), tx, pairs[1])
    assert [2, 2, 2, 2] == counts


def test_what_a_search_uses_stays_until_it_is_done(tx: Tx, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads by other searches do not remove a running search's vectors."""
    monkeypatch.setattr(vector_cache, "KEPT_BYTES", weight(2))
    monkeypatch.setattr(vector_cache, "BLOCK_ROWS", 2)
    index = embeddings.begin_set(tx, "m", 2)
    pairs = [np.array([store(tx, index, 2 * n), store(tx, index, 2 * n + 1)]) for n in range(4)]
    shared, counts = SharedVectors(), read_each_time(monkeypatch)
    view = shared.of(tx, index, 2, 2)
    assert [0, 1] == cosines_of(view, tx, pairs[0])

    for pair in pairs[1:]:
        cosines_of(shared.of(tx, index, 2, 2), tx, pair)

    assert [0, 1] == view.cosines(tx, pairs[0], FIRST).tolist()
    assert [0, 1] == cosines_of(view, tx, pairs[0])
    assert [2, 2, 2, 2] == counts


def test_much_is_read_in_slices_between_which_others_have_their_turn(
    tx: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors are read once, and missing ones are not asked for again."""
    monkeypatch.setattr(vector_cache, "SLICE", 2)
    index = embeddings.begin_set(tx, "m", 2)
    bare = [store(tx, index, item, length=None) for item in (1, 2)]
    numbers = np.array([*bare, *(store(tx, index, item) for item in (3, 4, 5))])
    shared, counts = SharedVectors(), read_each_time(monkeypatch)
    tx.progress = {}

    for _ in range(2):
        with pytest.raises(GaveWay):
            cosines_of(shared.of(tx, index, 2, 5), tx, numbers)

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
    """The previous embedder's vectors are not used."""
    one, other = embeddings.begin_set(tx, "m", 2), embeddings.begin_set(tx, "n", 2)
    number = np.array([store(tx, one, 5)])
    embeddings.put_vector(tx, other, int(number[0]), pooled_to_bytes(np.ones(2, np.float32)), None)
    shared = SharedVectors()

    for index, first in ((one, 5), (other, 1), (one, 5)):
        assert [first] == cosines_of(shared.of(tx, index, 2, 1), tx, number)


def test_it_grows_as_it_is_filled(tx: Tx) -> None:
    """Far beyond what it had room for at first, each passage keeps its vectors."""
    index = embeddings.begin_set(tx, "m", 2)
    with together(tx):
        numbers = np.array([store(tx, index, n) for n in range(9_000)])

    assert [*range(9_000)] == cosines_of(VectorCache(index, 2).view(), tx, numbers)
