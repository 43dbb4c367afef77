"""A memory enters: `memory.add`, single or batch.

One transaction holds the memories, their index, their people and their audit row; a fact that is
refused leaves nothing behind and takes no other fact with it (A1, A5).
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import anyio.to_thread
import msgspec

from ashd import complaints, errors, limits
from ashd.access import metadata
from ashd.access.call import Call
from ashd.access.sensitivity import Read
from ashd.access.text import one_line
from ashd.clock import DAY
from ashd.described import described_by
from ashd.ids import IdempotencyKey
from ashd.memory import labels, lifecycle, model, retries, supersession, words
from ashd.memory.conflict import Outcome, fingerprint
from ashd.memory.model import Fact, FactFields
from ashd.memory.outcome import Added, AddResult, added, refused
from ashd.moments import micros
from ashd.people import resolve
from ashd.search import indexing
from ashd.search.embeddings import Embeddings
from ashd.search.indexing import Piece, TextVectors
from ashd.store import memories, passages, people
from ashd.store.database import Database, Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


class AddParams(FactFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of `content` and `facts`; what else stands at the top is every fact's default."""

    content: model.Content | None = None
    facts: (
        Annotated[
            list[Annotated[dict[str, Any], described_by("Fact")]],
            msgspec.Meta(max_length=limits.FACTS_PER_CALL),
        ]
        | None
    ) = None
    """Each an object with the fields of `Fact`; one that is none is refused, the others stay."""
    idempotency_key: IdempotencyKey | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A fact, checked and cleaned, before the database has a say."""

    content: str
    content_key: str
    pieces: tuple[Piece, ...]
    subjects: tuple[str, ...]
    memory_type: str
    shared: bool
    expires_in: int | None
    expires_at: int | None
    sensitivity: str | None
    read: tuple[Read, ...]
    """What is judged for its label; empty where it was given one."""
    portable: bool
    observed_at: int | None
    valid_from: int | None
    valid_until: int | None
    tags: str
    metadata: str | None
    supersedes: str | None

    @property
    def lasts(self) -> bool:
        """Whether it has neither an expiry nor a type that fades."""
        expires = self.expires_at is not None or self.expires_in is not None
        return not expires and self.memory_type not in model.FADES_AFTER


_EXPIRIES = {"expires_at", "expires_in_days"}


def facts_of(params: AddParams) -> list[Fact | errors.AshError]:
    """The facts of a call, each with the call's defaults; an error stands for one that is none.

    Raises:
        errors.InvalidParams: both or neither of `content` and `facts`.
    """
    if (params.content is None) == (params.facts is None):
        raise errors.InvalidParams(
            "Give exactly one of content and facts.", "content is one fact, facts are several."
        )
    defaults = {name: getattr(params, name) for name in FactFields.__struct_fields__}
    if params.content is not None:
        return [Fact(content=params.content, **defaults)]
    if not params.facts:
        raise errors.InvalidParams("facts is empty.", "Give at least one fact.")
    return [_fact(raw, defaults) for raw in params.facts]


def _fact(raw: dict[str, Any], defaults: dict[str, Any]) -> Fact | errors.AshError:
    try:
        return _with_defaults(msgspec.convert(raw, Fact), defaults)
    except (msgspec.ValidationError, RecursionError) as error:
        return complaints.of(error, Fact)


def _with_defaults(fact: Fact, defaults: dict[str, Any]) -> Fact:
    left_out = {name for name in defaults if getattr(fact, name) is None}
    if _EXPIRIES - left_out:
        left_out -= _EXPIRIES  # the fact has an expiry of its own, said in either way
    return msgspec.structs.replace(fact, **{name: defaults[name] for name in left_out})


def prepare(fact: Fact) -> Prepared:
    """Check and clean a fact.

    Raises:
        errors.InvalidParams: a value that does not fit.
        errors.ContentRefused: a secret anywhere in it.
    """
    content = words.content(fact.content)
    if fact.expires_at is not None and fact.expires_in_days is not None:
        raise errors.InvalidParams(
            "Give one of expires_at and expires_in_days.", "Leave the other out."
        )
    subjects = tuple(one_line(subject) for subject in fact.subjects or ())
    if not all(subjects):
        raise errors.InvalidParams("A subject is empty.", "Name whom the fact is about.")
    prepared = Prepared(
        content=content,
        content_key=fingerprint(content),
        pieces=indexing.read(content),
        subjects=subjects,
        memory_type=model.stored_type(fact.type or "knowledge"),
        shared=bool(fact.shared),
        expires_in=int(fact.expires_in_days * DAY) if fact.expires_in_days else None,
        expires_at=micros(fact.expires_at, "expires_at", end_of_day=True),
        sensitivity=fact.sensitivity,
        read=(),
        portable=True if fact.portable is None else fact.portable,
        observed_at=micros(fact.observed_at, "observed_at"),
        valid_from=micros(fact.valid_from, "valid_from"),
        valid_until=micros(fact.valid_until, "valid_until", end_of_day=True),
        tags=words.tags(fact.tags or ()),
        metadata=metadata.encode(fact.metadata),
        supersedes=fact.supersedes,
    )
    if fact.sensitivity is not None:
        return prepared
    read = labels.read(prepared.pieces, subjects=subjects, tags=fact.tags, metadata=fact.metadata)
    return replace(prepared, read=read)


def _prepared(fact: Fact | errors.AshError) -> Prepared | errors.AshError:
    try:
        return prepare(fact) if isinstance(fact, Fact) else fact
    except errors.AshError as error:
        return error


def _labelled(fact: Prepared | errors.AshError, vectors: TextVectors) -> Prepared | errors.AshError:
    if isinstance(fact, errors.AshError) or not fact.read:
        return fact
    return replace(fact, sensitivity=labels.label(fact.read, fact.pieces, vectors))


class Remember:
    """Stores facts."""

    def __init__(self, db: Database, embeddings: Embeddings) -> None:
        self._db = db
        self._embeddings = embeddings

    async def add(self, call: Call, params: AddParams) -> AddResult:
        """Store facts; the outcome of each, in order.

        Raises:
            errors.AshError: a single `content` that is refused is the error itself.
        """
        # In a thread and one by one: long texts keep nobody waiting, and a call can be ended.
        prepared = [await anyio.to_thread.run_sync(_prepared, fact) for fact in facts_of(params)]
        single = params.content is not None
        if single and isinstance(prepared[0], errors.AshError):
            raise prepared[0]
        texts = [
            piece.text for fact in prepared if isinstance(fact, Prepared) for piece in fact.pieces
        ]
        vectors = await self._embeddings.of_texts(call, texts)
        prepared = [_labelled(fact, vectors) for fact in prepared]
        result = await self._db.write(
            lambda tx: _add(tx, call, prepared, vectors, params.idempotency_key, single),
            scoped=True,
            seconds=call.lane_seconds,
        )
        self._embeddings.wake()
        return result


def _add(
    tx: Tx,
    call: Call,
    prepared: list[Prepared | errors.AshError],
    vectors: TextVectors,
    key: str | None,
    single: bool,
) -> AddResult:
    if key is not None and (earlier := retries.answer(tx, call, key)):
        return earlier
    viewer = call.enter(tx)
    entries = []
    for fact in prepared:
        try:
            if isinstance(fact, errors.AshError):
                raise fact
            tx.check_time()
            with tx.savepoint():
                entries.append(_store(tx, call, viewer, fact, vectors))
        except errors.AshError as error:
            if single or isinstance(error, errors.StorageError):
                raise
            entries.append(refused(error))
    outcomes = {entry.outcome for entry in entries}
    if "added" in outcomes:
        call.record(tx)
    elif "duplicate" in outcomes:  # that it was told again is on record with the memory
        call.record(tx, "duplicate")
    if key is not None:
        retries.keep(tx, call, key, entries)
    return AddResult(entries)


def _store(
    tx: Tx,
    call: Call,
    viewer: Viewer,
    fact: Prepared,
    vectors: TextVectors,
) -> Added:
    if fact.shared and not viewer.group:
        raise errors.InvalidParams(
            "shared belongs to a group.", "Leave it out in a private chat: the fact is yours."
        )
    account = call.speaker(tx, viewer)
    speaker = resolve.speaker_of(tx, viewer, account, fact.sensitivity)
    about = []
    for subject in fact.subjects:
        found = resolve.resolve(tx, speaker, subject, hint=fact.content)
        assert found is not None
        about.append(found)
    persons = [found.person for found in about]
    # A group grant reads and writes as the chat: what it stores is the chat's.
    is_chats = fact.shared or viewer.account is None
    owner, chat = (None, viewer.chat) if is_chats else (viewer.account, None)
    stater = people.final(tx, account.person) if account else None
    newer = supersession.statement(
        fact.content,
        subjects=persons,
        stater=stater,
        fades=not fact.lasts,
        told_at=tx.now,
        observed_at=fact.observed_at,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
    )
    older: list[tuple[Record, str]] = []
    if fact.supersedes is not None:
        named = _to_supersede(tx, viewer, fact.supersedes, owner, chat)
        older.append((named, "supersedes"))
    else:
        judged = supersession.judge(
            tx, viewer, newer, key=fact.content_key, owner=owner, chat=chat, vectors=vectors
        )
        for record, verdict in judged:
            if verdict.outcome is Outcome.DUPLICATE and not _is_held_closer(record, fact):
                memories.add_event(tx, record.id, "duplicate", verdict.reason)
                created = {found.person for found in about if found.created}
                return added(tx, viewer, "duplicate", record, [], created)
        # In a group some who see the older fact may not see this one: then both stay.
        older = [
            (record, verdict.reason)
            for record, verdict in judged
            if not (
                viewer.group
                and verdict.outcome is Outcome.SUPERSEDE
                and _is_held_closer(record, fact)
            )
        ]
    expires_at = fact.expires_at if fact.expires_in is None else tx.now + fact.expires_in
    if expires_at is not None and expires_at <= tx.now:
        raise errors.InvalidParams("expires_at is in the past.", "Give a time to come.")
    # A sandbox cannot choose when it was said, and so not who was there (disclosure).
    said_at = tx.now
    if fact.observed_at is not None and call.actor.kind == "operator":
        said_at = fact.observed_at
    number = memories.insert(
        tx,
        {
            "uuid": tx.new_id(),
            "version": model.SCHEMA_VERSION,
            "revision": 1,
            "content": fact.content,
            "content_key": fact.content_key,
            "memory_type": fact.memory_type,
            "created_at": tx.now,
            "observed_at": fact.observed_at,
            "said_at": said_at,
            "owner": owner,
            "chat": chat,
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
    supersession.note_attributes(tx, number)
    assert viewer.chat is not None
    indexing.index(
        tx,
        kind=passages.MEMORY,
        item=number,
        chat=viewer.chat,
        pieces=fact.pieces,
        at=fact.observed_at or tx.now,
        vectors=vectors,
    )
    for record, reason in older:
        lifecycle.supersede(tx, record, number, reason)
    superseded = [record.uuid for record, _ in older]
    created = {found.person for found in about if found.created}
    return added(tx, viewer, "added", memories.by_id(tx, number), superseded, created)


def _to_supersede(
    tx: Tx, viewer: Viewer, memory_id: str, owner: int | None, chat: int | None
) -> Record:
    """The memory that a caller wants replaced: of the same owner or chat, and standing."""
    older = words.find(tx, viewer, memory_id)
    if (older.owner, older.chat) != (owner, chat):
        raise errors.InvalidParams(
            "A memory supersedes one of the same owner or chat only.",
            "Store it without supersedes: both stay.",
        )
    if model.is_own_word(older) and older.stated_by not in viewer.accounts:
        raise errors.Denied(
            "What somebody said of himself is not for others to replace.",
            "Store it without supersedes: both stay.",
        )
    if older.archived_at is not None or older.superseded_until > tx.now or older.ends_at <= tx.now:
        raise errors.Conflict(
            "The memory to supersede no longer stands.",
            "Look at its history and supersede the one that stands now.",
        )
    return older


_STRICTNESS = {None: 0, "public": 0, "personal": 1, "sensitive": 2}


def _is_held_closer(older: Record, fact: Prepared) -> bool:
    """Whether fewer people may see the new fact than the one that stands."""
    stricter = _STRICTNESS[fact.sensitivity] > _STRICTNESS[older.sensitivity]
    return stricter or (bool(older.portable) and not fact.portable)
