"""The kinds of records of an export: the table of each, its columns, and its references."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

Target = Literal[
    "person", "account", "chat", "memory", "conversation", "message", "entity", "summary"
]

TABLES_BY_UUID: Final = {
    "person": "people",
    "memory": "memories",
    "conversation": "conversations",
    "message": "messages",
    "entity": "entities",
    "summary": "summaries",
}


WITHOUT_NUMBER: Final = frozenset({"memory_links", "not_identified", "person_activity"})
"""Tables whose rows have no number."""


class Kind(NamedTuple):
    """A kind of record: its table, the columns that are copied as they are, and the references."""

    table: str
    columns: tuple[str, ...]
    refs: Mapping[str, Target] = MappingProxyType({})
    known_by: tuple[str, ...] = ("uuid",)
    """The columns that identify a row."""
    renamed: Mapping[str, str] = MappingProxyType({})
    """Fields with another name in the record: field to column."""
    looked_up: Mapping[str, str] = MappingProxyType({})
    """Fields without a column: field to SQL over a row `m`."""
    where: str = "true"

    def column(self, field: str) -> str:
        """The column of a field."""
        return self.renamed.get(field, field)


_ORIGIN: Final = ("said_at", "sensitivity", "portable", "learned_type", "project")
_ORIGIN_REFS: Final[dict[str, Target]] = {
    "owner": "account",
    "learned_in": "chat",
    "stated_by": "account",
}
_ID: Final = {"id": "uuid"}

KINDS: Final[dict[str, Kind]] = {
    "person": Kind(
        "people",
        (
            *("id", "name", "named", "named_at", "sensitivity", "metadata", "created_at"),
            *("updated_at", "said_at"),
        ),
        renamed=_ID,
        looked_up={
            "own_accounts": "(select json_group_array(json_array(a.provider, a.user_id))"
            " from accounts a where a.own_person = m.id)"
        },
    ),
    "account": Kind(
        "accounts",
        ("provider", "user_id", "username", "display_name", "created_at", "updated_at"),
        {"person": "person", "own_person": "person"},
        known_by=("provider", "user_id"),
    ),
    "chat": Kind(
        "chats",
        ("chat_type", "provider", "chat_id", "user_id", "created_at"),
        {"account": "account"},
        known_by=("chat_type", "provider", "chat_id", "user_id", "account"),
    ),
    "person_origin": Kind(
        "people",
        ("active_at",),
        {"created_by": "account", "learned_in": "chat", "merged_into": "person"},
        looked_up={"person": "json_quote(m.uuid)"},
    ),
    "participation": Kind(
        "participations",
        ("joined_at", "left_at"),
        {"chat": "chat", "account": "account"},
        known_by=("chat", "account", "joined_at"),
    ),
    "person_activity": Kind(
        "person_activity",
        ("at",),
        {"account": "account", "person": "person"},
        known_by=("account", "person"),
    ),
    "alias": Kind(
        "person_aliases",
        ("value", "sensitivity", "created_at", "said_at", "unsure"),
        {"person": "person", "added_by": "account", "learned_in": "chat", "meant": "person"},
        known_by=("person", "key", "added_by", "learned_in", "sensitivity"),
        looked_up={"number": "m.id"},
    ),
    "relationship": Kind(
        "person_relationships",
        ("relationship", "sensitivity", "created_at", "ended_at", "said_at", "unsure"),
        {
            "person": "person",
            "to_person": "person",
            "stated_by": "account",
            "learned_in": "chat",
            "meant": "person",
            "to_meant": "person",
            "ended_by": "account",
        },
        known_by=(
            *("person", "relationship", "to_person", "stated_by", "learned_in", "sensitivity"),
            "created_at",
        ),
        looked_up={"number": "m.id"},
    ),
    "rejected_reference": Kind(
        "not_identified",
        ("key", "created_at"),
        {"person": "person", "stated_by": "account"},
        known_by=("person", "key", "stated_by"),
    ),
    "grant": Kind(
        "grants",
        ("id", "scope", "rights", "quota", "created_at", "expires_at", "revoked_at"),
        known_by=("id",),
    ),
    "memory": Kind(
        "memories",
        (
            *("id", "version", "revision", "content", "memory_type", "created_at", "observed_at"),
            *("source", "source_username", "source_display_name", "source_session_id"),
            *("source_message_id", "grant_id", "extraction_confidence", "expires_at", "ends_at"),
            *("valid_from", "valid_until", "tags", "metadata", "archived_at"),
            *("archive_reason", "last_accessed_at", "access_count", "project_name", *_ORIGIN),
        ),
        {**_ORIGIN_REFS, "chat": "chat"},
        renamed=_ID,
        looked_up={
            "subjects": "(select coalesce(json_group_array("
            "json_array(p.uuid, p.reference, p.is_read)), '[]') from"
            " (select p.uuid, s.reference, s.is_read from memory_subjects s"
            " join people p on p.id = s.person where s.memory = m.id order by s.position) p)",
            "meant": "(select coalesce(json_group_array(json_array(w.uuid, w.unsure)), '[]')"
            " from (select p.uuid, w.unsure from meant_subjects w"
            " left join people p on p.id = w.person where w.memory = m.id order by w.position) w)",
            # Without its winner in the export, nothing supersedes it.
            "superseded_at": "case when m.superseded_by is not null then m.superseded_at end",
            "judge_later": "exists (select 1 from memories_to_judge j where j.memory = m.id"
            " and j.across_accounts = 0)",
        },
    ),
    "supersession": Kind(
        "memories",
        ("until",),
        {"superseded_by": "memory"},
        renamed={"until": "superseded_until"},
        looked_up={"memory": "json_quote(m.uuid)"},
        where="m.superseded_by is not null",
    ),
    "memory_link": Kind(
        "memory_links",
        ("link", "likelihood"),
        {"newer": "memory", "older": "memory"},
        known_by=("newer", "older"),
        renamed={"link": "kind"},
    ),
    "memory_event": Kind(
        "memory_events",
        ("at", "event", "reason"),
        {"memory": "memory", "newer": "memory", "said_in": "chat"},
        known_by=("memory", "at", "event", "reason"),
    ),
    "merge": Kind(
        "person_merges",
        ("merged_at", "split_at", "by_join"),
        {"loser": "person", "winner": "person"},
        known_by=("loser", "winner", "merged_at"),
        looked_up={
            "aliases": "coalesce(json_extract(m.moved, '$.aliases'), '[]')",
            "relationships": "coalesce(json_extract(m.moved, '$.claims'), '[]')",
            "relationships_to": "coalesce(json_extract(m.moved, '$.claims_to'), '[]')",
            "added_alias": "cast(json_extract(m.moved, '$.added_alias') as bigint)",
            "accounts": "(select json_group_array(json_array(a.provider, a.user_id))"
            " from json_each(m.moved, '$.accounts') n"
            " join accounts a on a.id = cast(n.value as bigint))",
            "subjects": "case when json_extract(m.moved, '$.subjects') is not null then"
            " (select json_group_array(json_array(w.uuid, json_extract(n.value, '$[1]'),"
            # SQLite reads true as 1
            " json(case when cast(json_extract(n.value, '$[2]') as text) in ('1', 'true')"
            " then 'true' else 'false' end)))"
            " from json_each(m.moved, '$.subjects') n"
            " join memories w on w.id = cast(json_extract(n.value, '$[0]') as bigint)) end",
        },
    ),
    "conversation": Kind(
        "conversations",
        (
            *("id", "external_id", "learned_type", "created_at", "updated_at"),
            *("summarised_until", "title"),
        ),
        {"chat": "chat", "owner": "account"},
        renamed=_ID,
    ),
    "message": Kind(
        "messages",
        (
            "id",
            "position",
            "role",
            "speaker",
            "content",
            "said_at",
            "external_id",
            "created_at",
            "names_speaker",
            "project",
            "project_name",
            "metadata",
        ),
        {"conversation": "conversation", "account": "account"},
        renamed=_ID,
        looked_up={"import_key": "nullif(lower(hex(m.import_key)), '')"},
    ),
    "summary": Kind(
        "summaries",
        (
            *("id", "first_position", "last_position", "messages", "said_from", "said_until"),
            *("overall", "topics", "decisions", "key_dates", "action_items", "created_at"),
            "ends_at",
        ),
        {"conversation": "conversation"},
        renamed=_ID,
    ),
    "override": Kind(
        "overrides",
        ("id", "content", "for_groups", "created_at", "removed_at", "project"),
        {"owner": "account", "chat": "chat"},
        renamed=_ID,
    ),
    "profile_statement": Kind(
        "profile_statements",
        ("statement", "confidence", "created_at"),
        {"account": "account", "message": "message"},
        known_by=("account", "statement"),
    ),
    "profile_version": Kind(
        "profile_versions",
        ("version", "text", "notes", "source", "created_at", "learned"),
        {"owner": "account"},
        known_by=("owner", "version", "created_at"),
        looked_up={
            # The number of the owner's statements, counted from the first, that it was written
            # from.
            "statements": "(select count(*) from profile_statements s"
            " where s.account = m.owner and s.id <= m.learned_until)"
        },
    ),
    "entity": Kind(
        "entities",
        ("id", "type", "name", "created_at", "removed_at", *_ORIGIN),
        {**_ORIGIN_REFS, "chat": "chat", "person": "person"},
        renamed=_ID,
    ),
    "entity_alias": Kind(
        "entity_aliases",
        ("value", *_ORIGIN),
        {**_ORIGIN_REFS, "entity": "entity"},
        known_by=("entity", "key", "learned_in", "stated_by", "sensitivity", "project"),
    ),
    "relation": Kind(
        "relations",
        (
            *("id", "source_name", "relation", "target_name", "confidence", "valid_from"),
            *("valid_until", "created_at", "asserted_at", "removed_at", *_ORIGIN),
        ),
        {**_ORIGIN_REFS, "chat": "chat", "source": "entity", "target": "entity"},
        renamed=_ID,
    ),
}
