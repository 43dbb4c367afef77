"""The shapes of params and results, which are plain dicts. Made by `make docs` from the daemon's table of methods.

Times are RFC 3339 in UTC. A key that is not required may be missing; a reply may have more keys.
"""

from typing import Any, Literal, NotRequired, TypedDict


class Project(TypedDict):
    """A project, such as a repository: memories stored in a project are read in it alone."""

    id: str
    name: NotRequired[str | None]


class Scope(TypedDict):
    """The user and chat of a call: a provider's user, in a chat or alone with the agent."""

    provider: str
    user_id: NotRequired[str | None]
    chat_id: NotRequired[str | None]
    chat_type: NotRequired[Literal["group", "private"] | None]
    username: NotRequired[str | None]
    display_name: NotRequired[str | None]
    participants: NotRequired[list[str]]
    session_id: NotRequired[str | None]
    message_id: NotRequired[str | None]
    timezone: NotRequired[str | None]
    project: NotRequired[Literal["*"] | Project | None]


class AccountAccountView(TypedDict):
    """An account, and the numbers of its active memories, its conversations and its turns."""

    provider: str
    user_id: str
    name: str | None
    memories: int
    conversations: int
    turns: int
    last_active_at: str


class AccountListResult(TypedDict):
    """Accounts, oldest first; `next_cursor` gets the next page, if any."""

    accounts: list[AccountAccountView]
    next_cursor: str | None


class Behalf(TypedDict):
    """The account that a call was made for."""

    provider: str
    user_id: str


class EntryView(TypedDict):
    """A row of the audit: the caller, the method, the account it was for, and the outcome.

    `digest` is keyed; equal calls have equal digests. The process id and the user id are the
    caller's as the kernel reports them; null over TCP. `people` are the ids of two people who were
    merged or split, the remaining person last; `memory` is the memory whose sentence merged them.
    """

    id: int
    at: str
    actor: str
    grant_id: str | None
    account: Behalf | None
    method: str
    outcome: str
    digest: str
    peer_pid: int | None
    peer_uid: int | None
    people: list[str]
    memory: str | None


class AuditListResult(TypedDict):
    """Rows, newest first; `next_cursor` gets the next page, if any."""

    entries: list[EntryView]
    next_cursor: str | None


class ChatNamed(TypedDict):
    """A chat, by its provider's id."""

    provider: str
    chat_id: str
    chat_type: Literal["group", "private"]


class AccountNamed(TypedDict):
    """An account, by its provider's id."""

    provider: str
    user_id: str


class ParticipantView(TypedDict):
    """An interval in which an account took part; `left_at` is null while it lasts."""

    provider: str
    user_id: str
    username: str | None
    display_name: str | None
    joined_at: str
    left_at: str | None


class ParticipantsResult(TypedDict):
    """Everybody's intervals, oldest first."""

    participants: list[ParticipantView]


class ChatView(TypedDict):
    """A chat with its counts; a private chat is that of the account `user_id`.

    `participants` take part now; `memories` are active and were learned in the chat.
    """

    provider: str
    chat_type: str
    chat_id: str | None
    user_id: str | None
    participants: int
    memories: int
    conversations: int


class ChatListResult(TypedDict):
    """The intervals of all participants of the named chat; without one, chats, oldest first."""

    participants: list[ParticipantView]
    chats: list[ChatView]
    next_cursor: str | None


class Recent(TypedDict):
    """A message of the current conversation, which the host has in the prompt already."""

    role: str
    content: str


class SectionView(TypedDict):
    """A section of the block: its tokens and how many items it has."""

    name: str
    heading: str
    tokens: int
    items: int


class Conflict(TypedDict):
    """Another active memory: the newer of the two perhaps replaces the older.

    `relation` says whether the other memory is the newer or the older one. `at` is the time when
    the other memory was observed or told.
    """

    id: str
    relation: Literal["newer", "older"]
    likelihood: float
    at: str
    content: str


class Memory(TypedDict):
    """A memory on the wire. A group's memory has a chat and no owner."""

    id: str
    version: int
    revision: int
    content: str
    memory_type: Literal[
        "commitment",
        "context",
        "correction",
        "decision",
        "event",
        "identity",
        "knowledge",
        "observation",
        "preference",
        "relationship",
        "skill",
        "task",
    ]
    created_at: str
    observed_at: str | None
    owner_user_id: str | None
    chat_id: str | None
    provider: str | None
    subject_person_ids: list[str]
    source: str
    source_username: str | None
    source_display_name: str | None
    source_session_id: str | None
    source_message_id: str | None
    extraction_confidence: float | None
    sensitivity: Literal["personal", "public", "sensitive"] | None
    portable: bool
    expires_at: str | None
    valid_from: str | None
    valid_until: str | None
    tags: list[str]
    superseded_at: str | None
    superseded_by_id: str | None
    archived_at: str | None
    archive_reason: str | None
    last_accessed_at: str | None
    access_count: int
    metadata: dict[str, Any] | None
    project: Project | None
    conflicts: list[Conflict]


