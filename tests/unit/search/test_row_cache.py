"""What is kept of shelves: within a bound for all, and a viewer's fair part of it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from services import NOON, FixedClock, House, house

from ashd.clock import DAY, from_micros
from ashd.conversation.ingest import Ingest, IngestParams, MessageIn
from ashd.memory.model import Memory
from ashd.search import query, row_cache, visible_rows
from ashd.search.engine import Engine
from ashd.search.row_cache import CachedRows, RowCache
from ashd.search.spec import Spec
from ashd.store import passages
from ashd.store.database import GaveWay, Tx
from ashd.store.filters import ConversationFilter, MemoryFilter
from ashd.store.visibility import Viewer

pytestmark = pytest.mark.anyio

FIRST_DAY = 1_772_366_400_000_000
"""2026-03-01T12:00:00Z, when the first message was said; the others a day apart."""
ASKED = query.analyse("Where is the lamp?", now=from_micros(NOON))


async def say(place: House, *texts: str, first_day: int = 0) -> None:
    """A message a day."""
    messages = [
        MessageIn(content=text, at=f"2026-03-{day:02d}T12:00:00Z", speaker="Ann Example")
        for day, text in enumerate(texts, start=first_day + 1)
    ]
    params = IngestParams(conversation_id="c", messages=messages)
    await Ingest(place.db, place.embeddings).ingest(place.call("conversation.ingest"), params)


async def viewer_of(place: House) -> Viewer:
    """Who the house's calls are from."""
    return await place.db.read(lambda tx: place.call().look(tx))


class Reading:
    """Shelves, and what was read for them from the database."""

    def __init__(self, place: House, viewer: Viewer) -> None:
        self.row_cache = RowCache(place.db)
        self._db = place.db
        self._viewer = viewer

    async def get(self, number: int = 0, *, another: bool = False) -> CachedRows:
        """All memories, by one of many filters that they fit, for the viewer or for another."""
        wanted = MemoryFilter(known_at=NOON + DAY + number)
        viewer = replace(self._viewer, audience=(99,)) if another else self._viewer
        return await self._db.read(
            lambda tx: self.row_cache.get(tx, viewer, wanted, passages.MEMORY)
        )


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many rows were read, each time that a shelf was."""
    counts: list[int] = []
    load = visible_rows.load

    def counted(tx: Tx, *asked: Any, **more: Any) -> visible_rows.VisibleRows:
        visible = load(tx, *asked, **more)
        counts.append(len(visible.passage))
        return visible

    monkeypatch.setattr(visible_rows, "load", counted)
    return counts


async def test_a_viewer_pushes_out_its_own(tmp_path: Path) -> None:
    """However many conditions it asks under, the shelf of another stays."""
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        reading = Reading(place, await viewer_of(place))
        others = await reading.get(another=True)
        for number in range(row_cache.MAX_ENTRIES_PER_VIEWER + 1):
            last = await reading.get(1 + number)

        assert others.visible is (await reading.get(another=True)).visible
        assert last.visible is (await reading.get(1 + number)).visible
        assert row_cache.MAX_ENTRIES_PER_VIEWER + 1 == reading.row_cache.rows


async def test_all_together_have_a_bound_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not used for longest goes; what is larger by itself is kept while it is in use."""
    monkeypatch.setattr(row_cache, "MAX_CACHED_ROWS", 7)
    monkeypatch.setattr(row_cache, "_OF_ITSELF", 0)
    async with house(tmp_path, FixedClock()) as place:
        for number in range(1, 4):
            await place.add(f"The lamp has colour {number}.")
        reading = Reading(place, await viewer_of(place))
        first, second = await reading.get(), await reading.get(1)
        assert first.visible is (await reading.get()).visible
        await reading.get(2)

        assert 6 == reading.row_cache.rows
        assert first.visible is (await reading.get()).visible
        assert second.visible is not (await reading.get(1)).visible
        monkeypatch.setattr(row_cache, "MAX_CACHED_ROWS", 2)
        large = await reading.get(3)
        assert 3 == reading.row_cache.rows
        assert large.visible is (await reading.get(3)).visible


async def test_rows_that_stand_are_counted_where_they_are_copies(tmp_path: Path) -> None:
    """All that stand are the shelf itself; some of them are held besides."""
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        lamp = await place.add("The harbour has a long pier.")
        viewer, visible = await viewer_of(place), RowCache(place.db)

        def rows(tx: Tx) -> int:
            found = visible.get(tx, viewer, MemoryFilter(), passages.MEMORY)
            for superseded in (True, False):
                found.standing[superseded, False] = visible_rows.ActiveRows(
                    found.visible, tx.now, include_superseded=superseded, include_expired=False
                )
            return visible.rows

        assert 2 == await place.db.read(rows)
        await place.delete(lamp)
        assert 2 + 1 + 1 == await place.db.read(rows)


