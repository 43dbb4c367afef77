"""The embedder changes at the worst moment: between two batches, and while it is called off."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

import anyio
import anyio.to_thread
import numpy as np
import pytest
from services import FixedClock, House, call_of

from ashd.access.actor import Call
from ashd.clock import SystemClock
from ashd.errors import EmbeddingUnavailable
from ashd.fair_turns import OWNER
from ashd.providers.embedder import Embedding
from ashd.search import current_embedder
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.embedder_threads import CallerGate
from ashd.search.stored_vectors import InForce
from ashd.store import embeddings as store
from ashd.store.database import Database


class Words:
    """An embedder whose vectors are all the same, of a dimension of its own."""

    token_dimension = 0
    reads_context = False

    def __init__(self, model: str, dimension: int) -> None:
        self.model = model
        self.dimension = dimension
        self.when_asked: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.when_asked()
        return [Embedding(np.ones(self.dimension, np.float32)) for _ in texts]

    def embed_query(self, text: str) -> Embedding:
        return self.embed([text])[0]


class Caller:
    """The part of a call that `of_texts` asks for."""

    class Actor:
        kind = "operator"

    actor = Actor()
    key_space = "caller"

    def may_embed(self) -> bool:
        """No quota."""
        return True

    def embeds(self, texts: int) -> None:
        """No quota."""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "ash.db", SystemClock())
    yield opened
    opened.close()


async def embeddings(db: Database, first: Words, second: Words) -> CurrentEmbedder:
    """`first` in force, `second` being built."""
    made = CurrentEmbedder(db, lambda _, __: first, is_configured=False)
    sets = [
        await db.write(lambda tx, one=one: store.begin_set(tx, one.model, one.dimension))
        for one in (first, second)
    ]
    made.in_force, made.building = InForce(first, sets[0]), InForce(second, sets[1])
    made.state = "ready"
    return made


async def states(db: Database) -> list[tuple[str, str]]:
    rows = await db.read(lambda tx: tx.all("select model, state from embedding_sets order by id"))
    return [(row[0], row[1]) for row in rows]


async def test_a_change_that_is_called_off_in_time_is_over(db: Database) -> None:
    """The set that was being built is retired, the other stays active."""
    made = await embeddings(db, Words("A", 4), Words("B", 6))

    assert await made.use("wordllama") is None

    assert made.building is None
    assert await states(db) == [("A", "active"), ("B", "retired")]


async def test_a_change_that_is_called_off_too_late_is_changed_back(db: Database) -> None:
    """The new index came into use while its cancellation waited: the old one is rebuilt."""
    made = await embeddings(db, Words("A", 4), Words("B", 6))
    building = made.building
    assert building is not None
    await db.write(lambda tx: store.activate_if_built(tx, building.vectors))

    await made.use("wordllama")

    assert await states(db) == [("A", "retired"), ("B", "active"), ("A", "building")]


async def test_a_call_is_embedded_by_one_embedder(db: Database) -> None:
    """A change of the embedder between two batches does not affect the call."""
    first = Words("A", 4)
    made = await embeddings(db, first, Words("B", 6))
    before = made.in_force

    def change() -> None:
        made.in_force = made.building

    first.when_asked = change
    vectors = await made.of_texts(cast("Call", Caller()), [f"text {n}" for n in range(70)])

    assert before is not None
    assert before.vectors == vectors.index
    assert {4} == {len(one.pooled) for one in vectors.by_digest.values()}
    assert len(vectors.by_digest) == 70


async def test_a_call_that_only_waited_for_its_turn_calls_no_embedder_failed(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner's other calls kept it waiting; one that was asked and gave no answer is failed."""
    monkeypatch.setattr(current_embedder, "_CALL_SECONDS", 0.05)
    first, goes_on = Words("A", 4), threading.Event()
    made = await embeddings(db, first, Words("B", 6))
    made._callers = CallerGate(1)
    call = cast("Call", Caller())

    async with made._callers.of(first).turn():
        vectors = await made.of_texts(call, ["text"])
    assert (vectors.by_digest, made.state) == ({}, "ready")

    monkeypatch.setattr(current_embedder, "_CALL_SECONDS", 2.0)
    first.when_asked = lambda: cast("None", goes_on.wait(60))
    try:
        vectors = await made.of_texts(call, ["text"])
    finally:
        goes_on.set()
    assert (vectors.by_digest, made.state) == ({}, "failed")


