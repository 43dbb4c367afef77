"""Store facts: `memory.add`, single or batch.

A memory is stored in one transaction with its index, its people and its audit row; a refused fact
leaves nothing behind and does not affect other facts (A1, A5). A long batch is stored in slices, so
that other writes come in between. What a new fact does to earlier ones is computed before the
transaction (`opinions`) and decided in it (`verdicts`); the adds of one scope take turns, so that
none overlooks another. If there is no time for the opinions on a fact, the fact is stored all the
same, and judged later.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio
import anyio.lowlevel
import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.memory import idempotency, marks
from ashd.memory import opinions as judging
from ashd.memory.add_result import Added, AddResult, refused
from ashd.memory.candidates import Near
from ashd.memory.incoming_facts import AddParams, Prepared, facts_of, labelled, prepared
from ashd.memory.model import Fact
from ashd.memory.opinions import Opinions
from ashd.memory.scope_locks import ScopeLocks
from ashd.memory.store_fact import Storing, by_memory, store
from ashd.memory.verdicts import IMPORTED
from ashd.people.joining import Join
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.indexing import TextVectors
from ashd.store.database import Database, Tx

_Fact = Prepared | errors.AshError

_SHORT_BYTES: Final = 512
"""The size of a fact, as JSON with its empty fields, up to which it is read on the event loop: in a
millisecond at most, of which a change of threads would cost nearly half.
"""


@dataclass(slots=True)
class _Adding:
    """The state of a call of `memory.add`: what it stores and the outcomes so far."""

    by: Storing
    key: str | None
    is_single: bool
    entries: list[Added] = field(default_factory=list)
    stored: list[int | None] = field(default_factory=list)
    """The memories that the facts of the current part became so far."""
    joined: list[Join] = field(default_factory=list)
    """The two people whom a fact of the call merged: the call merges no others."""
    begun: int | None = None
    """The time of its first transaction."""
    writing_seconds: float = 0.0
    """The time in the writer thread so far."""
    has_late: bool = False
    """Whether a fact was stored without opinions, for lack of time."""
    is_read_later: bool = False
    """Whether further pairs are read after the answer."""
    is_alone: bool = False
    """Whether the call stores a single fact: only then the caller is asked about a conflict."""


class AddMemory:
    """Stores facts."""

    def __init__(
        self,
        db: Database,
        embeddings: CurrentEmbedder,
        *,
        max_entries: int | None = None,
        wake_judge: Callable[[], None] | None = None,
        judge_later: Callable[[], None] = lambda: None,
    ) -> None:
        """Calls `wake_judge` if a language model judges what the rule leaves open.

        `judge_later` is called if facts were stored without opinions, for lack of time.
        """
        self._db = db
        self._max_entries = max_entries
        self._embeddings = embeddings
        self._wake_judge = wake_judge
        self._judge_later = judge_later
        self.locks = ScopeLocks()
        """Locks by which all that add facts to one scope take turns."""

    async def add(self, call: Call, params: AddParams) -> AddResult:
        """Store a fact, or several; each has its own outcome.

        Raises:
            errors.AshError: a single `content` that is refused is the error itself.
        """
        facts = [_unmarked(call, fact) for fact in await _read(self._db, params)]
        is_single = params.content is not None
        if is_single and isinstance(facts[0], errors.AshError):
            raise facts[0]
        pieces = [piece for fact in facts if isinstance(fact, Prepared) for piece in fact.pieces]
        vectors = await self._embeddings.of_texts(call, [piece.text for piece in pieces])
        facts = [labelled(fact, vectors) for fact in facts]
        by = Storing(
            *(call, vectors, self._embeddings.state != "off"),
            judged_by_model=self._wake_judge is not None,
            max_entries=self._max_entries,
        )
        alone = len(facts) == 1 and call.actor.source != IMPORTED
        adding = _Adding(by, params.idempotency_key, is_single, is_alone=alone)
        size = limits.FACTS_PER_TRANSACTION
        parts = [facts[start : start + size] for start in range(0, len(facts), size)]
        ends = anyio.current_effective_deadline() - limits.ANSWER_SECONDS
        async with self.locks.of(call):
            judged_until = _half_way_to(ends)
            for number, part in enumerate(parts, start=1):
                opinions = await self._opinions(
                    call, part, vectors, judged_until, most_read=int(alone)
                )
                add = partial(
                    _add,
                    adding=adding,
                    part=part,
                    opinions=opinions,
                    is_last=number == len(parts),
                )
                adding.stored = []
                while len(adding.stored) < len(part):
                    # However long reading the facts took, some are stored each time.
                    spent = adding.writing_seconds
                    least = limits.LEAST_STORING_SECONDS - spent if number == 1 else 0.0
                    left = min(call.writer_seconds - spent, ends - anyio.current_time())
                    seconds = max(left, least)
                    result = await self._db.write(add, scoped=True, seconds=seconds)
                    if result is not None:
                        return result
        missing = by.waits_for_vectors and any(piece not in vectors for piece in pieces)
        if missing or self._embeddings.building is not None:
            self._embeddings.wake()
        if self._wake_judge is not None:
            self._wake_judge()
        if adding.has_late or adding.is_read_later:
            self._judge_later()
        lacking = {"embedder": missing, "judge": adding.has_late}
        return AddResult(adding.entries, [name for name, lacks in lacking.items() if lacks])

    async def _opinions(
        self,
        call: Call,
        part: Sequence[_Fact],
        vectors: TextVectors,
        until: float,
        *,
        most_read: int,
    ) -> list[Opinions]:
        """Return opinions on as many facts as there is time for.

        At most `most_read` pairs of each are read together for the answer; the rest are read once
        the fact is stored.
        """
        facts = [fact if isinstance(fact, Prepared) else None for fact in part]
        if not any(facts):
            return [judging.NONE] * len(facts)
        near = Near.of(self._embeddings)
        await judging.load(vectors.embedder)
        return await self._db.read(
            partial(
                judging.of_facts,
                call=call,
                facts=facts,
                vectors=vectors,
                near=near,
                until=until,
                most_read=most_read,
            )
        )


async def _read(db: Database, params: AddParams) -> list[_Fact]:
    """Check and clean the facts of a call, for at most half of its time; the rest is refused.

    Facts are read one by one, long ones in a thread, so that no other call waits and the call can
    be cancelled.
    """
    left = anyio.current_effective_deadline() - anyio.current_time()
    until = anyio.current_time() + max(left / 2, limits.LEAST_READING_SECONDS)
    facts: list[_Fact] = []
    for fact in facts_of(params):
        if facts and anyio.current_time() > until:
            facts.append(_late())
        else:
            facts.append(await _prepared(db, fact))
    return facts


def _unmarked(call: Call, fact: _Fact) -> _Fact:
    """Refuse a fact with a mark that only the person may give."""
    if isinstance(fact, Prepared):
        try:
            marks.require_unchanged(call, (), msgspec.json.decode(fact.tags, type=list[str]))
        except errors.Denied as error:
            return error
    return fact


def _late() -> errors.TimedOut:
    return errors.TimedOut("The call took too long.", "Send this fact again.", retryable=True)


async def _prepared(db: Database, fact: Fact | errors.AshError) -> _Fact:
    if isinstance(fact, errors.AshError):
        return fact
    if len(msgspec.json.encode(fact)) > _SHORT_BYTES:
        return await db.compute(prepared, fact)
    await anyio.lowlevel.checkpoint()
    return prepared(fact)


def _half_way_to(ends: float) -> float:
    """Return the time, by the monotonic clock, when half of what is left until `ends` is over.

    The other half is for storing. `ends` is by the event loop's clock.
    """
    return time.monotonic() + (ends - anyio.current_time()) / 2


def _add(
    tx: Tx, *, adding: _Adding, part: Sequence[_Fact], opinions: Sequence[Opinions], is_last: bool
) -> AddResult | None:
    """Store a slice of a part of a call; return the answer to an earlier call with its key, if any.

    The slice begins after `adding.stored` and ends when its time in the writer thread is over.
    """
    call, key, begun = adding.by.call, adding.key, time.monotonic()
    if key is not None and not adding.entries:
        has_embedder = adding.by.waits_for_vectors
        earlier = idempotency.answer(tx, call, key, has_embedder=has_embedder)
        if earlier is not None:
            return earlier
    viewer = call.enter(tx)
    if adding.begun is None:
        adding.begun = tx.now
    entries: list[Added] = []
    stored = list(adding.stored)
    while len(stored) < len(part) and (
        not entries or time.monotonic() < begun + limits.SLICE_SECONDS
    ):
        fact, on_fact = part[len(stored)], opinions[len(stored)]
        stored.append(None)
        try:
            if isinstance(fact, errors.AshError):
                raise fact
            tx.check_time()
            # A single fact that is refused undoes the whole call.
            with nullcontext() if adding.is_single else tx.savepoint():
                on_older = by_memory(on_fact, stored)
                may_join = not adding.joined
                made = store(
                    *(tx, adding.by, viewer, fact, on_older),
                    may_join=may_join,
                    is_read_later=on_fact.is_late or on_fact.is_partial,
                    may_ask=adding.is_alone,
                    begun=adding.begun,
                )
                if made.joined is not None:
                    call.record(tx, method="person.merge", people=made.joined, memory=made.id)
                    adding.joined.append(made.joined)
                entries.append(made.entry)
                stored[-1] = made.number
                if made.entry.outcome == "added":
                    adding.has_late = adding.has_late or on_fact.is_late
                    adding.is_read_later = adding.is_read_later or on_fact.is_partial
        except errors.AshError as error:
            if adding.is_single or isinstance(error, errors.StorageError):
                raise
            entries.append(refused(error))
    outcomes = {entry.outcome for entry in entries}
    if "added" in outcomes:
        call.record(tx)
    elif "duplicate" in outcomes:  # records with the memory that it was stated again
        call.record(tx, "duplicate")
    if key is not None and is_last and len(stored) == len(part):
        idempotency.keep(tx, call, key, [*adding.entries, *entries])
    adding.entries.extend(entries)
    adding.stored = stored
    adding.writing_seconds += time.monotonic() - begun
    return None
