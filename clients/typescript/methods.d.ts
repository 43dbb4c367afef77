// Made by `make docs` from the daemon's table of methods.
// Times are RFC 3339 in UTC. A reply may have more keys than its type.

/** The kinds of errors: what to decide on. A newer daemon may have more. */
export type ErrorKind = "parse_error" | "internal_error" | "invalid_params" | "method_not_found" | "invalid_request" | "unsupported_protocol_version" | "denied" | "grant_expired" | "grant_revoked" | "scope_is_bound" | "not_found" | "ambiguous" | "content_refused" | "conflict" | "too_large" | "rate_limited" | "quota_exceeded" | "timed_out" | "embedding_unavailable" | "llm_unavailable" | "storage_error" | "shutting_down" | "starting" | "unavailable";

export interface CallOptions {
  /** Ends the call, which fails with the signal's reason; it may have taken effect. */
  signal?: AbortSignal;
}

/** A project, such as a repository: memories stored in a project are read in it alone. */
export interface Project {
  id: string;
  name?: string | null;
}

/** The user and chat of a call: a provider's user, in a chat or alone with the agent. */
export interface Scope {
  provider: string;
  user_id?: string | null;
  chat_id?: string | null;
  chat_type?: "group" | "private" | null;
  username?: string | null;
  display_name?: string | null;
  participants?: Array<string>;
  session_id?: string | null;
  message_id?: string | null;
  timezone?: string | null;
  project?: "*" | Project | null;
}

/** An account, and the numbers of its active memories, its conversations and its turns. */
export interface AccountAccountView {
  provider: string;
  user_id: string;
  name: string | null;
  memories: number;
  conversations: number;
  turns: number;
  last_active_at: string;
}

/** Accounts, oldest first; `next_cursor` gets the next page, if any. */
export interface AccountListResult {
  accounts: Array<AccountAccountView>;
  next_cursor: string | null;
}

/** The account that a call was made for. */
export interface Behalf {
  provider: string;
  user_id: string;
}

/**
 * A row of the audit: the caller, the method, the account it was for, and the outcome.
 *
 * `digest` is keyed; equal calls have equal digests. The process id and the user id are the
 * caller's as the kernel reports them; null over TCP. `people` are the ids of two people who were
 * merged or split, the remaining person last; `memory` is the memory whose sentence merged them.
 */
export interface EntryView {
  id: number;
  at: string;
  actor: string;
  grant_id: string | null;
  account: Behalf | null;
  method: string;
  outcome: string;
  digest: string;
  peer_pid: number | null;
  peer_uid: number | null;
  people: Array<string>;
  memory: string | null;
}

/** Rows, newest first; `next_cursor` gets the next page, if any. */
export interface AuditListResult {
  entries: Array<EntryView>;
  next_cursor: string | null;
}

/** A chat, by its provider's id. */
export interface ChatNamed {
  provider: string;
  chat_id: string;
  chat_type: "group" | "private";
}

/** An account, by its provider's id. */
export interface AccountNamed {
  provider: string;
  user_id: string;
}

/** An interval in which an account took part; `left_at` is null while it lasts. */
export interface ParticipantView {
  provider: string;
  user_id: string;
  username: string | null;
  display_name: string | null;
  joined_at: string;
  left_at: string | null;
}

/** Everybody's intervals, oldest first. */
export interface ParticipantsResult {
  participants: Array<ParticipantView>;
}

/**
 * A chat with its counts; a private chat is that of the account `user_id`.
 *
 * `participants` take part now; `memories` are active and were learned in the chat.
 */
export interface ChatView {
  provider: string;
  chat_type: string;
  chat_id: string | null;
  user_id: string | null;
  participants: number;
  memories: number;
  conversations: number;
}

/** The intervals of all participants of the named chat; without one, chats, oldest first. */
export interface ChatListResult {
  participants: Array<ParticipantView>;
  chats: Array<ChatView>;
  next_cursor: string | null;
}

/** A message of the current conversation, which the host has in the prompt already. */
export interface Recent {
  role: string;
  content: string;
}

/** A section of the block: its tokens and how many items it has. */
export interface SectionView {
  name: string;
  heading: string;
  tokens: number;
  items: number;
}

/**
 * Another active memory: the newer of the two perhaps replaces the older.
 *
 * `relation` says whether the other memory is the newer or the older one. `at` is the time when
 * the other memory was observed or told.
 */
export interface Conflict {
  id: string;
  relation: "newer" | "older";
  likelihood: number;
  at: string;
  content: string;
}

/** A memory on the wire. A group's memory has a chat and no owner. */
export interface Memory {
  id: string;
  version: number;
  revision: number;
  content: string;
  memory_type: "commitment" | "context" | "correction" | "decision" | "event" | "identity" | "knowledge" | "observation" | "preference" | "relationship" | "skill" | "task";
  created_at: string;
  observed_at: string | null;
  owner_user_id: string | null;
  chat_id: string | null;
  provider: string | null;
  subject_person_ids: Array<string>;
  source: string;
  source_username: string | null;
  source_display_name: string | null;
  source_session_id: string | null;
  source_message_id: string | null;
  extraction_confidence: number | null;
  sensitivity: "personal" | "public" | "sensitive" | null;
  portable: boolean;
  expires_at: string | null;
  valid_from: string | null;
  valid_until: string | null;
  tags: Array<string>;
  superseded_at: string | null;
  superseded_by_id: string | null;
  archived_at: string | null;
  archive_reason: string | null;
  last_accessed_at: string | null;
  access_count: number;
  metadata: Record<string, unknown> | null;
  project: Project | null;
  conflicts: Array<Conflict>;
}

/** A message; `index` is its place among those that the reader may see, from 0. */
export interface MessageView {
  id: string;
  external_id: string | null;
  conversation_id: string;
  index: number;
  role: string;
  speaker: string | null;
  content: string;
  at: string;
  token_count: number;
  metadata: Record<string, unknown> | null;
}

/** A date that was spoken of, as it was understood, and its event. */
export interface KeyDate {
  date: string;
  what: string;
}

/** A summary of what was said in a conversation from `began_at` to `at`. */
export interface SummaryView {
  overall: string;
  topics: Array<string>;
  decisions: Array<string>;
  key_dates: Array<KeyDate>;
  action_items: Array<string>;
  id: string;
  conversation_id: string;
  title: string | null;
  began_at: string;
  at: string;
  messages: number;
}

/** A relationship to another person; `stated_by` is a user id, `to` a person's id. */
export interface RelationshipView {
  relationship: string;
  to: string;
  to_name: string;
  stated_by: string | null;
  created_at: string;
  ended_at: string | null;
}

/** Another name, and who added it (a user id). */
export interface AliasView {
  value: string;
  added_by: string | null;
  created_at: string;
}

/** An account of the person. */
export interface ContextAccountView {
  provider: string;
  user_id: string;
  username: string | null;
  display_name: string | null;
}

/** A person on the wire. */
export interface PersonView {
  id: string;
  version: number;
  created_by: string | null;
  name: string;
  relationships: Array<RelationshipView>;
  aliases: Array<AliasView>;
  accounts: Array<ContextAccountView>;
  merged_into: string | null;
  metadata: Record<string, unknown> | null;
  created_at: string;
  updated_at: string;
}

