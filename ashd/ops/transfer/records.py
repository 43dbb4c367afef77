"""The records of an export, one JSON object per line: the contract of the file format.

The first line is a `Start`, the last an `End`. A record refers to others by values that never
change: memories, people, conversations and entities by their ids, accounts and chats by their
provider's names, aliases and relationships by a number that is valid within the file. Anything that
can be derived from other fields (indexes, vectors, folded names) is left out.
"""

from typing import Annotated, Any, Final, Literal

import msgspec

from ashd import limits
from ashd.access.actor import Right
from ashd.access.quota import QuotaParams
from ashd.access.scope import Scope
from ashd.conversation.summary_text import KeyDate
from ashd.ids import Identifier
from ashd.memory.model import Content, MemoryType, Sensitivity, Short, Tag
from ashd.ops.transfer.graph_records import Entity, EntityAlias, Relation
from ashd.ops.transfer.record_types import (
    AccountRef,
    At,
    ChatRef,
    ChatType,
    Count,
    Id,
    MeantSubject,
    Name,
    Record,
    Share,
    Subject,
)


class Person(Record, frozen=True, tag="person"):
    """A person, without its origin: `person_origin` follows once the accounts are known."""

    id: Id
    name: Name
    named: bool
    named_at: At
    sensitivity: Sensitivity | None
    metadata: dict[str, Any] | None
    created_at: At
    updated_at: At
    own_accounts: list[AccountRef]
    """The accounts whose own person it is; if one exists already, this person does too."""
    said_at: At | None = None
    """The time at which the name was said; absent from early exports, where `named_at` counts."""


class Account(Record, frozen=True, tag="account"):
    """An account; `person` follows merges."""

    provider: Identifier
    user_id: Identifier
    username: Name | None
    display_name: Name | None
    person: Id
    own_person: Id
    created_at: At
    updated_at: At


class Chat(Record, frozen=True, tag="chat"):
    """A chat; without `chat_id` the private one of an account."""

    chat_type: ChatType
    provider: Identifier
    chat_id: Identifier | None
    user_id: Identifier | None
    account: AccountRef | None
    created_at: At


class PersonOrigin(Record, frozen=True, tag="person_origin"):
    """The account that introduced a person, the chat, and the person it was merged into."""

    person: Id
    created_by: AccountRef | None
    learned_in: ChatRef | None
    merged_into: Id | None
    active_at: At


class Participation(Record, frozen=True, tag="participation"):
    """An interval of taking part."""

    chat: ChatRef
    account: AccountRef
    joined_at: At
    left_at: At | None


class PersonActivity(Record, frozen=True, tag="person_activity"):
    """The time at which an account last mentioned a person."""

    account: AccountRef
    person: Id
    at: At


class Alias(Record, frozen=True, tag="alias"):
    """Another name of a person; `meant` is whom it means when nobody is merged."""

    number: Count
    person: Id
    value: Short
    added_by: AccountRef | None
    learned_in: ChatRef | None
    sensitivity: Sensitivity | None
    created_at: At
    meant: Id | None = None
    unsure: Count = 0
    said_at: At | None = None
    """When it was said; absent from early exports, where it counts as `created_at`."""


class Relationship(Record, frozen=True, tag="relationship"):
    """A relationship of one person to another, as somebody stated it."""

    number: Count
    person: Id
    relationship: Short
    to_person: Id
    stated_by: AccountRef | None
    learned_in: ChatRef | None
    sensitivity: Sensitivity | None
    created_at: At
    ended_at: At | None
    meant: Id | None = None
    to_meant: Id | None = None
    unsure: Count = 0
    ended_by: AccountRef | None = None
    """The joined account that ended the relationship, if another account stated it."""
    said_at: At | None = None
    """When it was said; absent from early exports, where it counts as `created_at`."""


class RejectedReference(Record, frozen=True, tag="rejected_reference"):
    """A reference that somebody said does not mean a person."""

    person: Id
    key: Annotated[str, msgspec.Meta(max_length=limits.REFERENCE_KEY_CHARS)]
    stated_by: AccountRef
    created_at: At


class Memory(Record, frozen=True, tag="memory"):
    """A memory, without its winner: `supersession` follows once all memories are known."""

    id: Id
    version: Count
    revision: Count
    content: Content
    memory_type: MemoryType
    created_at: At
    observed_at: At | None
    said_at: At
    owner: AccountRef | None
    chat: ChatRef | None
    learned_in: ChatRef | None
    learned_type: ChatType | None
    stated_by: AccountRef | None
    source: Short
    source_username: Name | None
    source_display_name: Name | None
    source_session_id: Name | None
    source_message_id: Name | None
    grant_id: Annotated[str, msgspec.Meta(max_length=limits.GRANT_ID_CHARS)] | None
    extraction_confidence: Share | None
    sensitivity: Sensitivity | None
    portable: bool
    expires_at: At | None
    ends_at: At | None
    valid_from: At | None
    valid_until: At | None
    tags: Annotated[list[Tag], msgspec.Meta(max_length=limits.TAGS_PER_FACT)]
    metadata: dict[str, Any] | None
    superseded_at: At | None
    archived_at: At | None
    archive_reason: Short | None
    last_accessed_at: At | None
    access_count: Count
    subjects: Annotated[list[Subject], msgspec.Meta(max_length=limits.SUBJECTS_PER_FACT)]
    judge_later: bool
    """Whether it waits to be compared with earlier memories."""
    meant: Annotated[list[MeantSubject], msgspec.Meta(max_length=limits.SUBJECTS_PER_FACT)] = (
        msgspec.field(default_factory=list)
    )
    project: Name | None = None
    project_name: Name | None = None


