"""A row cache that grew by new rows ranks as one that is loaded anew."""

from pathlib import Path
from typing import Any

from services import FixedClock, House, house

from ashd.conversation.ingest import Ingest, IngestParams, MessageIn
from ashd.conversation.search import SearchConversations
from ashd.conversation.search import SearchParams as TurnParams
from ashd.memory.search import SearchMemory, SearchParams
from ashd.search.engine import Engine

LONG = "\n\n".join(f"The harbour has pier {number} and a lamp." * 20 for number in range(8))


class Both:
    """Searches by an engine that is kept, and by one that is new each time."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._kept = Engine(house.db)
        self._ingest = Ingest(house.db, house.embeddings)

    async def say(self, conversation: str, *texts: str, days: int) -> None:
        """Messages of a day; later ones may be of an earlier day."""
        at = f"2026-03-{days:02d}T12:00:00Z"
        messages = [MessageIn(content=text, at=at, speaker="Ann") for text in texts]
        params = IngestParams(conversation_id=conversation, messages=messages)
        await self._ingest.ingest(self._house.call("conversation.ingest"), params)

    async def agree(self, query: str) -> list[str]:
        """Assert that both find the same."""
        kept, fresh = await self._found(self._kept, query), await self._found(None, query)
        assert fresh == kept
        return [text for text, *_ in kept]

    async def _found(self, engine: Engine | None, query: str) -> list[tuple[Any, ...]]:
        used, house = engine or Engine(self._house.db), self._house
        recall = SearchMemory(house.db, house.embeddings, used, house.accesses)
        asked = SearchParams(query=query, min_score=0, limit=50, explain=True)
        memories = await recall.search(house.call("memory.search"), asked)
        turns = SearchConversations(house.db, house.embeddings, used)
        wanted = TurnParams(query=query, limit=50, explain=True, window=2)
        said = await turns.search(house.call("conversation.search"), wanted)
        return [(one.memory.content, one.score, one.signals) for one in memories.results] + [
            (one.message.content, one.score, one.signals, [near.content for near in one.window])
            for one in said.results
        ]


async def test_it_ranks_as_one_that_is_new(tmp_path: Path) -> None:
    """The updated index ranks like a new one after every kind of write."""
    clock = FixedClock()
    async with house(tmp_path, clock) as place:
        both = Both(place)
        assert [] == await both.agree("Where is the harbour lamp?")
        lamp = await place.add("The harbour lamp is green.")
        assert ["The harbour lamp is green."] == await both.agree("Where is the harbour lamp?")
        await both.say("one", "Is the harbour far?", "The lamp is near.", days=2)
        await both.say("two", "A lamp stands at the harbour.", days=3)
        assert 4 == len(await both.agree("Where is the harbour lamp?"))
        # Before the turns of the second conversation, and in the midst of the days.
        await both.say("one", "I saw the harbour lamp.", "It was lit.", days=1)
        assert "I saw the harbour lamp." in await both.agree("Where is the harbour lamp?")
        await place.add(LONG)
        pier = await place.add("The pier of the harbour is long.", expires_in_days=1)
        assert LONG in await both.agree("Where is the harbour lamp?")
        await place.delete(lamp)
        await place.add("A harbour lamp was sold.")
        assert lamp.content not in await both.agree("Where is the harbour lamp?")
        await place.restore(lamp)
        assert lamp.content in await both.agree("Where is the harbour lamp?")
        clock.pass_by(days=2)
        assert pier.content not in await both.agree("Where is the harbour pier?")
        await place.add("The harbour has a new pier.")
        assert "The harbour has a new pier." in await both.agree("Where is the harbour pier?")
