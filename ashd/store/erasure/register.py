"""The register of text: which columns hold text about people, and what erases the rows.

Every erasure works from it. A test compares it with the live schema: it fails for a table or column
that can hold text and is missing here.

To add a table: name its columns in `PERSONAL` or `NOT_PERSONAL`. For a personal one say in
`GOES_WITH` which records its rows are erased with, or in `REMADE` how a text derived from others is
erased.
"""

from typing import Final, Literal

from ashd.store.erasure.rows import Rows

Root = Literal["memory", "message", "conversation", "person", "entity", "account"]
"""Kinds of records that are erased as such; every other row belongs to one of these."""

AMONG: Final = "in (select value from json_each(:numbers))"
_ENTITIES: Final = "in (select value from json_each(:entities))"
_VERSIONS: Final = "learned = '', learned_until = 0"
"""Only the learned part of a profile: the owner's own words about themselves stay."""

REMADE: Final[dict[Root, tuple[Rows, ...]]] = {
    "memory": (
        # Statements from the same messages as memories that were extracted from them.
        Rows(
            "profile_statements",
            "message in (select t.id from memories m"
            " join conversations c on c.chat = m.learned_in and c.external_id = m.source_session_id"
            " join messages t on t.conversation = c.id and (m.source_message_id is null"
            "   or m.source_message_id in (t.external_id, t.uuid))"
            f" where m.source in ('extraction', 'background_extraction') and m.id {AMONG})",
        ),
        Rows(
            "profile_versions",
            "learned <> '' and owner in (select o.id from memories m"
            " join accounts a on a.id in (m.owner, m.stated_by)"
            f" join accounts o on o.person = a.person where m.id {AMONG})",
            _VERSIONS,
        ),
    ),
    "message": (
        Rows(
            "profile_versions",
            "learned <> '' and owner in (select o.id from messages t"
            " join conversations c on c.id = t.conversation"
            " join accounts a on a.id in (c.owner, t.account)"
            f" join accounts o on o.person = a.person where t.id {AMONG})",
            _VERSIONS,
        ),
    ),
}
"""Root to texts that may have been derived from it: they can be made again without it."""

GOES_WITH: Final[dict[Root, tuple[Rows, ...]]] = {
    "memory": (
        Rows("memory_events", f"memory {AMONG} or newer {AMONG}"),
        Rows("memory_links", f"newer {AMONG} or older {AMONG}"),
        Rows("memories_to_judge", f"memory {AMONG}"),
        Rows("memory_subjects", f"memory {AMONG}"),
        Rows("meant_subjects", f"memory {AMONG}"),
        Rows("joined_changes", f"memory {AMONG}"),
        Rows("memories", f"id {AMONG}"),
    ),
    # The summaries made of it are removed before (`summaries.remove_covering`).
    "message": (
        Rows("profile_statements", f"message {AMONG}"),
        Rows("messages", f"id {AMONG}"),
    ),
    # Once no message of it is left but those that go.
    "conversation": (
        Rows(
            "conversations",
            f"id {AMONG} and not exists (select 1 from messages t where t.conversation ="
            " conversations.id and t.id not in (select value from json_each(:messages)))",
        ),
    ),
    # With `aliases` and `claims` of people who stay.
    "person": (
        Rows("person_merges", f"loser {AMONG} or winner {AMONG}"),
        Rows("person_aliases", f"person {AMONG} or id in (select value from json_each(:aliases))"),
        Rows(
            "person_relationships",
            f"person {AMONG} or to_person {AMONG} or id in (select value from json_each(:claims))",
        ),
        Rows("not_identified", f"person {AMONG}"),
        Rows("person_activity", f"person {AMONG}"),
        Rows("people", f"id {AMONG}"),
    ),
    "entity": (
        Rows("relations", f"source {AMONG} or target {AMONG}"),
        Rows("entity_aliases", f"entity {AMONG}"),
        Rows("entities", f"id {AMONG}"),
    ),
    # With its `entities`: the others are handed over before. Its own row goes last, by itself.
    "account": (
        Rows(
            "relations",
            f"owner {AMONG} or stated_by {AMONG} or source {_ENTITIES} or target {_ENTITIES}",
        ),
        Rows("entity_aliases", f"owner {AMONG} or stated_by {AMONG} or entity {_ENTITIES}"),
        Rows("entities", f"id {_ENTITIES}"),
        Rows("joined_changes", f"account {AMONG}"),
        Rows("overrides", f"owner {AMONG}"),
        Rows("profile_versions", f"owner {AMONG}"),
        Rows("profile_statements", f"account {AMONG}"),
        Rows("person_aliases", f"added_by {AMONG}"),
        Rows("person_relationships", f"stated_by {AMONG}"),
        Rows("not_identified", f"stated_by {AMONG}"),
        Rows("participations", f"account {AMONG}"),
        Rows("person_activity", f"account {AMONG}"),
    ),
}
"""Root to the rows that go with it, itself too, in an order that references allow."""

