"""What an export holds, as SQL: each kind of record with its columns and what they refer to.

Row numbers never leave the database: a reference is read as the JSON of a name that others know
too, and found again by it.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from ashd.store import visibility
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer

Target = Literal[
    "person", "account", "chat", "memory", "conversation", "message", "entity", "summary"
]

_TABLES_BY_UUID: Final = {
    "person": "people",
    "memory": "memories",
    "conversation": "conversations",
    "message": "messages",
    "entity": "entities",
    "summary": "summaries",
}


_WITHOUT_NUMBER: Final = frozenset({"memory_links", "not_identified", "person_activity"})
"""Tables whose rows have no number."""


class Kind(NamedTuple):
    """A kind of record: its table, the columns that go as they are, and the references."""

    table: str
    columns: tuple[str, ...]
    refs: dict[str, Target] = {}  # noqa: RUF012  never changed
    known_by: tuple[str, ...] = ("uuid",)
    """The columns by which a row is known again."""
    renamed: dict[str, str] = {}  # noqa: RUF012  never changed
    """Fields whose name in the record is another: field to column."""
    looked_up: dict[str, str] = {}  # noqa: RUF012  never changed
    """Fields that are no column: field to SQL over a row `m`."""
    where: str = "true"

    def column(self, field: str) -> str:
        """The column of a field."""
        return self.renamed.get(field, field)


_ORIGIN: Final = ("said_at", "sensitivity", "portable", "learned_type")
_ORIGIN_REFS: Final[dict[str, Target]] = {
    "owner": "account",
    "learned_in": "chat",
    "stated_by": "account",
}
_ID: Final = {"id": "uuid"}

KINDS: Final[dict[str, Kind]] = {
    "person": Kind(
        "people",
        ("id", "name", "named", "named_at", "sensitivity", "metadata", "created_at", "updated_at"),
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
        ("value", "sensitivity", "created_at"),
        {"person": "person", "added_by": "account", "learned_in": "chat"},
        known_by=("person", "key", "added_by", "learned_in", "sensitivity"),
        looked_up={"number": "m.id"},
    ),
    "relationship": Kind(
        "person_relationships",
        ("relationship", "sensitivity", "created_at", "ended_at"),
        {"person": "person", "to_person": "person", "stated_by": "account", "learned_in": "chat"},
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
            *("archive_reason", "last_accessed_at", "access_count", *_ORIGIN),
        ),
        {**_ORIGIN_REFS, "chat": "chat"},
        renamed=_ID,
        looked_up={
            "subjects": "(select coalesce(json_group_array(json_array(p.uuid, p.reference)), '[]')"
            " from (select p.uuid, s.reference from memory_subjects s"
            " join people p on p.id = s.person where s.memory = m.id order by s.position) p)",
            # Without the memory that replaced it, it is superseded by nothing.
            "superseded_at": "iif(m.superseded_by is null, null, m.superseded_at)",
            "judge_later": "exists (select 1 from memories_to_judge j where j.memory = m.id)",
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
        ("link",),
        {"newer": "memory", "older": "memory"},
        known_by=("newer", "older"),
        renamed={"link": "kind"},
    ),
    "memory_event": Kind(
        "memory_events",
        ("at", "event", "reason"),
        {"memory": "memory"},
        known_by=("memory", "at", "event", "reason"),
    ),
    "merge": Kind(
        "person_merges",
        ("merged_at", "split_at"),
        {"loser": "person", "winner": "person"},
        known_by=("loser", "winner", "merged_at"),
        looked_up={
            "aliases": "json_extract(m.moved, '$.aliases')",
            "relationships": "json_extract(m.moved, '$.claims')",
            "relationships_to": "json_extract(m.moved, '$.claims_to')",
            "added_alias": "json_extract(m.moved, '$.added_alias')",
            "accounts": "(select json_group_array(json_array(a.provider, a.user_id))"
            " from json_each(m.moved, '$.accounts') n join accounts a on a.id = n.value)",
            "subjects": "(select json_group_array(json_array(w.uuid, n.value ->> 1,"
            " json(iif(n.value ->> 2, 'true', 'false'))))"
            " from json_each(m.moved, '$.subjects') n join memories w on w.id = n.value ->> 0)",
        },
    ),
    "conversation": Kind(
        "conversations",
        (
            *("id", "external_id", "learned_type", "created_at", "updated_at"),
            "summarised_until",
        ),
        {"chat": "chat", "owner": "account"},
        renamed=_ID,
    ),
    "message": Kind(
        "messages",
        ("id", "position", "role", "speaker", "content", "said_at", "external_id", "created_at"),
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
        ("id", "content", "for_groups", "created_at", "removed_at"),
        {"owner": "account", "chat": "chat"},
        renamed=_ID,
    ),
    "profile_version": Kind(
        "profile_versions",
        ("version", "text", "notes", "source", "created_at"),
        {"owner": "account"},
        known_by=("owner", "version", "created_at"),
    ),
    "profile_statement": Kind(
        "profile_statements",
        ("statement", "confidence", "created_at"),
        {"account": "account", "message": "message"},
        known_by=("account", "statement"),
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
        known_by=("entity", "key", "learned_in", "stated_by", "sensitivity"),
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


# Reading ---------------------------------------------------------------------------------------


def each(
    tx: Tx, name: str, where: str = "true", params: dict[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """Every record of a kind under `where` (over a row `m`), oldest first, references as JSON."""
    kind = KINDS[name]
    fields = {
        **{field: f"m.{kind.column(field)}" for field in kind.columns},
        **{column: _name_of(target, f"m.{column}") for column, target in kind.refs.items()},
        **kind.looked_up,
    }
    rows = tx.each(
        f"select {', '.join(fields.values())} from {kind.table} m"
        f" where ({kind.where}) and ({where}) order by {_order(kind)}",
        params or {},
    )
    return (dict(zip(fields, row, strict=True)) for row in rows)


def _order(kind: Kind) -> str:
    columns = kind.known_by if kind.table in _WITHOUT_NUMBER else ("rowid",)
    return ", ".join(f"m.{column}" for column in columns)


def _name_of(target: Target, number: str) -> str:
    """SQL for the JSON by which a row is referred to; null where there is no row."""
    if target == "account":
        return f"(select json_array(provider, user_id) from accounts where id = {number})"
    if target == "chat":
        return (
            "(select json_array(h.chat_type, h.provider, coalesce(h.user_id, a.user_id), h.chat_id)"
            f" from chats h left join accounts a on a.id = h.account where h.id = {number})"
        )
    return f"(select json_quote(uuid) from {_TABLES_BY_UUID[target]} where id = {number})"


def count(tx: Tx) -> int:
    """How many records there are of all kinds."""
    return sum(
        int(tx.value(f"select count(*) from {kind.table} m where {kind.where}"))
        for kind in KINDS.values()
    )


# Finding and writing -----------------------------------------------------------------------------


def by_uuid(tx: Tx, target: Target, uuid: str) -> int | None:
    """The row with an id of ours."""
    row = tx.one(f"select id from {_TABLES_BY_UUID[target]} where uuid = ?", uuid)
    return row[0] if row else None


def chat(
    tx: Tx, chat_type: str, provider: str, account: int | None, chat_id: str | None
) -> int | None:
    """The row of a chat: a group by its id, a private one by whose it is too."""
    # Each by an index of its own.
    if chat_type == "group":
        where = "chat_type = 'group' and ?1 is null and chat_id = ?2"
    elif chat_id is None:
        where = "user_id = (select user_id from accounts where id = ?1) and ?2 is null"
    else:
        where = "chat_type = 'private' and account is ?1 and chat_id = ?2"
    row = tx.one(
        f"select id from chats where {where} and provider = ?3", *(account, chat_id, provider)
    )
    return row[0] if row else None


def find(tx: Tx, name: str, values: dict[str, Any]) -> int | None:
    """The row that a record stands for, if it is there; 0 where rows have no number."""
    kind = KINDS[name]
    number = "0" if kind.table in _WITHOUT_NUMBER else "rowid"
    where = " and ".join(f"{column} is ?" for column in kind.known_by)
    row = tx.one(
        f"select {number} from {kind.table} where {where}",
        *(values[column] for column in kind.known_by),
    )
    return row[0] if row else None


def insert(tx: Tx, name: str, values: dict[str, Any]) -> int:
    """A new row; its number."""
    return tx.insert(
        f"insert into {KINDS[name].table} ({', '.join(values)})"
        f" values ({', '.join('?' * len(values))})",
        *values.values(),
    )


def takes_part(tx: Tx, chat_number: int, account: int) -> bool:
    """Whether the account takes part in the chat now."""
    row = tx.one(
        "select 1 from participations where chat = ? and account = ? and left_at is null",
        *(chat_number, account),
    )
    return row is not None


def has_version(tx: Tx, owner: int, version: int) -> bool:
    """Whether the account has a profile of that version."""
    row = tx.one("select 1 from profile_versions where owner = ? and version = ?", owner, version)
    return row is not None


def set_origin(
    tx: Tx, person: int, created_by: int | None, learned_in: int | None, merged_into: int | None
) -> bool:
    """Complete a person that was inserted without its origin; whether it was incomplete."""
    return bool(
        tx.run(
            "update people set created_by = ?, learned_in = ?, merged_into = ?"
            " where id = ? and active_at = 0",
            *(created_by, learned_in, merged_into, person),
        )
    )


def set_active(tx: Tx, person: int, active_at: int) -> None:
    """Mark a person as complete: when it was last spoken of."""
    tx.run("update people set active_at = ? where id = ?", active_at, person)


def set_winner(tx: Tx, memory: int, winner: int, until: int) -> bool:
    """Complete a memory that was inserted as superseded without its winner; whether it was so."""
    return bool(
        tx.run(
            "update memories set superseded_by = ?, superseded_until = ?"
            " where id = ? and superseded_at is not null and superseded_by is null",
            *(winner, until, memory),
        )
    )


def imported_ids(tx: Tx, viewer: Viewer, origin: str) -> set[str]:
    """The ids that memories which the viewer may see had in the system they were imported from."""
    rows = tx.named(
        "select json_extract(m.metadata, '$.imported.id') from"
        f" ({visibility.reach(viewer)}) r cross join memories m on m.id = r.id"
        f" where m.source = 'import' and {visibility.condition(viewer)}"
        " and json_extract(m.metadata, '$.imported.from') = :origin",
        {**visibility.parameters(viewer), "after": 0, "origin": origin},
    )
    return {row[0] for row in rows}
