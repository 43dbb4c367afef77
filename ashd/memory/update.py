"""Change and delete memories: `memory.update`, `memory.delete`.

The content of a memory never changes in place: new content is a new memory that supersedes the old.
What it does to further memories is judged later, as for an added fact.
Seeing a memory is not enough to change it: the caller must own it, have said it, or, for a group's
memory, ask in that group.
"""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import msgspec

from ashd import errors, limits
from ashd.access import disclosure, metadata, sensitivity
from ashd.access.actor import Call
from ashd.access.sensitivity import Label, Read
from ashd.language.fingerprint import content_key
from ashd.language.people.first_person import first_person
from ashd.language.people.subjects import Subject
from ashd.memory import (
    archive,
    fact_people,
    marks,
    model,
    ownership,
    same_words,
    sensitivity_label,
    status_changes,
    supersede,
    updated_columns,
    validation,
    wire,
)
from ashd.memory.add_result import named
from ashd.memory.archive import DeleteParams, DeleteResult
from ashd.memory.by_id import require_revision
from ashd.memory.fact_people import FactPeople
from ashd.memory.incoming_facts import read_subjects
from ashd.memory.model import Memory
from ashd.memory.update_params import (
    Changed,
    Changes,
    Target,
    UpdateParams,
    UpdateResult,
    checked,
    targets_of,
)
from ashd.people import hint_reading, resolve
from ashd.people.joining import Join
from ashd.people.resolve import Speaker
from ashd.people.told import Told
from ashd.search import indexing
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import memories, memory_links, passages
from ashd.store import subjects as stored_subjects
from ashd.store.database import Database, Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


class UpdateLabels(NamedTuple):
    """The labels of an update: of its new content, and of the texts stored with it."""

    content: Label
    details: Label


_MARKS = {"tags", "metadata"}
"""Changes that leave a memory's words and readers as they are."""
_SHOWN_BY = {"sensitivity", "portable", "subjects", "everywhere"}


class UpdateMemory:
    """Changes memories."""

    def __init__(
        self,
        db: Database,
        embeddings: CurrentEmbedder,
        judge_later: Callable[[], None] = lambda: None,
    ) -> None:
        """Calls `judge_later` if new content is to be compared with other memories."""
        self._db = db
        self._embeddings = embeddings
        self._judge_later = judge_later

    async def update(self, call: Call, params: UpdateParams) -> UpdateResult:
        """Change a memory, or several at once.

        New content becomes a new memory, which supersedes the old one. A moment later the new
        memory is compared with other memories, like an added fact. Of a memory that was replaced,
        only tags and metadata can be changed.

        Raises:
            errors.NotFound, errors.Denied, errors.Conflict, errors.ContentRefused
        """
        changes = checked(params.changes)
        vectors = indexing.TextVectors()
        content, pieces = None, tuple[indexing.Piece, ...]()
        if changes.content is not None:
            content = await self._db.compute(validation.content, changes.content)
            pieces = await self._db.compute(indexing.read, content)
            texts = [piece.text for piece in pieces]
            vectors = await self._embeddings.of_texts(call, texts)
            if changes.subjects:
                await self._db.compute(hint_reading.read_ahead, content)
        read_pieces = await self._db.compute(sensitivity_label.read, pieces)
        judged = UpdateLabels(
            content=sensitivity_label.label(read_pieces, pieces, vectors),
            details=sensitivity.label(await self._db.compute(_read_details, changes)),
        )
        targets = targets_of(params, changes)

        def update_one(tx: Tx, target: Target, joined: list[Join]) -> tuple[Memory, UpdateResult]:
            try:
                return _update(
                    *(tx, call, params.changes, target, changes, content, pieces, vectors, judged),
                    joined=joined,
                )
            except errors.AshError as error:
                if params.ids is not None:
                    error.begin_with(f"Memory {target.id[:8]}")
                raise

        def work(tx: Tx) -> UpdateResult:
            call.enter(tx)
            joined: list[Join] = []
            made: list[tuple[Memory, UpdateResult]] = []
            for target in targets:
                known = len(joined)
                made.append(update_one(tx, target, joined))
                for two in joined[known:]:
                    memory_id = made[-1][1].memory.id
                    call.record(tx, method="person.merge", people=two, memory=memory_id)
            call.record(tx)
            first = made[0][1]
            if params.ids is None and not params.dry_run:
                return first
            changed = [Changed(before, result.memory) for before, result in made]
            return msgspec.structs.replace(first, changed=changed)

        if params.dry_run:
            return await self._db.write(
                lambda tx: tx.rehearse(lambda: work(tx)), quiet=True, seconds=call.writer_seconds
            )
        result = await self._db.write(work, scoped=True, seconds=call.writer_seconds)
        self._embeddings.wake()
        if content is not None:
            self._judge_later()
        return result

    async def delete(self, call: Call, params: DeleteParams) -> DeleteResult:
        """Delete a memory; the operator can restore it."""
        return await self._db.write(
            lambda tx: archive.delete(tx, call, params), scoped=True, seconds=call.writer_seconds
        )


