"""Measure how long an add holds the writer's transaction, in this process without a daemon."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ashd.access.actor import Actor, Call, Peer
from ashd.access.scope import Scope
from ashd.clock import SystemClock
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams
from ashd.providers.embedder import Embedder
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store.database import Database, Tx, Work

_OPERATOR = Actor("operator", None, frozenset({"read", "write"}), Peer(None, None), "rpc")


class _Timed(Database):
    """A database that notes the CPU that each write takes in its transaction."""

    taken_ms: list[float]

    async def write(self, work: Work[Any], **options: Any) -> Any:
        def timed(tx: Tx) -> Any:
            begun = time.thread_time()
            try:
                return work(tx)
            finally:
                self.taken_ms.append((time.thread_time() - begun) * 1e3)

        return await super().write(timed, **options)


def measure(
    database: Path, owner: dict[str, str], embedder: Embedder | None, texts: Sequence[str]
) -> float:
    """CPU inside the writer's transaction an add of each text, in milliseconds, the median."""
    return asyncio.run(_measure(database, owner, embedder, texts))


async def _measure(
    database: Path, owner: dict[str, str], embedder: Embedder | None, texts: Sequence[str]
) -> float:
    db = _Timed.open(database, SystemClock())
    assert isinstance(db, _Timed)
    db.taken_ms = []
    embeddings = CurrentEmbedder(db, lambda _provider, _model: embedder, is_configured=True)
    running = asyncio.create_task(embeddings.run())
    await embeddings.of_query(_call(owner, "ready"), "ready")  # waits for the embedder
    add = partial(_add, AddMemory(db, embeddings), owner)
    try:
        for text in texts:
            await add(text)
    finally:
        running.cancel()
        db.close()
    return round(statistics.median(db.taken_ms), 2)


async def _add(remember: AddMemory, owner: dict[str, str], text: str) -> None:
    await remember.add(_call(owner, text), msgspec.convert({"content": text}, AddParams))


def _call(owner: dict[str, str], text: str) -> Call:
    return Call(
        actor=_OPERATOR,
        scope=Scope(**owner),  # type: ignore[arg-type]  # names of the fields
        all_scopes=False,
        turn=None,
        method="memory.add",
        digest=text.encode(),
    )
