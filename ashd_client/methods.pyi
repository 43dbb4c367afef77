"""The methods of both clients. Made by `make docs` from the daemon's table of methods."""

from collections.abc import Mapping, Sequence
from typing import Any, Dict, List, Literal

from ashd_client import types
from ashd_client.messages import AnyMessage, Text

class AccountMethods:
    def list(
        self,
        *,
        provider: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.AccountListResult:
        """List the accounts with the numbers of their memories, conversations and turns."""

class AuditMethods:
    def list(
        self,
        *,
        since: str | None = ...,
        until: str | None = ...,
        grant_id: str | None = ...,
        outcome: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.AuditListResult:
        """List changes and denied calls, newest first."""

class ChatMethods:
    def join(
        self,
        chat: types.ChatNamed,
        account: types.AccountNamed,
        *,
        at: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ParticipantsResult:
        """Record that an account takes part in a group, now or since an earlier time."""
    def leave(
        self,
        chat: types.ChatNamed,
        account: types.AccountNamed,
        *,
        at: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ParticipantsResult:
        """Record that an account has left a group."""
    def list(
        self,
        *,
        chat: types.ChatNamed | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ChatListResult:
        """List present and former participants of a chat; without `chat`, list the chats."""

class ContextMethods:
    def get(
        self,
        message: Text,
        *,
        recent: Sequence[AnyMessage] = ...,
        max_tokens: int = ...,
        max_memories: int | None = ...,
        max_messages: int = ...,
        min_message_similarity: float = ...,
        sections: List[
            Literal[
                "date",
                "excerpts",
                "memories",
                "overrides",
                "people",
                "profile",
                "relationships",
                "relevant_summaries",
                "summaries",
            ]
        ]
        | None = ...,
        explain: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ContextGetResult:
        """Compose the block of text that a model reads before it answers a message.

        The same request for the same audience gets the same block for 10 s, unless a text that the
        audience may see changes.
        """

class ConversationMethods:
    def delete(
        self,
        conversation_id: str,
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationDeleteResult:
        """Delete a conversation."""
    def get(
        self,
        conversation_id: str,
        *,
        limit: int = ...,
        before: int | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationGetResult:
        """Show the messages of a conversation."""
    def ingest(
        self,
        conversation_id: str,
        *,
        turns: Sequence[Mapping[str, Any]] = ...,
        messages: Sequence[AnyMessage] = ...,
        session_date: str | None = ...,
        title: str | None = ...,
        skip_extraction: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationIngestResult:
        """Store messages, with their dates and speakers; known ones are left out."""
    def list(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationListResult:
        """List conversations, the latest first."""
    def search(
        self,
        query: str,
        *,
        limit: int = ...,
        conversation_id: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        window: int = ...,
        mode: Literal["hybrid", "lexical", "vector"] = ...,
        explain: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationSearchResult:
        """Find the messages that best answer a question."""

class DbMethods:
    def backup(
        self,
        *,
        path: str | None = ...,
        keep: int | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbBackupResult:
        """Copy the whole database to a new file, and verify the copy."""
    def check(
        self,
        *,
        fix: bool = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbCheckResult:
        """Look for damage and other problems; `fix` mends them if possible.

        The language model is tried once, on a conversation that comes with the daemon, for two
        minutes at most; if the client hangs up meanwhile, the trial ends, and nothing is fixed.

        Nothing is fixed if the call cannot be recorded in the audit.
        """
    def clear(
        self,
        confirm: Literal["everything"],
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.EraseResult:
        """Erase everything that is stored, for everybody, and revoke every grant."""
    def compact(
        self,
        *,
        older_than_days: float = ...,
        force: bool = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbCompactResult:
        """Erase memories for good that were archived at least `older_than_days` ago."""
    def export(
        self,
        path: str,
        *,
        recipient: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbExportResult:
        """Write everything to a new file as lines of JSON, or what the given scope may see."""
    def gc(
        self,
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbGcResult:
        """Archive superseded, expired, faded and surplus memories; remove expired records."""
    def growth(
        self, *, days: int = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.DbGrowthResult:
        """Count what was stored on each of the last days."""
    def import_(
        self,
        path: str,
        *,
        format: Literal["ash"]
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
        | None = ...,
        key_file: str | None = ...,
        dry_run: bool = ...,
        skip_extraction: bool = ...,
        project: types.Project | None = ...,
        import_id: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbImportResult:
        """Store the contents of a file; entries that exist already stay unchanged."""
    def reindex(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.DbReindexResult:
        """Rebuild the full-text index and the queue of vectors from what is stored."""
    def stats(self, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.DbStatsResult:
        """Count what the database holds."""
    def stop_import(
        self,
        path: str,
        *,
        import_id: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbStopImportResult:
        """End the imports of a file or folder after their current slice; stored records stay."""

class GrantMethods:
    def create(
        self,
        *,
        rights: List[Literal["forget", "read", "write"]] = ...,
        expires_in_s: int | None = ...,
        quota: types.QuotaParams = ...,
        token: bool = ...,
        ends_with_caller: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantCreateResult:
        """Open a socket for a sandbox, bound to the scope."""
    def list(
        self,
        *,
        grant_id: str | None = ...,
        include_closed: bool = ...,
        count: bool = ...,
        limit: int | None = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantListResult:
        """List the grants in force, or all."""
    def revoke(
        self,
        grant_id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantResult:
        """Revoke a grant and drop its connections at once."""
    def turn(
        self,
        grant_id: str,
        *,
        user_id: str | None = ...,
        session_id: str | None = ...,
        message_id: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantResult:
        """Set the speaker in a group grant's chat, or the session and message."""

class GraphMethods:
    def add_entity(
        self,
        name: str,
        type: Literal["company", "concept", "event", "person", "place", "project", "tool"],
        *,
        shared: bool = ...,
        sensitivity: Literal["personal", "public", "sensitive"] | None = ...,
        portable: bool = ...,
        aliases: List[str] = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphAddEntityResult:
        """Add a person or thing and its other names."""
    def end(
        self,
        id: str,
        *,
        at: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphEndResult:
        """State that a relation no longer holds; it stays in the history."""
    def relate(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        shared: bool = ...,
        sensitivity: Literal["personal", "public", "sensitive"] | None = ...,
        portable: bool = ...,
        source_type: Literal["company", "concept", "event", "person", "place", "project", "tool"]
        | None = ...,
        target_type: Literal["company", "concept", "event", "person", "place", "project", "tool"]
        | None = ...,
        confidence: float | None = ...,
        valid_from: str | None = ...,
        valid_until: str | None = ...,
        single: bool | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphRelateResult:
        """State a relation between two entities.

        If such a relation has one value at a time, the former relation ends.
        """
    def remove(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphRemoveResult:
        """Remove an entity with its relations, or a relation, that was a mistake."""
    def search(
        self,
        *,
        name: str | None = ...,
        relation: str | None = ...,
        direction: Literal["both", "in", "out"] = ...,
        depth: int = ...,
        limit: int = ...,
        include_ended: bool = ...,
        as_of: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphSearchResult:
        """Find the relations of an entity, near or at some distance, or relations of a kind."""

class JobsMethods:
    def flush(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.JobsFlushResult:
        """Run all waiting jobs, whatever they wait for, and answer when they are done."""
    def get(self, id: str, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.JobResult:
        """Show a background job: its state and its outcome."""
    def list(
        self,
        *,
        state: Literal["done", "running", "set_aside", "waiting"] | None = ...,
        kind: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.JobsListResult:
        """List background jobs, newest first.

        They are the jobs of the scope, with `all_scopes` everybody's, and in a sandbox its own.
        """
    def retry(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.JobResult:
        """Run a job again that was set aside, or run a waiting one now."""

class KeyMethods:
    def create(
        self,
        hash: str,
        *,
        agents: List[str] = ...,
        account: types.KeyAccount | None = ...,
        stores: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.KeyView:
        """Add a key by its hash; every gateway takes it within a second."""
    def list(self, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.KeyListResult:
        """List the keys, which the gateway checks its callers by."""
    def revoke(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.KeyView:
        """Revoke a key; every gateway refuses it within a second."""

class LlmMethods:
    def count(
        self,
        task: Literal["chat"],
        sent: int,
        received: int,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.LlmCountResult:
        """Count the tokens of a completion that the caller made itself, as `ash chat` does."""

class MemoryMethods:
    def add(
        self,
        *,
        subjects: List[str] | None = ...,
        type: Literal[
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
        | None = ...,
        expires_in_days: float | None = ...,
        expires_at: str | None = ...,
        sensitivity: Literal["personal", "public", "sensitive"] | None = ...,
        portable: bool | None = ...,
        valid_from: str | None = ...,
        valid_until: str | None = ...,
        tags: List[str] | None = ...,
        metadata: Dict[str, Any] | None = ...,
        everywhere: bool | None = ...,
        shared: bool | None = ...,
        observed_at: str | None = ...,
        supersedes: str | None = ...,
        content: str | None = ...,
        facts: List[types.Fact] | None = ...,
        idempotency_key: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryAddResult:
        """Store a fact, or several; each has its own outcome."""
    def conflicts(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryConflictsResult:
        """List likely conflicts that nobody has settled, likeliest first."""
    def delete(
        self,
        id: str,
        *,
        expected_revision: int | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryDeleteResult:
        """Delete a memory; the operator can restore it."""
    def erase(
        self,
        *,
        id: str | None = ...,
        conversation_id: str | None = ...,
        grant_id: str | None = ...,
        owner: types.AccountNamed | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.EraseResult:
        """Erase a memory, a conversation, or everything of a grant or of an owner."""
    def extract(
        self,
        messages: List[types.MessageParams],
        *,
        wait: bool = ...,
        idempotency_key: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryExtractResult:
        """Extract facts from messages with the language model; `wait` returns what it found."""
    def forget_person(
        self,
        person_id: str,
        *,
        delete_person_record: bool = ...,
        erase: bool = ...,
        mentions: bool = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryForgetPersonResult:
        """Archive all memories about a person, or erase them for good."""
    def get(
        self, id: str, *, explain: bool = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.MemoryGetResult:
        """Show a memory and the people it is about; on request also where it came from."""
    def history(
        self, id: str, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.MemoryHistoryResult:
        """Show which memories superseded one another, oldest first."""
    def list(
        self,
        *,
        about: str | None = ...,
        types: List[
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
        ]
        | None = ...,
        tags: List[str] | None = ...,
        include_superseded: bool = ...,
        include_expired: bool = ...,
        limit: int = ...,
        cursor: str | None = ...,
        source: str | None = ...,
        session_id: str | None = ...,
        grant_id: str | None = ...,
        project: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        include_archived: bool = ...,
        state: Literal["active", "archived", "expired", "superseded"] | None = ...,
        sort: Literal["ends_first", "last_used", "most_used", "newest", "oldest"] = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryListResult:
        """List memories, newest first or in another order."""
    def restore(
        self,
        *,
        id: str | None = ...,
        withdrawal_id: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryRestoreResult:
        """Bring a deleted memory back."""
    def search(
        self,
        query: str,
        *,
        about: str | None = ...,
        types: List[
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
        ]
        | None = ...,
        tags: List[str] | None = ...,
        include_superseded: bool = ...,
        include_expired: bool = ...,
        limit: int = ...,
        as_of: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        min_score: float | None = ...,
        mode: Literal["hybrid", "lexical", "vector"] = ...,
        explain: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemorySearchResult:
        """Find the memories that answer a question."""
    def supersede(
        self,
        id: str,
        superseded_id: str,
        *,
        verdict: Literal["both", "replaces", "unsure"] = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemorySupersedeResult:
        """Settle a conflict: the newer memory replaces the older one, or both hold."""
    def update(
        self,
        changes: types.Changes,
        *,
        id: str | None = ...,
        ids: List[str] | None = ...,
        expected_revision: int | None = ...,
        expected_revisions: List[int] | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryUpdateResult:
        """Change a memory, or several at once.

        New content becomes a new memory, which supersedes the old one. A moment later the new
        memory is compared with other memories, like an added fact. Of a memory that was replaced,
        only tags and metadata can be changed.
        """
    def withdraw(
        self,
        *,
        ids: List[str] | None = ...,
        session_id: str | None = ...,
        grant_id: str | None = ...,
        source: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryWithdrawResult:
        """Archive all memories of a session, a grant, a source or a period.

        `memory.restore` undoes it with the `withdrawal_id`.
        """

class ModelMethods:
    def use(
        self,
        provider: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ModelUseResult:
        """Change the embedder; searches use the current vectors until all new ones are built."""

class OverrideMethods:
    def add(
        self,
        content: str,
        *,
        for_groups: bool | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.OverrideAddResult:
        """Pin a fact, so that it is always in the context."""
    def list(self, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.OverrideListResult:
        """List the pinned facts of a user, or in a group the pinned facts that are shown there."""
    def remove(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.OverrideRemoveResult:
        """Unpin a fact."""

class PersonMethods:
    def add_alias(
        self,
        id: str,
        alias: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Add another name that means this person."""
    def create(
        self,
        name: str,
        *,
        relationship: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Create a person, even if somebody else has the name."""
    def delete(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Delete everything known of a person; memories about them stay, without a name."""
    def duplicates(
        self, *, limit: int = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.PersonDuplicatesResult:
        """Suggest pairs of people who may be the same; nobody is merged by it."""
    def get(
        self, id: str, *, related: bool = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.PersonGetResult:
        """Show a person."""
    def link_account(
        self,
        id: str,
        account: types.AccountNamed,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Join an account to a person: joined accounts share everything their owner has."""
    def list(
        self,
        *,
        query: str | None = ...,
        relationship: str | None = ...,
        order: Literal["connections", "name", "recent"] = ...,
        limit: int = ...,
        cursor: str | None = ...,
        count: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonListResult:
        """List the people known here, page by page; by default the most recently active first."""
    def merge(
        self,
        id: str,
        into: str,
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonMergeResult:
        """Merge a person into another, who gets all memories and names of the first."""
    def relate(
        self,
        id: str,
        relationship: str,
        *,
        to: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """State the relationship of a person to the user of the scope, or to another person."""
    def remove_alias(
        self,
        id: str,
        alias: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Remove another name of a person."""
    def resolve(
        self,
        reference: str,
        *,
        content_hint: str | None = ...,
        create: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResolveResult:
        """Find the person that a reference means; creating one needs the right to write.

        New details in the reference are stored if the caller may write.
        """
    def split(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SplitResult:
        """Undo a merge."""
    def undo_identification(
        self,
        person_id: str,
        reference: str,
        *,
        memory_ids: List[str] | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonUndoIdentificationResult:
        """Record that a reference does not mean a person, and move its memories to another person."""
    def unlink_account(
        self,
        id: str,
        account: types.AccountNamed,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SplitResult:
        """Separate an account from a person; each has what it would have without the join."""
    def unrelate(
        self,
        id: str,
        relationship: str,
        *,
        to: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """End a relationship; it stays in the history."""
    def update(
        self,
        id: str,
        *,
        name: str = ...,
        metadata: Dict[str, Any] | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Change a person's name or metadata."""

class ProfileMethods:
    def get(self, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.ProfileGetResult:
        """Show the user's profile."""
    def history(
        self,
        *,
        limit: int = ...,
        before: int | None = ...,
        against: int | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ProfileHistoryResult:
        """Show the versions of the profile, and what each changed."""
    def rebuild(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.ProfileRebuildResult:
        """Rewrite the profile in the background from all that the user said of themselves."""
    def set(
        self,
        *,
        text: str | None = ...,
        notes: str | None = ...,
        learned: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ProfileSetResult:
        """Set the user's text, notes or the learned part, as a new version of the profile."""
    def sources(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.ProfileSourcesResult:
        """Show where each sentence that was learned about the user comes from."""

class ProjectMethods:
    def list(self, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.ProjectListResult:
        """List the projects that the reader's memories and messages belong to."""

class RpcMethods:
    def discover(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.RpcDiscoverResult:
        """Describe the methods that this caller may call, as an OpenRPC document."""

class SearchMethods:
    def all(
        self, query: str, *, limit: int = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SearchAllResult:
        """Search memories, messages and summaries together."""

class SessionMethods:
    def hello(
        self,
        *,
        token: str | None = ...,
        client: str | None = ...,
        bind: bool = ...,
        read_only: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SessionHelloResult:
        """Report the server, its capabilities and limits, and the caller's scope and rights."""

class SummaryMethods:
    def get(
        self, id: str, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SummaryGetResult:
        """Show one summary."""
    def list(
        self,
        *,
        limit: int = ...,
        conversation_id: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SummaryListResult:
        """List summaries of conversations, latest conversations first."""
    def rebuild(
        self,
        conversation_id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SummaryRebuildResult:
        """Remove a conversation's summaries, and summarise it anew in the background."""
    def search(
        self,
        query: str,
        *,
        limit: int = ...,
        since: str | None = ...,
        until: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SummarySearchResult:
        """Find the summaries of conversations that best answer a question."""

class SystemMethods:
    def metrics(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SystemMetricsResult:
        """Return counts and times of calls, writes and jobs, in Prometheus' text format.

        Those of the database are left out if it fails.
        """
    def paths(self, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.SystemPathsResult:
        """Name the daemon's own files and directories, which no sandbox may be given."""
    def reload(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SystemReloadResult:
        """Read the configuration again; report what is in force now and what needs a restart."""
    def status(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SystemStatusResult:
        """Report the daemon's health."""

class ToolsMethods:
    def call(
        self,
        name: str,
        arguments: str | Mapping[str, Any] | None,
        *,
        idempotency_key: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ToolsCallResult:
        """Run a tool that a model called; an error that the model can correct is a result."""
    def list(self, *, scope: types.Scope = ..., all_scopes: bool = ...) -> types.ToolsListResult:
        """List the tools to give a model, as function definitions; none while memory is off."""

class Methods:
    account: AccountMethods
    audit: AuditMethods
    chat: ChatMethods
    context: ContextMethods
    conversation: ConversationMethods
    db: DbMethods
    grant: GrantMethods
    graph: GraphMethods
    jobs: JobsMethods
    key: KeyMethods
    llm: LlmMethods
    memory: MemoryMethods
    model: ModelMethods
    override: OverrideMethods
    person: PersonMethods
    profile: ProfileMethods
    project: ProjectMethods
    rpc: RpcMethods
    search: SearchMethods
    session: SessionMethods
    summary: SummaryMethods
    system: SystemMethods
    tools: ToolsMethods

class AsyncAccountMethods:
    async def list(
        self,
        *,
        provider: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.AccountListResult:
        """List the accounts with the numbers of their memories, conversations and turns."""

class AsyncAuditMethods:
    async def list(
        self,
        *,
        since: str | None = ...,
        until: str | None = ...,
        grant_id: str | None = ...,
        outcome: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.AuditListResult:
        """List changes and denied calls, newest first."""

class AsyncChatMethods:
    async def join(
        self,
        chat: types.ChatNamed,
        account: types.AccountNamed,
        *,
        at: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ParticipantsResult:
        """Record that an account takes part in a group, now or since an earlier time."""
    async def leave(
        self,
        chat: types.ChatNamed,
        account: types.AccountNamed,
        *,
        at: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ParticipantsResult:
        """Record that an account has left a group."""
    async def list(
        self,
        *,
        chat: types.ChatNamed | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ChatListResult:
        """List present and former participants of a chat; without `chat`, list the chats."""

class AsyncContextMethods:
    async def get(
        self,
        message: Text,
        *,
        recent: Sequence[AnyMessage] = ...,
        max_tokens: int = ...,
        max_memories: int | None = ...,
        max_messages: int = ...,
        min_message_similarity: float = ...,
        sections: List[
            Literal[
                "date",
                "excerpts",
                "memories",
                "overrides",
                "people",
                "profile",
                "relationships",
                "relevant_summaries",
                "summaries",
            ]
        ]
        | None = ...,
        explain: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ContextGetResult:
        """Compose the block of text that a model reads before it answers a message.

        The same request for the same audience gets the same block for 10 s, unless a text that the
        audience may see changes.
        """

class AsyncConversationMethods:
    async def delete(
        self,
        conversation_id: str,
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationDeleteResult:
        """Delete a conversation."""
    async def get(
        self,
        conversation_id: str,
        *,
        limit: int = ...,
        before: int | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationGetResult:
        """Show the messages of a conversation."""
    async def ingest(
        self,
        conversation_id: str,
        *,
        turns: Sequence[Mapping[str, Any]] = ...,
        messages: Sequence[AnyMessage] = ...,
        session_date: str | None = ...,
        title: str | None = ...,
        skip_extraction: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationIngestResult:
        """Store messages, with their dates and speakers; known ones are left out."""
    async def list(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationListResult:
        """List conversations, the latest first."""
    async def search(
        self,
        query: str,
        *,
        limit: int = ...,
        conversation_id: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        window: int = ...,
        mode: Literal["hybrid", "lexical", "vector"] = ...,
        explain: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ConversationSearchResult:
        """Find the messages that best answer a question."""

class AsyncDbMethods:
    async def backup(
        self,
        *,
        path: str | None = ...,
        keep: int | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbBackupResult:
        """Copy the whole database to a new file, and verify the copy."""
    async def check(
        self,
        *,
        fix: bool = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbCheckResult:
        """Look for damage and other problems; `fix` mends them if possible.

        The language model is tried once, on a conversation that comes with the daemon, for two
        minutes at most; if the client hangs up meanwhile, the trial ends, and nothing is fixed.

        Nothing is fixed if the call cannot be recorded in the audit.
        """
    async def clear(
        self,
        confirm: Literal["everything"],
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.EraseResult:
        """Erase everything that is stored, for everybody, and revoke every grant."""
    async def compact(
        self,
        *,
        older_than_days: float = ...,
        force: bool = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbCompactResult:
        """Erase memories for good that were archived at least `older_than_days` ago."""
    async def export(
        self,
        path: str,
        *,
        recipient: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbExportResult:
        """Write everything to a new file as lines of JSON, or what the given scope may see."""
    async def gc(
        self,
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbGcResult:
        """Archive superseded, expired, faded and surplus memories; remove expired records."""
    async def growth(
        self, *, days: int = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.DbGrowthResult:
        """Count what was stored on each of the last days."""
    async def import_(
        self,
        path: str,
        *,
        format: Literal["ash"]
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
        | None = ...,
        key_file: str | None = ...,
        dry_run: bool = ...,
        skip_extraction: bool = ...,
        project: types.Project | None = ...,
        import_id: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbImportResult:
        """Store the contents of a file; entries that exist already stay unchanged."""
    async def reindex(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.DbReindexResult:
        """Rebuild the full-text index and the queue of vectors from what is stored."""
    async def stats(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.DbStatsResult:
        """Count what the database holds."""
    async def stop_import(
        self,
        path: str,
        *,
        import_id: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.DbStopImportResult:
        """End the imports of a file or folder after their current slice; stored records stay."""

class AsyncGrantMethods:
    async def create(
        self,
        *,
        rights: List[Literal["forget", "read", "write"]] = ...,
        expires_in_s: int | None = ...,
        quota: types.QuotaParams = ...,
        token: bool = ...,
        ends_with_caller: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantCreateResult:
        """Open a socket for a sandbox, bound to the scope."""
    async def list(
        self,
        *,
        grant_id: str | None = ...,
        include_closed: bool = ...,
        count: bool = ...,
        limit: int | None = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantListResult:
        """List the grants in force, or all."""
    async def revoke(
        self,
        grant_id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantResult:
        """Revoke a grant and drop its connections at once."""
    async def turn(
        self,
        grant_id: str,
        *,
        user_id: str | None = ...,
        session_id: str | None = ...,
        message_id: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GrantResult:
        """Set the speaker in a group grant's chat, or the session and message."""

class AsyncGraphMethods:
    async def add_entity(
        self,
        name: str,
        type: Literal["company", "concept", "event", "person", "place", "project", "tool"],
        *,
        shared: bool = ...,
        sensitivity: Literal["personal", "public", "sensitive"] | None = ...,
        portable: bool = ...,
        aliases: List[str] = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphAddEntityResult:
        """Add a person or thing and its other names."""
    async def end(
        self,
        id: str,
        *,
        at: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphEndResult:
        """State that a relation no longer holds; it stays in the history."""
    async def relate(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        shared: bool = ...,
        sensitivity: Literal["personal", "public", "sensitive"] | None = ...,
        portable: bool = ...,
        source_type: Literal["company", "concept", "event", "person", "place", "project", "tool"]
        | None = ...,
        target_type: Literal["company", "concept", "event", "person", "place", "project", "tool"]
        | None = ...,
        confidence: float | None = ...,
        valid_from: str | None = ...,
        valid_until: str | None = ...,
        single: bool | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphRelateResult:
        """State a relation between two entities.

        If such a relation has one value at a time, the former relation ends.
        """
    async def remove(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphRemoveResult:
        """Remove an entity with its relations, or a relation, that was a mistake."""
    async def search(
        self,
        *,
        name: str | None = ...,
        relation: str | None = ...,
        direction: Literal["both", "in", "out"] = ...,
        depth: int = ...,
        limit: int = ...,
        include_ended: bool = ...,
        as_of: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.GraphSearchResult:
        """Find the relations of an entity, near or at some distance, or relations of a kind."""

class AsyncJobsMethods:
    async def flush(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.JobsFlushResult:
        """Run all waiting jobs, whatever they wait for, and answer when they are done."""
    async def get(
        self, id: str, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.JobResult:
        """Show a background job: its state and its outcome."""
    async def list(
        self,
        *,
        state: Literal["done", "running", "set_aside", "waiting"] | None = ...,
        kind: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.JobsListResult:
        """List background jobs, newest first.

        They are the jobs of the scope, with `all_scopes` everybody's, and in a sandbox its own.
        """
    async def retry(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.JobResult:
        """Run a job again that was set aside, or run a waiting one now."""

class AsyncKeyMethods:
    async def create(
        self,
        hash: str,
        *,
        agents: List[str] = ...,
        account: types.KeyAccount | None = ...,
        stores: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.KeyView:
        """Add a key by its hash; every gateway takes it within a second."""
    async def list(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.KeyListResult:
        """List the keys, which the gateway checks its callers by."""
    async def revoke(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.KeyView:
        """Revoke a key; every gateway refuses it within a second."""

class AsyncLlmMethods:
    async def count(
        self,
        task: Literal["chat"],
        sent: int,
        received: int,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.LlmCountResult:
        """Count the tokens of a completion that the caller made itself, as `ash chat` does."""

class AsyncMemoryMethods:
    async def add(
        self,
        *,
        subjects: List[str] | None = ...,
        type: Literal[
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
        | None = ...,
        expires_in_days: float | None = ...,
        expires_at: str | None = ...,
        sensitivity: Literal["personal", "public", "sensitive"] | None = ...,
        portable: bool | None = ...,
        valid_from: str | None = ...,
        valid_until: str | None = ...,
        tags: List[str] | None = ...,
        metadata: Dict[str, Any] | None = ...,
        everywhere: bool | None = ...,
        shared: bool | None = ...,
        observed_at: str | None = ...,
        supersedes: str | None = ...,
        content: str | None = ...,
        facts: List[types.Fact] | None = ...,
        idempotency_key: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryAddResult:
        """Store a fact, or several; each has its own outcome."""
    async def conflicts(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryConflictsResult:
        """List likely conflicts that nobody has settled, likeliest first."""
    async def delete(
        self,
        id: str,
        *,
        expected_revision: int | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryDeleteResult:
        """Delete a memory; the operator can restore it."""
    async def erase(
        self,
        *,
        id: str | None = ...,
        conversation_id: str | None = ...,
        grant_id: str | None = ...,
        owner: types.AccountNamed | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.EraseResult:
        """Erase a memory, a conversation, or everything of a grant or of an owner."""
    async def extract(
        self,
        messages: List[types.MessageParams],
        *,
        wait: bool = ...,
        idempotency_key: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryExtractResult:
        """Extract facts from messages with the language model; `wait` returns what it found."""
    async def forget_person(
        self,
        person_id: str,
        *,
        delete_person_record: bool = ...,
        erase: bool = ...,
        mentions: bool = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryForgetPersonResult:
        """Archive all memories about a person, or erase them for good."""
    async def get(
        self, id: str, *, explain: bool = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.MemoryGetResult:
        """Show a memory and the people it is about; on request also where it came from."""
    async def history(
        self, id: str, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.MemoryHistoryResult:
        """Show which memories superseded one another, oldest first."""
    async def list(
        self,
        *,
        about: str | None = ...,
        types: List[
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
        ]
        | None = ...,
        tags: List[str] | None = ...,
        include_superseded: bool = ...,
        include_expired: bool = ...,
        limit: int = ...,
        cursor: str | None = ...,
        source: str | None = ...,
        session_id: str | None = ...,
        grant_id: str | None = ...,
        project: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        include_archived: bool = ...,
        state: Literal["active", "archived", "expired", "superseded"] | None = ...,
        sort: Literal["ends_first", "last_used", "most_used", "newest", "oldest"] = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryListResult:
        """List memories, newest first or in another order."""
    async def restore(
        self,
        *,
        id: str | None = ...,
        withdrawal_id: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryRestoreResult:
        """Bring a deleted memory back."""
    async def search(
        self,
        query: str,
        *,
        about: str | None = ...,
        types: List[
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
        ]
        | None = ...,
        tags: List[str] | None = ...,
        include_superseded: bool = ...,
        include_expired: bool = ...,
        limit: int = ...,
        as_of: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        min_score: float | None = ...,
        mode: Literal["hybrid", "lexical", "vector"] = ...,
        explain: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemorySearchResult:
        """Find the memories that answer a question."""
    async def supersede(
        self,
        id: str,
        superseded_id: str,
        *,
        verdict: Literal["both", "replaces", "unsure"] = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemorySupersedeResult:
        """Settle a conflict: the newer memory replaces the older one, or both hold."""
    async def update(
        self,
        changes: types.Changes,
        *,
        id: str | None = ...,
        ids: List[str] | None = ...,
        expected_revision: int | None = ...,
        expected_revisions: List[int] | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryUpdateResult:
        """Change a memory, or several at once.

        New content becomes a new memory, which supersedes the old one. A moment later the new
        memory is compared with other memories, like an added fact. Of a memory that was replaced,
        only tags and metadata can be changed.
        """
    async def withdraw(
        self,
        *,
        ids: List[str] | None = ...,
        session_id: str | None = ...,
        grant_id: str | None = ...,
        source: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.MemoryWithdrawResult:
        """Archive all memories of a session, a grant, a source or a period.

        `memory.restore` undoes it with the `withdrawal_id`.
        """

class AsyncModelMethods:
    async def use(
        self,
        provider: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ModelUseResult:
        """Change the embedder; searches use the current vectors until all new ones are built."""

class AsyncOverrideMethods:
    async def add(
        self,
        content: str,
        *,
        for_groups: bool | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.OverrideAddResult:
        """Pin a fact, so that it is always in the context."""
    async def list(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.OverrideListResult:
        """List the pinned facts of a user, or in a group the pinned facts that are shown there."""
    async def remove(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.OverrideRemoveResult:
        """Unpin a fact."""

class AsyncPersonMethods:
    async def add_alias(
        self,
        id: str,
        alias: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Add another name that means this person."""
    async def create(
        self,
        name: str,
        *,
        relationship: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Create a person, even if somebody else has the name."""
    async def delete(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Delete everything known of a person; memories about them stay, without a name."""
    async def duplicates(
        self, *, limit: int = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.PersonDuplicatesResult:
        """Suggest pairs of people who may be the same; nobody is merged by it."""
    async def get(
        self, id: str, *, related: bool = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.PersonGetResult:
        """Show a person."""
    async def link_account(
        self,
        id: str,
        account: types.AccountNamed,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Join an account to a person: joined accounts share everything their owner has."""
    async def list(
        self,
        *,
        query: str | None = ...,
        relationship: str | None = ...,
        order: Literal["connections", "name", "recent"] = ...,
        limit: int = ...,
        cursor: str | None = ...,
        count: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonListResult:
        """List the people known here, page by page; by default the most recently active first."""
    async def merge(
        self,
        id: str,
        into: str,
        *,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonMergeResult:
        """Merge a person into another, who gets all memories and names of the first."""
    async def relate(
        self,
        id: str,
        relationship: str,
        *,
        to: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """State the relationship of a person to the user of the scope, or to another person."""
    async def remove_alias(
        self,
        id: str,
        alias: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Remove another name of a person."""
    async def resolve(
        self,
        reference: str,
        *,
        content_hint: str | None = ...,
        create: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResolveResult:
        """Find the person that a reference means; creating one needs the right to write.

        New details in the reference are stored if the caller may write.
        """
    async def split(
        self,
        id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SplitResult:
        """Undo a merge."""
    async def undo_identification(
        self,
        person_id: str,
        reference: str,
        *,
        memory_ids: List[str] | None = ...,
        dry_run: bool = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonUndoIdentificationResult:
        """Record that a reference does not mean a person, and move its memories to another person."""
    async def unlink_account(
        self,
        id: str,
        account: types.AccountNamed,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SplitResult:
        """Separate an account from a person; each has what it would have without the join."""
    async def unrelate(
        self,
        id: str,
        relationship: str,
        *,
        to: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """End a relationship; it stays in the history."""
    async def update(
        self,
        id: str,
        *,
        name: str = ...,
        metadata: Dict[str, Any] | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.PersonResult:
        """Change a person's name or metadata."""

class AsyncProfileMethods:
    async def get(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.ProfileGetResult:
        """Show the user's profile."""
    async def history(
        self,
        *,
        limit: int = ...,
        before: int | None = ...,
        against: int | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ProfileHistoryResult:
        """Show the versions of the profile, and what each changed."""
    async def rebuild(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.ProfileRebuildResult:
        """Rewrite the profile in the background from all that the user said of themselves."""
    async def set(
        self,
        *,
        text: str | None = ...,
        notes: str | None = ...,
        learned: str | None = ...,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ProfileSetResult:
        """Set the user's text, notes or the learned part, as a new version of the profile."""
    async def sources(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.ProfileSourcesResult:
        """Show where each sentence that was learned about the user comes from."""

class AsyncProjectMethods:
    async def list(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.ProjectListResult:
        """List the projects that the reader's memories and messages belong to."""

class AsyncRpcMethods:
    async def discover(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.RpcDiscoverResult:
        """Describe the methods that this caller may call, as an OpenRPC document."""

class AsyncSearchMethods:
    async def all(
        self, query: str, *, limit: int = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SearchAllResult:
        """Search memories, messages and summaries together."""

class AsyncSessionMethods:
    async def hello(
        self,
        *,
        token: str | None = ...,
        client: str | None = ...,
        bind: bool = ...,
        read_only: bool = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SessionHelloResult:
        """Report the server, its capabilities and limits, and the caller's scope and rights."""

class AsyncSummaryMethods:
    async def get(
        self, id: str, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SummaryGetResult:
        """Show one summary."""
    async def list(
        self,
        *,
        limit: int = ...,
        conversation_id: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SummaryListResult:
        """List summaries of conversations, latest conversations first."""
    async def rebuild(
        self,
        conversation_id: str,
        *,
        idempotency_key: str = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SummaryRebuildResult:
        """Remove a conversation's summaries, and summarise it anew in the background."""
    async def search(
        self,
        query: str,
        *,
        limit: int = ...,
        since: str | None = ...,
        until: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.SummarySearchResult:
        """Find the summaries of conversations that best answer a question."""

class AsyncSystemMethods:
    async def metrics(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SystemMetricsResult:
        """Return counts and times of calls, writes and jobs, in Prometheus' text format.

        Those of the database are left out if it fails.
        """
    async def paths(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SystemPathsResult:
        """Name the daemon's own files and directories, which no sandbox may be given."""
    async def reload(
        self, *, idempotency_key: str = ..., scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SystemReloadResult:
        """Read the configuration again; report what is in force now and what needs a restart."""
    async def status(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.SystemStatusResult:
        """Report the daemon's health."""

class AsyncToolsMethods:
    async def call(
        self,
        name: str,
        arguments: str | Mapping[str, Any] | None,
        *,
        idempotency_key: str | None = ...,
        scope: types.Scope = ...,
        all_scopes: bool = ...,
    ) -> types.ToolsCallResult:
        """Run a tool that a model called; an error that the model can correct is a result."""
    async def list(
        self, *, scope: types.Scope = ..., all_scopes: bool = ...
    ) -> types.ToolsListResult:
        """List the tools to give a model, as function definitions; none while memory is off."""

class AsyncMethods:
    account: AsyncAccountMethods
    audit: AsyncAuditMethods
    chat: AsyncChatMethods
    context: AsyncContextMethods
    conversation: AsyncConversationMethods
    db: AsyncDbMethods
    grant: AsyncGrantMethods
    graph: AsyncGraphMethods
    jobs: AsyncJobsMethods
    key: AsyncKeyMethods
    llm: AsyncLlmMethods
    memory: AsyncMemoryMethods
    model: AsyncModelMethods
    override: AsyncOverrideMethods
    person: AsyncPersonMethods
    profile: AsyncProfileMethods
    project: AsyncProjectMethods
    rpc: AsyncRpcMethods
    search: AsyncSearchMethods
    session: AsyncSessionMethods
    summary: AsyncSummaryMethods
    system: AsyncSystemMethods
    tools: AsyncToolsMethods