class MessageView(TypedDict):
    """A message; `index` is its place among those that the reader may see, from 0."""

    id: str
    external_id: str | None
    conversation_id: str
    index: int
    role: str
    speaker: str | None
    content: str
    at: str
    token_count: int
    metadata: dict[str, Any] | None


class KeyDate(TypedDict):
    """A date that was spoken of, as it was understood, and its event."""

    date: str
    what: str


class SummaryView(TypedDict):
    """A summary of what was said in a conversation from `began_at` to `at`."""

    overall: str
    topics: list[str]
    decisions: list[str]
    key_dates: list[KeyDate]
    action_items: list[str]
    id: str
    conversation_id: str
    title: str | None
    began_at: str
    at: str
    messages: int


class RelationshipView(TypedDict):
    """A relationship to another person; `stated_by` is a user id, `to` a person's id."""

    relationship: str
    to: str
    to_name: str
    stated_by: str | None
    created_at: str
    ended_at: str | None


class AliasView(TypedDict):
    """Another name, and who added it (a user id)."""

    value: str
    added_by: str | None
    created_at: str


class ContextAccountView(TypedDict):
    """An account of the person."""

    provider: str
    user_id: str
    username: str | None
    display_name: str | None


class PersonView(TypedDict):
    """A person on the wire."""

    id: str
    version: int
    created_by: str | None
    name: str
    relationships: list[RelationshipView]
    aliases: list[AliasView]
    accounts: list[ContextAccountView]
    merged_into: str | None
    metadata: dict[str, Any] | None
    created_at: str
    updated_at: str


class Notice(TypedDict):
    """A remark about the answer, for the reader."""

    kind: str
    message: str


class ContextExplained(TypedDict):
    """A line that was considered for the block, and its tokens.

    `why` is `in` if the block has the line, else the rule that left the line out (`twice`,
    `over_section`, `over_total`, `below_similarity`, `echo`). `reason` says why the line was
    considered.
    """

    section: str
    item: str
    why: Literal["below_similarity", "echo", "in", "over_section", "over_total", "twice"]
    score: float | None
    reason: Literal[
        "always",
        "known",
        "latest",
        "neighbour",
        "newest",
        "pinned",
        "profile",
        "ranked",
        "relation",
        "standing",
    ]
    text: str
    tokens: int


class ContextGetResult(TypedDict):
    """The block, its size, and what is in it."""

    text: str
    token_count: int
    sections: list[SectionView]
    memories: list[Memory]
    messages: list[MessageView]
    summaries: list[SummaryView]
    people: list[PersonView]
    degraded: list[str]
    notices: list[Notice]
    explained: NotRequired[list[ContextExplained]]


class ConversationDeleteResult(TypedDict):
    """The number of messages deleted."""

    deleted: int


class ConversationView(TypedDict):
    """A conversation: its chat, the number of messages the reader may see, and their times."""

    id: str
    conversation_id: str
    provider: str
    owner_user_id: str | None
    chat_id: str | None
    title: str | None
    messages: int
    first_at: str | None
    last_at: str | None


class ConversationGetResult(TypedDict):
    """A conversation and its messages in order; `before` is the index to continue from, if any."""

    conversation: ConversationView
    messages: list[MessageView]
    before: int | None


class TurnIn(TypedDict):
    """A turn: the user's message and the assistant's answer."""

    user: str
    assistant: str
    at: NotRequired[str | None]
    external_id: NotRequired[str | None]


class MessageIn(TypedDict):
    """One message; `user_id` is the account of its speaker."""

    role: NotRequired[Literal["assistant", "system", "tool", "user"]]
    content: str
    speaker: NotRequired[str | None]
    user_id: NotRequired[str | None]
    at: NotRequired[str | None]
    external_id: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class RefusedMessage(TypedDict):
    """A message that was left out, by its place in the call, and why."""

    index: int
    kind: str
    message: str


class ConversationIngestResult(TypedDict):
    """The counts of messages stored and already known, and the refused ones."""

    ingested: int
    duplicates: int
    refused: list[RefusedMessage]
    job_id: str | None


class ConversationListResult(TypedDict):
    """Conversations, the latest first; `total` counts all pages."""

    conversations: list[ConversationView]
    next_cursor: str | None
    total: int


class ConversationResult(TypedDict):
    """A message that answers, its score, and the messages around it."""

    message: MessageView
    score: float
    window: list[MessageView]
    passage: NotRequired[str]
    signals: NotRequired[dict[str, float]]