@pytest.mark.parametrize("ask", ["of_texts", "of_query"])
async def test_one_owner_leaves_a_processor_of_two_to_others(
    db: Database, monkeypatch: pytest.MonkeyPatch, ask: str
) -> None:
    """Whatever an owner stores or asks at once, an embedder that runs here has one call of it."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    first, asked, goes_on = Words("A", 4), threading.Semaphore(0), threading.Event()
    running: list[str] = []
    made = await embeddings(db, first, Words("B", 6))

    def hold() -> None:
        running.append(str(OWNER.get()))
        asked.release()
        goes_on.wait(60)

    async def call(owner: str, text: str) -> None:
        OWNER.set(owner)
        caller = cast("Call", Caller())
        await (made.of_query(caller, text) if ask == "of_query" else made.of_texts(caller, [text]))

    async def one_is_asked() -> None:
        await anyio.to_thread.run_sync(lambda: asked.acquire(timeout=20))
        await anyio.wait_all_tasks_blocked()

    first.when_asked = hold
    try:
        async with anyio.create_task_group() as tasks:
            for number in range(6):
                tasks.start_soon(call, "busy", f"text {number}")
            await one_is_asked()
            tasks.start_soon(call, "other", "another text")
            await one_is_asked()
            tasks.cancel_scope.cancel()
    finally:
        goes_on.set()

    assert running == ["busy", "other"]


async def test_a_change_asked_for_while_the_embedder_loads_is_one_change(db: Database) -> None:
    """`use` goes on with the set that the start found, and nothing spins on another."""
    first, second = Words("first", 2), Words("second", 3)
    for one in (first, second):
        await db.write(lambda tx, one=one: store.begin_set(tx, one.model, one.dimension))

    def load(provider: str | None, _stored: str | None) -> Words:
        return first if provider == "auto" else second

    made = CurrentEmbedder(db, load, is_configured=False)
    async with anyio.create_task_group() as group:
        group.start_soon(made.run)
        await made.use("minilm")
        with anyio.fail_after(20):
            while made.building is not None or made.in_force is None:
                await db.read(lambda tx: tx.value("select 1"))
        group.cancel_scope.cancel()

    assert await states(db) == [("first", "retired"), ("second", "active")]
    assert made.in_force.embedder is second


async def test_a_set_that_was_called_off_is_built_no_more(db: Database) -> None:
    """Retiring the set ends the work on it."""
    made = await embeddings(db, Words("first", 2), Words("second", 3))
    assert made.building is not None
    building = made.building.vectors
    await db.write(lambda tx: store.retire(tx, building))

    while await made._work():
        pass

    assert made.building is None
    assert await states(db) == [("first", "active"), ("second", "retired")]


async def test_an_embedder_is_ready_once_its_vectors_are_built(db: Database) -> None:
    """After an upgrade the old vectors' embedder cannot be had: searches go by words until then."""
    made = await embeddings(db, Words("A", 4), Words("B", 6))
    made.in_force, made.state = None, "off"
    assert made.building is not None

    await made._changed(made.building)

    assert (made.model, made.state, made.building) == ("B", "ready", None)


async def test_first_vectors_of_a_newer_embedder_are_awaited(db: Database) -> None:
    """Until they are built the state says so, also after a failure; "off" would await nothing."""
    newer = Words("new", 6)
    await db.write(lambda tx: store.begin_set(tx, "old", 4))

    def load(provider: str | None, _stored: str | None) -> Words:
        if provider == "auto":
            raise EmbeddingUnavailable("the old one is gone", hint="")
        return newer

    made = CurrentEmbedder(db, load, is_configured=True)
    told: list[str | None] = []
    made.stored = lambda: told.append(made.model)

    assert await made._started()
    assert (made.state, made.model) == ("building", None)
    made.state = "failed"
    assert made.building is not None
    await made._vectors(made.building, ["text"], made._worker)
    assert made.state == "building"
    while await made._work():
        pass
    assert (made.state, made.model, told) == ("ready", "new", [None, "new"])


