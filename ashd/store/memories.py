"""Memories as rows; every read for a viewer goes through the disclosure policy.

A row is returned as a `Record`, which includes the ids of the wire.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ashd.store import chains, joined_changes, visibility
from ashd.store import subjects as subjects_
from ashd.store.chains import Chains
from ashd.store.database import Tx
from ashd.store.dialect import text_list


class Record(NamedTuple):
    """A row of `memories`: times in microseconds, people and chats as row numbers."""

    id: int
    uuid: str
    version: int
    revision: int
    content: str
    content_key: str
    first_person: int | None
    """Whether the memory is about its speaker; None if it has no speaker."""
    memory_type: str
    created_at: int
    observed_at: int | None
    said_at: int
    owner: int | None
    chat: int | None
    learned_in: int | None
    learned_type: str | None
    stated_by: int | None
    source: str
    source_username: str | None
    source_display_name: str | None
    source_session_id: str | None
    source_message_id: str | None
    grant_id: str | None
    extraction_confidence: float | None
    sensitivity: str | None
    portable: int
    expires_at: int | None
    ends_at: int
    valid_from: int | None
    valid_until: int | None
    tags: str
    metadata: str | None
    superseded_at: int | None
    superseded_by: int | None
    superseded_until: int
    archived_at: int | None
    archive_reason: str | None
    last_accessed_at: int | None
    access_count: int
    project: str | None
    project_name: str | None
    # Looked up for the wire:
    provider: str | None
    owner_user_id: str | None
    chat_id: str | None
    stater_person: int | None
    superseded_by_uuid: str | None
    subjects: str
    """JSON: [[person row, person uuid, whether the words named them], …] in their order."""


_OWN: Final = Record._fields[: Record._fields.index("provider")]
_COLUMNS: Final = (
    f"{', '.join('m.' + name for name in _OWN)},"
    " coalesce(oa.provider, ca.provider, sa.provider), oa.user_id, ca.chat_id, sa.person, w.uuid,"
    " (select coalesce(json_group_array(json_array(p.id, p.uuid, p.is_read)), '[]') from"
    "   (select p.id, p.uuid, s.is_read from memory_subjects s join people p on p.id = s.person"
    "     where s.memory = m.id order by s.position) p)"
)
_JOINED: Final = (
    "left join accounts oa on oa.id = m.owner left join chats ca on ca.id = m.chat"
    " left join accounts sa on sa.id = m.stated_by left join memories w on w.id = m.superseded_by"
)
WRITTEN: Final = tuple(name for name in _OWN if name != "id")
"""The stored columns of a memory, without its row number."""
_INSERT: Final = (
    f"insert into memories ({', '.join(WRITTEN)}) values ({', '.join('?' * len(WRITTEN))})"
)


def insert(tx: Tx, values: dict[str, Any], subjects: Sequence[int], *, are_read: bool) -> int:
    """Insert a new memory and its ABOUT edges, given or read; return the row number."""
    number = tx.append(_INSERT, *(values[name] for name in WRITTEN))
    subjects_.add(tx, number, subjects, are_read=are_read)
    given = [] if are_read else subjects
    tx.grow(*_seen_by(values["learned_in"], values["owner"], values["stated_by"], given))
    return number


def _seen_by(
    learned_in: int | None, owner: int | None, stater: int | None, subjects: Sequence[int]
) -> list[tuple[str, int | None]]:
    """Return the keys of those who may see a memory, for `Tx.grow`: chat, accounts, subjects."""
    return [
        *(("chat", learned_in), ("account", owner), ("account", stater)),
        *(("person", person) for person in subjects),
    ]


def touch(tx: Tx, record: Record) -> None:
    """Note who may see a change of a memory."""
    about = [person for person, _, is_read in json.loads(record.subjects) if not is_read]
    tx.revise(record.id, *_seen_by(record.learned_in, record.owner, record.stated_by, about))


_SUPERSEDES: Final = frozenset(
    {"sensitivity", "portable", "owner", "stated_by", "said_at", "learned_in"}
    | {"superseded_by", "archived_at", "project"}
)
"""The columns that decide who may read a memory, and for whom it supersedes earlier ones."""


def change(tx: Tx, number: int, values: dict[str, Any]) -> None:
    """Change columns in place and increase the revision."""
    record = by_id(tx, number)
    touch(tx, record)
    if not _SUPERSEDES.isdisjoint(values):
        chains.touch_older(tx, number)
    by = joined_changes.cause(tx, record.owner)
    if by is not None:
        joined_changes.note(tx, number, by, record._asdict(), values)
    columns = ", ".join([*(f"{name} = ?" for name in values), "revision = revision + 1"])
    tx.run(
        f"update memories set {columns} where id = ?",
        *values.values(),
        number,
    )


def by_id(tx: Tx, number: int) -> Record:
    """Return the memory with that row number; for the daemon's own use, not for a reader."""
    row = tx.one(f"select {_COLUMNS} from memories m {_JOINED} where m.id = ?", number)
    assert row is not None
    return Record(*row)