class ConversationSearchResult(TypedDict):
    """The results of a search, best first."""

    results: list[ConversationResult]
    degraded: list[str]


class DbBackupResult(TypedDict):
    """A backup that was made; `removed` are older ones that were deleted for it."""

    path: str
    bytes: int
    sha256: str
    memories: int
    verified: bool
    removed: list[str]


class Finding(TypedDict):
    """A problem; `fixable` if `fix` mends it.

    If it cannot be mended, but `fix` ends its warning, it is `acknowledgeable`: `acknowledged`
    then, not `fixed`.
    """

    name: str
    severity: Literal["error", "note", "warning"]
    detail: str
    remedy: str
    fixable: NotRequired[bool]
    fixed: NotRequired[bool]
    acknowledgeable: NotRequired[bool]
    acknowledged: NotRequired[bool]


class DbCheckResult(TypedDict):
    """The findings, worst first."""

    findings: list[Finding]


class CopyView(TypedDict):
    """A backup or an export, which holds the data of the time when it was made."""

    path: str
    kind: str
    made_at: str


class Receipt(TypedDict):
    """The rows erased, counted by table, and earlier backup files that still hold them.

    The daemon changes no backup: delete those files, or make a new backup so that old ones are
    pruned. With `bytes_at_server`, the rows are gone from every answer, but a PostgreSQL server
    keeps their bytes until it has vacuumed and written over them, and in its WAL, archives and
    replicas.
    """

    rows: dict[str, int]
    backups: list[CopyView]
    bytes_at_server: NotRequired[bool]


class EraseResult(TypedDict):
    """The number of memories and messages erased, and the receipt."""

    erased: int
    receipt: Receipt


class DbCompactResult(TypedDict):
    """The number of memories removed, and the receipt."""

    removed: int
    receipt: Receipt


class DbExportResult(TypedDict):
    """The number of records written, in all and by kind."""

    path: str
    rows: int
    kinds: dict[str, int]
    encrypted: bool


class Archived(TypedDict):
    """A memory whose state changed, and why."""

    id: str
    reason: str


class DbGcResult(TypedDict):
    """The number of memories archived for each reason, and of rows removed from each table.

    `returned` counts those that are active again because their winner ended.
    """

    archived: dict[str, int]
    removed: dict[str, int]
    memories: list[Archived]


class Stored(TypedDict):
    """Memories and messages that were stored on a day (UTC) and still exist."""

    date: str
    memories: int
    messages: int


class DbGrowthResult(TypedDict):
    """Each day on which something was stored, oldest first; `before` is the sum of earlier days."""

    before: Stored
    days: list[Stored]


class RecordError(TypedDict):
    """The reason why a record was refused; never its content."""

    kind: str
    message: str
    hint: str


class RefusedRecord(TypedDict):
    """A record that was refused, by its line in the file, 0 if it is about the whole file."""

    line: int
    error: RecordError
    file: str | None


class LeftOutRecords(TypedDict):
    """The number of parts of a file that were left out for one reason."""

    reason: str
    count: int


class DbImportResult(TypedDict):
    """The outcome of the records; if very many were refused, only the first are listed.

    `archived` are memories whose passages went from the notes that they were imported from.
    `to_be_read` counts the parts of conversations that the language model reads in the background.
    """

    format: (
        Literal["ash"]
        | Literal[
            "agent-files",
            "chatgpt",
            "claude",
            "letta",
            "lines",
            "mcp-memory",
            "mem0",
            "notes",
            "osaurus",
            "zep",
        ]
    )
    imported: int
    duplicates: int
    refused: list[RefusedRecord]
    refused_count: int
    archived: int
    to_be_read: int
    left_out: list[LeftOutRecords]
    stopped: bool


class DbReindexResult(TypedDict):
    """The number of index rows that were rebuilt."""

    rows: int


class TaskUsage(TypedDict):
    """Answered calls of a task, and the tokens sent and received."""

    task: str
    calls: int
    sent: int
    received: int


class DbStatsResult(TypedDict):
    """The database's contents: rows of each kind, and bytes."""

    counts: dict[str, int]
    language_model: list[TaskUsage]


class DbStopImportResult(TypedDict):
    """The number of imports that end."""

    stopping: int


class QuotaParams(TypedDict):
    """`quota` of `grant.create`; omitted limits are those of `[limits]`."""

    request_bytes_per_minute: NotRequired[int | None]
    writes_per_minute: NotRequired[int | None]
    writes_per_day: NotRequired[int | None]
    stored_bytes: NotRequired[int | None]
    reply_bytes_per_day: NotRequired[int | None]
    embedder_calls_per_day: NotRequired[int | None]


