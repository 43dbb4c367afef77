"""The nearest statements: exact, of the owner alone, and complete whenever their vectors came."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rows import begin, opened_tx, together
from services import FixedClock

from ashd.clock import FOREVER, SystemClock
from ashd.providers.embedder import pooled_to_bytes, unit
from ashd.search import nearest_statements
from ashd.search.nearest_statements import NearestMemories, NearStatement
from ashd.store import embeddings, memories, passages
from ashd.store.database import Database, Tx
from ashd.store.embeddings import EmbeddingSet
from ashd.store.erasure import texts
from ashd.store.passages import Passage

DIMENSION = 100
"""No whole number of words: the last bits are padding."""


class Store:
    """A database whose one writer stores statements with vectors of their own."""

    def __init__(self, writer: Tx, reader: Tx) -> None:
        self.writer = writer
        self.reader = reader
        begin(writer, chats=2, accounts=3)
        self.index = embeddings.begin_set(self.writer, "m", DIMENSION)
        self.random = np.random.default_rng(8)
        self.vectors: dict[int, NDArray[np.float32]] = {}

    def add(
        self,
        *,
        owner: int | None = 1,
        place: int = 1,
        content: str = "x",
        has_vector: bool = True,
        vector: NDArray[np.float32] | None = None,
    ) -> int:
        """A memory; its row number."""
        number = int(self.writer.value("select coalesce(max(id), 0) + 1 from memories"))
        values = dict.fromkeys(memories.WRITTEN) | {
            "uuid": str(number),
            "version": 1,
            "revision": 1,
            "content": content,
            "content_key": "x",
            "memory_type": "knowledge",
            "created_at": 0,
            "said_at": 0,
            "owner": owner,
            "chat": place if owner is None else None,
            "learned_in": place,
            "learned_type": "private",
            "source": "rpc",
            "portable": 1,
            "ends_at": FOREVER,
            "tags": "[]",
            "superseded_until": 0,
            "access_count": 0,
        }
        assert number == memories.insert(self.writer, values, [], are_read=False)
        passage = passages.insert(
            self.writer,
            Passage(0, number, 0, place, number.to_bytes(4), "x", "", "", "", False, 0, False, 1),
        )
        made = unit(self.random.standard_normal(DIMENSION)) if vector is None else vector
        self.vectors[number] = made
        if has_vector:
            self.give_vector(number)
        else:
            embeddings.enqueue(self.writer, passage)
        return number

    def passage(self, number: int) -> int:
        """The passage of a memory."""
        return passages.of_item(self.writer, passages.MEMORY, number)[0]

    def give_vector(self, number: int) -> None:
        """Let the vector of a memory come."""
        pooled = pooled_to_bytes(self.vectors[number])
        embeddings.put_vector(self.writer, self.index, self.passage(number), pooled, None)

    def exact(self, question: NDArray[np.float32], among: list[int], limit: int) -> list[int]:
        """The nearest of some memories."""
        return sorted(among, key=lambda one: -float(self.vectors[one] @ question))[:limit]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    path = tmp_path / "a.db"
    Database.open(path, FixedClock()).close()
    with opened_tx(path, 1_000) as writer, opened_tx(path, 1_000, read_only=True) as reader:
        yield Store(writer, reader)


def found(
    near: NearestMemories, store: Store, question: NDArray[np.float32], *, limit: int = 12
) -> list[int]:
    """The memories of the first owner that are found in both chats."""
    near_ones = near.find(
        *(store.reader, store.index),
        owners=[1],
        places=[1, 2],
        question=question,
        limit=limit,
    )
    return [one.memory for one in near_ones]


def test_the_nearest_are_found_among_many(store: Store) -> None:
    """Nearly always the very twelve, although only their signs are compared with all."""
    with together(store.writer):
        own = [store.add(place=number % 2 + 1) for number in range(3_000)]
    near, hits = NearestMemories(), 0
    for _ in range(20):
        question = unit(store.random.standard_normal(DIMENSION))
        hits += len({*found(near, store, question)} & {*store.exact(question, own, 12)})

    assert hits >= 0.97 * 20 * 12


def test_the_cosine_is_that_of_what_is_stored(store: Store) -> None:
    """Nearest first."""
    own = [store.add() for _ in range(5)]
    question = store.vectors[own[2]]
    result = NearestMemories().find(
        *(store.reader, store.index), owners=[1], places=[1], question=question, limit=3
    )

    assert store.exact(question, own, 3) == [one.memory for one in result]
    assert NearStatement(own[2], store.passage(own[2]), pytest.approx(1.0, abs=1e-5)) == result[0]
    for one in result:
        assert float(store.vectors[one.memory] @ question) == pytest.approx(one.cosine, abs=1e-5)


def test_only_the_owners_own_counts(store: Store) -> None:
    """Joined accounts share statements; a chat has its own, and only what was learned there."""
    mine, joined, shared = store.add(owner=1), store.add(owner=2), store.add(owner=None)
    store.add(owner=3)
    elsewhere = store.add(owner=1, place=2)
    near = NearestMemories()

    def of(owners: list[int], chat: int | None, places: list[int]) -> set[int]:
        result = near.find(
            *(store.reader, store.index),
            owners=owners,
            chat=chat,
            places=places,
            question=store.vectors[mine],
            limit=12,
        )
        return {one.memory for one in result}

    assert {mine} == of([1], None, [1])
    assert {mine, elsewhere} == of([1], None, [1, 2])
    assert {mine, joined} == of([1, 2], None, [1])
    assert {shared} == of([], 1, [1])
    assert set() == of([7], None, [1, 2])


def test_what_is_no_active_statement_takes_no_place(store: Store) -> None:
    """Any number of nearer superseded statements leaves the active ones in the result."""
    question = unit(store.random.standard_normal(DIMENSION))
    with together(store.writer):
        superseded = [store.add(vector=question) for _ in range(700)]
        archived, ended = store.add(vector=question), store.add(vector=question)
        store.add(vector=question, content="long " * 200)
        store.add(vector=np.zeros(DIMENSION, np.float32))
        active = [store.add(vector=unit(question + store.random.random(DIMENSION)))]
        active += [store.add() for _ in range(3)]
    near = NearestMemories()
    assert {*found(near, store, question)} <= {*superseded, archived, ended}
    for number in superseded:
        store.writer.run("update memories set superseded_until = ? where id = ?", FOREVER, number)
    store.writer.run("update memories set ends_at = 1 where id = ?", ended)
    store.writer.run("update memories set archived_at = 1 where id = ?", archived)

    assert store.exact(question, active, 4) == found(near, store, question)


def test_a_vector_that_comes_later_is_found_then(store: Store) -> None:
    """A new vector is found, whether it waited in the queue or was made again."""
    late = store.add(has_vector=False)
    early = store.add()
    near, question = NearestMemories(), store.vectors[late]
    assert [early] == found(near, store, question)

    store.give_vector(late)
    assert [late, early] == found(near, store, question)
    embeddings.drop_vectors(store.writer, [store.passage(late)])
    assert [early] == found(near, store, question)
    store.give_vector(late)
    assert [late, early] == found(near, store, question)


def test_copies_have_a_bound(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently used copy goes, and is read again on demand."""
    monkeypatch.setattr(nearest_statements, "KEPT_BYTES", 1)
    here, there = store.add(place=1), store.add(place=2)
    near = NearestMemories()
    for _ in range(2):
        assert {here, there} == {*found(near, store, store.vectors[here])}

    assert 1 == len(near._copies)


