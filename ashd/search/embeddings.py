"""The embedder in force: loaded beside the running daemon, asked in a worker thread.

While it loads, or when it fails, texts wait in a durable queue and searches go by words; the queue
is worked off as soon as vectors can be had again.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal

import anyio
import anyio.to_thread

from ashd import errors, log
from ashd.providers.embedder import Embedder, Embedding, pooled_to_bytes
from ashd.search.engine import Vectors
from ashd.search.indexing import digest
from ashd.store import passages
from ashd.store.database import Database, Tx
from ashd.store.passages import EmbeddingSet, Waiting

State = Literal["loading", "ready", "off", "failed"]

LOAD_WAIT_SECONDS: Final = 2.0
"""How long a search waits for an embedder that is still loading before it goes by words."""
_BATCH: Final = 32
_RETRY_SECONDS: Final = 30.0


class Embeddings:
    """Vectors for texts, where they can be had."""

    def __init__(self, db: Database, load: Callable[[str | None], Embedder | None]) -> None:
        self._db = db
        self._load = load
        self._loaded = anyio.Event()
        self._wake = anyio.Event()
        self._worker = anyio.CapacityLimiter(1)
        self.state: State = "loading"
        self.embedder: Embedder | None = None
        self.vectors: EmbeddingSet | None = None

    async def run(self) -> None:
        """Load the embedder, then work off the queue for as long as the daemon runs."""
        while not await self._started():
            # An endpoint that is down when the daemon starts may answer later.
            self._wake = anyio.Event()
            with anyio.move_on_after(_RETRY_SECONDS):
                await self._wake.wait()
        if self.embedder is not None:
            await self._work_off()

    async def _started(self) -> bool:
        """Load the embedder; whether that is done with, "none" included."""
        try:
            stored = await self._db.read(passages.active_set)
            embedder = await anyio.to_thread.run_sync(
                self._load, stored.model if stored else None, limiter=self._worker
            )
            if embedder is not None:
                # The first text tells a remote model's dimension, and that it answers at all.
                await self._embed(embedder, ["ready"])
                self.vectors = await self._db.write(
                    lambda tx: passages.make_set(tx, embedder.model, embedder.dimension)
                )
        except errors.AshError as error:
            if self.state != "failed":
                log.warning("embedder_failed", kind=error.kind, reason=error.message)
            self.state = "failed"
            self._loaded.set()
            return False
        self.embedder = embedder
        self.state = "ready" if embedder is not None else "off"
        log.info("embedder_ready", model=embedder.model if embedder else "none")
        self._loaded.set()
        return True

    async def of_texts(self, texts: Sequence[str]) -> dict[bytes, Embedding]:
        """The vectors of texts by their digest; empty when none can be had now."""
        if self.embedder is None or not texts:
            return {}
        try:
            found = await self._embed(self.embedder, texts)
        except errors.EmbeddingUnavailable:
            self.state = "failed"
            return {}
        self.state = "ready"
        return {digest(text): embedding for text, embedding in zip(texts, found, strict=True)}

    async def of_query(self, text: str) -> Embedding | None:
        """The vectors of a question; None when none can be had now."""
        if self.state == "loading":
            with anyio.move_on_after(LOAD_WAIT_SECONDS):
                await self._loaded.wait()
        if self.embedder is None:
            return None
        try:
            found = await anyio.to_thread.run_sync(
                self.embedder.embed_query, text, limiter=self._worker
            )
        except errors.EmbeddingUnavailable:
            self.state = "failed"
            return None
        self.state = "ready"
        return found

    def vectors_with(self, question: Embedding | None) -> Vectors | None:
        """The index in force together with a question's vectors, where both are there."""
        if question is None or self.embedder is None or self.vectors is None:
            return None
        return Vectors(self.embedder, self.vectors, question)

    def wake(self) -> None:
        """Something was queued."""
        self._wake.set()

    async def settled(self) -> None:
        """Wait until the embedder has loaded or failed."""
        await self._loaded.wait()

    async def _embed(self, embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
        return await anyio.to_thread.run_sync(embedder.embed, texts, limiter=self._worker)

    async def _work_off(self) -> None:
        vectors = self.vectors
        assert vectors is not None
        while True:
            self._wake = anyio.Event()
            batch = await self._db.read(lambda tx: passages.waiting(tx, vectors, _BATCH))
            if not batch:
                await self._wake.wait()
                continue
            found = await self.of_texts([waiting.text for waiting in batch])
            try:
                if found:
                    store = partial(_store, vectors=vectors, batch=batch, found=found)
                    await self._db.write(store, quiet=True)
                    continue
            except errors.StorageError as error:
                log.warning("vectors_not_stored", reason=error.message)
            with anyio.move_on_after(_RETRY_SECONDS):
                await self._wake.wait()


def _store(
    tx: Tx, *, vectors: EmbeddingSet, batch: list[Waiting], found: dict[bytes, Embedding]
) -> None:
    for waiting in batch:
        embedding = found[digest(waiting.text)]
        tokens = embedding.tokens.to_bytes() if embedding.tokens else None
        passages.put_vector(tx, vectors, waiting.passage, pooled_to_bytes(embedding.pooled), tokens)
