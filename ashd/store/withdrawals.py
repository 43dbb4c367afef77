"""Withdrawals: memories that were archived as one act."""

import json
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from ashd.store.transaction import Tx


class Withdrawal(NamedTuple):
    """A row of `withdrawals`."""

    id: int
    uuid: str
    restored_at: int | None


_TO_ARCHIVE: Final = "(m.archived_at is null or m.archive_reason = 'superseded')"
_STILL: Final = (
    "m.archive_reason in ('withdrawn', 'forgotten')"
    # One that was restored alone and archived again later is not undone here.
    " and not exists (select 1 from withdrawn_memories later"
    "  where later.memory = w.memory and later.withdrawal > w.withdrawal)"
)


def insert(tx: Tx, memories: Collection[int]) -> Withdrawal:
    """Insert a withdrawal of these memories, as far as they exist; they are archived after it."""
    uuid = tx.new_id()
    number = tx.insert("insert into withdrawals (uuid, created_at) values (?, ?)", uuid, tx.now)
    tx.run(
        "insert into withdrawn_memories (withdrawal, memory)"
        " select ?, id from memories where id in (select value from json_each(?))",
        *(number, json.dumps(list(memories))),
    )
    return Withdrawal(number, uuid, None)


def unfinished(tx: Tx, uuid: str) -> list[int]:
    """Return the memories of a withdrawal that are still to be archived, oldest first."""
    rows = tx.all(
        "select m.id from withdrawals d join withdrawn_memories w on w.withdrawal = d.id"
        f" join memories m on m.id = w.memory where d.uuid = ? and {_TO_ARCHIVE} order by m.id",
        uuid,
    )
    return [row[0] for row in rows]


def all_of(tx: Tx, uuid: str) -> list[int]:
    """Return all memories of a withdrawal, newest first, in whichever state they are now."""
    rows = tx.all(
        "select w.memory from withdrawals d join withdrawn_memories w on w.withdrawal = d.id"
        " where d.uuid = ? order by w.memory desc",
        uuid,
    )
    return [row[0] for row in rows]


def by_prefix(tx: Tx, prefix: str) -> list[tuple[str, Withdrawal]]:
    """Return (id, withdrawal) of those whose id has a prefix."""
    rows = tx.all(
        "select id, uuid, restored_at from withdrawals where uuid >= ? and uuid < ? order by uuid",
        *(prefix, prefix + "g"),
    )
    return [(row[1], Withdrawal(*row)) for row in rows]


def memories(tx: Tx, withdrawal: int) -> Sequence[int]:
    """The memories of a withdrawal that are still archived by it, newest first."""
    rows = tx.all(
        "select m.id from withdrawn_memories w join memories m on m.id = w.memory"
        f" where w.withdrawal = ? and {_STILL} order by m.id desc",
        withdrawal,
    )
    return [row[0] for row in rows]


def holds(tx: Tx, withdrawal: int, memory: int) -> bool:
    """Return whether a memory is still archived by a withdrawal."""
    row = tx.one(
        "select 1 from withdrawn_memories w join memories m on m.id = w.memory"
        f" where w.withdrawal = ? and w.memory = ? and {_STILL}",
        *(withdrawal, memory),
    )
    return row is not None


def of_grant(tx: Tx, grant_id: str) -> list[tuple[str, int, int]]:
    """Return (id, created at, number of memories) of the withdrawals of a grant's memories.

    Newest first; without withdrawals that were undone since.
    """
    rows = tx.all(
        "select d.uuid, d.created_at, count(*) from memories m"
        " join withdrawn_memories w on w.memory = m.id join withdrawals d on d.id = w.withdrawal"
        " where m.grant_id = ? and d.restored_at is null"
        " and m.archive_reason in ('withdrawn', 'forgotten')"
        " group by d.id order by d.id desc",
        grant_id,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def restored(tx: Tx, withdrawal: int) -> None:
    """Note that a withdrawal was undone."""
    tx.run("update withdrawals set restored_at = ? where id = ?", tx.now, withdrawal)