def _require_active(tx: Tx, record: Record, raw: dict[str, Any]) -> None:
    """Refuse a change of a memory that is gone, and of a replaced one's content and readers."""
    # The clean-up archives replaced memories as well.
    is_replaced = record.superseded_until > tx.now or record.archive_reason == "superseded"
    is_gone = record.archived_at is not None and record.archive_reason != "superseded"
    if is_gone or (is_replaced and raw.keys() - _MARKS):
        raise errors.Conflict(
            "The memory is no longer active.", "Look at its history; change the active one."
        )


def _require_own(viewer: Viewer, record: Record, raw: dict[str, Any]) -> None:
    """Refuse a change of a memory's visibility by anybody but its owner."""
    named = _SHOWN_BY & raw.keys()
    if named and not ownership.is_own(viewer, record):
        raise errors.Denied(
            f"Only who said a memory can change {', '.join(sorted(named))}.",
            "Ask that person, or the operator.",
        )


def _done_before(
    tx: Tx, viewer: Viewer, record: Record, raw: Collection[str], content: str | None
) -> UpdateResult | None:
    """Return the result of the same change made before, since a client repeats a lost call.

    Only if nothing but the content was to change: the rest may be another change than that one.
    """
    if content is None or record.superseded_by is None or len(raw) > 1:
        return None
    winner = memories.by_ids(tx, viewer, [record.superseded_by]).get(record.superseded_by)
    if winner is None or winner.content != content or winner.archived_at is not None:
        return None
    return UpdateResult(wire.memory(tx, viewer, winner), record.uuid, [])


def _update(
    tx: Tx,
    call: Call,
    raw: dict[str, Any],
    target: Target,
    changes: Changes,
    content: str | None,
    pieces: tuple[indexing.Piece, ...],
    vectors: indexing.TextVectors,
    judged: UpdateLabels,
    *,
    joined: list[Join],
) -> tuple[Memory, UpdateResult]:
    """Change one memory; return it as it was, and the result.

    `joined` gets the two people whom the sentence merges; if `joined` has two already, nobody is
    merged.
    """
    tx.check_time()
    viewer, record = ownership.find(tx, call, target.id)
    before = wire.memory(tx, viewer, record)
    if (done := _done_before(tx, viewer, record, raw, content)) is not None:
        return before, done
    require_revision(record, target.revision)
    _require_active(tx, record, raw)
    _require_own(viewer, record, raw)
    if content == record.content:
        content = None
    is_apart = _is_apart(viewer, record, content)
    label = changes.sensitivity or record.sensitivity or judged.content or judged.details
    said = {} if content is None else ownership.said_now(tx, call, viewer, record)
    # Names come from the words of the memory, so they were said when the memory was said.
    speaker = resolve.speaker_of(
        *(tx, viewer, call.speaker(tx, viewer), label), said.get("said_at", record.said_at)
    )
    about = _people(tx, speaker, record, content, changes, joined)
    found = about.told if about is not None else []
    persons = [number for number, _ in model.subjects(record)] if about is None else about.persons
    are_read = stored_subjects.are_read(tx, record.id) if about is None else about.are_read
    references = stored_subjects.references(tx, record.id)
    # New content makes a new memory, whose type's lifetime begins now.
    created = record.created_at if content is None else tx.now
    values = updated_columns.given(tx, record, changes, raw, created)
    if changes.everywhere is not None:
        values |= updated_columns.project(call.scope.told_in, everywhere=changes.everywhere)
    ownership.require_lasting(call, record, values)
    had, tags = (
        msgspec.json.decode(one, type=list[str])
        for one in (record.tags, values.get("tags", record.tags))
    )
    tags = marks.after_update(call, had, tags, is_reworded=content is not None)
    values["tags"] = msgspec.json.encode(tags).decode()
    if changes.sensitivity is None:
        values["sensitivity"] = disclosure.stricter(
            # null removes the caller's label
            _label_of(record, values, content) if "sensitivity" in raw else record.sensitivity,
            # New words are at least as protected as their subject requires; other tags alone
            # change nobody's access.
            judged.content if content is not None else None,
            judged.details if content is not None or "sensitivity" in raw else None,
        )
    if content is not None and not is_apart:
        supersede.require_no_stricter(
            *(viewer, record, values.get("sensitivity", record.sensitivity)),
            portable=bool(values.get("portable", record.portable)),
        )
    if content is None:
        memories.change(tx, record.id, values)
        stored_subjects.replace(tx, record.id, persons, read=are_read)
        fact_people.write_changed(tx, record.id, record.id, references, about)
        status_changes.settle(tx, record.id)
        return before, _result(tx, viewer, memories.by_id(tx, record.id), None, found)
    inherited = {name: getattr(record, name) for name in memories.WRITTEN}
    number = memories.insert(
        tx,
        {
            **inherited,
            **said,
            **values,
            "uuid": tx.new_id(),
            "revision": record.revision + 1,
            "content": content,
            "content_key": content_key(content),
            "first_person": first_person(content[: limits.STATEMENT_CHARS]),
            "created_at": tx.now,
            # A memory that once superseded the former words does not supersede the new words.
            "superseded_at": None,
            "superseded_by": None,
            "superseded_until": 0,
            "last_accessed_at": None,
            "access_count": 0,
        },
        persons,
        are_read=are_read,
    )
    fact_people.write_changed(tx, record.id, number, references, about)
    learned_in = said.get("learned_in", record.learned_in)
    assert learned_in is not None
    indexing.index(
        tx,
        kind=passages.MEMORY,
        item=number,
        chat=learned_in,
        pieces=pieces,
        at=record.observed_at or tx.now,
        vectors=vectors,
    )
    if is_apart:
        memory_links.add(tx, number, record.id, "may_replace", 1.0)
    else:
        status_changes.supersede(tx, record, number, "update")
    _compare(tx, viewer, memories.by_id(tx, number))
    previous = None if is_apart else record.uuid
    return before, _result(tx, viewer, memories.by_id(tx, number), previous, found)