class Supersession(Record, frozen=True, tag="supersession"):
    """A memory supersedes another, until it ends."""

    memory: Id
    superseded_by: Id
    until: At | None


class MemoryLink(Record, frozen=True, tag="memory_link"):
    """A memory repeats, or may replace, an earlier one, or both hold."""

    newer: Id
    older: Id
    link: Literal["repeats", "may_replace", "both"]
    likelihood: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None


class MemoryEvent(Record, frozen=True, tag="memory_event"):
    """The effect of a new memory on an existing one."""

    memory: Id
    at: At
    event: Literal["duplicate", "superseded", "repeated", "may_be_replaced", "kept"]
    reason: Short
    newer: Id | None = None
    """The memory that it comes from; or, of a repetition that was not stored, where it was said."""
    said_in: ChatRef | None = None


class Merge(Record, frozen=True, tag="merge"):
    """A merge of two people, with everything that moved, so that a split can undo it."""

    loser: Id
    winner: Id
    merged_at: At
    split_at: At | None
    accounts: list[AccountRef]
    added_alias: Count | None
    by_join: bool = False
    """Whether the merge was made by a join of accounts."""
    aliases: list[Count] = msgspec.field(default_factory=list)
    relationships: list[Count] = msgspec.field(default_factory=list)
    relationships_to: list[Count] = msgspec.field(default_factory=list)
    subjects: list[tuple[Id, Count, bool]] | None = None
    """(memory, position, whether the winner was one already); these four in older files only."""


class Conversation(Record, frozen=True, tag="conversation"):
    """A conversation."""

    id: Id
    external_id: Identifier
    chat: ChatRef
    learned_type: ChatType
    owner: AccountRef | None
    created_at: At
    updated_at: At
    summarised_until: Annotated[int, msgspec.Meta(ge=-1, le=limits.IMPORT_COUNT)] = -1
    title: Name | None = None


class Message(Record, frozen=True, tag="message"):
    """A message of a conversation."""

    id: Id
    conversation: Id
    position: Count
    role: Literal["user", "assistant", "system", "tool"]
    speaker: Name | None
    account: AccountRef | None
    content: Content
    said_at: At
    external_id: Identifier | None
    import_key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")] | None
    created_at: At
    names_speaker: bool = False
    """Whether the message is found by its speaker's name."""
    project: Name | None = None
    project_name: Name | None = None
    metadata: dict[str, Any] | None = None


class Summary(Record, frozen=True, tag="summary"):
    """A summary of the messages of a conversation between two positions."""

    id: Id
    conversation: Id
    first_position: Count
    last_position: Count
    messages: Count
    said_from: At
    said_until: At
    overall: Content
    topics: list[Content]
    decisions: list[Content]
    key_dates: list[KeyDate]
    action_items: list[Content]
    created_at: At
    ends_at: At | None


class Override(Record, frozen=True, tag="override"):
    """A pinned fact."""

    id: Id
    content: Content
    owner: AccountRef | None
    chat: ChatRef | None
    for_groups: bool
    created_at: At
    removed_at: At | None
    project: Name | None = None


class ProfileVersion(Record, frozen=True, tag="profile_version"):
    """A version of a user's profile."""

    owner: AccountRef
    version: Count
    text: Content
    notes: Content
    source: Short
    created_at: At
    learned: Content = ""
    statements: Count = 0
    """The number of statements, counted from the first, that `learned` was written from."""


class ProfileStatement(Record, frozen=True, tag="profile_statement"):
    """A lasting statement about a user, as they said it."""

    account: AccountRef
    statement: Content
    confidence: Share
    message: Id | None
    created_at: At


class Grant(Record, frozen=True, tag="grant"):
    """A grant, for provenance: it is imported as closed, and without its token."""

    id: Annotated[str, msgspec.Meta(max_length=limits.GRANT_ID_CHARS, pattern="^g[a-z0-9]+$")]
    scope: Scope
    rights: list[Right]
    quota: QuotaParams
    created_at: At
    expires_at: At | None
    revoked_at: At | None


IN_ORDER: Final = (
    *(Person, Account, Chat, PersonOrigin, Participation, PersonActivity, Alias, Relationship),
    *(RejectedReference, Grant, Memory, Supersession, MemoryLink, MemoryEvent, Merge),
    *(Conversation, Message, Summary, Override, ProfileStatement, ProfileVersion),
    *(Entity, EntityAlias, Relation),
)
"""The kinds of records in the order of the file: records come after those they refer to."""
