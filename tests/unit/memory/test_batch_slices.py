"""A batch is judged a fact at a time: between two of them others have the reader."""

import json
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from services import FixedClock, house

from ashd import limits
from ashd.memory import opinions
from ashd.memory.add import AddMemory
from ashd.memory.candidates import Near
from ashd.memory.incoming_facts import AddParams, Prepared, facts_of, prepared
from ashd.memory.model import Fact
from ashd.memory.opinions import Opinions
from ashd.search.indexing import TextVectors
from ashd.store.database import GaveWay, Tx

TEXTS = ["I live in Faro", "My bicycle is red", "I live in Porto", "My bicycle is blue"]


async def test_a_batch_gives_way_between_its_facts(tmp_path: Path) -> None:
    """Each fact is judged once, and the opinions are those of one go."""
    params = AddParams(facts=[Fact(content=text) for text in TEXTS])
    facts = [fact for fact in map(prepared, facts_of(params)) if isinstance(fact, Prepared)]
    async with house(tmp_path, FixedClock()) as place:
        await place.add("I live in Lisbon")
        judge = partial(
            opinions.of_facts,
            call=place.call(),
            facts=facts,
            vectors=TextVectors(),
            near=Near.of(place.embeddings),
        )
        progress: dict[Any, Any] = {}

        def step(tx: Tx) -> list[Opinions] | None:
            tx.progress = progress
            try:
                return judge(tx)
            except GaveWay:
                return None

        for _ in TEXTS[1:]:
            assert await place.db.read(step) is None
        at_last = await place.db.read(step)

        assert at_last == await place.db.read(judge)
        assert any(one.of_stored for one in at_last)
        assert any(one.of_call for one in at_last)


async def test_conflicts_of_a_slow_batch_are_one_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many transactions store its facts, since other writes come in between."""
    monkeypatch.setattr(limits, "SLICE_SECONDS", 0.0)
    clock = FixedClock()
    moments = count(clock.now())
    monkeypatch.setattr(clock, "now", lambda: next(moments))
    async with house(tmp_path, clock) as place:
        place.remember = AddMemory(place.db, place.embeddings, wake_judge=lambda: None)
        for text in TEXTS[:2]:
            await place.add(text)
        params = AddParams(facts=[Fact(content=f"{text} now") for text in TEXTS[2:]])
        entries = (await place.remember.add(place.call(), params)).memories

        [job] = {entry.job_id for entry in entries}
        assert job is not None
        payloads = await place.db.read(lambda tx: tx.all("select payload from jobs"))
        assert [len(json.loads(text)["memories"]) for (text,) in payloads] == [2]