/** A remark about the answer, for the reader. */
export interface Notice {
  kind: string;
  message: string;
}

/**
 * A line that was considered for the block, and its tokens.
 *
 * `why` is `in` if the block has the line, else the rule that left the line out (`twice`,
 * `over_section`, `over_total`, `below_similarity`, `echo`). `reason` says why the line was
 * considered.
 */
export interface ContextExplained {
  section: string;
  item: string;
  why: "below_similarity" | "echo" | "in" | "over_section" | "over_total" | "twice";
  score: number | null;
  reason: "always" | "known" | "latest" | "neighbour" | "newest" | "pinned" | "profile" | "ranked" | "relation" | "standing";
  text: string;
  tokens: number;
}

/** The block, its size, and what is in it. */
export interface ContextGetResult {
  text: string;
  token_count: number;
  sections: Array<SectionView>;
  memories: Array<Memory>;
  messages: Array<MessageView>;
  summaries: Array<SummaryView>;
  people: Array<PersonView>;
  degraded: Array<string>;
  notices: Array<Notice>;
  explained?: Array<ContextExplained>;
}

/** The number of messages deleted. */
export interface ConversationDeleteResult {
  deleted: number;
}

/** A conversation: its chat, the number of messages the reader may see, and their times. */
export interface ConversationView {
  id: string;
  conversation_id: string;
  provider: string;
  owner_user_id: string | null;
  chat_id: string | null;
  title: string | null;
  messages: number;
  first_at: string | null;
  last_at: string | null;
}

/** A conversation and its messages in order; `before` is the index to continue from, if any. */
export interface ConversationGetResult {
  conversation: ConversationView;
  messages: Array<MessageView>;
  before: number | null;
}

/** A turn: the user's message and the assistant's answer. */
export interface TurnIn {
  user: string;
  assistant: string;
  at?: string | null;
  external_id?: string | null;
}

