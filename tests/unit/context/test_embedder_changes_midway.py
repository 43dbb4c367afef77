"""The embedder changes between two questions of one call: their vectors are never mixed."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from services import call_of

from ashd.context import chosen_memories, needs
from ashd.context.planner import Plan
from ashd.memory.search import SearchMemory
from ashd.people import query_people
from ashd.providers.embedder import Embedding
from ashd.search.calibration import words
from ashd.search.spec import Vectors
from ashd.store.embeddings import EmbeddingSet

CALL = call_of("ann")


def _vectors(number: int, model: str, dimension: int) -> Vectors:
    return Vectors(
        cast("Any", SimpleNamespace(model=model, dimension=dimension)),
        EmbeddingSet(number, model, dimension),
        Embedding(np.zeros(dimension, np.float32)),
        words(),
    )


def _recall(*found: Vectors) -> SearchMemory:
    """A search whose questions get these vectors, one after the other."""
    left = iter(found)

    async def of_query(*_: Any) -> Vectors:
        return next(left)

    nothing = cast("Any", None)
    return SearchMemory(nothing, cast("Any", SimpleNamespace(of_query=of_query)), nothing, nothing)


async def test_a_question_is_put_to_a_person_by_its_own_embedder_only() -> None:
    """The other one's vectors cannot be compared with the index that is searched."""
    before, same, other = _vectors(1, "A", 4), _vectors(1, "A", 4), _vectors(2, "B", 6)
    about = query_people.About({}, {}, speakers=("Ben",))

    put = [
        await _recall(later)._to_speakers(CALL, "What does Ben eat?", about, before)
        for later in (same, other)
    ]

    assert [replace(before, to_speaker=same.question), before] == put


async def test_a_look_up_is_read_by_its_own_embedder_only() -> None:
    """The classifiers of a message are those of one model."""
    with np.load(needs.WEIGHTS, allow_pickle=False) as stored:
        model, dimension = str(stored["model"]), stored["messages"].shape[1] - 1
    before = _vectors(1, model, dimension)
    recall = _recall(before, _vectors(2, "B", 6))

    read = await chosen_memories.kinds_of(recall, CALL, Plan("And for her?", ("A dinner?",)), [])

    assert read is not None
    assert before is read[1]
