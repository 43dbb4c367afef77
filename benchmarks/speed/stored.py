"""Writes many memories straight into a database that no daemon has open.

A hundred thousand adds over the socket take hours on a machine with two cores; what is measured
needs the rows, their index and vectors of the right shape only.
"""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from ashd.access import scope as scopes
from ashd.clock import FOREVER, SystemClock
from ashd.language.fingerprint import content_key
from ashd.providers.embedder import Embedding, TokenVectors, unit
from ashd.search import indexing
from ashd.search.indexing import TextVectors
from ashd.store import embeddings, memories, passages
from ashd.store.database import Database, Tx

_GROUP = 2_000
_TOKENS = 24
"""Tokens of a made-up fact, as MiniLM counts them."""

Embed = Callable[[str], Embedding]


def fill(database: Path, owner: dict[str, str], texts: Iterable[str], embed: Embed | None) -> None:
    """Give an owner a memory for each text, with its vectors in the set that is in use."""
    asyncio.run(_fill(database, owner, texts, embed))


def made_up(dimension: int, token_dimension: int, *, seed: int) -> Embed:
    """Vectors of statements on many topics, alike within one; the same for the same seed."""
    random = np.random.default_rng(seed)
    topics = unit(random.standard_normal((200, dimension)))

    def embed(_text: str) -> Embedding:
        topic = topics[random.integers(len(topics))]
        pooled = unit(topic + 1.2 * unit(random.standard_normal(dimension)))
        tokens = random.integers(-40, 40, (_TOKENS, token_dimension), dtype=np.int8)
        return Embedding(pooled, TokenVectors(tokens, np.arange(_TOKENS, dtype=np.int32)))

    return embed


async def _fill(
    database: Path, owner: dict[str, str], texts: Iterable[str], embed: Embed | None
) -> None:
    db = Database.open(database, SystemClock())
    scope = scopes.Scope(**owner)
    try:
        left = iter(texts)
        while group := list(islice(left, _GROUP)):
            await db.write(partial(_store, scope=scope, texts=group, embed=embed))
    finally:
        db.close()


def _store(tx: Tx, scope: scopes.Scope, texts: Iterable[str], embed: Embed | None) -> None:
    viewer = scopes.enter(tx, scope, bound=False)
    assert viewer.chat is not None
    index = embeddings.set_in(tx, "active") if embed else None
    for text in texts:
        values = dict.fromkeys(memories.WRITTEN) | {
            "uuid": tx.new_id(),
            "version": 1,
            "revision": 1,
            "content": text,
            "content_key": content_key(text),
            "memory_type": "knowledge",
            "created_at": tx.now,
            "said_at": tx.now,
            "owner": viewer.account,
            "learned_in": viewer.chat,
            "learned_type": "private",
            "stated_by": viewer.account,
            "source": "rpc",
            "portable": True,
            "ends_at": FOREVER,
            "tags": "[]",
            "superseded_until": 0,
            "access_count": 0,
        }
        number = memories.insert(tx, values, [], are_read=False)
        pieces = indexing.read(text)
        made = {piece.digest: embed(piece.text) for piece in pieces} if embed else {}
        indexing.index(
            tx,
            kind=passages.MEMORY,
            item=number,
            chat=viewer.chat,
            pieces=pieces,
            at=tx.now,
            vectors=TextVectors(None, index, made),
        )