def is_active(record: Record, now: int) -> bool:
    """Return whether a memory is neither archived, superseded nor at its end."""
    return record.archived_at is None and record.superseded_until <= now and record.ends_at > now


def exists(tx: Tx, number: int) -> bool:
    """Return whether there is a memory with that row number."""
    return tx.one("select 1 from memories where id = ?", number) is not None


def _visible(
    tx: Tx, viewer: visibility.Viewer, numbers: str, params: dict[str, Any], tail: str = ""
) -> list[Record]:
    """The memories in the table `numbers` (`value`) that the reader may see."""
    rows = tx.named(
        f"select {_COLUMNS} from {numbers} r cross join memories m on m.id = r.value {_JOINED}"
        f" where {visibility.condition(viewer)} {tail}",
        {**visibility.parameters(viewer), "now": tx.now, **params},
    )
    return as_seen(tx, viewer, [Record(*row) for row in rows])


def as_seen(tx: Tx, viewer: visibility.Viewer, records: list[Record]) -> list[Record]:
    """Return memories as if those that the viewer may not read had superseded nothing.

    They are superseded by the next one in their chain that the viewer may read.
    """
    if viewer.everything:
        return records
    above = chains.load(tx, viewer, [one.id for one in records if one.superseded_by is not None])
    return [
        record if record.superseded_by is None else _superseded(tx, record, above)
        for record in records
    ]


def _superseded(tx: Tx, record: Record, above: Chains) -> Record:
    winner = above.superseded(record.id)
    if winner is None:
        record = record._replace(
            superseded_at=None, superseded_by=None, superseded_until=0, superseded_by_uuid=None
        )
    else:
        record = record._replace(
            superseded_at=winner.at,
            superseded_by=winner.by,
            superseded_until=winner.until,
            superseded_by_uuid=winner.by_uuid,
        )
    if record.superseded_until <= tx.now and record.archive_reason == "superseded":
        return record._replace(archived_at=None, archive_reason=None)
    return record


def by_prefix(tx: Tx, viewer: visibility.Viewer, prefix: str, limit: int) -> list[Record]:
    """Return the memories whose id has a prefix and that the reader may see, in any state."""
    rows = tx.all(
        "select id from memories where uuid >= ? and uuid < ? order by uuid",
        *(prefix, prefix + "g"),
    )
    numbers = [row[0] for row in rows]
    # For an unknown id the policy checks some other memory, so that it takes as long as for a
    # hidden one.
    looked_at = numbers or [row[0] for row in tx.all("select max(id) from memories")]
    found = by_ids(tx, viewer, looked_at)
    return [found[number] for number in numbers if number in found][:limit]


def beginning_like(
    tx: Tx, viewer: visibility.Viewer, uuids: Collection[str], chars: int
) -> list[str]:
    """Return the ids that the reader may see and that begin like one of these."""
    numbers = [
        row[0]
        for prefix in {uuid[:chars] for uuid in uuids}
        for row in tx.all(
            "select id from memories where uuid >= ? and uuid < ?", prefix, prefix + "g"
        )
    ]
    return [record.uuid for record in by_ids(tx, viewer, numbers).values()]


def by_ids(tx: Tx, viewer: visibility.Viewer, numbers: Sequence[int]) -> dict[int, Record]:
    """Return those of the memories that the viewer may see, by row number."""
    if not numbers:
        return {}
    found = _visible(tx, viewer, "json_each(:ids)", {"ids": json.dumps(list(numbers))})
    return {record.id: record for record in found}


def same_content(
    tx: Tx,
    viewer: visibility.Viewer,
    key: str,
    *,
    owners: Collection[int],
    chat: int | None = None,
) -> list[int]:
    """Return the memories with the same content key: of these owners, or of a chat.

    Returns memories that are active or may be active for the viewer, even if the viewer may not see
    them. Several owners are joined accounts of one person; without owners the memories are the
    chat's own.
    """
    whose = "m.owner in (select value from json_each(:owners))" if owners else "m.owner is null"
    in_states = visibility.in_states(doubtful=chains.doubtful(viewer))
    rows = tx.named(
        f"select m.id from memories m where m.content_key = :key and {whose}"
        f" and m.chat is not distinct from :place and {in_states} order by m.id",
        {
            **visibility.parameters(viewer),
            "key": key,
            "owners": json.dumps(list(owners)),
            "place": chat,
            "now": tx.now,
        },
    )
    return [row[0] for row in rows]


