"""Read, find and write the records of an export.

Row numbers never leave the database: a reference is read as the JSON of a stable name, and found
again by it.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ashd.store import visibility
from ashd.store.transaction import Tx
from ashd.store.transfer_kinds import KINDS, TABLES_BY_UUID, WITHOUT_NUMBER, Kind, Target
from ashd.store.visibility import Viewer

# Reading ---------------------------------------------------------------------------------------


def each(
    tx: Tx, name: str, where: str = "true", params: dict[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield every record of a kind under `where` (on a row `m`), oldest first."""
    kind = KINDS[name]
    fields = {
        **{field: f"m.{kind.column(field)}" for field in kind.columns},
        **{column: _name_of(target, f"m.{column}") for column, target in kind.refs.items()},
        **kind.looked_up,
    }
    rows = tx.each(
        f"select {', '.join(fields.values())} from main.{kind.table} m"
        f" where ({kind.where}) and ({where}) order by {_order(kind)}",
        params or {},
    )
    for row in rows:
        record = dict(zip(fields, row, strict=True))
        for column in kind.refs:
            record[column] = _compact(record[column])
        yield record


def _order(kind: Kind) -> str:
    columns = kind.known_by if kind.table in WITHOUT_NUMBER else ("id",)
    return ", ".join(f"m.{column}" for column in columns)


def _compact(name: str | None) -> str | None:
    """Return a JSON name without the spaces that a server writes: names are compared as texts."""
    if name is None or ", " not in name:
        return name
    return json.dumps(json.loads(name), ensure_ascii=False, separators=(",", ":"))


def _name_of(target: Target, number: str) -> str:
    """Return SQL for the JSON name of a row; null if there is no row."""
    if target == "account":
        return f"(select json_array(provider, user_id) from accounts where id = {number})"
    if target == "chat":
        return (
            "(select json_array(h.chat_type, h.provider, coalesce(h.user_id, a.user_id), h.chat_id)"
            f" from chats h left join accounts a on a.id = h.account where h.id = {number})"
        )
    return f"(select json_quote(uuid) from {TABLES_BY_UUID[target]} where id = {number})"


def count(tx: Tx) -> int:
    """Return the number of records of all kinds."""
    return sum(
        int(tx.value(f"select count(*) from {kind.table} m where {kind.where}"))
        for kind in KINDS.values()
    )


# Finding and writing -----------------------------------------------------------------------------


def by_uuid(tx: Tx, target: Target, uuid: str) -> int | None:
    """Return the row with one of our ids."""
    row = tx.one(f"select id from {TABLES_BY_UUID[target]} where uuid = ?", uuid)
    return row[0] if row else None


def chat(
    tx: Tx, chat_type: str, provider: str, account: int | None, chat_id: str | None
) -> int | None:
    """Return the row of a chat: a group by its id, a private one also by its owner."""
    # Each by its own index.
    if chat_type == "group":
        where = "chat_type = 'group' and cast(?1 as bigint) is null and chat_id = ?2"
    elif chat_id is None:
        where = (
            "user_id = (select user_id from accounts where id = ?1) and cast(?2 as text) is null"
        )
    else:
        where = "chat_type = 'private' and account is not distinct from ?1 and chat_id = ?2"
    row = tx.one(
        f"select id from chats where {where} and provider = ?3", *(account, chat_id, provider)
    )
    return row[0] if row else None


def find(tx: Tx, name: str, values: dict[str, Any]) -> int | None:
    """Return the row of a record, if it exists; 0 for tables without row numbers."""
    kind = KINDS[name]
    number = "0" if kind.table in WITHOUT_NUMBER else "id"
    where = " and ".join(f"{column} is not distinct from ?" for column in kind.known_by)
    row = tx.one(
        f"select {number} from {kind.table} where {where}",
        *(values[column] for column in kind.known_by),
    )
    return row[0] if row else None


def insert(tx: Tx, name: str, values: dict[str, Any]) -> int:
    """Insert a row; return its number, 0 for tables without row numbers and for a named row."""
    table = KINDS[name].table
    sql = f"insert into {table} ({', '.join(values)}) values ({', '.join('?' * len(values))})"
    if table in WITHOUT_NUMBER or "id" in values:
        tx.run(sql, *values.values())
        return 0
    return tx.insert(sql, *values.values())


def takes_part(tx: Tx, chat_number: int, account: int) -> bool:
    """Return whether the account takes part in the chat now."""
    row = tx.one(
        "select 1 from participations where chat = ? and account = ? and left_at is null",
        *(chat_number, account),
    )
    return row is not None


def last_statement(tx: Tx, owner: int, count: int) -> int:
    """Return the row of the last of an account's first `count` statements; 0 if none."""
    if not count:
        return 0
    row = tx.one(
        "select id from profile_statements where account = ? order by id limit 1 offset ?",
        *(owner, count - 1),
    )
    return row[0] if row else 0


def has_version(tx: Tx, owner: int, version: int) -> bool:
    """Return whether the account has a profile of that version."""
    row = tx.one("select 1 from profile_versions where owner = ? and version = ?", owner, version)
    return row is not None


def set_origin(
    tx: Tx, person: int, created_by: int | None, learned_in: int | None, merged_into: int | None
) -> bool:
    """Complete a person that was inserted without its origin; return whether it was incomplete."""
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
    """Complete a memory that was inserted without its winner; return whether it was incomplete."""
    return bool(
        tx.run(
            "update memories set superseded_by = ?, superseded_until = ?"
            " where id = ? and superseded_at is not null and superseded_by is null",
            *(winner, until, memory),
        )
    )


class ImportedPassage(NamedTuple):
    """A memory that was imported from a note."""

    memory: int
    uuid: str
    identifier: str
    file: str
    heading: str
    is_active: bool
    archive_reason: str | None
    superseded_by: int | None


def imported_passages(tx: Tx, viewer: Viewer, origin: str) -> list[ImportedPassage]:
    """Return the viewer's memories that came from notes, the earliest first."""
    rows = tx.named(
        "select m.id, m.uuid, json_extract(m.metadata, '$.imported.id'),"
        " coalesce(json_extract(m.metadata, '$.file'), ''),"
        " coalesce(json_extract(m.metadata, '$.heading'), ''),"
        " m.archived_at is null and m.superseded_until <= :now and m.ends_at > :now,"
        " m.archive_reason, m.superseded_by"
        f" from ({visibility.reach(viewer)}) r cross join memories m on m.id = r.id"
        f" where m.source = 'import' and {visibility.condition(viewer)}"
        " and json_extract(m.metadata, '$.imported.from') = :origin order by m.id",
        {**visibility.parameters(viewer), "after": 0, "origin": origin, "now": tx.now},
    )
    return [ImportedPassage(*row) for row in rows]


def imported_ids(tx: Tx, viewer: Viewer, origin: str) -> set[str]:
    """Return the ids that the viewer's memories had in the system they were imported from."""
    rows = tx.named(
        "select json_extract(m.metadata, '$.imported.id') from"
        f" ({visibility.reach(viewer)}) r cross join memories m on m.id = r.id"
        f" where m.source = 'import' and {visibility.condition(viewer)}"
        " and json_extract(m.metadata, '$.imported.from') = :origin",
        {**visibility.parameters(viewer), "after": 0, "origin": origin},
    )
    return {row[0] for row in rows}
