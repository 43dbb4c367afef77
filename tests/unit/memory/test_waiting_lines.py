"""Facts that wait for their vectors are lines of a list all the same."""

from functools import partial
from pathlib import Path

import pytest
from services import House, call_of, house

from ashd.access.actor import Call
from ashd.memory import late_judging, opinions
from ashd.memory.candidates import Near
from ashd.memory.incoming_facts import AddParams, prepare
from ashd.memory.judge import Outcome, believed
from ashd.memory.model import Fact
from ashd.providers.embedder import pooled_to_bytes
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.search.indexing import TextVectors, digest
from ashd.search.stored_vectors import InForce
from ashd.store import embeddings
from ashd.store.database import Tx
from ashd.store.embeddings import EmbeddingSet
from ashd.store.memory_links import ToJudge

FIRST, SECOND, NEWER = (f"My locker is number {number}" for number in (12, 13, 45))


def _vectors_for(tx: Tx, text: str, embedder: WordLlamaEmbedder) -> EmbeddingSet:
    """Begin a set of vectors in which only the passages of one text have theirs."""
    index = embeddings.begin_set(tx, embedder.model, embedder.dimension)
    _give_vectors(tx, text, index, embedder)
    return index


def _give_vectors(tx: Tx, text: str, index: EmbeddingSet, embedder: WordLlamaEmbedder) -> None:
    made = embedder.embed([text])[0]
    assert made.tokens is not None
    pooled, tokens = pooled_to_bytes(made.pooled), made.tokens.to_bytes()
    for (passage,) in tx.all("select id from passages where hash = ?", digest(text)):
        embeddings.put_vector(tx, index, passage, pooled, tokens)


async def _outcome(
    at: House, embedder: WordLlamaEmbedder, index: EmbeddingSet, call: Call | None = None
) -> Outcome:
    """Return what the newer text would do to the only one that has a vector."""
    vectors = TextVectors(embedder, index, {digest(NEWER): embedder.embed([NEWER])[0]})
    judge = partial(
        opinions.of_facts,
        call=call or at.call(),
        facts=[prepare(Fact(content=NEWER))],
        vectors=vectors,
        near=Near.of(at.embeddings),
    )
    (found,) = await at.db.read(judge)
    (opinion,) = found.of_stored.values()
    return believed(opinion).outcome


@pytest.mark.parametrize(
    ("others", "outcome"),
    [
        ([], Outcome.MAY_REPLACE),
        ([SECOND], Outcome.KEEP),
        (["The kiln is at number 7"], Outcome.MAY_REPLACE),
    ],
)
async def test_a_line_without_vectors_makes_a_list(
    tmp_path: Path, others: list[str], outcome: Outcome
) -> None:
    """It cannot be compared yet, but shows that what differs is not said of one thing."""
    embedder = WordLlamaEmbedder()
    async with house(tmp_path) as at:
        await at.add(FIRST)
        for other in others:
            await at.add(other)
        index = await at.db.write(partial(_vectors_for, text=FIRST, embedder=embedder))
        assert await _outcome(at, embedder, index) is outcome


async def test_a_line_that_was_taken_back_makes_none(tmp_path: Path) -> None:
    """A memory that is no longer active tells nothing."""
    embedder = WordLlamaEmbedder()
    async with house(tmp_path) as at:
        await at.add(FIRST)
        await at.delete(await at.add(SECOND))
        index = await at.db.write(partial(_vectors_for, text=FIRST, embedder=embedder))
        assert await _outcome(at, embedder, index) is Outcome.MAY_REPLACE


async def test_only_lines_of_the_same_place_make_a_list(tmp_path: Path) -> None:
    """Neither what another was told counts, nor what was told elsewhere."""
    embedder = WordLlamaEmbedder()
    async with house(tmp_path) as at:
        await at.add(FIRST)
        for stranger in (call_of("v"), call_of("v", chat_id="g", chat_type="group")):
            await at.remember.add(stranger, AddParams(content=SECOND))
        group = call_of("u", chat_id="h", chat_type="group")
        await at.remember.add(group, AddParams(content=SECOND))
        index = await at.db.write(partial(_vectors_for, text=FIRST, embedder=embedder))
        assert await _outcome(at, embedder, index) is Outcome.MAY_REPLACE


async def test_another_members_line_makes_no_list(tmp_path: Path) -> None:
    """In a group each member has a locker."""
    embedder = WordLlamaEmbedder()
    mine, other = (call_of(one, chat_id="g", chat_type="group") for one in ("u", "v"))
    async with house(tmp_path) as at:
        await at.remember.add(mine, AddParams(content=FIRST))
        await at.remember.add(other, AddParams(content=SECOND))
        index = await at.db.write(partial(_vectors_for, text=FIRST, embedder=embedder))
        assert await _outcome(at, embedder, index, mine) is Outcome.MAY_REPLACE


async def test_a_line_that_is_judged_late_sees_those_that_wait(tmp_path: Path) -> None:
    """The list is the same whenever its lines get their vectors."""
    embedder = WordLlamaEmbedder()
    async with house(tmp_path) as at:
        for text in (FIRST, SECOND, NEWER):
            await at.add(text)
        index = await at.db.write(partial(_vectors_for, text=FIRST, embedder=embedder))
        await at.db.write(partial(_give_vectors, text=NEWER, index=index, embedder=embedder))

        def found(tx: Tx) -> list[Outcome]:
            number = tx.value("select id from memories where content = ?", NEWER)
            used = InForce(embedder, index)
            waits, near = ToJudge(number, across_accounts=False), Near.of(at.embeddings)
            opinions = late_judging._opinions(tx, waits=waits, used=used, near=near)
            return [believed(opinion).outcome for opinion in opinions.values()]

        assert await at.db.read(found) == [Outcome.KEEP]