class GrantCreateResult(TypedDict):
    """The new grant: mount `directory`, never `socket` itself. `token` is shown only here."""

    grant_id: str
    directory: str
    socket: str
    expires_at: str | None
    token: NotRequired[str]
    tcp: NotRequired[str]


class WithdrawalView(TypedDict):
    """A withdrawal of memories of a grant, which can be undone as a whole."""

    withdrawal_id: str
    memories: int
    at: str


class UseView(TypedDict):
    """The use of a grant.

    `quota` has its limits, and `used` the amounts used of each limit; daily amounts count from
    midnight (UTC). `last_used_on` is the last day with a call. `memories` counts active memories,
    `archived` the others.
    """

    memories: int
    archived: int
    last_used_on: str | None
    quota: dict[str, int]
    used: dict[str, int]
    withdrawals: list[WithdrawalView]


class GrantView(TypedDict):
    """A grant as the operator sees it; `use` is set only if it was asked for."""

    grant_id: str
    scope: Scope
    rights: list[Literal["forget", "read", "write"]]
    quota: QuotaParams
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    state: str
    use: NotRequired[UseView]


class GrantListResult(TypedDict):
    """Grants, newest first; `total` counts all pages."""

    grants: list[GrantView]
    next_cursor: str | None
    total: int


class GrantResult(TypedDict):
    """The grant as it is now."""

    grant: GrantView


class EntityView(TypedDict):
    """An entity, with its other names; `person_id` if it is a person known here."""

    id: str
    type: Literal["company", "concept", "event", "person", "place", "project", "tool"]
    name: str
    aliases: list[str]
    person_id: str | None


class GraphAddEntityResult(TypedDict):
    """The entity, and whether it was known already."""

    outcome: Literal["added", "known"]
    entity: EntityView


class EndView(TypedDict):
    """One end of a relation, with the name that was used when it was stated."""

    id: str
    type: Literal["company", "concept", "event", "person", "place", "project", "tool"]
    name: str


class RelationView(TypedDict):
    """A relation. It holds from `valid_from` to before `valid_until`.

    `stated_by` is a user id, null for an account that the viewer never met. `said_at` is when it
    was first said, `asserted_at` when it was last said.
    """

    id: str
    source: EndView
    relation: str
    target: EndView
    confidence: float
    valid_from: str | None
    valid_until: str | None
    stated_by: str | None
    said_at: str
    created_at: str
    asserted_at: str


class GraphEndResult(TypedDict):
    """The relation as it is now."""

    relation: RelationView


class GraphRelateResult(TypedDict):
    """The relation; `revived` when it had ended before; `ended` are the values that it replaced."""

    outcome: Literal["added", "known", "revived"]
    relation: RelationView
    ended: list[str]


class GraphRemoveResult(TypedDict):
    """The entity or relation that was removed."""

    id: str
    kind: Literal["entity", "relation"]


class FoundRelation(TypedDict):
    """A relation; `depth` 1 is one of the named entity itself."""

    id: str
    source: EndView
    relation: str
    target: EndView
    confidence: float
    valid_from: str | None
    valid_until: str | None
    stated_by: str | None
    said_at: str
    created_at: str
    asserted_at: str
    depth: int


class GraphSearchResult(TypedDict):
    """The entities that were meant, and their relations, nearest first; `more` if some were cut.

    `people` has the known person that the name means, and the known people who are something to
    that person ("son"); for a relation without a name, those who are this to the asker.
    """

    entities: list[EntityView]
    people: list[PersonView]
    relations: list[FoundRelation]
    more: bool
    notices: list[Notice]


class JobsFlushResult(TypedDict):
    """The outcome of the jobs; `waiting` counts those not finished when the call ended."""

    done: int
    set_aside: int
    waiting: int


class JobView(TypedDict):
    """A job; `outcome` says how it ended, `error` why an attempt failed.

    `waits_for` says why a job waits: until its next attempt at `not_before` (`pause`), for a valid
    key of the language model (`key`), for the end of a minute without calls, after failures
    (`breaker`), or for midnight UTC, after the tokens of the day were used up (`ceiling`).

    `owner` is the user whom the job is for, or the chat if no user is known; the job reads the
    conversation `conversation_id`.
    """

    id: str
    kind: str
    state: Literal["done", "running", "set_aside", "waiting"]
    provider: str
    user_id: str | None
    chat_id: str | None
    conversation_id: str | None
    outcome: str | None
    waits_for: Literal["breaker", "ceiling", "key", "pause"] | None
    attempts: int
    error: str | None
    created_at: str
    not_before: str | None
    finished_at: str | None
    tokens: int


class JobResult(TypedDict):
    """One job."""

    job: JobView


class JobsListResult(TypedDict):
    """Jobs, newest first; `next_cursor` gets the next page, if any."""

    jobs: list[JobView]
    next_cursor: str | None


