"""Round trips to the server: the calls that agents wait for make few."""

from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest
from server_databases import opened
from services import FixedClock, House

from ashd import config
from ashd.context.assemble import Context, ContextParams
from ashd.context.given_lines import GivenLines
from ashd.context.planner import Planner
from ashd.conversation.ingest import Ingest, IngestParams, MessageIn
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import Summaries
from ashd.people.directory import PeopleDirectory
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.store.postgres.connection import Connection

FACTS = (
    "My sister Nora lives in Bergen",
    "Nora plays the cello in an orchestra",
    "I am allergic to hazelnuts",
    "The spare key is with the neighbour",
    "I work as a nurse in the children's ward",
    "The boat has a new engine since May",
    "My brother Emil repairs old radios",
)
TURNS = ("The cello needs new strings.", "I can look for a shop.", "The one in Bergen is good.")


class Counted:
    """Round trips of all connections, counted where a thread waits for the server."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for name in ("execute", "script", "together"):
            monkeypatch.setattr(Connection, name, self._counting(getattr(Connection, name)))
        monkeypatch.setattr(Connection, "flush", self._counting_deferred(Connection.flush))

    def _counting(self, waits: Any) -> Any:
        def counted(*args: Any) -> Any:
            self.count += 1
            return waits(*args)

        return counted

    def _counting_deferred(self, waits: Any) -> Any:
        def counted(connection: Any) -> Any:
            self.count += bool(connection._deferred)
            return waits(connection)

        return counted

    async def of(self, call: Awaitable[object]) -> int:
        """Return the round trips of a call."""
        before = self.count
        await call
        return self.count - before


@pytest.fixture
async def home(url: str, tmp_path: Path) -> AsyncIterator[House]:
    """Some memories and a conversation, without an embedder."""
    with opened(url, tmp_path) as db:
        embeddings = CurrentEmbedder(db, lambda _provider, _model: None, is_configured=True)
        await embeddings._started()
        made = House(db, FixedClock(), embeddings)
        for fact in FACTS:
            await made.add(fact)
        said = [MessageIn(role="user", content=text) for text in TURNS]
        call = made.call("conversation.ingest")
        told = IngestParams(conversation_id="c", messages=said)
        await Ingest(db, embeddings).ingest(call, told)
        yield made


async def test_a_search_makes_few(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for all words, and none for what a call has read already."""
    assert await home.found("where does Nora live?")
    counted = Counted(monkeypatch)
    assert await counted.of(home.found("who is allergic to hazelnuts?")) <= 9
    assert await counted.of(home.found("what does Nora play?")) <= 12


async def test_an_add_makes_few(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """None for the savepoint of a job, and none for the end of a read."""
    counted = Counted(monkeypatch)
    assert await counted.of(home.add("The lamp in the hall is broken")) <= 12
    assert await counted.of(home.add("The hall was painted in blue")) <= 12


async def test_a_context_makes_few(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that do not depend on the message share a snapshot; all neighbours are read at once."""
    db, embeddings, engine = home.db, home.embeddings, Engine(home.db)
    context = Context(
        *(db, FixedClock(), home.recall, SearchConversations(db, embeddings, engine)),
        *(Summaries(db, embeddings, engine), PeopleDirectory(db), Planner(None), GivenLines(db)),
        config.Memory(),
    )

    async def block(message: str) -> str:
        made = await context.get(home.call("context.get"), ContextParams(message=message))
        return made.text

    assert await block("where does Emil live?")
    counted = Counted(monkeypatch)
    assert await counted.of(block("what about hazelnuts?")) <= 18
    assert await counted.of(block("which strings does the cello need?")) <= 20