/** One message; `user_id` is the account of its speaker. */
export interface MessageIn {
  role?: "assistant" | "system" | "tool" | "user";
  content: string;
  speaker?: string | null;
  user_id?: string | null;
  at?: string | null;
  external_id?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** A message that was left out, by its place in the call, and why. */
export interface RefusedMessage {
  index: number;
  kind: string;
  message: string;
}

/** The counts of messages stored and already known, and the refused ones. */
export interface ConversationIngestResult {
  ingested: number;
  duplicates: number;
  refused: Array<RefusedMessage>;
  job_id: string | null;
}

/** Conversations, the latest first; `total` counts all pages. */
export interface ConversationListResult {
  conversations: Array<ConversationView>;
  next_cursor: string | null;
  total: number;
}

/** A message that answers, its score, and the messages around it. */
export interface ConversationResult {
  message: MessageView;
  score: number;
  window: Array<MessageView>;
  passage?: string;
  signals?: Record<string, number>;
}

/** The results of a search, best first. */
export interface ConversationSearchResult {
  results: Array<ConversationResult>;
  degraded: Array<string>;
}

/** A backup that was made; `removed` are older ones that were deleted for it. */
export interface DbBackupResult {
  path: string;
  bytes: number;
  sha256: string;
  memories: number;
  verified: boolean;
  removed: Array<string>;
}

/**
 * A problem; `fixable` if `fix` mends it.
 *
 * If it cannot be mended, but `fix` ends its warning, it is `acknowledgeable`: `acknowledged`
 * then, not `fixed`.
 */
export interface Finding {
  name: string;
  severity: "error" | "note" | "warning";
  detail: string;
  remedy: string;
  fixable?: boolean;
  fixed?: boolean;
  acknowledgeable?: boolean;
  acknowledged?: boolean;
}

/** The findings, worst first. */
export interface DbCheckResult {
  findings: Array<Finding>;
}

/** A backup or an export, which holds the data of the time when it was made. */
export interface CopyView {
  path: string;
  kind: string;
  made_at: string;
}

/**
 * The rows erased, counted by table, and earlier backup files that still hold them.
 *
 * The daemon changes no backup: delete those files, or make a new backup so that old ones are
 * pruned. With `bytes_at_server`, the rows are gone from every answer, but a PostgreSQL server
 * keeps their bytes until it has vacuumed and written over them, and in its WAL, archives and
 * replicas.
 */
export interface Receipt {
  rows: Record<string, number>;
  backups: Array<CopyView>;
  bytes_at_server?: boolean;
}

/** The number of memories and messages erased, and the receipt. */
export interface EraseResult {
  erased: number;
  receipt: Receipt;
}

/** The number of memories removed, and the receipt. */
export interface DbCompactResult {
  removed: number;
  receipt: Receipt;
}

/** The number of records written, in all and by kind. */
export interface DbExportResult {
  path: string;
  rows: number;
  kinds: Record<string, number>;
  encrypted: boolean;
}

/** A memory whose state changed, and why. */
export interface Archived {
  id: string;
  reason: string;
}

/**
 * The number of memories archived for each reason, and of rows removed from each table.
 *
 * `returned` counts those that are active again because their winner ended.
 */
export interface DbGcResult {
  archived: Record<string, number>;
  removed: Record<string, number>;
  memories: Array<Archived>;
}

/** Memories and messages that were stored on a day (UTC) and still exist. */
export interface Stored {
  date: string;
  memories: number;
  messages: number;
}

/** Each day on which something was stored, oldest first; `before` is the sum of earlier days. */
export interface DbGrowthResult {
  before: Stored;
  days: Array<Stored>;
}

/** The reason why a record was refused; never its content. */
export interface RecordError {
  kind: string;
  message: string;
  hint: string;
}

/** A record that was refused, by its line in the file, 0 if it is about the whole file. */
export interface RefusedRecord {
  line: number;
  error: RecordError;
  file: string | null;
}

/** The number of parts of a file that were left out for one reason. */
export interface LeftOutRecords {
  reason: string;
  count: number;
}

/**
 * The outcome of the records; if very many were refused, only the first are listed.
 *
 * `archived` are memories whose passages went from the notes that they were imported from.
 * `to_be_read` counts the parts of conversations that the language model reads in the background.
 */
export interface DbImportResult {
  format: "ash" | "agent-files" | "chatgpt" | "claude" | "letta" | "lines" | "mcp-memory" | "mem0" | "notes" | "osaurus" | "zep";
  imported: number;
  duplicates: number;
  refused: Array<RefusedRecord>;
  refused_count: number;
  archived: number;
  to_be_read: number;
  left_out: Array<LeftOutRecords>;
  stopped: boolean;
}

/** The number of index rows that were rebuilt. */
export interface DbReindexResult {
  rows: number;
}

/** Answered calls of a task, and the tokens sent and received. */
export interface TaskUsage {
  task: string;
  calls: number;
  sent: number;
  received: number;
}

/** The database's contents: rows of each kind, and bytes. */
export interface DbStatsResult {
  counts: Record<string, number>;
  language_model: Array<TaskUsage>;
}

/** The number of imports that end. */
export interface DbStopImportResult {
  stopping: number;
}

/** `quota` of `grant.create`; omitted limits are those of `[limits]`. */
export interface QuotaParams {
  request_bytes_per_minute?: number | null;
  writes_per_minute?: number | null;
  writes_per_day?: number | null;
  stored_bytes?: number | null;
  reply_bytes_per_day?: number | null;
  embedder_calls_per_day?: number | null;
}

/** The new grant: mount `directory`, never `socket` itself. `token` is shown only here. */
export interface GrantCreateResult {
  grant_id: string;
  directory: string;
  socket: string;
  expires_at: string | null;
  token?: string;
  tcp?: string;
}

/** A withdrawal of memories of a grant, which can be undone as a whole. */
export interface WithdrawalView {
  withdrawal_id: string;
  memories: number;
  at: string;
}

/**
 * The use of a grant.
 *
 * `quota` has its limits, and `used` the amounts used of each limit; daily amounts count from
 * midnight (UTC). `last_used_on` is the last day with a call. `memories` counts active memories,
 * `archived` the others.
 */
export interface UseView {
  memories: number;
  archived: number;
  last_used_on: string | null;
  quota: Record<string, number>;
  used: Record<string, number>;
  withdrawals: Array<WithdrawalView>;
}

/** A grant as the operator sees it; `use` is set only if it was asked for. */
export interface GrantView {
  grant_id: string;
  scope: Scope;
  rights: Array<"forget" | "read" | "write">;
  quota: QuotaParams;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  state: string;
  use?: UseView;
}

/** Grants, newest first; `total` counts all pages. */
export interface GrantListResult {
  grants: Array<GrantView>;
  next_cursor: string | null;
  total: number;
}

/** The grant as it is now. */
export interface GrantResult {
  grant: GrantView;
}

/** An entity, with its other names; `person_id` if it is a person known here. */
export interface EntityView {
  id: string;
  type: "company" | "concept" | "event" | "person" | "place" | "project" | "tool";
  name: string;
  aliases: Array<string>;
  person_id: string | null;
}

/** The entity, and whether it was known already. */
export interface GraphAddEntityResult {
  outcome: "added" | "known";
  entity: EntityView;
}

/** One end of a relation, with the name that was used when it was stated. */
export interface EndView {
  id: string;
  type: "company" | "concept" | "event" | "person" | "place" | "project" | "tool";
  name: string;
}

/**
 * A relation. It holds from `valid_from` to before `valid_until`.
 *
 * `stated_by` is a user id, null for an account that the viewer never met. `said_at` is when it
 * was first said, `asserted_at` when it was last said.
 */
export interface RelationView {
  id: string;
  source: EndView;
  relation: string;
  target: EndView;
  confidence: number;
  valid_from: string | null;
  valid_until: string | null;
  stated_by: string | null;
  said_at: string;
  created_at: string;
  asserted_at: string;
}

/** The relation as it is now. */
export interface GraphEndResult {
  relation: RelationView;
}

/** The relation; `revived` when it had ended before; `ended` are the values that it replaced. */
export interface GraphRelateResult {
  outcome: "added" | "known" | "revived";
  relation: RelationView;
  ended: Array<string>;
}

/** The entity or relation that was removed. */
export interface GraphRemoveResult {
  id: string;
  kind: "entity" | "relation";
}

/** A relation; `depth` 1 is one of the named entity itself. */
export interface FoundRelation {
  id: string;
  source: EndView;
  relation: string;
  target: EndView;
  confidence: number;
  valid_from: string | null;
  valid_until: string | null;
  stated_by: string | null;
  said_at: string;
  created_at: string;
  asserted_at: string;
  depth: number;
}

/**
 * The entities that were meant, and their relations, nearest first; `more` if some were cut.
 *
 * `people` has the known person that the name means, and the known people who are something to
 * that person ("son"); for a relation without a name, those who are this to the asker.
 */
export interface GraphSearchResult {
  entities: Array<EntityView>;
  people: Array<PersonView>;
  relations: Array<FoundRelation>;
  more: boolean;
  notices: Array<Notice>;
}

/** The outcome of the jobs; `waiting` counts those not finished when the call ended. */
export interface JobsFlushResult {
  done: number;
  set_aside: number;
  waiting: number;
}

/**
 * A job; `outcome` says how it ended, `error` why an attempt failed.
 *
 * `waits_for` says why a job waits: until its next attempt at `not_before` (`pause`), for a valid
 * key of the language model (`key`), for the end of a minute without calls, after failures
 * (`breaker`), or for midnight UTC, after the tokens of the day were used up (`ceiling`).
 *
 * `owner` is the user whom the job is for, or the chat if no user is known; the job reads the
 * conversation `conversation_id`.
 */
export interface JobView {
  id: string;
  kind: string;
  state: "done" | "running" | "set_aside" | "waiting";
  provider: string;
  user_id: string | null;
  chat_id: string | null;
  conversation_id: string | null;
  outcome: string | null;
  waits_for: "breaker" | "ceiling" | "key" | "pause" | null;
  attempts: number;
  error: string | null;
  created_at: string;
  not_before: string | null;
  finished_at: string | null;
  tokens: number;
}

/** One job. */
export interface JobResult {
  job: JobView;
}

/** Jobs, newest first; `next_cursor` gets the next page, if any. */
export interface JobsListResult {
  jobs: Array<JobView>;
  next_cursor: string | null;
}

/** A person's own account. */
export interface KeyAccount {
  provider: string;
  user_id: string;
}

/** A key: its id, its hash, and whom it is for; the key itself is not stored. */
export interface KeyView {
  id: string;
  hash: string;
  agents: Array<string>;
  account: KeyAccount | null;
  stores: boolean;
  created_at: string;
}

/** All keys that are not revoked, the oldest first. */
export interface KeyListResult {
  keys: Array<KeyView>;
}

/** Tokens of all tasks since midnight, UTC. */
export interface LlmCountResult {
  tokens_today: number;
}

/** One fact of a batch. */
export interface Fact {
  subjects?: Array<string> | null;
  type?: "commitment" | "context" | "correction" | "decision" | "event" | "fact" | "identity" | "knowledge" | "observation" | "preference" | "relationship" | "skill" | "task" | null;
  expires_in_days?: number | null;
  expires_at?: string | null;
  sensitivity?: "personal" | "public" | "sensitive" | null;
  portable?: boolean | null;
  valid_from?: string | null;
  valid_until?: string | null;
  tags?: Array<string> | null;
  metadata?: Record<string, unknown> | null;
  everywhere?: boolean | null;
  shared?: boolean | null;
  observed_at?: string | null;
  supersedes?: string | null;
  content: string;
}

/** An earlier memory that the new one may replace; `memory.supersede` settles it. */
export interface MayReplace {
  id: string;
  content: string;
  likelihood: number;
}

/** Another person who could be meant, with a relationship to the speaker or to somebody else. */
export interface MayBe {
  id: string;
  name: string;
  relationship: string | null;
}

/** A subject of a fact, whether the fact created the person, and who else could be meant. */
export interface PersonNamed {
  id: string;
  name: string;
  created: boolean;
  may_be: Array<MayBe>;
}

/** Decide on `kind`; each kind may add fields of its own. */
export interface ErrorData {
  kind: string;
  hint: string;
  retryable: boolean;
}

/** An error of one part of a call, in the form of a whole call's error. */
export interface ErrorObject {
  code: number;
  message: string;
  data: ErrorData;
}

/** The outcome of one fact. */
export interface Added {
  outcome: "added" | "duplicate" | "refused";
  memory: Memory | null;
  superseded: Array<string>;
  may_replace: Array<MayReplace>;
  repeats: Array<string>;
  people: Array<PersonNamed>;
  not_kept?: Array<string>;
  job_id?: string;
  error?: ErrorObject;
}

/**
 * One entry per fact, in order.
 *
 * `degraded` if facts are judged later: "embedder" with their vectors, "judge" when there is time.
 */
export interface MemoryAddResult {
  memories: Array<Added>;
  degraded: Array<string>;
}

/** Two active memories, the likelihood that the newer one replaces the older, and since when. */
export interface ConflictView {
  newer: Memory;
  older: Memory;
  likelihood: number;
  since: string;
}

/**
 * A page of conflicts that are not settled, likeliest first; `total` counts all pages.
 *
 * `names` are those of the people that their memories are about, by id.
 */
export interface MemoryConflictsResult {
  conflicts: Array<ConflictView>;
  next_cursor: string | null;
  total: number;
  names: Record<string, string>;
}

/** The memory as it is now; `reactivated` are the ids of memories that are active again. */
export interface MemoryDeleteResult {
  memory: Memory;
  reactivated: Array<string>;
}

/** A message; if it names no speaker, the caller or the assistant said it, by its `role`. */
export interface MessageParams {
  role?: "assistant" | "user";
  content: string;
  user_id?: string | null;
  username?: string | null;
  display_name?: string | null;
  at?: string | null;
}

/** The job that reads them; `memories` if the caller waited and it is done. */
export interface MemoryExtractResult {
  job_id: string;
  memories?: Array<Added>;
}

/**
 * The number of texts of each kind, and the ids of the first 200.
 *
 * A statement or a version of a profile has no id; its number stands for it.
 */
export interface Listed {
  counts?: Record<string, number>;
  ids?: Record<string, Array<string>>;
}

/** The number of memories archived and erased, and the receipt of what was erased. */
export interface MemoryForgetPersonResult {
  archived: number;
  erased: number;
  receipt: Receipt;
  record_kept: string | null;
  withdrawal_id: string | null;
  mentions: Listed;
  left: Listed;
}

/** The chat in which a memory was learned; `chat_id` is null for an unnamed private chat. */
export interface LearnedIn {
  provider: string;
  chat_id: string | null;
  chat_type: string;
}

/** The message that a memory was learned from. */
export interface SourceMessage {
  id: string;
  conversation: string;
  conversation_id: string;
  role: string;
  speaker: string | null;
  content: string;
  at: string;
}

/** An account, its part in the memory, and the places where it may read the memory. */
export interface MemoryReader {
  provider: string;
  user_id: string;
  name: string;
  roles: Array<"owner" | "present" | "stated_by" | "subject">;
  in_private: boolean;
  in_other_groups: boolean;
}

/** An earlier memory that says the same. */
export interface Repeated {
  id: string;
  content: string;
}

/**
 * The source of a memory, its readers, and the memories it repeats.
 *
 * Only an operator is told who may read it. `in_its_group` is null for a memory of a private chat;
 * `more_readers` counts accounts that are not listed, because there are many or the viewer never
 * met them.
 */
export interface MemoryExplained {
  learned_in: LearnedIn | null;
  message: SourceMessage | null;
  grant_id: string | null;
  may_change: boolean;
  in_its_group: boolean | null;
  readers: Array<MemoryReader>;
  more_readers: number;
  repeats: Array<Repeated>;
}

/** A memory and the people it is about; `explained` if it was asked for. */
export interface MemoryGetResult {
  memory: Memory;
  people: Array<PersonView>;
  explained?: MemoryExplained;
}

/** An effect of another memory on this one. */
export interface Event {
  memory_id: string;
  at: string;
  event: string;
  reason: string;
}

/** The chain of memories that superseded one another, oldest first. */
export interface MemoryHistoryResult {
  chain: Array<Memory>;
  events: Array<Event>;
}

/**
 * A page of memories in the requested order; `total` counts all pages.
 *
 * `names` has the names of the people they are about, by id, as the viewer knows them.
 */
export interface MemoryListResult {
  memories: Array<Memory>;
  next_cursor: string | null;
  total: number;
  notices: Array<Notice>;
  names: Record<string, string>;
}

/**
 * The memory as it is now; `restored` is false for one that was active.
 *
 * For a withdrawal: how many memories came back, and the ids of those that stay withdrawn because
 * another memory says the same by now.
 */
export interface MemoryRestoreResult {
  memory: Memory | null;
  restored: boolean;
  count: number;
  stay: Array<string>;
}

/** A conflict of a result, as in its memory's `conflicts`. */
export interface ConflictRef {
  id: string;
  relation: "newer" | "older";
  likelihood: number;
}

/**
 * A memory that answers, its score, the people it is about and its trust.
 *
 * In a block for a prompt `about` leaves out the person who told it, who is nobody else there.
 */
export interface MemoryResult {
  memory: Memory;
  score: number;
  weak: boolean;
  about: Array<string>;
  repeats: Array<string>;
  conflicts: Array<ConflictRef>;
  trust: "fact" | "hearsay" | "unknown";
  via?: string;
  passage?: string;
  signals?: Record<string, number>;
  newest?: boolean;
}

/** A candidate that was not shown, its score, and the reason. */
export interface WithheldResult {
  why: "below_threshold" | "over_limit";
  result: MemoryResult;
}

/** The number of candidates that were not shown, by reason; with `explain` the best of them. */
export interface Withheld {
  below_threshold: number;
  over_limit: number;
  best?: Array<WithheldResult>;
}

/** The memories found, best first. */
export interface MemorySearchResult {
  results: Array<MemoryResult>;
  withheld: Withheld;
  degraded: Array<string>;
  notices: Array<Notice>;
}

/** The newer of the two memories. */
export interface MemorySupersedeResult {
  memory: Memory;
}

/** The fields to change; null removes an expiry, validity or metadata. */
export interface Changes {
  subjects?: Array<string> | null;
  type?: "commitment" | "context" | "correction" | "decision" | "event" | "fact" | "identity" | "knowledge" | "observation" | "preference" | "relationship" | "skill" | "task" | null;
  expires_in_days?: number | null;
  expires_at?: string | null;
  sensitivity?: "personal" | "public" | "sensitive" | null;
  portable?: boolean | null;
  valid_from?: string | null;
  valid_until?: string | null;
  tags?: Array<string> | null;
  metadata?: Record<string, unknown> | null;
  everywhere?: boolean | null;
  content?: string | null;
}

/** A memory before and after a change. */
export interface Changed {
  before: Memory;
  after: Memory;
}

/**
 * The memory as it is now; `previous_id` is the one that it superseded, if any.
 *
 * New content given in private for a group's memory supersedes nothing: the group keeps its own.
 * With `ids` or `dry_run`, `changed` has every memory before and after, and `memory` is the first.
 */
export interface MemoryUpdateResult {
  memory: Memory;
  previous_id: string | null;
  people: Array<PersonNamed>;
  changed?: Array<Changed>;
}

/** The withdrawal, by which it is undone, and its memories, newest first, at most 1,000. */
export interface MemoryWithdrawResult {
  withdrawal_id: string | null;
  memories: Array<Memory>;
  total: number;
}

/** The model that will serve; `building` until all its vectors are there (`system.status`). */
export interface ModelUseResult {
  model: string | null;
  building: boolean;
}

/**
 * An override on the wire: a user's (`owner_user_id`) or a group's (`chat_id`).
 *
 * In a group the user is not named if the account that pinned it is of another provider.
 */
export interface OverrideView {
  id: string;
  content: string;
  for_groups: boolean;
  provider: string | null;
  owner_user_id: string | null;
  chat_id: string | null;
  project_id: string | null;
  created_at: string;
  removed_at: string | null;
}

/** The override; `changed` if it existed already and its mark for groups changed. */
export interface OverrideAddResult {
  outcome: "added" | "changed" | "duplicate";
  override: OverrideView;
}

/** Overrides, oldest first. */
export interface OverrideListResult {
  overrides: Array<OverrideView>;
}

/** The override as it was. */
export interface OverrideRemoveResult {
  override: OverrideView;
}

/** One person. */
export interface PersonResult {
  person: PersonView;
}

/** Two people who may be one, and the evidence. */
export interface Pair {
  people: Array<PersonView>;
  why: string;
}

/** Suggestions, likeliest first; nothing was merged. */
export interface PersonDuplicatesResult {
  pairs: Array<Pair>;
}

/** A relationship of another person, `id`, to this one. */
export interface RelatedView {
  relationship: string;
  to: string;
  to_name: string;
  stated_by: string | null;
  created_at: string;
  ended_at: string | null;
  id: string;
  name: string;
}

/**
 * One person; with `related`, also the latest relationships of others to this person.
 *
 * `related_total` counts them all. `can_split`: there is a merge that the caller may undo.
 */
export interface PersonGetResult {
  person: PersonView;
  related?: Array<RelatedView>;
  related_total?: number;
  can_split?: boolean;
}

/** A page of people; `total` counts all pages, `next_cursor` gets the page after this one. */
export interface PersonListResult {
  people: Array<PersonView>;
  next_cursor: string | null;
  total: number;
  relationships?: Record<string, number>;
}

/** The person that both are now, and the number of memories that moved to it. */
export interface PersonMergeResult {
  person: PersonView;
  memories: number;
}

/** The person that was meant, and how it was found. */
export interface PersonResolveResult {
  person_id: string;
  person_name: string;
  created: boolean;
  matched_by: string;
  may_be: Array<MayBe>;
}

/**
 * Statements that belong to neither of two people after a split.
 *
 * It is not known which of the two they mean. They are about a third person now, `person_id`: null
 * if there are none. `unrecorded` counts memories that stay with the person who remains: an
 * earlier version of ashd stored them during the merge, and did not record whom they mean.
 */
export interface NotPartedView {
  person_id: string | null;
  memories: Array<string>;
  names: Array<string>;
  relationships: number;
  unrecorded: number;
}

/** One person, and what could not be parted. */
export interface SplitResult {
  person: PersonView;
  not_parted: NotPartedView;
}

/**
 * The person whom the reference means now, and how many memories moved to them.
 *
 * `created`: nobody else was known by the reference, so a person was created.
 */
export interface PersonUndoIdentificationResult {
  person: PersonView;
  moved: number;
  created: boolean;
}

/** A version of the profile. */
export interface ProfileView {
  version: number;
  text: string;
  learned: string;
  notes: string;
  token_count: number;
  source: string;
  created_at: string;
}

/** The current version; null if there is none, and in a group. */
export interface ProfileGetResult {
  profile: ProfileView | null;
  notices: Array<Notice>;
}

/** A lasting statement that was learned about the user, and the time of learning. */
export interface StatementView {
  statement: string;
  at: string;
}

/**
 * A version, and its changes as a unified difference of its sentences.
 *
 * `statements` are those that were new to the version, if it was written from statements.
 */
export interface VersionView {
  version: number;
  text: string;
  learned: string;
  notes: string;
  token_count: number;
  source: string;
  created_at: string;
  difference: string;
  statements: Array<StatementView>;
}

/** Versions, oldest first. */
export interface ProfileHistoryResult {
  versions: Array<VersionView>;
  notices: Array<Notice>;
}

/** The job that writes the profile anew. */
export interface ProfileRebuildResult {
  job_id: string;
}

/** The current version; setting the same text makes no new one. */
export interface ProfileSetResult {
  profile: ProfileView;
}

/**
 * A statement, and the turn of the user that shows it.
 *
 * The turn is null if it was deleted, or handed to `memory.extract` and so not stored.
 */
export interface SourceView {
  statement: string;
  at: string;
  conversation_id: string | null;
  said: string | null;
}

/**
 * A sentence of the learned part, and the statements that it was written from.
 *
 * A sentence without statements is the model's own and has no words of a statement.
 */
export interface SentenceView {
  sentence: string;
  statements: Array<SourceView>;
}

/** The sentences of the learned part, in order; the other parts are the user's own text. */
export interface ProfileSourcesResult {
  sentences: Array<SentenceView>;
  notices: Array<Notice>;
}

/** A project, with the counts of its memories and messages that the reader may see. */
export interface ProjectView {
  id: string;
  name: string | null;
  memories: number;
  messages: number;
  last_told_at: string;
}

/** Projects, the most recently used first. */
export interface ProjectListResult {
  projects: Array<ProjectView>;
}

/** An OpenRPC document. */
export interface RpcDiscoverResult {
  openrpc: string;
  info: Record<string, string>;
  methods: Array<Record<string, unknown>>;
  components: Record<string, unknown>;
}

/** A memory, message or summary that answers, under the name of its kind. */
export interface Hit {
  source_type: "memory" | "message" | "summary";
  score: number;
  memory?: Memory;
  weak?: boolean;
  about?: Array<string>;
  via?: string;
  trust?: "fact" | "hearsay" | "unknown";
  message?: MessageView;
  summary?: SummaryView;
  passage?: string;
}

/** The results of a search, best first. */
export interface SearchAllResult {
  results: Array<Hit>;
  withheld: Withheld;
  degraded: Array<string>;
}

/** The server, its capabilities and limits; and the caller's scope and rights. */
export interface SessionHelloResult {
  server: string;
  version: string;
  protocol: number;
  capabilities: Array<string>;
  limits: Record<string, number>;
  listener: string;
  grant_id: string | null;
  scope: Scope;
  rights: Array<string>;
  expires_at: string | null;
  embedder: string;
}

/** The summary. */
export interface SummaryGetResult {
  summary: SummaryView;
}

/** Summaries, latest conversations first. */
export interface SummaryListResult {
  summaries: Array<SummaryView>;
}

/** The number of summaries that were removed, and the job that writes new ones. */
export interface SummaryRebuildResult {
  removed: number;
  job_id: string;
}

/** A summary that answers a question, its score, and its passage if it is long. */
export interface FoundSummary {
  overall: string;
  topics: Array<string>;
  decisions: Array<string>;
  key_dates: Array<KeyDate>;
  action_items: Array<string>;
  id: string;
  conversation_id: string;
  title: string | null;
  began_at: string;
  at: string;
  messages: number;
  score: number;
  passage?: string;
}

/** The summaries that best answer, best first. */
export interface SummarySearchResult {
  summaries: Array<FoundSummary>;
  degraded: Array<string>;
}

/** Text in Prometheus' format. */
export interface SystemMetricsResult {
  text: string;
}

/** A path that no sandbox may be given; `secret`: not even to read. */
export interface ProtectedPath {
  name: string;
  path: string;
  secret: boolean;
}

/** Paths that no sandbox may be given, neither themselves nor in a directory. */
export interface SystemPathsResult {
  paths: Array<ProtectedPath>;
}

/** The changed sections in force now, and those that need a restart. */
export interface SystemReloadResult {
  reloaded: Array<string>;
  needs_restart: Array<string>;
}

/** Vectors that are being built to replace those in use, and how many are done. */
export interface Building {
  model: string;
  done: number;
  total: number;
}

/**
 * State of the language model; `untried` until its endpoint answered once since the start.
 *
 * Its usage is for the control socket only.
 */
export interface LanguageModelStatus {
  state: "ceiling" | "not_configured" | "ready" | "unauthorised" | "unreachable" | "untried";
  model?: string | null;
  tokens_today?: number | null;
  max_tokens_per_day?: number | null;
  today?: Array<TaskUsage>;
}

/** A warning for the operator, with the remedy. */
export interface Warned {
  name: string;
  detail: string;
  remedy: string;
}

/** Long work in progress; `total` is 0 while it is unknown. */
export interface Running {
  name: string;
  done?: number;
  total?: number;
}

/** The daemon's health; a sandbox does not see how much is stored for everybody. */
export interface SystemStatusResult {
  version: string;
  state: "ready" | "starting";
  started_at: string;
  embedder: string;
  model: string | null;
  waiting_for_vectors: number | null;
  building: Building | null;
  language_model: LanguageModelStatus;
  memory_on: boolean | null;
  warnings: Array<Warned>;
  running: Array<Running>;
}

/** The text for the model, and the result of the service behind the tool (null on an error). */
export interface ToolsCallResult {
  content: string;
  is_error: boolean;
  result: unknown;
  error?: ErrorObject;
}

/** Function definitions, as `tools` of an OpenAI-compatible endpoint takes them. */
export interface ToolsListResult {
  tools: Array<Record<string, unknown>>;
}

export interface AccountMethods {
  /** List the accounts with the numbers of their memories, conversations and turns. */
  list(params?: { provider?: string | null; limit?: number; cursor?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<AccountListResult>;
}

export interface AuditMethods {
  /** List changes and denied calls, newest first. */
  list(params?: { since?: string | null; until?: string | null; grant_id?: string | null; outcome?: string | null; limit?: number; cursor?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<AuditListResult>;
}

export interface ChatMethods {
  /** Record that an account takes part in a group, now or since an earlier time. */
  join(params: { chat: ChatNamed; account: AccountNamed; at?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ParticipantsResult>;
  /** Record that an account has left a group. */
  leave(params: { chat: ChatNamed; account: AccountNamed; at?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ParticipantsResult>;
  /** List present and former participants of a chat; without `chat`, list the chats. */
  list(params?: { chat?: ChatNamed | null; limit?: number; cursor?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ChatListResult>;
}

export interface ContextMethods {
  /**
   * Compose the block of text that a model reads before it answers a message.
   *
   * The same request for the same audience gets the same block for 10 s, unless a text that the
   * audience may see changes.
   */
  get(params: { message: string; recent?: Array<Recent>; max_tokens?: number; max_memories?: number | null; max_messages?: number; min_message_similarity?: number; sections?: Array<"date" | "excerpts" | "memories" | "overrides" | "people" | "profile" | "relationships" | "relevant_summaries" | "summaries"> | null; explain?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ContextGetResult>;
}

export interface ConversationMethods {
  /** Delete a conversation. */
  delete(params: { conversation_id: string; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ConversationDeleteResult>;
  /** Show the messages of a conversation. */
  get(params: { conversation_id: string; limit?: number; before?: number | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ConversationGetResult>;
  /** Store messages, with their dates and speakers; known ones are left out. */
  ingest(params: { conversation_id: string; turns?: Array<TurnIn> | null; messages?: Array<MessageIn> | null; session_date?: string | null; title?: string | null; skip_extraction?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ConversationIngestResult>;
  /** List conversations, the latest first. */
  list(params?: { limit?: number; cursor?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ConversationListResult>;
  /** Find the messages that best answer a question. */
  search(params: { query: string; limit?: number; conversation_id?: string | null; since?: string | null; until?: string | null; window?: number; mode?: "hybrid" | "lexical" | "vector"; explain?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ConversationSearchResult>;
}

export interface DbMethods {
  /** Copy the whole database to a new file, and verify the copy. */
  backup(params?: { path?: string | null; keep?: number | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbBackupResult>;
  /**
   * Look for damage and other problems; `fix` mends them if possible.
   *
   * The language model is tried once, on a conversation that comes with the daemon, for two
   * minutes at most; if the client hangs up meanwhile, the trial ends, and nothing is fixed.
   *
   * Nothing is fixed if the call cannot be recorded in the audit.
   */
  check(params?: { fix?: boolean; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbCheckResult>;
  /** Erase everything that is stored, for everybody, and revoke every grant. */
  clear(params: { confirm: "everything"; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<EraseResult>;
  /** Erase memories for good that were archived at least `older_than_days` ago. */
  compact(params?: { older_than_days?: number; force?: boolean; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbCompactResult>;
  /** Write everything to a new file as lines of JSON, or what the given scope may see. */
  export(params: { path: string; recipient?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbExportResult>;
  /** Archive superseded, expired, faded and surplus memories; remove expired records. */
  gc(params?: { dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbGcResult>;
  /** Count what was stored on each of the last days. */
  growth(params?: { days?: number; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbGrowthResult>;
  /** Store the contents of a file; entries that exist already stay unchanged. */
  import(params: { path: string; format?: "ash" | "agent-files" | "chatgpt" | "claude" | "letta" | "lines" | "mcp-memory" | "mem0" | "notes" | "osaurus" | "zep" | null; key_file?: string | null; dry_run?: boolean; skip_extraction?: boolean; project?: Project | null; import_id?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbImportResult>;
  /** Rebuild the full-text index and the queue of vectors from what is stored. */
  reindex(params?: { idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbReindexResult>;
  /** Count what the database holds. */
  stats(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbStatsResult>;
  /** End the imports of a file or folder after their current slice; stored records stay. */
  stop_import(params: { path: string; import_id?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<DbStopImportResult>;
}

export interface GrantMethods {
  /** Open a socket for a sandbox, bound to the scope. */
  create(params?: { rights?: Array<"forget" | "read" | "write">; expires_in_s?: number | null; quota?: QuotaParams; token?: boolean; ends_with_caller?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GrantCreateResult>;
  /** List the grants in force, or all. */
  list(params?: { grant_id?: string | null; include_closed?: boolean; count?: boolean; limit?: number | null; cursor?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GrantListResult>;
  /** Revoke a grant and drop its connections at once. */
  revoke(params: { grant_id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GrantResult>;
  /** Set the speaker in a group grant's chat, or the session and message. */
  turn(params: { grant_id: string; user_id?: string | null; session_id?: string | null; message_id?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GrantResult>;
}

export interface GraphMethods {
  /** Add a person or thing and its other names. */
  add_entity(params: { shared?: boolean; sensitivity?: "personal" | "public" | "sensitive" | null; portable?: boolean; name: string; type: "company" | "concept" | "event" | "person" | "place" | "project" | "tool"; aliases?: Array<string>; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GraphAddEntityResult>;
  /** State that a relation no longer holds; it stays in the history. */
  end(params: { id: string; at?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GraphEndResult>;
  /**
   * State a relation between two entities.
   *
   * If such a relation has one value at a time, the former relation ends.
   */
  relate(params: { shared?: boolean; sensitivity?: "personal" | "public" | "sensitive" | null; portable?: boolean; source: string; relation: string; target: string; source_type?: "company" | "concept" | "event" | "person" | "place" | "project" | "tool" | null; target_type?: "company" | "concept" | "event" | "person" | "place" | "project" | "tool" | null; confidence?: number | null; valid_from?: string | null; valid_until?: string | null; single?: boolean | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GraphRelateResult>;
  /** Remove an entity with its relations, or a relation, that was a mistake. */
  remove(params: { id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GraphRemoveResult>;
  /** Find the relations of an entity, near or at some distance, or relations of a kind. */
  search(params?: { name?: string | null; relation?: string | null; direction?: "both" | "in" | "out"; depth?: number; limit?: number; include_ended?: boolean; as_of?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<GraphSearchResult>;
}

export interface JobsMethods {
  /** Run all waiting jobs, whatever they wait for, and answer when they are done. */
  flush(params?: { idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<JobsFlushResult>;
  /** Show a background job: its state and its outcome. */
  get(params: { id: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<JobResult>;
  /**
   * List background jobs, newest first.
   *
   * They are the jobs of the scope, with `all_scopes` everybody's, and in a sandbox its own.
   */
  list(params?: { state?: "done" | "running" | "set_aside" | "waiting" | null; kind?: string | null; limit?: number; cursor?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<JobsListResult>;
  /** Run a job again that was set aside, or run a waiting one now. */
  retry(params: { id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<JobResult>;
}

export interface KeyMethods {
  /** Add a key by its hash; every gateway takes it within a second. */
  create(params: { hash: string; agents?: Array<string>; account?: KeyAccount | null; stores?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<KeyView>;
  /** List the keys, which the gateway checks its callers by. */
  list(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<KeyListResult>;
  /** Revoke a key; every gateway refuses it within a second. */
  revoke(params: { id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<KeyView>;
}

export interface LlmMethods {
  /** Count the tokens of a completion that the caller made itself, as `ash chat` does. */
  count(params: { task: "chat"; sent: number; received: number; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<LlmCountResult>;
}

export interface MemoryMethods {
  /** Store a fact, or several; each has its own outcome. */
  add(params?: { subjects?: Array<string> | null; type?: "commitment" | "context" | "correction" | "decision" | "event" | "fact" | "identity" | "knowledge" | "observation" | "preference" | "relationship" | "skill" | "task" | null; expires_in_days?: number | null; expires_at?: string | null; sensitivity?: "personal" | "public" | "sensitive" | null; portable?: boolean | null; valid_from?: string | null; valid_until?: string | null; tags?: Array<string> | null; metadata?: Record<string, unknown> | null; everywhere?: boolean | null; shared?: boolean | null; observed_at?: string | null; supersedes?: string | null; content?: string | null; facts?: Array<Fact> | null; idempotency_key?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryAddResult>;
  /** List likely conflicts that nobody has settled, likeliest first. */
  conflicts(params?: { limit?: number; cursor?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryConflictsResult>;
  /** Delete a memory; the operator can restore it. */
  delete(params: { id: string; expected_revision?: number | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryDeleteResult>;
  /** Erase a memory, a conversation, or everything of a grant or of an owner. */
  erase(params?: { id?: string | null; conversation_id?: string | null; grant_id?: string | null; owner?: AccountNamed | null; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<EraseResult>;
  /** Extract facts from messages with the language model; `wait` returns what it found. */
  extract(params: { messages: Array<MessageParams>; wait?: boolean; idempotency_key?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryExtractResult>;
  /** Archive all memories about a person, or erase them for good. */
  forget_person(params: { person_id: string; delete_person_record?: boolean; erase?: boolean; mentions?: boolean; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryForgetPersonResult>;
  /** Show a memory and the people it is about; on request also where it came from. */
  get(params: { id: string; explain?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryGetResult>;
  /** Show which memories superseded one another, oldest first. */
  history(params: { id: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryHistoryResult>;
  /** List memories, newest first or in another order. */
  list(params?: { about?: string | null; types?: Array<"commitment" | "context" | "correction" | "decision" | "event" | "fact" | "identity" | "knowledge" | "observation" | "preference" | "relationship" | "skill" | "task"> | null; tags?: Array<string> | null; include_superseded?: boolean; include_expired?: boolean; limit?: number; cursor?: string | null; source?: string | null; session_id?: string | null; grant_id?: string | null; project?: string | null; since?: string | null; until?: string | null; include_archived?: boolean; state?: "active" | "archived" | "expired" | "superseded" | null; sort?: "ends_first" | "last_used" | "most_used" | "newest" | "oldest"; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryListResult>;
  /** Bring a deleted memory back. */
  restore(params?: { id?: string | null; withdrawal_id?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryRestoreResult>;
  /** Find the memories that answer a question. */
  search(params: { about?: string | null; types?: Array<"commitment" | "context" | "correction" | "decision" | "event" | "fact" | "identity" | "knowledge" | "observation" | "preference" | "relationship" | "skill" | "task"> | null; tags?: Array<string> | null; include_superseded?: boolean; include_expired?: boolean; query: string; limit?: number; as_of?: string | null; since?: string | null; until?: string | null; min_score?: number | null; mode?: "hybrid" | "lexical" | "vector"; explain?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemorySearchResult>;
  /** Settle a conflict: the newer memory replaces the older one, or both hold. */
  supersede(params: { id: string; superseded_id: string; verdict?: "both" | "replaces" | "unsure"; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemorySupersedeResult>;
  /**
   * Change a memory, or several at once.
   *
   * New content becomes a new memory, which supersedes the old one. A moment later the new
   * memory is compared with other memories, like an added fact. Of a memory that was replaced,
   * only tags and metadata can be changed.
   */
  update(params: { changes: Changes; id?: string | null; ids?: Array<string> | null; expected_revision?: number | null; expected_revisions?: Array<number> | null; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryUpdateResult>;
  /**
   * Archive all memories of a session, a grant, a source or a period.
   *
   * `memory.restore` undoes it with the `withdrawal_id`.
   */
  withdraw(params?: { ids?: Array<string> | null; session_id?: string | null; grant_id?: string | null; source?: string | null; since?: string | null; until?: string | null; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<MemoryWithdrawResult>;
}

export interface ModelMethods {
  /** Change the embedder; searches use the current vectors until all new ones are built. */
  use(params: { provider: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ModelUseResult>;
}

export interface OverrideMethods {
  /** Pin a fact, so that it is always in the context. */
  add(params: { content: string; for_groups?: boolean | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<OverrideAddResult>;
  /** List the pinned facts of a user, or in a group the pinned facts that are shown there. */
  list(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<OverrideListResult>;
  /** Unpin a fact. */
  remove(params: { id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<OverrideRemoveResult>;
}

export interface PersonMethods {
  /** Add another name that means this person. */
  add_alias(params: { id: string; alias: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
  /** Create a person, even if somebody else has the name. */
  create(params: { name: string; relationship?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
  /** Delete everything known of a person; memories about them stay, without a name. */
  delete(params: { id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
  /** Suggest pairs of people who may be the same; nobody is merged by it. */
  duplicates(params?: { limit?: number; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonDuplicatesResult>;
  /** Show a person. */
  get(params: { id: string; related?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonGetResult>;
  /** Join an account to a person: joined accounts share everything their owner has. */
  link_account(params: { id: string; account: AccountNamed; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
  /** List the people known here, page by page; by default the most recently active first. */
  list(params?: { query?: string | null; relationship?: string | null; order?: "connections" | "name" | "recent"; limit?: number; cursor?: string | null; count?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonListResult>;
  /** Merge a person into another, who gets all memories and names of the first. */
  merge(params: { id: string; into: string; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonMergeResult>;
  /** State the relationship of a person to the user of the scope, or to another person. */
  relate(params: { id: string; relationship: string; to?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
  /** Remove another name of a person. */
  remove_alias(params: { id: string; alias: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
  /**
   * Find the person that a reference means; creating one needs the right to write.
   *
   * New details in the reference are stored if the caller may write.
   */
  resolve(params: { reference: string; content_hint?: string | null; create?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResolveResult>;
  /** Undo a merge. */
  split(params: { id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SplitResult>;
  /** Record that a reference does not mean a person, and move its memories to another person. */
  undo_identification(params: { person_id: string; reference: string; memory_ids?: Array<string> | null; dry_run?: boolean; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonUndoIdentificationResult>;
  /** Separate an account from a person; each has what it would have without the join. */
  unlink_account(params: { id: string; account: AccountNamed; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SplitResult>;
  /** End a relationship; it stays in the history. */
  unrelate(params: { id: string; relationship: string; to?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
  /** Change a person's name or metadata. */
  update(params: { id: string; name?: string; metadata?: Record<string, unknown> | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<PersonResult>;
}

export interface ProfileMethods {
  /** Show the user's profile. */
  get(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ProfileGetResult>;
  /** Show the versions of the profile, and what each changed. */
  history(params?: { limit?: number; before?: number | null; against?: number | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ProfileHistoryResult>;
  /** Rewrite the profile in the background from all that the user said of themselves. */
  rebuild(params?: { idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ProfileRebuildResult>;
  /** Set the user's text, notes or the learned part, as a new version of the profile. */
  set(params?: { text?: string | null; notes?: string | null; learned?: string | null; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ProfileSetResult>;
  /** Show where each sentence that was learned about the user comes from. */
  sources(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ProfileSourcesResult>;
}

export interface ProjectMethods {
  /** List the projects that the reader's memories and messages belong to. */
  list(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ProjectListResult>;
}

export interface RpcMethods {
  /** Describe the methods that this caller may call, as an OpenRPC document. */
  discover(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<RpcDiscoverResult>;
}

export interface SearchMethods {
  /** Search memories, messages and summaries together. */
  all(params: { query: string; limit?: number; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SearchAllResult>;
}

export interface SessionMethods {
  /** Report the server, its capabilities and limits, and the caller's scope and rights. */
  hello(params?: { token?: string | null; client?: string | null; bind?: boolean; read_only?: boolean; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SessionHelloResult>;
}

export interface SummaryMethods {
  /** Show one summary. */
  get(params: { id: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SummaryGetResult>;
  /** List summaries of conversations, latest conversations first. */
  list(params?: { limit?: number; conversation_id?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SummaryListResult>;
  /** Remove a conversation's summaries, and summarise it anew in the background. */
  rebuild(params: { conversation_id: string; idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SummaryRebuildResult>;
  /** Find the summaries of conversations that best answer a question. */
  search(params: { query: string; limit?: number; since?: string | null; until?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SummarySearchResult>;
}

export interface SystemMethods {
  /**
   * Return counts and times of calls, writes and jobs, in Prometheus' text format.
   *
   * Those of the database are left out if it fails.
   */
  metrics(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SystemMetricsResult>;
  /** Name the daemon's own files and directories, which no sandbox may be given. */
  paths(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SystemPathsResult>;
  /** Read the configuration again; report what is in force now and what needs a restart. */
  reload(params?: { idempotency_key?: string; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SystemReloadResult>;
  /** Report the daemon's health. */
  status(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<SystemStatusResult>;
}

export interface ToolsMethods {
  /** Run a tool that a model called; an error that the model can correct is a result. */
  call(params: { name: string; arguments: Record<string, unknown> | string; idempotency_key?: string | null; scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ToolsCallResult>;
  /** List the tools to give a model, as function definitions; none while memory is off. */
  list(params?: { scope?: Scope; all_scopes?: boolean }, options?: CallOptions): Promise<ToolsListResult>;
}

/** The methods of the daemon, by namespace. */
export interface Methods {
  readonly account: AccountMethods;
  readonly audit: AuditMethods;
  readonly chat: ChatMethods;
  readonly context: ContextMethods;
  readonly conversation: ConversationMethods;
  readonly db: DbMethods;
  readonly grant: GrantMethods;
  readonly graph: GraphMethods;
  readonly jobs: JobsMethods;
  readonly key: KeyMethods;
  readonly llm: LlmMethods;
  readonly memory: MemoryMethods;
  readonly model: ModelMethods;
  readonly override: OverrideMethods;
  readonly person: PersonMethods;
  readonly profile: ProfileMethods;
  readonly project: ProjectMethods;
  readonly rpc: RpcMethods;
  readonly search: SearchMethods;
  readonly session: SessionMethods;
  readonly summary: SummaryMethods;
  readonly system: SystemMethods;
  readonly tools: ToolsMethods;
}
