"""The embedder in force: loaded beside the running daemon, asked in a thread, changed in flight.

While none can be had, texts wait in a durable queue and searches go by words. When another embedder
is to be used, its vectors are built beside those in force, which serve until the last one is there;
a crash in the middle goes on where it was.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import anyio
import anyio.to_thread

from ashd import errors, log
from ashd.access.actor import Call
from ashd.providers.embedder import (
    Embedder,
    Embedding,
    TokenVectors,
    pooled_from_bytes,
    pooled_to_bytes,
)
from ashd.search import calibration
from ashd.search.calibration import Calibration
from ashd.search.indexing import TextVectors, digest
from ashd.search.nearest_statements import NearestMemories
from ashd.search.spec import Vectors
from ashd.store import embeddings
from ashd.store.database import Database, Tx
from ashd.store.embeddings import EmbeddingSet, Waiting

State = Literal["loading", "ready", "off", "failed"]
Load = Callable[[str | None, str | None], Embedder | None]
"""(provider or None for the configured one, model of stored vectors) to an embedder."""

LOAD_WAIT_SECONDS: Final = 2.0
"""How long a search waits for an embedder that is still loading before it goes by words."""
_KEPT_QUESTIONS: Final = 64
_BATCH: Final = 32
_CALL_SECONDS: Final = 20.0
_SANDBOX_CALL_SECONDS: Final = 3.0
"""How long a call embeds what it stores before the rest goes into the queue."""
_RETRY_SECONDS: Final = 30.0


class InForce(NamedTuple):
    """An embedder and its vectors."""

    embedder: Embedder
    vectors: EmbeddingSet


class Embeddings:
    """Vectors for texts, where they can be had."""

    def __init__(self, db: Database, load: Load, *, is_configured: bool) -> None:
        self._db = db
        self._load = load
        self._is_configured = is_configured
        self._loaded = anyio.Event()
        self._wake = anyio.Event()
        # A caller does not wait behind the queue, nor behind an embedder that is being loaded.
        self._worker = anyio.CapacityLimiter(1)
        self._callers = anyio.CapacityLimiter(4)
        self._calibrations: dict[str, Calibration] = {}
        self._questions: dict[tuple[str, str, bytes], Embedding] = {}
        self.stored: Callable[[], None] = lambda: None
        """Called when vectors of the queue were stored."""
        self.state: State = "loading"
        self.in_force: InForce | None = None
        self.building: InForce | None = None
        self.nearest = NearestMemories()

    @property
    def model(self) -> str | None:
        """The model that searches use."""
        return self.in_force.embedder.model if self.in_force else None

    async def run(self) -> None:
        """Load the embedder, then work off the queue for as long as the daemon runs."""
        while not await self._started():
            # An endpoint that is down when the daemon starts may answer later.
            await self._pause()
        while True:
            self._wake = anyio.Event()
            try:
                busy = await self._work()
            except errors.AshError as error:
                log.warning("vectors_not_stored", kind=error.kind, reason=error.message)
                await self._pause()
            else:
                if not busy:
                    await self._wake.wait()

    async def of_texts(self, call: Call, texts: Sequence[str]) -> TextVectors:
        """The vectors of texts, of as many as can be had in time; the others are queued.

        Raises:
            errors.QuotaExceeded: a sandbox gave the embedder more than it may in a day.
        """
        if self.state != "off":  # what waits for an embedder is given to it later
            call.embeds(len(texts))
        used = self.in_force  # kept: it may change while the texts are embedded
        if used is None or not texts:
            return TextVectors()
        embedder, index = used
        by_digest: dict[bytes, Embedding] = {}
        seconds = _CALL_SECONDS if call.actor.kind == "operator" else _SANDBOX_CALL_SECONDS
        if self.state == "failed":  # the queue finds out when it answers again
            return TextVectors(embedder, index)
        with anyio.move_on_after(seconds) as waited, suppress(errors.EmbeddingUnavailable):
            for start in range(0, len(texts), _BATCH):
                part = texts[start : start + _BATCH]
                by_digest |= await self._vectors(used, part, self._callers)
        if waited.cancelled_caught and not by_digest:
            self.state = "failed"
        return TextVectors(embedder, index, by_digest)

    async def of_query(self, call: Call, text: str) -> Vectors | None:
        """The vectors of a question with the index to search; None when none can be had now."""
        if self.state == "loading":
            with anyio.move_on_after(LOAD_WAIT_SECONDS):
                await self._loaded.wait()
        if self.in_force is None or not call.may_embed():
            return None
        embedder, index = self.in_force
        # A model's vectors of a text never change; memories and turns are often asked the same.
        # To each their own: how long it takes tells nobody what others have asked.
        key = (call.key_space, embedder.model, digest(text))
        question = self._questions.get(key)
        if question is None:
            try:
                question = await self._ask(embedder, embedder.embed_query, text, self._callers)
            except errors.EmbeddingUnavailable:
                return None
            self._questions[key] = question
            if len(self._questions) > _KEPT_QUESTIONS:
                del self._questions[next(iter(self._questions))]
        return Vectors(embedder, index, question, self._calibrations[embedder.model])

    async def use(self, provider: str) -> InForce | None:
        """Change to another embedder; the one that is being built now, None if there is no need.

        The one in force calls off a change that is under way.

        Raises:
            errors.InvalidParams: there is no such embedder, or the configuration names one.
            errors.EmbeddingUnavailable: it cannot be loaded, or does not answer.
        """
        if self._is_configured:
            raise errors.InvalidParams(
                "The configuration names the embedder.",
                'Set [embedding] provider = "auto" in config.toml and restart, or name it there.',
            )
        if provider in {"auto", "none"}:
            raise errors.InvalidParams(
                f"{provider!r} is no embedder.", "Name wordllama, minilm or openai."
            )
        # Not behind the queue, which may hang on the endpoint that is to be left.
        embedder = await self._load_one(provider, None, self._callers)
        if embedder is None:
            return None
        if embedder.model == self.model and (
            # Back to the one in force before the other is there; or that is there just now.
            self.building is None or await self._call_off(self.building)
        ):
            return None
        if self.building is None or self.building.embedder.model != embedder.model:
            await self._begin(embedder)
        self.wake()
        return self.building or self.in_force

    def wake(self) -> None:
        """Something may have been queued."""
        self._wake.set()

    async def _started(self) -> bool:
        """Load what is needed; whether that is done with, "none" included."""
        try:
            await self._start()
        except errors.AshError as error:
            if not self._loaded.is_set():  # once, not with each try
                log.warning("embedder_failed", kind=error.kind, reason=error.message)
            self.state = "failed"
        else:
            self.state = "ready" if self.in_force else "off"
            log.info("embedder_ready", model=self.model or "none")
        self._loaded.set()
        return self.state != "failed"

    async def _start(self) -> None:
        await self._db.write(embeddings.drop_retired, quiet=True)
        active, building = await self._db.read(
            lambda tx: (embeddings.set_in(tx, "active"), embeddings.set_in(tx, "building"))
        )
        pending = building.model if building else None
        stored_model = pending or (active.model if active else None)
        wanted = await self._load_one(None, stored_model, self._worker)
        if wanted is None:
            return
        if active is not None and active.model == wanted.model:
            self.in_force = InForce(wanted, active)
            return
        if active is not None:
            # What is stored serves until the wanted vectors are there, if its embedder still can.
            try:
                stored = await self._load_one("auto", active.model, self._worker)
            except errors.EmbeddingUnavailable:
                stored = None
            if stored is not None and stored.model == active.model:
                self.in_force = InForce(stored, active)
        if building is not None and building.model == wanted.model:
            self.building = InForce(wanted, building)
        else:
            await self._begin(wanted)

    async def _begin(self, embedder: Embedder) -> None:
        index = await self._db.write(
            lambda tx: embeddings.begin_set(tx, embedder.model, embedder.dimension)
        )
        made = InForce(embedder, index)
        active = await self._db.read(lambda tx: embeddings.set_in(tx, "active"))
        if active is not None and active.id == index.id:
            self.in_force = made
        else:
            self.building = made
            log.info("vectors_building", model=embedder.model)

    async def _call_off(self, building: InForce) -> bool:
        """Build these no more; False where they came into use meanwhile."""
        done = await self._db.write(lambda tx: embeddings.retire(tx, building.vectors), quiet=True)
        if done:
            self.building = None
            log.info("vectors_called_off", model=building.embedder.model)
        return done

    async def _load_one(
        self, provider: str | None, stored: str | None, limiter: anyio.CapacityLimiter
    ) -> Embedder | None:
        embedder = await anyio.to_thread.run_sync(self._load, provider, stored, limiter=limiter)
        if embedder is not None:
            # The first texts tell a remote model's dimension, and that it answers at all.
            known = calibration.of_model(embedder.model)
            texts = ["ready"] if known else calibration.references()
            found = await self._ask(embedder, embedder.embed, texts, limiter)
            self._calibrations[embedder.model] = known or calibration.of_references(
                [one.pooled for one in found]
            )
        return embedder

    async def _vectors(
        self, used: InForce, texts: Sequence[str], limiter: anyio.CapacityLimiter
    ) -> dict[bytes, Embedding]:
        """The vectors of texts by digest; what was embedded before is not asked for again."""
        by_digest = {digest(text): text for text in texts}
        made = await self._db.read(partial(_known, used=used, keys=list(by_digest)))
        missing = {key: text for key, text in by_digest.items() if key not in made}
        if missing:
            embedder = used.embedder
            found = await self._ask(embedder, embedder.embed, list(missing.values()), limiter)
            made.update(zip(missing, found, strict=True))
        return made

    async def _ask(
        self,
        embedder: Embedder,
        function: Callable[[Any], Any],
        argument: Any,
        limiter: anyio.CapacityLimiter,
    ) -> Any:
        # One whose vectors are being built may fail as it likes: searches do not use it.
        serves = self.in_force is None or embedder is self.in_force.embedder
        try:
            answer = await anyio.to_thread.run_sync(
                function, argument, limiter=limiter, abandon_on_cancel=True
            )
        except errors.EmbeddingUnavailable:
            if serves:
                self.state = "failed"
            raise
        if serves and self.state == "failed" and self.in_force is not None:
            self.state = "ready"
        return answer

    async def _pause(self) -> None:
        self._wake = anyio.Event()
        with anyio.move_on_after(_RETRY_SECONDS):
            await self._wake.wait()

    async def _work(self) -> bool:
        """Give the next passages their vectors; whether there may be more to do."""
        for target in (self.in_force, self.building):
            if target is None:
                continue
            index = target.vectors
            batch = await self._db.read(partial(embeddings.waiting, vectors=index, limit=_BATCH))
            if batch:
                texts = [waiting.text for waiting in batch]
                found = await self._vectors(target, texts, self._worker)
                store = partial(_store, index=index, batch=batch, found=found)
                await self._db.write(store, scoped=True)
                self.stored()
                return True
        return self.building is not None and await self._changed(self.building)

    async def _changed(self, built: InForce) -> bool:
        """Change to the vectors that are built, if nothing is missing."""
        if not await self._db.write(lambda tx: embeddings.activate_if_built(tx, built.vectors)):
            return True
        # The vectors of before stay until the next start: a search may still be using them.
        self.in_force, self.building = built, None
        log.info("vectors_changed", model=built.embedder.model)
        return True


def _known(tx: Tx, *, used: InForce, keys: list[bytes]) -> dict[bytes, Embedding]:
    made = {}
    for key in keys:
        known = embeddings.known_vector(tx, used.vectors, key)
        if known is not None:
            pooled, tokens = known
            dimension = used.embedder.token_dimension
            made[key] = Embedding(
                pooled_from_bytes(pooled),
                TokenVectors.from_bytes(tokens, dimension) if tokens is not None else None,
            )
    return made


def _store(
    tx: Tx, *, index: EmbeddingSet, batch: list[Waiting], found: dict[bytes, Embedding]
) -> None:
    for waiting in batch:
        embedding = found[waiting.hash]
        tokens = embedding.tokens.to_bytes() if embedding.tokens else None
        pooled = pooled_to_bytes(embedding.pooled)
        embeddings.put_vector(tx, index, waiting.passage, pooled, tokens)
