"""Store facts: `memory.add`, single or batch.

A memory is stored in one transaction with its index, its people and its audit row; a fact that is
refused leaves nothing behind and takes no other fact with it (A1, A5). A long batch is stored in
parts, so that others' writes come in between. What a new fact does to earlier ones is thought
about before the transaction (`opinions`) and decided in it (`verdicts`); the adds of one scope take
turns, so that none of them overlooks another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio
import anyio.to_thread

from ashd import errors, limits
from ashd.access import disclosure
from ashd.access.actor import Call
from ashd.memory import idempotency, lifecycle, model, ownership, verdicts
from ashd.memory import opinions as judging
from ashd.memory.add_result import Added, AddResult, added, refused
from ashd.memory.incoming_facts import AddParams, Prepared, facts_of, labelled, prepared
from ashd.memory.judge import Opinion
from ashd.memory.opinions import Opinions
from ashd.memory.scope_locks import ScopeLocks
from ashd.memory.statements import statement
from ashd.memory.supersede import release_stricter, to_supersede
from ashd.memory.verdicts import Scope, Verdicts
from ashd.people import resolve
from ashd.search import indexing
from ashd.search.embeddings import Embeddings
from ashd.search.indexing import TextVectors
from ashd.store import memories, memory_links, passages, people
from ashd.store.chats import Account
from ashd.store.database import Database, Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_Fact = Prepared | errors.AshError


@dataclass(frozen=True, slots=True)
class _Adding:
    """A call of `memory.add` on its way: what it stores and the outcomes so far."""

    call: Call
    key: str | None
    is_single: bool
    vectors: TextVectors
    waits_for_vectors: bool
    """Whether what has no vectors yet will get them, and is judged then."""
    entries: list[Added] = field(default_factory=list)


class AddMemory:
    """Stores facts."""

    def __init__(self, db: Database, embeddings: Embeddings) -> None:
        self._db = db
        self._embeddings = embeddings
        self._turns = ScopeLocks()

    async def add(self, call: Call, params: AddParams) -> AddResult:
        """Store facts; the outcome of each, in order.

        Raises:
            errors.AshError: a single `content` that is refused is the error itself.
        """
        # In a thread and one by one: long texts keep nobody waiting, and a call can be ended.
        facts = [await anyio.to_thread.run_sync(prepared, fact) for fact in facts_of(params)]
        is_single = params.content is not None
        if is_single and isinstance(facts[0], errors.AshError):
            raise facts[0]
        pieces = [piece for fact in facts if isinstance(fact, Prepared) for piece in fact.pieces]
        vectors = await self._embeddings.of_texts(call, [piece.text for piece in pieces])
        facts = [labelled(fact, vectors) for fact in facts]
        adding = _Adding(
            *(call, params.idempotency_key, is_single, vectors, self._embeddings.state != "off")
        )
        size = limits.FACTS_PER_TRANSACTION
        parts = [facts[start : start + size] for start in range(0, len(facts), size)]
        deadline = _deadline(call)
        async with self._turns.of(call):
            for number, part in enumerate(parts, start=1):
                opinions = await self._opinions(call, part, vectors)
                add = partial(
                    _add,
                    adding=adding,
                    part=part,
                    opinions=opinions,
                    is_last=number == len(parts),
                )
                # However long it took to read the facts, some are stored each time.
                least = limits.LEAST_STORING_SECONDS if number == 1 else 0.0
                seconds = max(deadline - anyio.current_time(), least)
                result = await self._db.write(add, scoped=True, seconds=seconds)
                if result is not None:
                    return result
        self._embeddings.wake()
        missing = adding.waits_for_vectors and any(piece not in vectors for piece in pieces)
        return AddResult(adding.entries, ["embedder"] if missing else [])

    async def _opinions(
        self, call: Call, part: Sequence[_Fact], vectors: TextVectors
    ) -> list[Opinions]:
        facts = [fact if isinstance(fact, Prepared) else None for fact in part]
        if not any(facts):
            return [judging.NONE] * len(facts)
        near = self._embeddings.nearest
        return await self._db.read(
            partial(judging.of_facts, call=call, facts=facts, vectors=vectors, near=near)
        )


def _deadline(call: Call) -> float:
    """Until when a call may store facts, by the event loop's clock; the rest is refused.

    A call that is ended from outside gets no answer, so it stops by itself before that.
    """
    ends = anyio.current_effective_deadline() - limits.ANSWER_SECONDS
    return min(anyio.current_time() + call.writer_seconds, ends)


def _add(
    tx: Tx, *, adding: _Adding, part: Sequence[_Fact], opinions: Sequence[Opinions], is_last: bool
) -> AddResult | None:
    """Store a part of a call; the answer to an earlier call with its key, if there was one."""
    call, key = adding.call, adding.key
    if key is not None and not adding.entries and (earlier := idempotency.answer(tx, call, key)):
        return earlier
    viewer = call.enter(tx)
    entries: list[Added] = []
    stored: list[int | None] = []
    for fact, on_fact in zip(part, opinions, strict=True):
        stored.append(None)
        try:
            if isinstance(fact, errors.AshError):
                raise fact
            tx.check_time()
            with tx.savepoint():
                entry, stored[-1] = _store(tx, adding, viewer, fact, _by_memory(on_fact, stored))
                entries.append(entry)
        except errors.AshError as error:
            if adding.is_single or isinstance(error, errors.StorageError):
                raise
            entries.append(refused(error))
    outcomes = {entry.outcome for entry in entries}
    if "added" in outcomes:
        call.record(tx)
    elif "duplicate" in outcomes:  # that it was said again is on record with the memory
        call.record(tx, "duplicate")
    if key is not None and is_last:
        idempotency.keep(tx, call, key, [*adding.entries, *entries])
    adding.entries.extend(entries)
    return None


def _by_memory(opinions: Opinions, stored: Sequence[int | None]) -> dict[int, Opinion]:
    """The opinions by memory, those on earlier facts of the call with the rows they have now."""
    of_call = ((stored[position], opinion) for position, opinion in opinions.of_call.items())
    return opinions.of_stored | {row: opinion for row, opinion in of_call if row is not None}


def _store(
    tx: Tx, adding: _Adding, viewer: Viewer, fact: Prepared, opinions: dict[int, Opinion]
) -> tuple[Added, int]:
    """Store a fact, unless it is there already; its entry and the memory's row number."""
    if fact.shared and not viewer.group:
        raise errors.InvalidParams(
            "shared belongs to a group.", "Leave it out in a private chat: the fact is yours."
        )
    account = adding.call.speaker(tx, viewer)
    speaker = resolve.speaker_of(tx, viewer, account, fact.sensitivity)
    about = []
    for subject in fact.subjects:
        found = resolve.resolve(tx, speaker, subject, hint=fact.content)
        assert found is not None
        about.append(found)
    persons = [found.person for found in about]
    created = {found.person for found in about if found.created}
    may_be = {found.person: found.may_be for found in about}
    # A group grant reads and writes as the chat: what it stores is the chat's.
    is_chats = fact.shared or viewer.account is None
    scope = Scope((), viewer.chat) if is_chats else Scope(viewer.accounts, None)
    newer = statement(
        fact.content,
        subjects=persons,
        stater=people.final(tx, account.person) if account else None,
        of_group=is_chats,
        in_first_person=fact.first_person,
        fades=not fact.lasts,
        stated_at=tx.now,
        observed_at=fact.observed_at,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
    )
    on_older = verdicts.judge(
        tx,
        viewer,
        newer,
        key=fact.content_key,
        scope=scope,
        stated_by=account.id if account else None,
        sensitivity=fact.sensitivity,
        portable=fact.portable,
        opinions=opinions,
    )
    if fact.supersedes is not None:
        named = to_supersede(
            *(tx, viewer, fact.supersedes, scope, fact.memory_type, fact.sensitivity),
            portable=fact.portable,
        )
        on_older = on_older.only_replacing(named)
    if (same := _same(tx, adding.call, viewer, fact, on_older)) is not None:
        memories.add_event(tx, same.id, "duplicate", "same_words")
        superseded = _supersede(tx, on_older, same.id) if fact.supersedes else []
        same = memories.by_id(tx, same.id)
        return added(tx, viewer, "duplicate", same, superseded, created, may_be), same.id
    number = _insert(tx, adding.call, viewer, account, fact, persons, is_chats=is_chats)
    memories.set_references(tx, number, dict(zip(persons, fact.subjects, strict=True)))
    assert viewer.chat is not None
    indexing.index(
        tx,
        kind=passages.MEMORY,
        item=number,
        chat=viewer.chat,
        pieces=fact.pieces,
        at=fact.observed_at or tx.now,
        vectors=adding.vectors,
    )
    is_missing = any(piece not in adding.vectors for piece in fact.pieces)
    if fact.is_statement and is_missing and adding.waits_for_vectors:
        memory_links.judge_later(tx, number)
    superseded = _supersede(tx, on_older, number)
    verdicts.record_links(tx, number, on_older)
    record = memories.by_id(tx, number)
    return added(tx, viewer, "added", record, superseded, created, may_be), number