class KeyAccount(TypedDict):
    """A person's own account."""

    provider: str
    user_id: str


class KeyView(TypedDict):
    """A key: its id, its hash, and whom it is for; the key itself is not stored."""

    id: str
    hash: str
    agents: list[str]
    account: KeyAccount | None
    stores: bool
    created_at: str


class KeyListResult(TypedDict):
    """All keys that are not revoked, the oldest first."""

    keys: list[KeyView]


class LlmCountResult(TypedDict):
    """Tokens of all tasks since midnight, UTC."""

    tokens_today: int


class Fact(TypedDict):
    """One fact of a batch."""

    subjects: NotRequired[list[str] | None]
    type: NotRequired[
        Literal[
            "commitment",
            "context",
            "correction",
            "decision",
            "event",
            "fact",
            "identity",
            "knowledge",
            "observation",
            "preference",
            "relationship",
            "skill",
            "task",
        ]
        | None
    ]
    expires_in_days: NotRequired[float | None]
    expires_at: NotRequired[str | None]
    sensitivity: NotRequired[Literal["personal", "public", "sensitive"] | None]
    portable: NotRequired[bool | None]
    valid_from: NotRequired[str | None]
    valid_until: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    metadata: NotRequired[dict[str, Any] | None]
    everywhere: NotRequired[bool | None]
    shared: NotRequired[bool | None]
    observed_at: NotRequired[str | None]
    supersedes: NotRequired[str | None]
    content: str


class MayReplace(TypedDict):
    """An earlier memory that the new one may replace; `memory.supersede` settles it."""

    id: str
    content: str
    likelihood: float


class MayBe(TypedDict):
    """Another person who could be meant, with a relationship to the speaker or to somebody else."""

    id: str
    name: str
    relationship: str | None


class PersonNamed(TypedDict):
    """A subject of a fact, whether the fact created the person, and who else could be meant."""

    id: str
    name: str
    created: bool
    may_be: list[MayBe]


class ErrorData(TypedDict):
    """Decide on `kind`; each kind may add fields of its own."""

    kind: str
    hint: str
    retryable: bool


class ErrorObject(TypedDict):
    """An error of one part of a call, in the form of a whole call's error."""

    code: int
    message: str
    data: ErrorData


class Added(TypedDict):
    """The outcome of one fact."""

    outcome: Literal["added", "duplicate", "refused"]
    memory: Memory | None
    superseded: list[str]
    may_replace: list[MayReplace]
    repeats: list[str]
    people: list[PersonNamed]
    not_kept: NotRequired[list[str]]
    job_id: NotRequired[str]
    error: NotRequired[ErrorObject]


class MemoryAddResult(TypedDict):
    """One entry per fact, in order.

    `degraded` if facts are judged later: "embedder" with their vectors, "judge" when there is time.
    """

    memories: list[Added]
    degraded: list[str]


class ConflictView(TypedDict):
    """Two active memories, the likelihood that the newer one replaces the older, and since when."""

    newer: Memory
    older: Memory
    likelihood: float
    since: str


class MemoryConflictsResult(TypedDict):
    """A page of conflicts that are not settled, likeliest first; `total` counts all pages.

    `names` are those of the people that their memories are about, by id.
    """

    conflicts: list[ConflictView]
    next_cursor: str | None
    total: int
    names: dict[str, str]


class MemoryDeleteResult(TypedDict):
    """The memory as it is now; `reactivated` are the ids of memories that are active again."""

    memory: Memory
    reactivated: list[str]


class MessageParams(TypedDict):
    """A message; if it names no speaker, the caller or the assistant said it, by its `role`."""

    role: NotRequired[Literal["assistant", "user"]]
    content: str
    user_id: NotRequired[str | None]
    username: NotRequired[str | None]
    display_name: NotRequired[str | None]
    at: NotRequired[str | None]


class MemoryExtractResult(TypedDict):
    """The job that reads them; `memories` if the caller waited and it is done."""

    job_id: str
    memories: NotRequired[list[Added]]


class Listed(TypedDict):
    """The number of texts of each kind, and the ids of the first 200.

    A statement or a version of a profile has no id; its number stands for it.
    """

    counts: NotRequired[dict[str, int]]
    ids: NotRequired[dict[str, list[str]]]


class MemoryForgetPersonResult(TypedDict):
    """The number of memories archived and erased, and the receipt of what was erased."""

    archived: int
    erased: int
    receipt: Receipt
    record_kept: str | None
    withdrawal_id: str | None
    mentions: Listed
    left: Listed


class LearnedIn(TypedDict):
    """The chat in which a memory was learned; `chat_id` is null for an unnamed private chat."""

    provider: str
    chat_id: str | None
    chat_type: str


class SourceMessage(TypedDict):
    """The message that a memory was learned from."""

    id: str
    conversation: str
    conversation_id: str
    role: str
    speaker: str | None
    content: str
    at: str


