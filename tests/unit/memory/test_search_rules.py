"""The rules of `memory.search` beside a scripted ranking: shown, counted, noted, asked for."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from services import NOON, House, house

from ashd import limits
from ashd.access.actor import Call
from ashd.clock import DAY, to_text
from ashd.memory.cutoff import FILLED_TO
from ashd.memory.search import MOST_EXPLAINED, SearchMemory, SearchParams
from ashd.memory.search_results import Result, SearchResult, WithheldResult
from ashd.search.spec import Found, Ranking, Spec
from ashd.store import memory_links, passages
from ashd.store.database import Tx
from ashd.store.health import INDEX_REBUILDING


class Ranked:
    """An engine with a ranking that the test gives; it notes the specification."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self.latest: list[int] = []
        self.lacks_vectors = False
        self.spec = cast("Spec", None)

    def memories(self, _tx: Tx, spec: Spec) -> Ranking:
        self.spec = spec
        return Ranking(self.found, self.lacks_vectors)

    def newest(self, _tx: Tx, _spec: Spec, most: int) -> list[int]:
        return self.latest[:most]


class Noted(list[int]):
    """The memories that count as returned."""

    def note(self, _call: Call, numbers: list[int]) -> None:
        self.extend(numbers)


class World:
    """Memories numbered from 1, and a search of them."""

    def __init__(self, at: House) -> None:
        self.at = at
        self.engine = Ranked()
        self.noted = Noted()
        every = cast("Any", self.engine), cast("Any", self.noted)
        self.recall = SearchMemory(at.db, at.embeddings, *every)

    async def add(self, count: int) -> None:
        for number in range(count):
            await self.at.add(f"{chr(97 + number) * 5} {number}")

    async def search(self, *, grant: str | None = None, **params: Any) -> SearchResult:
        self.noted.clear()
        asked = SearchParams(**{"query": "tea", **params})
        return await self.recall.search(self.at.call(grant=grant), asked)

    async def ranked(self, question: str, most: int, newest: int) -> list[tuple[int, bool]]:
        """The numbers of the memories for a prompt, and whether each is there for being new."""
        self.noted.clear()
        found, _ = await self.recall.ranked(self.at.call(), question, most, newest)
        return [(number(one), one.newest) for one in found.results]


def number(result: Result) -> int:
    return int(result.memory.content.split()[1]) + 1


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with house(tmp_path) as at:
        yield World(at)


def found(
    item: int, score: float = 0.5, *, relevant: bool = True, weak: bool = False, **signals: float
) -> Found:
    return Found(item, score, relevant, weak, passage=item, signals=signals)


async def test_a_score_is_shown_from_0_to_1_with_four_digits(world: World) -> None:
    """The signals are rounded alike, and shown only if they are asked for."""
    await world.add(4)
    scores = (1.5, 0.98768, 0.00004, -0.25)
    world.engine.found = [found(n, score, words=score) for n, score in enumerate(scores, 1)]

    explained = (await world.search(explain=True)).results
    signals = [cast("dict[str, float]", one.signals)["words"] for one in explained]

    assert [one.score for one in explained] == pytest.approx([1, 0.9877, 0, 0], abs=1e-9)
    assert signals == pytest.approx([1.5, 0.9877, 0, -0.25], abs=1e-9)
    assert all(one.signals is msgspec.UNSET for one in (await world.search()).results)


async def test_shown_results_count_as_returned(world: World) -> None:
    """A withheld result does not count; what fills the list says that it is weak."""
    await world.add(5)
    world.engine.found = [
        found(1),
        found(2),
        found(3, relevant=False, weak=True),
        found(4, relevant=False),
    ]

    answer = await world.search(limit=2)
    assert ([*map(number, answer.results)], [*world.noted]) == ([1, 2], [1, 2])
    assert (answer.withheld.below_threshold, answer.withheld.over_limit) == (0, 2)
    assert [one.weak for one in (await world.search()).results] == [False, False, True, True]


async def test_the_best_that_are_withheld_are_explained(world: World) -> None:
    """Results over the limit come first; there are no more in all than fit."""
    await world.add(MOST_EXPLAINED + 4)
    over, below = range(2, FILLED_TO + 1), range(FILLED_TO + 1, MOST_EXPLAINED + 5)
    world.engine.found = [
        *(found(n) for n in (1, *over)),
        *(found(n, relevant=False) for n in below),
    ]

    answer = await world.search(limit=1, explain=True)
    best = cast("list[WithheldResult]", answer.withheld.best)
    assert [(one.why, number(one.result)) for one in best] == [
        *(("over_limit", n) for n in over),
        *(("below_threshold", n) for n in below[: MOST_EXPLAINED - len(over)]),
    ]
    assert all(one.result.signals is not msgspec.UNSET for one in best)
    assert (await world.search(limit=1)).withheld.best is msgspec.UNSET