def _same(tx: Tx, call: Call, viewer: Viewer, fact: Prepared, on_older: Verdicts) -> Record | None:
    """The memory that says the same words already, made as strict as the new fact asks (A10).

    What somebody else said is not for the speaker to change: then the stricter fact is stored.
    """
    for record, _ in on_older.same:
        changes = _stricter(tx, record, fact)
        if changes and not _may_tighten(call, viewer, record, changes):
            on_older.repeats.append((record, "same_words"))
            continue
        if changes:
            memories.change(tx, record.id, changes)
            release_stricter(tx, record.id)
            lifecycle.settle(tx, record.id)
        return record
    return None


def _may_tighten(call: Call, viewer: Viewer, record: Record, changes: Mapping[str, object]) -> bool:
    """Whether a repetition may change the memory that it repeats: one's own, where it was told.

    To let it end earlier is to forget it.
    """
    is_here = disclosure.may_change(viewer, record.learned_in, record.learned_type)
    may_end = "ends_at" not in changes or "forget" in call.actor.rights
    return ownership.is_own(viewer, record) and is_here and may_end


def _stricter(tx: Tx, record: Record, fact: Prepared) -> dict[str, object]:
    """The columns in which a repeated fact asks for more protection than the memory has."""
    changes: dict[str, object] = {}
    wanted = disclosure.stricter(record.sensitivity, fact.sensitivity)
    if fact.labelled and wanted != record.sensitivity:
        changes["sensitivity"] = wanted
    if record.portable and not fact.portable:
        changes["portable"] = False
    expires_at = _expires_at(tx, fact)
    if expires_at is not None and expires_at < record.ends_at:
        changes |= {"expires_at": expires_at, "ends_at": expires_at}
    return changes