class MemoryReader(TypedDict):
    """An account, its part in the memory, and the places where it may read the memory."""

    provider: str
    user_id: str
    name: str
    roles: list[Literal["owner", "present", "stated_by", "subject"]]
    in_private: bool
    in_other_groups: bool


class Repeated(TypedDict):
    """An earlier memory that says the same."""

    id: str
    content: str


class MemoryExplained(TypedDict):
    """The source of a memory, its readers, and the memories it repeats.

    Only an operator is told who may read it. `in_its_group` is null for a memory of a private chat;
    `more_readers` counts accounts that are not listed, because there are many or the viewer never
    met them.
    """

    learned_in: LearnedIn | None
    message: SourceMessage | None
    grant_id: str | None
    may_change: bool
    in_its_group: bool | None
    readers: list[MemoryReader]
    more_readers: int
    repeats: list[Repeated]


class MemoryGetResult(TypedDict):
    """A memory and the people it is about; `explained` if it was asked for."""

    memory: Memory
    people: list[PersonView]
    explained: NotRequired[MemoryExplained]


class Event(TypedDict):
    """An effect of another memory on this one."""

    memory_id: str
    at: str
    event: str
    reason: str


class MemoryHistoryResult(TypedDict):
    """The chain of memories that superseded one another, oldest first."""

    chain: list[Memory]
    events: list[Event]


class MemoryListResult(TypedDict):
    """A page of memories in the requested order; `total` counts all pages.

    `names` has the names of the people they are about, by id, as the viewer knows them.
    """

    memories: list[Memory]
    next_cursor: str | None
    total: int
    notices: list[Notice]
    names: dict[str, str]


class MemoryRestoreResult(TypedDict):
    """The memory as it is now; `restored` is false for one that was active.

    For a withdrawal: how many memories came back, and the ids of those that stay withdrawn because
    another memory says the same by now.
    """

    memory: Memory | None
    restored: bool
    count: int
    stay: list[str]


class ConflictRef(TypedDict):
    """A conflict of a result, as in its memory's `conflicts`."""

    id: str
    relation: Literal["newer", "older"]
    likelihood: float


class MemoryResult(TypedDict):
    """A memory that answers, its score, the people it is about and its trust.

    In a block for a prompt `about` leaves out the person who told it, who is nobody else there.
    """

    memory: Memory
    score: float
    weak: bool
    about: list[str]
    repeats: list[str]
    conflicts: list[ConflictRef]
    trust: Literal["fact", "hearsay", "unknown"]
    via: NotRequired[str]
    passage: NotRequired[str]
    signals: NotRequired[dict[str, float]]
    newest: NotRequired[bool]


class WithheldResult(TypedDict):
    """A candidate that was not shown, its score, and the reason."""

    why: Literal["below_threshold", "over_limit"]
    result: MemoryResult


class Withheld(TypedDict):
    """The number of candidates that were not shown, by reason; with `explain` the best of them."""

    below_threshold: int
    over_limit: int
    best: NotRequired[list[WithheldResult]]


class MemorySearchResult(TypedDict):
    """The memories found, best first."""

    results: list[MemoryResult]
    withheld: Withheld
    degraded: list[str]
    notices: list[Notice]


class MemorySupersedeResult(TypedDict):
    """The newer of the two memories."""

    memory: Memory


class Changes(TypedDict):
    """The fields to change; null removes an expiry, validity or metadata."""

    subjects: NotRequired[list[str] | None]
    type: NotRequired[
        Literal[
            "commitment",
            "context",
            "correction",
            "decision",
            "event",
            "fact",
            "identity",
            "knowledge",
            "observation",
            "preference",
            "relationship",
            "skill",
            "task",
        ]
        | None
    ]
    expires_in_days: NotRequired[float | None]
    expires_at: NotRequired[str | None]
    sensitivity: NotRequired[Literal["personal", "public", "sensitive"] | None]
    portable: NotRequired[bool | None]
    valid_from: NotRequired[str | None]
    valid_until: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    metadata: NotRequired[dict[str, Any] | None]
    everywhere: NotRequired[bool | None]
    content: NotRequired[str | None]


class Changed(TypedDict):
    """A memory before and after a change."""

    before: Memory
    after: Memory


class MemoryUpdateResult(TypedDict):
    """The memory as it is now; `previous_id` is the one that it superseded, if any.

    New content given in private for a group's memory supersedes nothing: the group keeps its own.
    With `ids` or `dry_run`, `changed` has every memory before and after, and `memory` is the first.
    """

    memory: Memory
    previous_id: str | None
    people: list[PersonNamed]
    changed: NotRequired[list[Changed]]


