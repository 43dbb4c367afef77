"""A memory as the wire shows it, and the fields that a caller gives a new one."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from ashd import limits
from ashd.access.scope import Project
from ashd.clock import to_text
from ashd.ids import OwnWord, RowId
from ashd.language.people.first_person import first_person
from ashd.memory.judge.statement import Trust
from ashd.store.memories import Record
from ashd.wire_times import When

SCHEMA_VERSION: Final = 1
_SUBJECTS: Final = msgspec.json.Decoder(list[tuple[int, str, int]])
_TAGS: Final = msgspec.json.Decoder(list[str])

MemoryType = Literal[
    "preference",
    "identity",
    "relationship",
    "knowledge",
    "context",
    "event",
    "task",
    "observation",
    "decision",
    "correction",
    "commitment",
    "skill",
]
GivenType = Literal[MemoryType, "fact"]
"""A type as callers write it: `fact` is another name for `knowledge` (A3)."""
Sensitivity = Literal["public", "personal", "sensitive"]


def stored_type(given: GivenType) -> MemoryType:
    """Return the type to store for the type that a caller gave."""
    return "knowledge" if given == "fact" else given


Content = Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)]
Short = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.NAME_CHARS)]
Tag = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.TAG_CHARS)]
MemoryId = RowId
"""A memory's id, or a unique prefix of it."""


class ChangeableFields(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a fact, besides its content, that may be changed later."""

    subjects: Annotated[list[Short], msgspec.Meta(max_length=limits.SUBJECTS_PER_FACT)] | None = (
        None
    )
    type: GivenType | None = None
    expires_in_days: Annotated[float, msgspec.Meta(gt=0, le=limits.EXPIRY_DAYS)] | None = None
    expires_at: When | None = None
    sensitivity: Sensitivity | None = None
    portable: bool | None = None
    valid_from: When | None = None
    valid_until: When | None = None
    tags: Annotated[list[Tag], msgspec.Meta(max_length=limits.TAGS_PER_FACT)] | None = None
    metadata: dict[str, Any] | None = None
    everywhere: bool | None = None
    """Whether it is of the person and not of the scope's project; left out of a new fact: as its
    type and its words are.
    """


class FactFields(ChangeableFields, frozen=True, kw_only=True):
    """The fields of a fact besides its content; at the top of a call, the facts' defaults."""

    shared: bool | None = None
    observed_at: When | None = None
    supersedes: MemoryId | None = None


class Fact(FactFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fact of a batch."""

    content: Content


Relation = Literal["newer", "older"]


class Conflict(msgspec.Struct, frozen=True):
    """Another active memory: the newer of the two perhaps replaces the older.

    `relation` says whether the other memory is the newer or the older one. `at` is the time when
    the other memory was observed or told.
    """

    id: str
    relation: Relation
    likelihood: float
    at: str
    content: str


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory on the wire. A group's memory has a chat and no owner."""

    id: str
    version: int
    revision: int
    content: str
    memory_type: MemoryType
    created_at: str
    observed_at: str | None
    owner_user_id: str | None
    chat_id: str | None
    provider: str | None
    subject_person_ids: list[str]
    source: OwnWord
    source_username: str | None
    source_display_name: str | None
    source_session_id: str | None
    source_message_id: str | None
    extraction_confidence: float | None
    sensitivity: Sensitivity | None
    portable: bool
    expires_at: str | None
    valid_from: str | None
    valid_until: str | None
    tags: list[str]
    superseded_at: str | None
    superseded_by_id: str | None
    archived_at: str | None
    archive_reason: OwnWord | None
    last_accessed_at: str | None
    access_count: int
    metadata: dict[str, Any] | None
    project: Project | None
    """The project that it is read in; null for a memory that is read everywhere."""
    conflicts: list[Conflict]
    """Those that the reader may see, likeliest first; `memory.supersede` settles one."""


def subjects(record: Record) -> list[tuple[int, str]]:
    """Return (row number, id) of the people the memory is about, in the order they were named."""
    return [(number, uuid) for number, uuid, _ in _SUBJECTS.decode(record.subjects)]


def people(record: Record) -> list[int]:
    """Return the row numbers of the people the memory is about."""
    return [number for number, _ in subjects(record)]


def others(record: Record) -> list[int]:
    """Return the row numbers of the people the memory is about, without the one who told it."""
    return [number for number in people(record) if number != record.stater_person]


def with_subject_ids(record: Record, ids: Mapping[int, str]) -> Record:
    """Return the memory with other ids for the people it is about, by row number."""
    subjects = [
        (row, ids.get(row, uuid), read) for row, uuid, read in _SUBJECTS.decode(record.subjects)
    ]
    return record._replace(subjects=msgspec.json.encode(subjects).decode())


def given_subjects(record: Record) -> frozenset[int]:
    """Return the row numbers of the people whom the caller named as subjects.

    A memory with people found only in its words is compared and trusted as its speaker's.
    """
    return frozenset(number for number, _, read in _SUBJECTS.decode(record.subjects) if not read)


def to_wire(
    record: Record,
    *,
    now: int,
    shown: frozenset[str] | None = None,
    conflicts: Sequence[Conflict] = (),
) -> Memory:
    """Return the memory as the wire shows it.

    A memory that outlived its winner is active again and lacks the link to it (A12). `shown` are
    the ids that the reader may see: links to any other memory are left out.
    """
    superseded = record.superseded_until > now
    winner = record.superseded_by_uuid if superseded else None
    if shown is not None and winner not in shown:
        winner = None
    return Memory(
        id=record.uuid,
        version=record.version,
        revision=record.revision,
        content=record.content,
        memory_type=record.memory_type,  # type: ignore[arg-type]  # only these are ever written
        created_at=to_text(record.created_at) or "",
        observed_at=to_text(record.observed_at),
        owner_user_id=record.owner_user_id,
        chat_id=record.chat_id,
        provider=record.provider,
        subject_person_ids=[uuid for _, uuid in subjects(record)],
        source=record.source,
        source_username=record.source_username,
        source_display_name=record.source_display_name,
        source_session_id=record.source_session_id,
        source_message_id=record.source_message_id,
        extraction_confidence=record.extraction_confidence,
        sensitivity=record.sensitivity,  # type: ignore[arg-type]  # the same
        portable=bool(record.portable),
        expires_at=to_text(record.expires_at),
        valid_from=to_text(record.valid_from),
        valid_until=to_text(record.valid_until),
        tags=_TAGS.decode(record.tags),
        superseded_at=to_text(record.superseded_at) if superseded else None,
        superseded_by_id=winner,
        archived_at=to_text(record.archived_at),
        archive_reason=record.archive_reason,
        last_accessed_at=to_text(record.last_accessed_at),
        access_count=record.access_count,
        metadata=msgspec.json.decode(record.metadata) if record.metadata else None,
        project=project_of(record),
        conflicts=list(conflicts),
    )


def project_of(record: Record) -> Project | None:
    """Return the project that a memory belongs to."""
    return None if record.project is None else Project(record.project, record.project_name)


def trust(record: Record) -> Trust:
    """Return the trust (A8): a fact about oneself, hearsay about others, else unknown."""
    if record.stater_person is None:
        return "unknown"
    about = given_subjects(record)
    return "fact" if not about or record.stater_person in about else "hearsay"


def is_own_word(record: Record) -> bool:
    """Return whether the speaker speaks of themselves, by name or without naming anybody (B8)."""
    if record.stater_person is None:
        return False
    about = given_subjects(record)
    return record.stater_person in about or (not about and first_person(record.content))