async def test_another_dimension_under_the_same_name_is_another_model(db: Database) -> None:
    """After a restart the endpoint serves another model: its vectors join no others."""
    former = CurrentEmbedder(db, lambda _, __: Words("A", 4), is_configured=True)
    await former._started()
    other = CurrentEmbedder(db, lambda _, __: Words("A", 6), is_configured=True)

    assert not await other._started()

    assert ("failed", None) == (other.state, other.in_force)
    assert "name" in (other.remedy or "")
    back = CurrentEmbedder(db, lambda _, __: Words("A", 4), is_configured=True)
    assert await back._started()
    assert back.in_force is not None


async def test_vectors_begun_in_another_dimension_are_begun_anew(db: Database) -> None:
    """The vectors in use serve meanwhile."""
    first = Words("A", 4)
    await embeddings(db, first, Words("B", 6))

    def load(provider: str | None, _stored: str | None) -> Words:
        return first if provider == "auto" else Words("B", 8)

    made = CurrentEmbedder(db, load, is_configured=True)
    assert await made._started()

    assert made.in_force is not None
    assert made.building is not None
    assert (4, 8) == (made.in_force.vectors.dimension, made.building.vectors.dimension)
    assert await states(db) == [("A", "active"), ("B", "retired"), ("B", "building")]


async def test_another_dimension_under_the_same_name_spoils_no_search(db: Database) -> None:
    """Somebody chooses the embedder in use while its endpoint serves another model."""
    served = [Words("A", 4)]
    made = CurrentEmbedder(db, lambda _, __: served[-1], is_configured=False)
    assert await made._started()
    served.append(Words("A", 6))

    assert await made.use("openai") is None

    vectors = await made.of_query(call_of("ann"), "tea")
    assert vectors is not None
    assert (4, 4) == (len(vectors.question.pooled), len(vectors.calibration.mean))

    # Others were chosen meanwhile, and then these again, which were built anew.
    made.in_force = InForce(served[-1], store.EmbeddingSet(vectors.index.id + 2, "A", 6))
    vectors = await made.of_query(call_of("ann"), "tea")
    assert vectors is not None
    assert (6, 6) == (len(vectors.question.pooled), len(vectors.calibration.mean))


async def test_an_embedder_that_is_down_is_changed_all_the_same(db: Database) -> None:
    """The texts that wait for the one that is left do not hold up those for the other."""
    first, second = Words("A", 4), Words("B", 6)
    made = await embeddings(db, first, second)

    def fail() -> None:
        raise EmbeddingUnavailable("it is down", hint="")

    first.when_asked = fail
    home = House(db, FixedClock(), made)
    made.in_force, in_force = None, made.in_force  # the text waits for both
    await home.add("Anna likes tea")
    made.in_force = in_force

    assert await made._work()  # the text
    assert await made._work()  # the change

    assert made.model == "B"
    assert not await made._work()
    assert await states(db) == [("A", "retired"), ("B", "active")]


async def test_a_refused_text_is_tried_again_after_a_day_by_the_right_clock(tmp_path: Path) -> None:
    """One that was refused while the clock was ahead does not wait until then."""
    clock, counts = FixedClock(), []
    db = Database.open(tmp_path / "ash.db", clock)
    try:
        made = await embeddings(db, Words("A", 4), Words("B", 6))
        assert made.building is not None
        vectors, made.in_force = made.building.vectors, None
        await House(db, clock, made).add("Anna likes tea")
        [text] = await db.read(lambda tx: store.waiting(tx, vectors, 9))
        for ahead, days in ((300, 0), (300, -300), (0, 0.9), (0, 1.1)):
            clock.pass_by(days=ahead)
            await db.write(lambda tx: store.set_aside(tx, vectors, [text.passage]))
            clock.pass_by(days=days)
            counts.append(len(await db.read(lambda tx: store.waiting(tx, vectors, 9))))
            clock.pass_by(days=-ahead - days)
    finally:
        db.close()

    assert [0, 1, 0, 1] == counts