def _result(
    tx: Tx, viewer: Viewer, made: Record, previous: str | None, found: list[Told]
) -> UpdateResult:
    people = named(tx, viewer, [one.found for one in found])
    return UpdateResult(wire.memory(tx, viewer, made), previous, people)


def _compare(tx: Tx, viewer: Viewer, made: Record) -> None:
    """Compare new content with other memories: for the same words now, by meaning later."""
    same_words.link(tx, made, viewer)
    if len(made.content) <= limits.STATEMENT_CHARS:
        memory_links.judge_later(tx, made.id)


def _people(
    tx: Tx,
    speaker: Speaker,
    record: Record,
    content: str | None,
    changes: Changes,
    joined: list[Join],
) -> FactPeople | None:
    """Return whom a changed memory is about; None if that is who it was about."""
    read: tuple[Subject, ...] = ()
    if changes.subjects is None:
        if content is None or model.given_subjects(record):
            return None
        read = read_subjects(content)
    about = fact_people.resolve(
        *(tx, speaker, content or record.content, changes.subjects or (), read),
        may_join=not joined,
    )
    if about.joined is not None:
        joined.append(about.joined)
    return about


def _is_apart(viewer: Viewer, record: Record, content: str | None) -> bool:
    """Return whether new content given in private becomes a memory of its own, beside the group's.

    Raises:
        errors.Denied: the change is one that the group would see.
    """
    if disclosure.may_change(viewer, record.learned_in, record.learned_type):
        return False
    if content is None or viewer.group or record.chat is not None:
        disclosure.require_changeable(viewer, record.learned_in, record.learned_type)
    return True


def _read_details(changes: Changes) -> tuple[Read, ...]:
    metadata.encode(changes.metadata)  # refuses a text that is too large to be judged
    return sensitivity_label.read(
        (), subjects=changes.subjects, tags=changes.tags, metadata=changes.metadata
    )


def _label_of(record: Record, values: dict[str, Any], content: str | None) -> Label:
    """Return the label of the parts of a memory that stay, without its own label."""
    tags = msgspec.json.decode(values.get("tags", record.tags), type=list[str])
    details = msgspec.json.decode(values.get("metadata", record.metadata) or "{}")
    pieces = indexing.split(record.content) if content is None else []
    shorts = [*marks.without(tags), *sensitivity.described(details)]
    judged = [*map(sensitivity.read, pieces), *map(sensitivity.read_details, shorts)]
    return sensitivity.label(judged)