def _supersede(tx: Tx, on_older: Verdicts, winner: int) -> list[str]:
    """Supersede what a memory replaces; the ids."""
    for record, reason in on_older.replaces:
        lifecycle.supersede(tx, record, winner, reason)
    return [record.uuid for record, _ in on_older.replaces]


def _expires_at(tx: Tx, fact: Prepared) -> int | None:
    expires_at = fact.expires_at if fact.expires_in is None else tx.now + fact.expires_in
    if expires_at is not None and expires_at <= tx.now:
        raise errors.InvalidParams("expires_at is in the past.", "Give a time to come.")
    return expires_at


def _insert(
    tx: Tx,
    call: Call,
    viewer: Viewer,
    account: Account | None,
    fact: Prepared,
    persons: Sequence[int],
    *,
    is_chats: bool,
) -> int:
    """Insert the row of a new memory; its number."""
    expires_at = _expires_at(tx, fact)
    # A sandbox cannot choose when it was said, and so not who was there (disclosure).
    said_at = tx.now
    if fact.observed_at is not None and call.actor.kind == "operator":
        said_at = fact.observed_at
    return memories.insert(
        tx,
        {
            "uuid": tx.new_id(),
            "version": model.SCHEMA_VERSION,
            "revision": 1,
            "content": fact.content,
            "content_key": fact.content_key,
            "first_person": fact.first_person,
            "memory_type": fact.memory_type,
            "created_at": tx.now,
            "observed_at": fact.observed_at,
            "said_at": said_at,
            "owner": None if is_chats else viewer.account,
            "chat": viewer.chat if is_chats else None,
            "learned_in": viewer.chat,
            "learned_type": "group" if viewer.group else "private",
            "stated_by": account.id if account else None,
            "source": call.actor.source,
            "source_username": account.username if account else None,
            "source_display_name": account.display_name if account else None,
            "source_session_id": call.session_id,
            "source_message_id": call.message_id,
            "grant_id": call.actor.grant_id,
            "extraction_confidence": None,
            "sensitivity": fact.sensitivity,
            "portable": fact.portable,
            "expires_at": expires_at,
            "ends_at": model.ends_at(
                *(fact.memory_type, expires_at, fact.observed_at, tx.now),
                valid_from=fact.valid_from,
                valid_until=fact.valid_until,
            ),
            "valid_from": fact.valid_from,
            "valid_until": fact.valid_until,
            "tags": fact.tags,
            "metadata": fact.metadata,
            "superseded_at": None,
            "superseded_by": None,
            "superseded_until": 0,
            "archived_at": None,
            "archive_reason": None,
            "last_accessed_at": None,
            "access_count": 0,
        },
        persons,
    )
