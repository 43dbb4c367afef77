"""The shapes that go in and come out of the clients, for a type checker and an editor.

They describe plain dicts. Times are RFC 3339 in UTC. A key that is not required may be left out; a
reply may carry more keys than are listed here.
"""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

from ashd.client.messages import AnyMessage, StoredMessage, Summary, Turn


class Scope(TypedDict):
    """The user on whose behalf a call is made; without `chat_id` it is the user's private chat."""

    provider: str
    user_id: NotRequired[str]
    chat_id: NotRequired[str]
    chat_type: NotRequired[Literal["group", "private"]]
    username: NotRequired[str]
    display_name: NotRequired[str]
    participants: NotRequired[list[str]]
    session_id: NotRequired[str]
    message_id: NotRequired[str]
    timezone: NotRequired[str]


class Call(TypedDict, total=False):
    """The parameters of every call: a scope in place of the client's own."""

    scope: Scope


class FactFields(TypedDict, total=False):
    """The optional fields of a fact."""

    subjects: list[str]
    type: str
    shared: bool
    expires_in_days: float
    expires_at: str
    sensitivity: Literal["public", "personal", "sensitive"]
    portable: bool
    observed_at: str
    valid_from: str
    valid_until: str
    tags: list[str]
    metadata: dict[str, Any]
    supersedes: str


class Fact(FactFields):
    """One entry of a batch."""

    content: str


class AddOptions(FactFields, Call, total=False):
    """Options of `add` and `add_many`: defaults for every fact, and the key of the call."""

    idempotency_key: str


class Filters(Call, total=False):
    """The filters of a search."""

    limit: int
    about: str
    types: list[str]
    tags: list[str]
    include_superseded: bool
    include_expired: bool


class SearchOptions(Filters, total=False):
    """Options of `search`."""

    as_of: str
    since: str
    until: str
    min_score: float
    mode: Literal["hybrid", "lexical", "vector"]
    explain: bool


class ListOptions(Filters, total=False):
    """Options of `list_memories`."""

    cursor: str
    source: str
    session_id: str
    grant_id: str
    include_archived: bool
    state: Literal["active", "superseded", "expired", "archived"]
    sort: Literal["newest", "oldest", "most_used", "last_used", "ends_first"]


class IngestOptions(Call, total=False):
    """Options of `ingest`; one of `turns` and `messages` (`NewMessage` has their fields)."""

    turns: Sequence[Turn]
    messages: Sequence[AnyMessage]
    session_date: str
    skip_extraction: bool


class ContextOptions(Call, total=False):
    """Options of `context`."""

    recent: Sequence[AnyMessage]
    max_tokens: int
    max_memories: int
    max_messages: int
    min_message_similarity: float
    sections: list[str]
    explain: bool


class ConversationOptions(Call, total=False):
    """Options of `search_conversations`."""

    limit: int
    conversation_id: str
    since: str
    until: str
    window: int
    mode: Literal["hybrid", "lexical", "vector"]
    explain: bool


class GrantOptions(Call, total=False):
    """Options of `create_grant`."""

    rights: list[str]
    expires_in_s: int
    quota: dict[str, int]
    token: bool
    ends_with_caller: bool


class Notice(TypedDict):
    """A remark about an answer, for the caller."""

    kind: str
    message: str


class MayReplace(TypedDict):
    """An earlier memory that a newer one may replace."""

    id: str
    content: str
    likelihood: float


class Conflict(MayReplace):
    """Another memory; the newer of the two, by `relation`, perhaps replaces the older."""

    relation: str
    at: str


class Memory(TypedDict):
    """A stored statement."""

    id: str
    version: int
    revision: int
    content: str
    memory_type: str
    created_at: str
    observed_at: str | None
    provider: str | None
    owner_user_id: str | None
    chat_id: str | None
    subject_person_ids: list[str]
    source: str | None
    source_username: str | None
    source_display_name: str | None
    source_session_id: str | None
    source_message_id: str | None
    extraction_confidence: float | None
    sensitivity: str | None
    portable: bool
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    superseded_at: str | None
    superseded_by_id: str | None
    archived_at: str | None
    archive_reason: str | None
    tags: list[str]
    metadata: dict[str, Any]
    last_accessed_at: str | None
    access_count: int
    conflicts: list[Conflict]