async def test_a_large_chat_is_read_in_slices(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No hop of a reader is longer than a slice takes."""
    own = [store.add() for _ in range(25)]
    read: list[int] = []
    arrived = embeddings.arrived

    def counted(tx: Tx, index: EmbeddingSet, scope: int, **more: int) -> list[embeddings.Arrived]:
        rows = arrived(tx, index, scope, **more)
        read.append(len(rows))
        return rows

    monkeypatch.setattr(embeddings, "arrived", counted)
    monkeypatch.setattr(nearest_statements, "_SLICE", 10)
    near, db = NearestMemories(), Database.open(tmp_path / "a.db", SystemClock())
    question = store.vectors[own[0]]
    result = await db.read(
        lambda tx: near.find(tx, store.index, owners=[1], places=[1], question=question, limit=12)
    )

    assert [10, 10, 5] == read[:3]
    assert store.exact(question, own, 12) == [one.memory for one in result]
    db.close()


def test_a_deleted_statement_leaves_no_copy(store: Store) -> None:
    """A deleted statement is not found, and an empty chat has no copy."""
    first, second, other = store.add(), store.add(), store.add(place=2)
    near = NearestMemories()
    assert {first, second, other} == set(found(near, store, store.vectors[first]))
    held = near.bytes

    gone = [store.passage(first), store.passage(other)]
    texts.take_passages(store.writer, passages.MEMORY, [first, other], erase=True)
    near.delete(gone)

    assert [second] == found(near, store, store.vectors[first])
    assert near.bytes < held
    assert not near._copies[store.index, 1].rows.codes[0].any()