def texts(tx: Tx, numbers: Collection[int]) -> dict[int, str]:
    """The contents of memories, by row number; for the daemon's own use, not for a reader."""
    rows = tx.all(
        "select id, content from memories where id in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return dict(rows)


def speakers(tx: Tx, numbers: Collection[int]) -> dict[int, int]:
    """Return the person who said each of these memories, where that is known."""
    rows = tx.all(
        "select m.id, a.person from memories m join accounts a on a.id = m.stated_by"
        " where m.id in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return dict(rows)


def in_passages(
    tx: Tx, numbers: Collection[int], project: str | None
) -> dict[int, tuple[int, str]]:
    """Return the memory of each of these passages, and its content; none of another project."""
    rows = tx.named(
        "select p.id, m.id, m.content from json_each(:numbers) r"
        " cross join passages p on p.id = r.value cross join memories m on m.id = p.item"
        f" where p.kind = 0 and {visibility.in_project('m')}",
        {"numbers": json.dumps(list(numbers)), "project": project},
    )
    return {passage: (memory, content) for passage, memory, content in rows}


def hide_until(tx: Tx, number: int, until: int) -> None:
    """Set the time until which a later memory supersedes this one."""
    touch(tx, by_id(tx, number))
    tx.run("update memories set superseded_until = ? where id = ?", until, number)


def losers(tx: Tx, number: int) -> list[int]:
    """The memories that this one superseded directly."""
    return [row[0] for row in tx.all("select id from memories where superseded_by = ?", number)]


def superseded_by_others(tx: Tx, ones: Collection[int], others: Collection[int]) -> list[int]:
    """Return the memories of some accounts that memories of others superseded, oldest first."""
    rows = tx.all(
        "select m.id from memories m join memories w on w.id = m.superseded_by"
        " where m.owner in (select value from json_each(?))"
        " and w.owner in (select value from json_each(?)) order by m.id",
        *(json.dumps(list(ones)), json.dumps(list(others))),
    )
    return [row[0] for row in rows]


def chain(tx: Tx, viewer: visibility.Viewer, number: int) -> list[Record]:
    """Return all that this memory superseded or was superseded by, as far as the reader may see."""
    return _visible(
        tx,
        viewer,
        "(with recursive newer (id) as (select cast(:id as bigint) union"
        "   select m2.superseded_by from memories m2 join newer on m2.id = newer.id"
        "   where m2.superseded_by is not null),"
        " all_of (id) as (select id from newer union"
        "   select m3.id from memories m3 join all_of on m3.superseded_by = all_of.id)"
        " select id as value from all_of)",
        {"id": number},
        "order by m.created_at, m.id",
    )


def uuids(tx: Tx, numbers: Collection[int]) -> dict[int, str]:
    """Return the wire ids of memories, by row number."""
    rows = tx.all(
        "select id, uuid from memories where id in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return dict(rows)


def of_grant(tx: Tx, grant_id: str) -> list[int]:
    """Return the memories that came through a grant."""
    return [row[0] for row in tx.all("select id from memories where grant_id = ?", grant_id)]


def grants_seen(tx: Tx, viewer: visibility.Viewer, prefix: str) -> list[str]:
    """Return the ids with a prefix of grants whose memories the reader may see."""
    rows = tx.named(
        "select distinct m.grant_id from memories m where m.grant_id >= :first"
        f" and m.grant_id < :after and {visibility.condition(viewer)}",
        # Ids have only letters and digits, and "{" comes after them.
        {**visibility.parameters(viewer), "now": tx.now, "first": prefix, "after": prefix + "{"},
    )
    return [row[0] for row in rows]


def accessed(tx: Tx, counts: Mapping[int, int]) -> None:
    """Note how often each of these memories was returned to a reader, the last time now (A15)."""
    by_count: dict[int, list[int]] = {}
    for number, count in counts.items():
        by_count.setdefault(count, []).append(number)
    for count, numbers in by_count.items():
        tx.run(
            "update memories set last_accessed_at = ?, access_count = access_count + ?"
            " where id in (select value from json_each(?))",
            *(tx.now, count, json.dumps(numbers)),
        )


def private_chats_of(tx: Tx, owners: Collection[int]) -> list[int]:
    """Return the private chats in which something of these owners' was learned."""
    rows = tx.named(
        # From one chat of an owner to the next, skipping the memories of each.
        "with recursive places (owner, chat) as ("
        " select value, (select min(learned_in) from memories"
        "   where owner = value and learned_type = 'private') from json_each(:owners)"
        " union all select p.owner, (select min(learned_in) from memories"
        "   where owner = p.owner and learned_type = 'private' and learned_in > p.chat)"
        "   from places p where p.chat is not null)"
        " select distinct chat from places where chat is not null",
        {"owners": json.dumps(list(owners))},
    )
    return [row[0] for row in rows]


def all_active(tx: Tx, uuids: Sequence[str]) -> bool:
    """Return whether all these memories are active now."""
    rows = tx.named(
        f"select count(*) from memories m where m.uuid in (select value from {text_list(':uuids')})"
        f" and {visibility.in_states()}",
        {"uuids": json.dumps(list(uuids)), "now": tx.now},
    )
    return bool(rows[0][0] == len(uuids))
