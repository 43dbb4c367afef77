"""The services on a real database, with a clock that stands still until the test moves it."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from ashd.access.actor import Actor, Call, Peer
from ashd.access.scope import Scope
from ashd.clock import DAY, SECOND
from ashd.memory import archive
from ashd.memory.access_counts import AccessCounts
from ashd.memory.add import AddMemory
from ashd.memory.add_result import Added
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Memory
from ashd.memory.read import GetParams, ListParams, ReadMemory
from ashd.memory.search import SearchMemory, SearchParams
from ashd.memory.update import UpdateMemory
from ashd.memory.update_params import UpdateParams
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.store.database import Database

NOON = 1_780_000_000 * SECOND
"""When the tests begin: in the summer of 2026."""


_NOBODY = Peer(None, None)


class FixedClock:
    """Time that passes only when it is told to."""

    def __init__(self, at: int = NOON) -> None:
        self.at = at

    def now(self) -> int:
        """The time in microseconds since 1970, UTC."""
        return self.at

    def new_id(self) -> str:
        """A new random UUID, version 4."""
        return str(uuid.uuid4())

    def pass_by(self, *, days: float = 0, seconds: float = 0) -> None:
        """Let that much time pass."""
        self.at += int(days * DAY + seconds * SECOND)


def call_of(user: str, *, all_scopes: bool = False, **scope: Any) -> Call:
    """A call on behalf of a user, on the control socket."""
    return Call(
        actor=Actor("operator", None, frozenset({"read", "write", "forget"}), _NOBODY, "rpc"),
        scope=msgspec.convert({"provider": "test", "user_id": user, **scope}, Scope),
        all_scopes=all_scopes,
        turn=None,
        method="test",
        digest=b"",
    )


class House:
    """The services for one user, with words for what the tests do."""

    def __init__(self, db: Database, clock: FixedClock, embeddings: CurrentEmbedder) -> None:
        self.db = db
        self.clock = clock
        self.embeddings = embeddings
        self.accesses = AccessCounts(db)
        self.remember = AddMemory(db, embeddings)
        engine = Engine(db)
        self.recall = SearchMemory(db, embeddings, engine, self.accesses)
        self.read = ReadMemory(db, self.accesses, engine)
        self.change = UpdateMemory(db, embeddings)

    def call(
        self, method: str = "memory.add", *, key: bytes = b"", grant: str | None = None
    ) -> Call:
        """A call of the user, on the control socket or through a grant."""
        kind = "sandbox" if grant else "operator"
        rights = frozenset({"read", "write", "forget"})
        return Call(
            actor=Actor(kind, grant, rights, Peer(None, None), "rpc"),
            scope=Scope(provider="test", user_id="u"),
            all_scopes=False,
            turn=None,
            method=method,
            digest=key,
        )

    async def entry(self, content: str, *, grant: str | None = None, **fields: Any) -> Added:
        """What became of a fact that is added."""
        params = msgspec.convert({"content": content, **fields}, AddParams)
        call = self.call(key=repr((content, fields)).encode(), grant=grant)
        return (await self.remember.add(call, params)).memories[0]

    async def add(self, content: str, **fields: Any) -> Memory:
        """A fact that is new."""
        entry = await self.entry(content, **fields)
        assert entry.outcome == "added"
        assert entry.memory is not None
        return entry.memory

    async def update(self, memory: Memory, **changes: Any) -> Memory:
        """Change a memory."""
        params = UpdateParams(id=memory.id, changes=changes)
        return (await self.change.update(self.call("memory.update"), params)).memory

    async def delete(self, memory: Memory) -> None:
        """Take a memory away."""
        await self.change.delete(self.call("memory.delete"), archive.DeleteParams(memory.id))

    async def restore(self, memory: Memory) -> None:
        """Bring a memory back."""
        call = self.call("memory.restore")
        await self.db.write(lambda tx: archive.restore(tx, call, GetParams(memory.id)), scoped=True)

    async def get(self, memory: Memory, *, grant: str | None = None) -> Memory:
        """A memory as it is now."""
        return (await self.read.get(self.call(grant=grant), GetParams(memory.id))).memory

    async def listed(self, **params: Any) -> list[str]:
        """The contents of a list, oldest first."""
        page = await self.read.list(self.call(), msgspec.convert(params, ListParams))
        assert page.total == len(page.memories)
        return [memory.content for memory in reversed(page.memories)]

    async def found(self, query: str, **params: Any) -> list[str]:
        """The contents that a search finds, in the order of the alphabet."""
        asked = msgspec.convert({"query": query, "min_score": 0, **params}, SearchParams)
        answer = await self.recall.search(self.call("memory.search"), asked)
        return sorted(result.memory.content for result in answer.results)


@asynccontextmanager
async def house(home: Path, clock: FixedClock | None = None) -> AsyncIterator[House]:
    """The services without an embedder."""
    time = clock or FixedClock()
    db = Database.open(home / "ash.db", time)
    try:
        embeddings = CurrentEmbedder(db, lambda _provider, _model: None, is_configured=True)
        await embeddings._started()
        yield House(db, time, embeddings)
    finally:
        db.close()
