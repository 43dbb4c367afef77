"""The row cache: bounded for all viewers together, and shared fairly among them."""

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
    """Return the viewer of the house's calls."""
    return await place.db.read(lambda tx: place.call().look(tx))


class Reading:
    """A row cache, and what was read for it from the database."""

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
    """The number of rows that each load of an entry read."""
    counts: list[int] = []
    load = visible_rows.load

    def counted(tx: Tx, *asked: Any, **more: Any) -> visible_rows.VisibleRows:
        visible = load(tx, *asked, **more)
        counts.append(len(visible.passage))
        return visible

    monkeypatch.setattr(visible_rows, "load", counted)
    return counts


async def test_a_viewer_pushes_out_its_own(tmp_path: Path) -> None:
    """Many filters of one viewer do not evict the entry of another viewer."""
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        reading = Reading(place, await viewer_of(place))
        others = await reading.get(another=True)
        for number in range(row_cache.MAX_ENTRIES_PER_VIEWER + 1):
            last = await reading.get(1 + number)

        assert others.visible is (await reading.get(another=True)).visible
        assert last.visible is (await reading.get(1 + number)).visible


async def test_a_viewer_of_many_projects_is_one(tmp_path: Path) -> None:
    """Whoever may name projects gets no share of the cache for each."""
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        viewer, cache = await viewer_of(place), RowCache(place.db)

        async def get(project: int) -> CachedRows:
            working = replace(viewer, project=f"project {project}")
            return await place.db.read(
                lambda tx: cache.get(tx, working, MemoryFilter(), passages.MEMORY)
            )

        first = await get(0)
        for project in range(1, row_cache.MAX_ENTRIES_PER_VIEWER + 1):
            last = await get(project)

        assert first.visible is not (await get(0)).visible
        assert last.visible is (await get(row_cache.MAX_ENTRIES_PER_VIEWER)).visible


async def test_all_together_have_a_bound_of_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads: list[int]
) -> None:
    """The least recently used goes first; an entry too large for the cache leaves the others."""
    async with house(tmp_path, FixedClock()) as place:
        for number in range(1, 4):
            await place.add(f"The lamp has colour {number}.")
        reading = Reading(place, await viewer_of(place))
        await reading.get()
        monkeypatch.setattr(row_cache, "KEPT_BYTES", 2 * reading.row_cache.bytes)
        for number in (1, 0, 2, 0, 2):
            await reading.get(number)

        assert reading.row_cache.bytes == row_cache.KEPT_BYTES
        assert [3, 3, 3] == loads
        await reading.get(1)
        assert [3, 3, 3, 3] == loads
        monkeypatch.setattr(row_cache, "KEPT_BYTES", 1)
        assert 3 == len((await reading.get(3)).visible.passage)
        assert 0 == reading.row_cache.bytes