class MemoryWithdrawResult(TypedDict):
    """The withdrawal, by which it is undone, and its memories, newest first, at most 1,000."""

    withdrawal_id: str | None
    memories: list[Memory]
    total: int


class ModelUseResult(TypedDict):
    """The model that will serve; `building` until all its vectors are there (`system.status`)."""

    model: str | None
    building: bool


class OverrideView(TypedDict):
    """An override on the wire: a user's (`owner_user_id`) or a group's (`chat_id`).

    In a group the user is not named if the account that pinned it is of another provider.
    """

    id: str
    content: str
    for_groups: bool
    provider: str | None
    owner_user_id: str | None
    chat_id: str | None
    project_id: str | None
    created_at: str
    removed_at: str | None


class OverrideAddResult(TypedDict):
    """The override; `changed` if it existed already and its mark for groups changed."""

    outcome: Literal["added", "changed", "duplicate"]
    override: OverrideView


class OverrideListResult(TypedDict):
    """Overrides, oldest first."""

    overrides: list[OverrideView]


class OverrideRemoveResult(TypedDict):
    """The override as it was."""

    override: OverrideView


class PersonResult(TypedDict):
    """One person."""

    person: PersonView


class Pair(TypedDict):
    """Two people who may be one, and the evidence."""

    people: list[PersonView]
    why: str


class PersonDuplicatesResult(TypedDict):
    """Suggestions, likeliest first; nothing was merged."""

    pairs: list[Pair]


class RelatedView(TypedDict):
    """A relationship of another person, `id`, to this one."""

    relationship: str
    to: str
    to_name: str
    stated_by: str | None
    created_at: str
    ended_at: str | None
    id: str
    name: str


class PersonGetResult(TypedDict):
    """One person; with `related`, also the latest relationships of others to this person.

    `related_total` counts them all. `can_split`: there is a merge that the caller may undo.
    """

    person: PersonView
    related: NotRequired[list[RelatedView]]
    related_total: NotRequired[int]
    can_split: NotRequired[bool]


class PersonListResult(TypedDict):
    """A page of people; `total` counts all pages, `next_cursor` gets the page after this one."""

    people: list[PersonView]
    next_cursor: str | None
    total: int
    relationships: NotRequired[dict[str, int]]


class PersonMergeResult(TypedDict):
    """The person that both are now, and the number of memories that moved to it."""

    person: PersonView
    memories: int


class PersonResolveResult(TypedDict):
    """The person that was meant, and how it was found."""

    person_id: str
    person_name: str
    created: bool
    matched_by: str
    may_be: list[MayBe]


class NotPartedView(TypedDict):
    """Statements that belong to neither of two people after a split.

    It is not known which of the two they mean. They are about a third person now, `person_id`: null
    if there are none. `unrecorded` counts memories that stay with the person who remains: an
    earlier version of ashd stored them during the merge, and did not record whom they mean.
    """

    person_id: str | None
    memories: list[str]
    names: list[str]
    relationships: int
    unrecorded: int


class SplitResult(TypedDict):
    """One person, and what could not be parted."""

    person: PersonView
    not_parted: NotPartedView


class PersonUndoIdentificationResult(TypedDict):
    """The person whom the reference means now, and how many memories moved to them.

    `created`: nobody else was known by the reference, so a person was created.
    """

    person: PersonView
    moved: int
    created: bool


class ProfileView(TypedDict):
    """A version of the profile."""

    version: int
    text: str
    learned: str
    notes: str
    token_count: int
    source: str
    created_at: str


class ProfileGetResult(TypedDict):
    """The current version; null if there is none, and in a group."""

    profile: ProfileView | None
    notices: list[Notice]


class StatementView(TypedDict):
    """A lasting statement that was learned about the user, and the time of learning."""

    statement: str
    at: str


class VersionView(TypedDict):
    """A version, and its changes as a unified difference of its sentences.

    `statements` are those that were new to the version, if it was written from statements.
    """

    version: int
    text: str
    learned: str
    notes: str
    token_count: int
    source: str
    created_at: str
    difference: str
    statements: list[StatementView]


class ProfileHistoryResult(TypedDict):
    """Versions, oldest first."""

    versions: list[VersionView]
    notices: list[Notice]


class ProfileRebuildResult(TypedDict):
    """The job that writes the profile anew."""

    job_id: str


class ProfileSetResult(TypedDict):
    """The current version; setting the same text makes no new one."""

    profile: ProfileView


class SourceView(TypedDict):
    """A statement, and the turn of the user that shows it.

    The turn is null if it was deleted, or handed to `memory.extract` and so not stored.
    """

    statement: str
    at: str
    conversation_id: str | None
    said: str | None


class SentenceView(TypedDict):
    """A sentence of the learned part, and the statements that it was written from.

    A sentence without statements is the model's own and has no words of a statement.
    """

    sentence: str
    statements: list[SourceView]


