"""Grants: rows that outlive the daemon; their sockets are opened from them."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ashd.store.database import Tx
from ashd.store.dialect import text_list


class GrantRow(NamedTuple):
    """A row of `grants`; scope, rights, quota, turn and holder are JSON."""

    id: str
    scope: str
    rights: str
    quota: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    token_hash: bytes | None
    turn: str | None
    holder: str | None
    expired_at: int | None
    """The time at which the daemon first noticed that the grant had ended. If the clock goes back
    later, the grant stays closed.
    """


TOPIC: Final = "grants"

_SELECT: Final = f"select {', '.join(GrantRow._fields)} from grants"
_IN_FORCE: Final = (
    "revoked_at is null and expired_at is null and (expires_at is null or expires_at > ?)"
)


def insert(
    tx: Tx,
    *,
    grant_id: str,
    scope: str,
    owner: str,
    rights: str,
    quota: str,
    expires_at: int | None,
    token_hash: bytes | None,
    holder: str | None = None,
) -> None:
    """Insert a new grant."""
    tx.tell(TOPIC)
    tx.run(
        "insert into grants (id, scope, owner, rights, quota, created_at, expires_at, token_hash,"
        " holder) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(grant_id, scope, owner, rights, quota, tx.now, expires_at, token_hash, holder),
    )


def by_id(tx: Tx, grant_id: str) -> GrantRow | None:
    """Return the grant, revoked or not."""
    row = tx.one(f"{_SELECT} where id = ?", grant_id)
    return GrantRow(*row) if row else None


def by_prefix(tx: Tx, prefix: str) -> list[tuple[str, str]]:
    """Return (id, id) of the grants whose id has a prefix, revoked or not."""
    # Ids have only letters and digits, and "{" comes after them.
    rows = tx.all(
        "select id from grants where id >= ? and id < ? order by id", *(prefix, prefix + "{")
    )
    return [(row[0], row[0]) for row in rows]


def of_owner(tx: Tx, owner: str) -> list[str]:
    """The ids of an owner's grants, revoked or not."""
    return [row[0] for row in tx.all("select id from grants where owner = ?", owner)]


def everyone(tx: Tx, *, open_only: bool) -> list[GrantRow]:
    """Return all grants, newest first; with `open_only` just those in force."""
    rows = (
        tx.all(f"{_SELECT} where {_IN_FORCE} order by created_at desc, id", tx.now)
        if open_only
        else tx.all(f"{_SELECT} order by created_at desc, id")
    )
    return [GrantRow(*row) for row in rows]


def in_force_count(tx: Tx) -> int:
    """Count the grants in force."""
    return int(tx.value(f"select count(*) from grants where {_IN_FORCE}", tx.now))


def expire(tx: Tx, grant_ids: Sequence[str]) -> None:
    """Note that the end of grants was noticed now."""
    tx.run(
        "update grants set expired_at = ? where expired_at is null"
        f" and id in (select value from {text_list('?')})",
        *(tx.now, json.dumps(list(grant_ids))),
    )


def expire_due(tx: Tx) -> None:
    """Note the end of every grant whose time is over."""
    tx.run(
        "update grants set expired_at = ?1 where expires_at <= ?1"
        " and revoked_at is null and expired_at is null",
        tx.now,
    )


def revoke(tx: Tx, grant_id: str) -> int:
    """Revoke a grant; return how many were revoked (0 if it already was)."""
    tx.tell(TOPIC)
    return tx.run(
        "update grants set revoked_at = ? where id = ? and revoked_at is null", tx.now, grant_id
    )


def set_turn(tx: Tx, grant_id: str, turn: str | None) -> Any:
    """Set the current turn of a grant."""
    tx.tell(TOPIC)
    return tx.run("update grants set turn = ? where id = ?", turn, grant_id)