async def test_small_shelves_are_as_many_as_their_rows_allow(tmp_path: Path) -> None:
    """Not as few as a number of places: hundreds of people search in turn."""
    async with house(tmp_path, FixedClock()) as place:
        await say(place, "The lamp is green.")
        viewer, visible = await viewer_of(place), RowCache(place.db)
        viewers = [replace(viewer, audience=(number,)) for number in range(100, 300)]

        def search(tx: Tx) -> list[int]:
            return [
                id(visible.get(tx, one, ConversationFilter(), passages.MESSAGE).visible)
                for one in viewers
            ]

        assert await place.db.read(search) == await place.db.read(search)


async def test_a_large_shelf_is_read_in_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads: list[int]
) -> None:
    """Between two of them others have the reader; what comes meanwhile is on it."""
    monkeypatch.setitem(row_cache._SLICE, passages.MEMORY, 2)
    async with house(tmp_path, FixedClock()) as place:
        for number in range(5):
            await place.add(f"The lamp has colour {number}.")
        viewer, visible = await viewer_of(place), RowCache(place.db)

        async def read(meanwhile: str | None, change: Memory | None = None) -> list[int]:
            """The rows that are read, with something stored or deleted after the first slice."""
            progress: dict[Any, Any] = {}

            def step(tx: Tx) -> CachedRows | None:
                tx.progress = progress
                try:
                    return visible.get(tx, viewer, MemoryFilter(), passages.MEMORY)
                except GaveWay:
                    return None

            assert await place.db.read(step) is None
            if meanwhile is not None:
                await place.add(meanwhile)
            if change is not None:
                await place.delete(change)
            while (found := await place.db.read(step)) is None:
                pass
            assert np.array_equal(np.sort(found.visible.passage), found.visible.passage)
            numbers: list[int] = found.visible.item[found.visible.archived == 0].tolist()
            return numbers

        assert [1, 2, 3, 4, 5, 6] == await read("The lamp is off.")
        assert [2, 2, 1, 1] == loads
        visible, gone = RowCache(place.db), await place.add("The lamp is on.")
        assert [1, 2, 3, 4, 5, 6] == await read(None, gone)


@pytest.mark.parametrize(("since", "until"), [(1, None), (None, 3), (1, 3), (9, None), (3, 1)])
async def test_a_period_ranks_as_if_nothing_else_had_been_said(
    tmp_path: Path, since: int | None, until: int | None
) -> None:
    """Its messages have the scores and signals that they have in a house of their own."""
    said = ["Is the lamp far?", "The lamp is near.", "A lamp!", "The lamp and pier."]
    days = range(4)[since or 0 : 4 if until is None else until]
    period = [None if day is None else FIRST_DAY + day * DAY for day in (since, until)]

    async def found(name: str, texts: dict[int, str]) -> list[Any]:
        (tmp_path / name).mkdir()
        async with house(tmp_path / name, FixedClock()) as place:
            await say(place, *texts.values(), first_day=min(texts, default=0))
            viewer, engine = await viewer_of(place), Engine(place.db)
            spec = Spec(viewer, ASKED, ConversationFilter(), None, *period, explain=True)
            ranking = await place.db.read(lambda tx: engine.messages(tx, spec))
            return [(one.relevant, one.score, one.signals) for one in ranking.found]

    among_others = await found("all", dict(enumerate(said)))
    alone = await found("period", {day: said[day] for day in days})
    assert len(days) == len(among_others)
    for one, other in zip(among_others, alone, strict=True):
        assert one[0] == other[0]
        assert pytest.approx(one[1]) == other[1]
        assert pytest.approx(one[2]) == other[2]


async def test_periods_are_of_one_shelf(tmp_path: Path, loads: list[int]) -> None:
    """Another moment to ask from does not read everything again."""
    async with house(tmp_path, FixedClock()) as place:
        await say(place, "The lamp is green.", "The lamp is blue.", "The lamp is red.")
        engine, viewer = Engine(place.db), await viewer_of(place)
        spec = Spec(viewer, ASKED, ConversationFilter(), None)
        for hour in range(24, 48):
            asked = replace(spec, since=FIRST_DAY + hour * DAY // 24)
            found = await place.db.read(lambda tx, asked=asked: engine.messages(tx, asked))
            assert (2 if hour == 24 else 1) == len(found.found)

        assert [3] == loads


async def test_a_name_is_held_once(tmp_path: Path) -> None:
    """On every row of a speaker, and on what came later, it is the same text."""
    async with house(tmp_path, FixedClock()) as place:
        await say(place, "The lamp is green.", "The lamp is blue.")
        viewer, cache = await viewer_of(place), RowCache(place.db)

        def speakers(tx: Tx) -> list[str]:
            found = cache.get(tx, viewer, ConversationFilter(), passages.MESSAGE)
            named: list[str] = found.visible.speaker.tolist()
            return named

        first = await place.db.read(speakers)
        await say(place, "The lamp is red.", "The lamp is off.", "The lamp is on.")
        then = await place.db.read(speakers)

        assert (2, 5) == (len(first), len(then))
        assert {"Ann Example"} == {*then}
        assert 1 == len({id(name) for name in (*first, *then)})