class MayBe(TypedDict):
    """Another person whom a reference could mean."""

    id: str
    name: str
    relationship: str | None


class PersonNamed(TypedDict):
    """A person as an outcome names them."""

    id: str
    name: str
    created: bool
    may_be: list[MayBe]


class Outcome(TypedDict):
    """The outcome of one fact; `error` is set if it was refused."""

    outcome: Literal["added", "duplicate", "refused"]
    memory: Memory | None
    superseded: list[str]
    may_replace: list[MayReplace]
    repeats: list[str]
    people: list[PersonNamed]
    not_kept: NotRequired[list[str]]
    error: NotRequired[dict[str, Any]]


class Added(TypedDict):
    """Result of `add` and `add_many`: one outcome per fact, in order."""

    memories: list[Outcome]
    degraded: list[str]


class Hit(TypedDict):
    """One result of a search."""

    memory: Memory
    score: float
    weak: bool
    about: list[str]
    repeats: list[str]
    trust: str
    via: NotRequired[str]
    passage: NotRequired[str]
    signals: NotRequired[dict[str, Any]]


class Found(TypedDict):
    """Result of `search`."""

    results: list[Hit]
    withheld: dict[str, Any]
    degraded: list[str]
    notices: list[Notice]


class Listed(TypedDict):
    """Result of `list_memories`."""

    memories: list[Memory]
    next_cursor: str | None
    total: int
    notices: list[Notice]
    names: dict[str, str]


class MessageHit(TypedDict):
    """A message that answers, with its neighbours in `window`."""

    message: StoredMessage
    score: float
    window: list[StoredMessage]
    passage: NotRequired[str]
    signals: NotRequired[dict[str, float]]


class FoundMessages(TypedDict):
    """Result of `search_conversations`."""

    results: list[MessageHit]
    degraded: list[str]


class Resolved(TypedDict):
    """Result of `resolve_person`."""

    person_id: str
    person_name: str
    created: bool
    matched_by: str
    may_be: list[MayBe]


class ContextSection(TypedDict):
    """A section of the block: its size, and how many items it has."""

    name: str
    heading: str
    tokens: int
    items: int


class Context(TypedDict):
    """Result of `context`: the block for the prompt, and what it is made of."""

    text: str
    token_count: int
    sections: list[ContextSection]
    memories: list[Memory]
    messages: list[StoredMessage]
    summaries: list[Summary]
    people: list[dict[str, Any]]
    degraded: list[str]
    notices: list[Notice]
    explained: NotRequired[list[dict[str, Any]]]


class Function(TypedDict):
    """A tool's definition for a model; `parameters` is a JSON schema."""

    name: str
    description: NotRequired[str]
    parameters: NotRequired[dict[str, object]]
    strict: NotRequired[bool | None]


class Tool(TypedDict):
    """A tool as an OpenAI-compatible endpoint takes it."""

    type: Literal["function"]
    function: Function


class ToolOptions(Call, total=False):
    """Options of `call_tool`; the id of the model's call is a good key."""

    idempotency_key: str


class ToolResult(TypedDict):
    """Result of `call_tool`: `content` is for the model, also when `is_error` is true."""

    content: str
    is_error: bool
    result: dict[str, Any] | None
    error: NotRequired[dict[str, Any]]


class RefusedMessage(TypedDict):
    """A message that was left out, by its place in the call."""

    index: int
    kind: str
    message: str


class Ingested(TypedDict):
    """Result of `ingest`."""

    ingested: int
    duplicates: int
    refused: list[RefusedMessage]
    job_id: str | None


class Job(TypedDict):
    """A background job; `outcome` says how it ended, `error` why an attempt failed."""

    id: str
    kind: str
    state: Literal["waiting", "running", "done", "set_aside"]
    provider: str
    user_id: str | None
    chat_id: str | None
    conversation_id: str | None
    outcome: str | None
    attempts: int
    error: str | None
    created_at: str
    not_before: str | None
    finished_at: str | None
    tokens: int


class Grant(TypedDict):
    """Result of `create_grant`: mount `directory` at ``/run/ash`` in the sandbox.

    `token` was asked for and is shown only here; `tcp` is where it can be used without a mount.
    """

    grant_id: str
    directory: str
    socket: str
    expires_at: str | None
    token: NotRequired[str]
    tcp: NotRequired[str]