JOBS: Final = Rows("jobs", f"id {AMONG}")
"""Unfinished jobs whose payload holds a text that is erased: `texts.take_jobs` finds them."""

VECTORS: Final = Rows(
    "embeddings",
    "(embedding_set, hash) in (select s.id, p.hash from passages p cross join embedding_sets s"
    f" where p.kind = :kind and p.item {AMONG} and not exists (select 1 from passages o"
    f"   where o.hash = p.hash and (o.kind <> :kind or o.item not {AMONG})))",
)
"""The vectors of passages, unless another passage has the same text."""

REPLIES: Final = Rows("replies", "reply is not null", "reply = null")
"""Replies of calls that may hold content; the record that the calls took effect stays."""

ERASED_BY_CODE: Final = frozenset(
    {
        *("accounts", "chats", "grants", "usage", "idempotency", "replies"),
        *("passages", "passage_fts", "embeddings", "summaries", "jobs"),
    }
)
"""Tables whose rows others may share, or that are found by their text."""

PERSONAL: Final[dict[str, frozenset[str]]] = {
    table: frozenset(columns.split())
    for table, columns in {
        "accounts": "provider user_id username display_name",
        "chats": "provider chat_id user_id",
        "people": "name metadata",
        "person_aliases": "value key",
        "person_relationships": "relationship",
        "not_identified": "key",
        "memories": "content content_key source_username source_display_name source_session_id"
        " source_message_id tags metadata project project_name",
        "memory_subjects": "reference",
        "joined_changes": "was became",
        "conversations": "external_id title",
        "messages": "speaker content external_id import_key project project_name metadata",
        "passages": "hash",
        "passage_fts": "scope body names dates grams",
        "embeddings": "hash pooled tokens",
        "overrides": "content content_key project",
        "profile_versions": "text notes learned",
        "entities": "name key project",
        "entity_aliases": "value key project",
        "relations": "source_name source_key relation target_name target_key project",
        "grants": "scope owner turn",
        "usage": "holder",
        "idempotency": "caller key outcome",
        "replies": "caller key reply",
        "profile_statements": "statement",
        "summaries": "overall topics decisions key_dates action_items",
        "jobs": "key owner payload",
    }.items()
}
"""Table to its columns with personal words, names, or values computed from them."""

NOT_PERSONAL: Final[dict[str, frozenset[str]]] = {
    table: frozenset(columns.split())
    for table, columns in {
        "meta": "key value",  # the daemon's own keys
        "chats": "chat_type",
        "copies": "path kind",  # the operator's files
        "gateway_keys": "id record",  # whom the operator made a key for
        "given_lines": "digest",  # of lines that were put into a prompt
        "jobs": "uuid kind grant_id state lease outcome error",  # kinds of errors, counts
        "llm_usage": "task",
        "summaries": "uuid",
        "withdrawals": "uuid",
        "people": "uuid sensitivity",
        "person_aliases": "sensitivity",
        "person_relationships": "sensitivity",
        "person_merges": "moved",  # row numbers
        "memories": "uuid memory_type learned_type source grant_id sensitivity archive_reason",
        "memory_events": "event reason",  # the name of a rule
        "memory_links": "kind",
        "conversations": "uuid learned_type",
        "messages": "uuid role",
        "embedding_sets": "model state",
        "overrides": "uuid",
        "profile_versions": "source",
        "entities": "uuid type learned_type sensitivity",
        "entity_aliases": "learned_type sensitivity",
        "relations": "uuid learned_type sensitivity",
        "grants": "id rights quota token_hash holder",  # the holder is a process
        "audit": "actor grant_id method outcome digest people memory",  # ids and keyed digests
        "idempotency": "digest",  # keyed
        "replies": "digest bare progress",  # ids, counts, the daemon's own words
    }.items()
}
"""Table to its columns with the daemon's own words, keyed digests and row numbers."""