async def test_a_viewer_with_more_than_its_share_makes_room_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries of the others stay, though they were used before."""
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        viewer = await viewer_of(place)
        cache = RowCache(place.db)

        async def search(audience: int, number: int = 0) -> CachedRows:
            one = replace(viewer, audience=(audience,))
            wanted = MemoryFilter(known_at=NOON + DAY + number)
            return await place.db.read(lambda tx: cache.get(tx, one, wanted, passages.MEMORY))

        others = [await search(audience) for audience in (90, 91, 92, 93)]
        monkeypatch.setattr(row_cache, "KEPT_BYTES", 6 * cache.bytes // 4)
        for number in range(5):
            await search(99, number)

        kept = [await search(audience) for audience in (90, 91, 92, 93)]
        assert [id(one.visible) for one in others] == [id(one.visible) for one in kept]


async def test_a_large_search_gives_way_without_reading_its_rows_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads: list[int]
) -> None:
    """The search keeps its rows even if they are too many for the cache."""
    monkeypatch.setattr(row_cache, "KEPT_BYTES", 1)
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        viewer, cache = await viewer_of(place), RowCache(place.db)
        progress: dict[Any, Any] = {}

        def search(tx: Tx) -> CachedRows:
            tx.progress = progress
            return cache.get(tx, viewer, MemoryFilter(), passages.MEMORY)

        first = await place.db.read(search)
        assert (await place.db.read(search)).visible is first.visible
        await place.add("The lamp is blue.")
        assert 2 == len((await place.db.read(search)).visible.passage)
        assert [1, 1] == loads


async def test_a_changed_memory_is_read_again_alone(tmp_path: Path, loads: list[int]) -> None:
    """Deleted, brought back, superseded or written anew: of the others nothing is read."""
    async with house(tmp_path, FixedClock()) as place:
        lamps = [await place.add(f"The lamp has colour {number}.") for number in range(5)]
        cache, viewer = RowCache(place.db), await viewer_of(place)

        async def active() -> list[int]:
            def read(tx: Tx) -> CachedRows:
                return cache.get(tx, viewer, MemoryFilter(), passages.MEMORY)

            visible = (await place.db.read(read)).visible
            assert np.array_equal(np.sort(visible.passage), visible.passage)
            kept = (visible.archived == 0) & (visible.superseded_until == 0)
            numbers: list[int] = visible.item[kept].tolist()
            return numbers

        assert [1, 2, 3, 4, 5] == await active()
        await place.delete(lamps[1])
        await place.delete(lamps[3])
        assert [1, 3, 5] == await active()
        await place.restore(lamps[1])
        assert [1, 2, 3, 5] == await active()
        changed = await place.update(lamps[0], content="The pier is long.")
        assert [1, 2, 3, 5] != (last := await active())
        assert 4 == len(last)
        assert changed.content == "The pier is long."
        assert [5, 2, 1] == loads[:3]
        assert 2 >= sum(loads[3:])


async def test_too_many_changed_memories_are_read_in_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads: list[int]
) -> None:
    """A new full read follows, in slices like the first."""
    monkeypatch.setattr(row_cache, "_MOST_REVISED", 1)
    async with house(tmp_path, FixedClock()) as place:
        lamps = [await place.add(f"The lamp has colour {number}.") for number in range(3)]
        reading = Reading(place, await viewer_of(place))
        await reading.get()
        for lamp in lamps[:2]:
            await place.delete(lamp)
        await reading.get()

        assert [3, 1] == loads, "all that is left, and not the two that are gone"


async def test_a_changed_memory_costs_no_message(tmp_path: Path, loads: list[int]) -> None:
    """Messages are not read again because a memory is forgotten."""
    async with house(tmp_path, FixedClock()) as place:
        await say(place, "The lamp is green.", "The lamp is blue.")
        lamp = await place.add("The lamp has a colour.")
        cache, viewer = RowCache(place.db), await viewer_of(place)

        def search(tx: Tx) -> list[int]:
            found = cache.get(tx, viewer, ConversationFilter(), passages.MESSAGE)
            numbers: list[int] = found.visible.item.tolist()
            return numbers

        first = await place.db.read(search)
        await place.delete(lamp)
        assert first == await place.db.read(search)
        assert [2] == loads


async def test_a_look_at_all_reads_what_is_new_or_changed(tmp_path: Path, loads: list[int]) -> None:
    """A write by anybody does not cause a full read; slices are as in any other search."""
    async with house(tmp_path, FixedClock()) as place:
        lamps = [await place.add(f"The lamp has colour {number}.") for number in range(5)]
        cache, viewer = RowCache(place.db), replace(await viewer_of(place), everything=True)

        async def seen() -> list[int]:
            def read(tx: Tx) -> CachedRows:
                return cache.get(tx, viewer, MemoryFilter(), passages.MEMORY)

            visible = (await place.db.read(read)).visible
            numbers: list[int] = visible.item[visible.archived == 0].tolist()
            return numbers

        assert [1, 2, 3, 4, 5] == await seen()
        await place.add("The pier is long.")
        assert [1, 2, 3, 4, 5, 6] == await seen()
        await place.delete(lamps[2])
        assert [1, 2, 4, 5, 6] == await seen()
        assert [5, 1, 1] == loads


async def test_active_rows_count_only_where_they_are_copies(tmp_path: Path) -> None:
    """A full set of active rows is the entry itself; a part of it is a copy."""
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        lamp = await place.add("The harbour has a long pier.")
        viewer, cache = await viewer_of(place), RowCache(place.db)

        def size(tx: Tx) -> int:
            found = cache.get(tx, viewer, MemoryFilter(), passages.MEMORY)
            for superseded in (True, False):
                found.active[superseded, False] = visible_rows.ActiveRows(
                    found.visible, tx.now, include_superseded=superseded, include_expired=False
                )
            return found.bytes

        whole = await place.db.read(size)
        await place.delete(lamp)
        assert 2 * whole == await place.db.read(size)


async def test_small_shelves_are_as_many_as_their_rows_allow(tmp_path: Path) -> None:
    """Small entries are limited by rows, not by number: hundreds of people search in turn."""
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
    """Other readers run between two slices, and rows written meanwhile are included."""
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
    """Messages of a period have the scores that they have in a house of their own."""
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
    """A change of the asking time does not read everything again."""
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
    """All rows of a speaker share one text, including rows added later."""
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


async def test_rows_that_changed_are_dropped_by_the_searches_of_others(tmp_path: Path) -> None:
    """The owner may never ask again: it may be the one that was erased."""
    async with house(tmp_path, FixedClock()) as place:
        await place.add("The lamp is green.")
        viewer = await viewer_of(place)
        reading = Reading(place, viewer)
        for number in range(row_cache.MAX_ENTRIES_PER_VIEWER):
            await reading.get(number)
        held = reading.row_cache.bytes
        await place.db.write(
            lambda tx: tx.touch(("chat", viewer.chat), ("account", viewer.account)), scoped=True
        )
        for _ in range(row_cache.MAX_ENTRIES_PER_VIEWER):
            await reading.get(another=True)

        assert reading.row_cache.bytes < held / 2
