"""The current embedder: loaded in the background, called in a thread, changed while running.

While there is none, texts wait in a durable queue and searches use words. When the embedder
changes, its vectors are built beside the current ones, which serve until the last new one is there;
after a crash the building continues.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal

import anyio
import anyio.to_thread

from ashd import errors, log
from ashd.access.actor import Call
from ashd.fair_turns import FairGate
from ashd.prometheus_text import Histogram
from ashd.providers.embedder import Embedder, Embedding
from ashd.search import calibration, embedder_threads, missed_embedder, stored_vectors
from ashd.search.calibration import Calibration
from ashd.search.embedder_threads import CallerGate, Gate, WatchedGate
from ashd.search.indexing import TextVectors, digest
from ashd.search.nearest_statements import NearestMemories
from ashd.search.spec import Vectors
from ashd.search.stored_vectors import InForce
from ashd.search.word_holders import WordHolders
from ashd.store import embeddings
from ashd.store.database import Database
from ashd.store.embeddings import Waiting

State = Literal["loading", "building", "ready", "off", "failed"]
"""`building`: the first vectors that can be used are being made; "off" if there is no embedder."""
Load = Callable[[str | None, str | None], Embedder | None]
"""A function from (provider or None for the configured one, model of stored vectors) to an
embedder.
"""

LOAD_WAIT_SECONDS: Final = 2.0
"""The time a search waits for an embedder that is still loading before it uses words only."""
_KEPT_QUESTIONS: Final = 64
_CALL_SECONDS: Final = 20.0
_SANDBOX_CALL_SECONDS: Final = 3.0
"""The time a call spends on embedding what it stores before the rest is queued."""
_RETRY_SECONDS: Final = 30.0


class CurrentEmbedder:
    """The embedder in use, if there is one, and the one whose vectors are being built."""

    def __init__(self, db: Database, load: Load, *, is_configured: bool) -> None:
        self._db = db
        self._load = load
        self._is_configured = is_configured
        self._loaded = anyio.Event()
        self._wake = anyio.Event()
        # A caller waits neither behind the queue nor for an embedder to load.
        self._worker = FairGate(1)
        self._callers = CallerGate(len(os.sched_getaffinity(0)))
        # Loading at the start and `use` read the same sets, so they take turns.
        self._choosing = anyio.Lock()
        self._calibrations: dict[tuple[str, int], Calibration] = {}
        self._questions: dict[tuple[str, int, bytes], Embedding] = {}
        self.stored: Callable[[], None] = lambda: None
        """Called when vectors of the queue were stored."""
        self.misfit: Callable[[], None] = lambda: None
        """Called when the full-text index lacks a passage's text, or has another."""
        self.state: State = "loading"
        self.remedy: str | None = None
        """The remedy for an embedder that could not be loaded."""
        self.in_force: InForce | None = None
        self.building: InForce | None = None
        self.nearest = NearestMemories()
        db.on_deletion(self.nearest.delete)
        self.holders = WordHolders(db)
        db.on_deletion(self.holders.clear)
        self.answers = Histogram()
        """The durations of calls of the embedder, waiting included."""

    @property
    def _state_now(self) -> State:
        """Return the state if the embedder answers."""
        return "ready" if self.in_force else "building" if self.building else "off"

    @property
    def model(self) -> str | None:
        """Return the model that searches use."""
        return self.in_force.embedder.model if self.in_force else None

    async def run(self) -> None:
        """Load the embedder, then process the queue for as long as the daemon runs."""
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
        """Return the vectors of as many texts as can be embedded in time; the others are queued.

        Raises:
            errors.QuotaExceeded: a sandbox gave the embedder more than it may in a day.
        """
        if self.state != "off":  # texts that wait for an embedder are embedded later
            call.embeds(len(texts))
        used = self.in_force  # a local copy: it may change while the texts are embedded
        if used is None or not texts:
            return TextVectors()
        embedder, index = used
        by_digest: dict[bytes, Embedding] = {}
        seconds = _CALL_SECONDS if call.actor.kind == "operator" else _SANDBOX_CALL_SECONDS
        if self.state == "failed":  # the queue notices when it answers again
            return TextVectors(embedder, index)
        gate = WatchedGate(self._callers.of(embedder))
        with anyio.move_on_after(seconds) as waited, suppress(errors.EmbeddingUnavailable):
            for start in range(0, len(texts), embedder_threads.BATCH):
                part = texts[start : start + embedder_threads.BATCH]
                by_digest |= await self._vectors(used, part, gate)
        if waited.cancelled_caught and gate.is_held and not by_digest:
            self.state = "failed"
        return TextVectors(embedder, index, by_digest)

    async def of_query(self, call: Call, text: str) -> Vectors | None:
        """Return the vectors of a question with the index to search; None if there are none now."""
        if self.state == "loading":
            with anyio.move_on_after(LOAD_WAIT_SECONDS):
                await self._loaded.wait()
        if self.in_force is None or not call.may_embed():
            return None
        embedder, index = self.in_force
        # A model's vectors of a text never change, and memories and turns are often searched for
        # the same text. The cache is per caller: response times must not show what others have
        # asked.
        key = (call.key_space, index.id, digest(text))
        question = self._questions.get(key)
        if question is None:
            try:
                gate = self._callers.of(embedder)
                question = await self._ask(embedder, embedder.embed_query, text, gate)
            except errors.EmbeddingUnavailable:
                return None
            self._questions[key] = question
            if len(self._questions) > _KEPT_QUESTIONS:
                del self._questions[next(iter(self._questions))]
        return Vectors(embedder, index, question, self._calibrations[index.model, index.dimension])

    async def use(self, provider: str) -> InForce | None:
        """Change to another embedder; return the one being built now, None if there is no need.

        Choosing the current one cancels a change in progress.

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
                f"{provider!r} is no embedder.",
                "Name wordllama, minilm, multilingual or openai.",
            )
        with anyio.move_on_after(_CALL_SECONDS) as waited:
            await self._choosing.acquire()
        if waited.cancelled_caught:
            raise errors.EmbeddingUnavailable(
                "The embedder that was in use is still being loaded.", "Try again in a minute."
            )
        try:
            return await self._use(provider)
        finally:
            self._choosing.release()

    async def _use(self, provider: str) -> InForce | None:
        # Not behind the queue, which may hang on the endpoint that is being replaced.
        if (embedder := await self._load_one(provider, None, self._callers.elsewhere)) is None:
            return None
        await missed_embedder.forget(self._db)
        if embedder.model == self.model and (
            # Back to the current one before the other is built; or the other was finished just now.
            self.building is None or await self._call_off(self.building)
        ):
            return None
        if self.building is None or self.building.embedder.model != embedder.model:
            await self._begin(embedder)
        self.wake()
        return self.building or self.in_force

    def wake(self) -> None:
        """Look at the queue."""
        self._wake.set()

    async def read_again(self) -> None:
        """Use the vectors that another daemon has begun, finished or called off."""
        active, building = await self._db.read(embeddings.in_use)
        known = {one.vectors: one for one in (self.in_force, self.building) if one}
        if active in known and (building is None or building in known):
            self.in_force, self.building = known[active], known[building] if building else None
        else:
            await self._started()
        self.wake()

    async def _started(self) -> bool:
        """Load what is needed; return whether that is finished, also if nothing is."""
        try:
            async with self._choosing:
                await self._start()
        except errors.AshError as error:
            if not self._loaded.is_set():  # once, not with each try
                self.remedy = error.hint
                log.warning("embedder_failed", kind=error.kind, reason=error.message)
            self.state = "failed"
        else:
            self.state, self.remedy = self._state_now, None
            log.info("embedder_ready", model=self.model or "none")
            self.stored()  # there may be some of an earlier run
        self._loaded.set()
        return self.state != "failed"

    async def _start(self) -> None:
        configured = self._is_configured
        found = await missed_embedder.at_start(self._db, is_configured=configured)
        missed = None if found.is_shared else found.missed
        wanted = await self._load_one(None, missed or found.model, self._worker)
        if found.is_shared and found.model is not None:
            missed_embedder.require_same(found.model, wanted.model if wanted else None)
        if wanted is None:
            return
        note = missed_embedder.note
        found = await note(self._db, found, wanted.model, is_configured=configured)
        active, building = found.active, found.building
        if active is not None and active.model == wanted.model:
            self.in_force = stored_vectors.in_force(wanted, active)
            return
        if active is not None:
            # Stored vectors serve until the wanted ones are built, if their embedder can be loaded.
            with suppress(errors.EmbeddingUnavailable):
                stored = await self._load_one("auto", active.model, self._worker)
                if stored is not None and stored_vectors.fits(stored, active):
                    self.in_force = InForce(stored, active)
        if building is not None and stored_vectors.fits(wanted, building):
            self.building = InForce(wanted, building)
        else:
            await self._begin(wanted)

    async def _begin(self, embedder: Embedder) -> None:
        index = await self._db.write(
            lambda tx: embeddings.begin_set(tx, embedder.model, embedder.dimension)
        )
        made = stored_vectors.in_force(embedder, index)
        active = await self._db.read(lambda tx: embeddings.set_in(tx, "active"))
        if active is not None and active.id == index.id:
            self.in_force = made
        else:
            self.building = made
            log.info("vectors_building", model=embedder.model)

    async def _call_off(self, building: InForce) -> bool:
        """Stop building these vectors; return False if they came into use meanwhile."""
        done = await self._db.write(lambda tx: embeddings.retire(tx, building.vectors), quiet=True)
        if done:
            self.building = None
            log.info("vectors_called_off", model=building.embedder.model)
        return done

    async def _load_one(
        self, provider: str | None, stored: str | None, gate: Gate
    ) -> Embedder | None:
        async with gate.turn():
            embedder = await anyio.to_thread.run_sync(self._load, provider, stored)
        if embedder is not None:
            # The first texts show a remote model's dimension, and that it answers at all.
            known = calibration.of_model(embedder.model)
            texts = [embedder_threads.PROBE] if known else calibration.references()
            found = await self._ask(embedder, embedder.embed, texts, gate)
            self._calibrations[embedder.model, embedder.dimension] = (
                known or calibration.of_references([one.pooled for one in found])
            )
        return embedder

    async def _vectors(
        self, used: InForce, texts: Sequence[str], gate: Gate
    ) -> dict[bytes, Embedding]:
        """Return the vectors of texts by digest; texts embedded before are not embedded again."""
        by_digest = {digest(text): text for text in texts}
        made = await self._db.read(partial(stored_vectors.known, used=used, keys=list(by_digest)))
        missing = {key: text for key, text in by_digest.items() if key not in made}
        if missing:
            embedder = used.embedder
            at_once = embedder_threads.at_once(embedder)
            for start in range(0, len(missing), at_once):
                keys = list(missing)[start : start + at_once]
                asked = [missing[key] for key in keys]
                found = await self._ask(embedder, embedder.embed, asked, gate)
                made.update(zip(keys, found, strict=True))
        return made

    async def _ask(
        self, embedder: Embedder, function: Callable[[Any], Any], argument: Any, gate: Gate
    ) -> Any:
        # A failure of an embedder whose vectors are being built does not affect searches.
        serves = self.in_force is None or embedder is self.in_force.embedder
        begun = anyio.current_time()
        try:
            answer = await embedder_threads.run(gate, function, argument)
        except errors.EmbeddingUnavailable as error:
            if isinstance(error, errors.TextRefused) and await embedder_threads.answers(
                gate, embedder
            ):
                raise
            if serves:
                self.state = "failed"
            raise errors.EmbeddingUnavailable(error.message, error.hint) from error
        finally:
            self.answers.observe(anyio.current_time() - begun)
        if serves and self.state == "failed" and self._state_now != "off":
            self.state = self._state_now
        return answer

    async def _pause(self) -> None:
        self._wake = anyio.Event()
        with anyio.move_on_after(_RETRY_SECONDS):
            await self._wake.wait()

    async def _work(self) -> bool:
        """Embed the next passages; return whether there may be more to do."""
        down: errors.EmbeddingUnavailable | None = None
        for target in (self.in_force, self.building):
            if target is None:
                continue
            index = target.vectors
            batch = await self._db.read(
                partial(embeddings.waiting, vectors=index, limit=embedder_threads.BATCH)
            )
            if batch:
                try:
                    await self._fill(target, batch)
                except errors.EmbeddingUnavailable as error:
                    down = error  # the passages of the other one do not wait for this one
                    continue
                self.stored()
                return True
        has_changed = self.building is not None and await self._changed(self.building)
        if down is not None and not has_changed:
            raise down
        return has_changed

    async def _fill(self, target: InForce, batch: list[Waiting]) -> None:
        """Give passages their vectors; set aside what the embedder refuses or the index lacks."""
        index = target.vectors
        texts = {
            one.passage: one.text for one in batch if one.text and digest(one.text) == one.hash
        }
        fitting = [one for one in batch if one.passage in texts]
        refused: list[Waiting] = []
        embed = partial(self._vectors, target, gate=self._worker)
        found = await embedder_threads.accepted(embed, fitting, refused)
        if len(fitting) < len(batch):
            log.warning("passages_unfit", count=len(batch) - len(fitting))
            self.misfit()
        if refused:
            log.warning("texts_refused", count=len(refused), model=target.embedder.model)
        left = [one.passage for one in batch if one.hash not in found]
        made = [one for one in fitting if one.hash in found]
        await self._db.write(
            partial(stored_vectors.store, index=index, batch=made, found=found, left=left),
            scoped=True,
        )

    async def _changed(self, built: InForce) -> bool:
        """Change to the vectors that are built, if none is missing; return whether to go on."""
        state = await self._db.write(lambda tx: embeddings.activate_if_built(tx, built.vectors))
        if state == "active":
            # The old vectors stay until the next start: a search may still be using them.
            self.in_force, self.building, self.state = built, None, "ready"
            self.stored()
            log.info("vectors_changed", model=built.embedder.model)
        elif state == "called off" and self.building is built:
            self.building = None
        return state != "building"
