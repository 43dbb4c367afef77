"""The register of text: which columns hold text about people, and what erases the rows.

`erasure` works from it, so that every table is erased. A test compares it with the live schema: it
fails for a table or column that can hold text and is missing here.

To add a table: name its columns in `PERSONAL` or `NOT_PERSONAL`. For a personal one say in
`GONE_WITH` which records its rows are erased with, or in `DERIVED` how a text derived from others
is erased.
"""

from typing import Final, Literal, NamedTuple

Root = Literal["memory", "message", "conversation", "person", "entity", "account"]
"""Kinds of records that are erased as such; every other row belongs to one of these."""

AMONG: Final = "in (select value from json_each(:numbers))"

GONE_WITH: Final[dict[Root, dict[str, str]]] = {
    "memory": {
        "memory_events": f"memory {AMONG} or newer {AMONG}",
        "memory_links": f"newer {AMONG} or older {AMONG}",
        "memories_to_judge": f"memory {AMONG}",
        "memory_subjects": f"memory {AMONG}",
        "meant_subjects": f"memory {AMONG}",
        "joined_changes": f"memory {AMONG}",
        "memories": f"id {AMONG}",
    },
    # The summaries made of it are removed before (`summaries.remove_covering`).
    "message": {
        "profile_statements": f"message {AMONG}",
        "messages": f"id {AMONG}",
    },
    "conversation": {"conversations": f"id {AMONG}"},
    "person": {
        "person_merges": f"loser {AMONG} or winner {AMONG}",
        "person_aliases": f"person {AMONG}",
        "person_relationships": f"person {AMONG} or to_person {AMONG}",
        "not_identified": f"person {AMONG}",
        "person_activity": f"person {AMONG}",
    },
    "entity": {
        "relations": f"source {AMONG} or target {AMONG}",
        "entity_aliases": f"entity {AMONG}",
        "entities": f"id {AMONG}",
    },
    "account": {
        "joined_changes": f"account {AMONG}",
        "overrides": f"owner {AMONG}",
        "profile_versions": f"owner {AMONG}",
        "profile_statements": f"account {AMONG}",
        "person_aliases": f"added_by {AMONG}",
        "person_relationships": f"stated_by {AMONG}",
        "not_identified": f"stated_by {AMONG}",
        "relations": f"owner {AMONG} or stated_by {AMONG}",
        "entity_aliases": f"owner {AMONG} or stated_by {AMONG}",
        "participations": f"account {AMONG}",
        "person_activity": f"account {AMONG}",
    },
}
"""Root to table to the condition on the rows that go with it, in an order that references allow.

Rows of passages and people, which others may share, are left to `erasure`.
"""


class Derived(NamedTuple):
    """Texts derived from others: they go with any text of an owner or chat, and can be remade."""

    table: str
    where: str
    """The condition, with `:accounts` and `:chats` (JSON lists of row numbers)."""
    cleared: str | None = None
    """An assignment that clears a row which stays; None if the row goes."""


_OF_ACCOUNTS: Final = "in (select value from json_each(:accounts))"

DERIVED: Final[tuple[Derived, ...]] = (
    # The owner's own words about themselves stay.
    Derived(
        "profile_versions",
        f"owner {_OF_ACCOUNTS} and learned <> ''",
        "learned = '', learned_until = 0",
    ),
)

ERASED_BY_CODE: Final = frozenset(
    {
        *("accounts", "chats", "people", "grants", "usage", "idempotency", "replies"),
        *("passages", "passage_fts", "embeddings", "summaries", "jobs"),
    }
)
"""Tables whose rows others may share, or that are found by their text: see `erasure`."""

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
        " source_message_id tags metadata",
        "memory_subjects": "reference",
        "joined_changes": "was became",
        "conversations": "external_id",
        "messages": "speaker content external_id import_key",
        "passages": "hash",
        "passage_fts": "scope body names dates grams",
        "embeddings": "hash pooled tokens",
        "overrides": "content content_key",
        "profile_versions": "text notes learned",
        "entities": "name key",
        "entity_aliases": "value key",
        "relations": "source_name source_key relation target_name target_key",
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