@pytest.mark.parametrize(
    ("question", "most", "newest", "expected"),
    [
        ("tea", 3, 0, [(2, False), (4, False)]),
        ("tea", 1, 1, [(2, False)]),
        ("tea", 3, 2, [(2, False), (4, False)]),
        ("tea", 3, 3, [(2, False), (4, False), (6, True)]),
        ("tea", 3, 4, [(2, False), (4, False), (6, True), (5, True)]),
        ("tea", 1, 3, [(2, False), (6, True), (5, True)]),
        ("", 3, 2, [(6, True), (5, True)]),
        ("and the", 3, 1, [(6, True)]),
        ("tea", 3, 9, [(2, False), (4, False), (6, True), (5, True), (1, True)]),
    ],
)
async def test_the_newest_fill_what_a_prompt_has_room_for(
    world: World, question: str, most: int, newest: int, expected: list[tuple[int, bool]]
) -> None:
    """Behind those found; neither one of these again, nor what repeats one of them."""
    await world.add(6)
    await world.at.db.write(lambda tx: memory_links.add(tx, 3, 2, "repeats"))
    world.engine.found = [found(2), found(3), found(4, relevant=False)]
    world.engine.latest = [6, 5, 4, 3, 2, 1]

    assert await world.ranked(question, most, newest) == expected
    # What is there for being new, or does not answer, was not asked for.
    assert [*world.noted] == [n for n, _ in expected if n == 2]


@pytest.mark.parametrize(
    ("grant", "params", "superseded", "expired"),
    [
        (None, {}, False, False),
        (None, {"include_superseded": True}, True, False),
        (None, {"include_expired": True}, False, True),
        (None, {"as_of": to_text(NOON)}, True, True),
        ("g", {"as_of": to_text(NOON)}, True, False),
        ("g", {"include_superseded": True}, True, False),
    ],
)
async def test_the_past_shows_what_has_ended_since(
    world: World, grant: str | None, params: dict[str, Any], *, superseded: bool, expired: bool
) -> None:
    """To a sandbox nothing that has faded."""
    await world.search(grant=grant, **params)

    spec = world.engine.spec
    assert (spec.include_superseded, spec.include_expired) == (superseded, expired)


async def test_a_day_is_searched_to_its_end(world: World) -> None:
    """Its first moment is in, and the next day's is not."""
    await world.search(since="2026-06-01", until="2026-06-01")

    spec = world.engine.spec
    assert spec.since is not None
    assert spec.until == spec.since + DAY


@pytest.mark.parametrize(
    ("state", "lacks", "mode", "degraded"),
    [
        ("off", True, "hybrid", []),
        ("ready", True, "lexical", []),
        ("ready", False, "hybrid", ["embedder"]),
    ],
)
async def test_an_answer_says_what_it_lacked(
    world: World, state: Any, mode: str, degraded: list[str], *, lacks: bool
) -> None:
    """Vectors are missed only where there should be some; a part of the index always."""
    world.at.embeddings.state = state
    world.engine.lacks_vectors = lacks

    assert (await world.search(mode=mode)).degraded == degraded
    world.at.db.health.warn(INDEX_REBUILDING)
    assert (await world.search(mode=mode)).degraded == ["index", *degraded]


async def test_a_long_memory_shows_the_passage_that_was_found(world: World) -> None:
    """A short one is its passage."""
    await world.at.add("Fact 0")
    await world.at.add("Fact 1" + "x" * (limits.PASSAGE_CHARS - 6))
    await world.at.add("Fact 2" + " long" * limits.PASSAGE_CHARS)
    rows = await world.at.db.read(
        lambda tx: {n: passages.of_item(tx, passages.MEMORY, n)[0] for n in (1, 2, 3)}
    )
    world.engine.found = [found(n)._replace(passage=row) for n, row in rows.items()]

    results = (await world.search()).results
    assert [one.passage is msgspec.UNSET for one in results] == [True, True, False]
    assert not any(one.newest for one in results)