class ProfileSourcesResult(TypedDict):
    """The sentences of the learned part, in order; the other parts are the user's own text."""

    sentences: list[SentenceView]
    notices: list[Notice]


class ProjectView(TypedDict):
    """A project, with the counts of its memories and messages that the reader may see."""

    id: str
    name: str | None
    memories: int
    messages: int
    last_told_at: str


class ProjectListResult(TypedDict):
    """Projects, the most recently used first."""

    projects: list[ProjectView]


class RpcDiscoverResult(TypedDict):
    """An OpenRPC document."""

    openrpc: str
    info: dict[str, str]
    methods: list[dict[str, Any]]
    components: dict[str, Any]


class Hit(TypedDict):
    """A memory, message or summary that answers, under the name of its kind."""

    source_type: Literal["memory", "message", "summary"]
    score: float
    memory: NotRequired[Memory]
    weak: NotRequired[bool]
    about: NotRequired[list[str]]
    via: NotRequired[str]
    trust: NotRequired[Literal["fact", "hearsay", "unknown"]]
    message: NotRequired[MessageView]
    summary: NotRequired[SummaryView]
    passage: NotRequired[str]


class SearchAllResult(TypedDict):
    """The results of a search, best first."""

    results: list[Hit]
    withheld: Withheld
    degraded: list[str]


class SessionHelloResult(TypedDict):
    """The server, its capabilities and limits; and the caller's scope and rights."""

    server: str
    version: str
    protocol: int
    capabilities: list[str]
    limits: dict[str, int | float]
    listener: str
    grant_id: str | None
    scope: Scope
    rights: list[str]
    expires_at: str | None
    embedder: str


class SummaryGetResult(TypedDict):
    """The summary."""

    summary: SummaryView


class SummaryListResult(TypedDict):
    """Summaries, latest conversations first."""

    summaries: list[SummaryView]


class SummaryRebuildResult(TypedDict):
    """The number of summaries that were removed, and the job that writes new ones."""

    removed: int
    job_id: str


class FoundSummary(TypedDict):
    """A summary that answers a question, its score, and its passage if it is long."""

    overall: str
    topics: list[str]
    decisions: list[str]
    key_dates: list[KeyDate]
    action_items: list[str]
    id: str
    conversation_id: str
    title: str | None
    began_at: str
    at: str
    messages: int
    score: float
    passage: NotRequired[str]


class SummarySearchResult(TypedDict):
    """The summaries that best answer, best first."""

    summaries: list[FoundSummary]
    degraded: list[str]


class SystemMetricsResult(TypedDict):
    """Text in Prometheus' format."""

    text: str


class ProtectedPath(TypedDict):
    """A path that no sandbox may be given; `secret`: not even to read."""

    name: str
    path: str
    secret: bool


class SystemPathsResult(TypedDict):
    """Paths that no sandbox may be given, neither themselves nor in a directory."""

    paths: list[ProtectedPath]


class SystemReloadResult(TypedDict):
    """The changed sections in force now, and those that need a restart."""

    reloaded: list[str]
    needs_restart: list[str]


class Building(TypedDict):
    """Vectors that are being built to replace those in use, and how many are done."""

    model: str
    done: int
    total: int


class LanguageModelStatus(TypedDict):
    """State of the language model; `untried` until its endpoint answered once since the start.

    Its usage is for the control socket only.
    """

    state: Literal["ceiling", "not_configured", "ready", "unauthorised", "unreachable", "untried"]
    model: NotRequired[str | None]
    tokens_today: NotRequired[int | None]
    max_tokens_per_day: NotRequired[int | None]
    today: NotRequired[list[TaskUsage]]


class Warned(TypedDict):
    """A warning for the operator, with the remedy."""

    name: str
    detail: str
    remedy: str


class Running(TypedDict):
    """Long work in progress; `total` is 0 while it is unknown."""

    name: str
    done: NotRequired[int]
    total: NotRequired[int]


class SystemStatusResult(TypedDict):
    """The daemon's health; a sandbox does not see how much is stored for everybody."""

    version: str
    state: Literal["ready", "starting"]
    started_at: str
    embedder: str
    model: str | None
    waiting_for_vectors: int | None
    building: Building | None
    language_model: LanguageModelStatus
    memory_on: bool | None
    warnings: list[Warned]
    running: list[Running]


class ToolsCallResult(TypedDict):
    """The text for the model, and the result of the service behind the tool (null on an error)."""

    content: str
    is_error: bool
    result: Any
    error: NotRequired[ErrorObject]


class ToolsListResult(TypedDict):
    """Function definitions, as `tools` of an OpenAI-compatible endpoint takes them."""

    tools: list[dict[str, Any]]
