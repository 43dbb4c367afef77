"""Facts for whose opinions there is no time are stored, and judged later."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from given_opinions import reader_of
from services import House, house

from ashd import limits
from ashd.access.actor import Call
from ashd.memory import add as remember
from ashd.memory import opinions, verdicts
from ashd.memory.add_result import AddResult
from ashd.memory.candidates import Near
from ashd.memory.incoming_facts import AddParams, prepare
from ashd.memory.judge import Opinion
from ashd.memory.late_judging import LateJudging
from ashd.memory.model import Fact
from ashd.memory.opinions import LATE, Reader
from ashd.memory.supersede import SupersedeMemory, SupersedeParams
from ashd.memory.verdicts import Linked, Verdicts
from ashd.search.indexing import TextVectors
from ashd.store import memories, memory_links
from ashd.store.database import Tx

RED, BLUE = "My favourite colour is red", "My favourite colour is blue"
MANY = [f"Seat {number} of the hall is taken by the choir" for number in range(50)]


async def add(at: House, contents: list[str]) -> AddResult:
    """Add facts in one call."""
    params = AddParams(facts=[{"content": content} for content in contents])
    return await at.remember.add(at.call(), params)


@pytest.mark.parametrize(("until", "is_late"), [(-math.inf, True), (math.inf, False)])
async def test_there_are_no_opinions_once_the_time_is_over(
    tmp_path: Path, until: float, *, is_late: bool
) -> None:
    """A text that is no single statement would not have been judged: it is not late."""
    long = "The boiler in the cellar leaks, and the plumber comes on Friday. " * 12
    async with house(tmp_path) as at:
        await at.add(RED)
        judge = partial(
            opinions.of_facts,
            call=at.call(),
            facts=[prepare(Fact(content=BLUE)), prepare(Fact(content=long)), None],
            vectors=TextVectors(),
            near=Near.of(at.embeddings),
            until=until,
        )
        found = await at.db.read(judge)

    assert [one.is_late for one in found] == [is_late, False, False]
    assert bool(found[0].of_stored) is not is_late


async def test_a_fact_that_was_stored_unjudged_is_judged_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reply says so, and whoever judges is woken; it replaces the older one then."""
    woken = anyio.Event()
    async with house(tmp_path) as at:
        at.remember = remember.AddMemory(at.db, at.embeddings, judge_later=woken.set)
        first = await add(at, [RED])
        assert (first.degraded, woken.is_set()) == ([], False)
        with monkeypatch.context() as patched:
            patched.setattr(remember, "_half_way_to", lambda _ends: -math.inf)
            late = await add(at, [BLUE])

        (entry,) = late.memories
        assert (entry.outcome, entry.superseded, late.degraded) == ("added", [], ["judge"])
        assert woken.is_set()
        assert await at.listed() == [RED, BLUE]
        assert await LateJudging(at.db, at.embeddings)._judge_some()
        assert await at.listed() == [BLUE]
        assert not await LateJudging(at.db, at.embeddings)._judge_some()


async def test_a_repeated_add_says_whether_its_fact_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to the same key says so as long as it waits."""
    params = AddParams(content=BLUE, idempotency_key="k")
    async with house(tmp_path) as at:
        with monkeypatch.context() as patched:
            patched.setattr(remember, "_half_way_to", lambda _ends: -math.inf)
            await at.remember.add(at.call(), params)

        assert (await at.remember.add(at.call(), params)).degraded == ["judge"]
        assert await LateJudging(at.db, at.embeddings)._judge_some()
        assert (await at.remember.add(at.call(), params)).degraded == []


async def test_lines_of_a_list_that_are_judged_later_are_all_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that is compared with a later one alone is of the same list."""
    lines = [f"Row {number} is booked by guest {number * 3}" for number in range(1, 5)]
    reader = reader_of({(lines[2], lines[3]): Opinion(1.0, 0.0)})
    async with house(tmp_path) as at:
        with monkeypatch.context() as patched:
            patched.setattr(opinions, "of_facts", lambda *_, facts, **__: [LATE] * len(facts))
            await add(at, lines)
        monkeypatch.setattr(Reader, "of", lambda _embedder: reader)
        assert await LateJudging(at.db, at.embeddings)._judge_some()

        assert await at.listed() == lines


@pytest.mark.parametrize("waited_before", [True, False])
async def test_a_comparison_across_accounts_changes_nothing_within_one(
    tmp_path: Path, *, waited_before: bool
) -> None:
    """Not even once the accounts are parted again; but what waited before is judged as it was."""
    async with house(tmp_path) as at:
        old, new = await at.add(RED), (await at.entry(BLUE)).memory
        assert new is not None
        undecided = SupersedeParams(id=new.id, superseded_id=old.id, verdict="unsure")
        await SupersedeMemory(at.db).supersede(at.call("memory.supersede"), undecided)

        def queue(tx: Tx) -> None:
            number = tx.value("select id from memories where uuid = ?", new.id)
            if waited_before:
                memory_links.judge_later(tx, number)
            owner = tx.value("select owner from memories where id = ?", number)
            memory_links.judge_across_accounts(tx, [owner], limits.STATEMENT_CHARS)

        await at.db.write(queue)
        assert await LateJudging(at.db, at.embeddings)._judge_some()

        assert await at.listed() == ([BLUE] if waited_before else [RED, BLUE])


async def test_only_the_likeliest_conflicts_of_a_memory_are_linked(tmp_path: Path) -> None:
    """However often a memory is judged beside a neighbour."""
    async with house(tmp_path) as at:
        for place in ("Rome", "Oslo", "Bonn", "Kiel", "Graz"):
            await at.add(f"The tram of {place} was built by my uncle {place}son")

        def offers(tx: Tx) -> list[int]:
            *olders, newer = sorted(row[0] for row in tx.all("select id from memories"))
            for older in olders:
                linked = Linked(memories.by_id(tx, older), "meaning", 0.4 + older / 100)
                verdicts.record_links(tx, newer, Verdicts(conflicts=[linked]))
            return [link.older for link in memory_links.older_than(tx, newer)]

        assert await at.db.write(offers) == [4, 3, 2]


async def test_a_duplicate_is_not_judged_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same words need no model."""
    monkeypatch.setattr(remember, "_half_way_to", lambda _ends: -math.inf)
    async with house(tmp_path) as at:
        await add(at, [RED])
        again = await add(at, [RED])

    assert ([entry.outcome for entry in again.memories], again.degraded) == (["duplicate"], [])


async def test_time_to_judge_is_not_time_in_the_writer_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sandbox's batch that is slow to judge, or waits for another, is stored all the same."""
    now = [0.0]
    judge = opinions.of_facts

    def slowly(*given: Any, **more: Any) -> Any:
        now[0] += 100
        return judge(*given, **more)

    monkeypatch.setattr(remember.anyio, "current_time", lambda: now[0])
    monkeypatch.setattr(opinions, "of_facts", slowly)
    monkeypatch.setattr(Call, "writer_seconds", 60.0)
    async with house(tmp_path) as at:
        result = await add(at, MANY)

    assert {entry.outcome for entry in result.memories} == {"added"}


async def test_time_in_the_writer_thread_is_bounded_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All parts of a batch together may hold it for so long."""
    monkeypatch.setattr(Call, "writer_seconds", 0.0)
    monkeypatch.setattr(remember.limits, "LEAST_STORING_SECONDS", 60.0)
    async with house(tmp_path) as at:
        result = await add(at, MANY)

    outcomes = [entry.outcome for entry in result.memories]
    assert outcomes == ["added"] * 20 + ["refused"] * 30
