"""The audit: who did what, with what outcome; never any content."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from ashd.store.database import Tx


class Entry(NamedTuple):
    """A row of `audit`. `digest` is keyed, so that nobody can guess parameters from it."""

    id: int
    at: int
    actor: str
    grant_id: str | None
    method: str
    outcome: str
    digest: bytes
    peer_pid: int | None
    peer_uid: int | None
    provider: str | None
    user_id: str | None
    """The user id of the account for which the call was made."""
    people: list[str]
    """The ids of two people who were merged or split; the person who remains comes last."""
    memory: str | None
    """The id of the memory whose sentence merged them."""


class Filter(NamedTuple):
    """A filter of audit rows; None fields match all. `before` is the number of a row."""

    since: int | None
    until: int | None
    grant_id: str | None
    outcome: str | None
    before: int | None


def insert(
    tx: Tx,
    *,
    actor: str,
    grant_id: str | None,
    method: str,
    outcome: str,
    digest: bytes,
    peer_pid: int | None,
    peer_uid: int | None,
    provider: str,
    user_id: str | None,
    people: Sequence[str] = (),
    memory: str | None = None,
) -> None:
    """Write one row, in the transaction of the change that it records."""
    tx.send(
        "insert into audit (at, actor, grant_id, method, outcome, digest, peer_pid, peer_uid,"
        " people, memory, account) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " (select id from accounts where provider = ? and user_id = ?))",
        *(tx.now, actor, grant_id, method, outcome, digest, peer_pid, peer_uid),
        *(json.dumps(people), memory, provider, user_id),
    )


def note(tx: Tx, method: str) -> None:
    """Write the row of an operator's command on the files: with columns that every schema has."""
    tx.run(
        "insert into audit (at, actor, method, outcome, digest) values (?, 'operator', ?, 'ok', ?)",
        *(tx.now, method, b""),
    )


def newest(tx: Tx, wanted: Filter, limit: int) -> list[Entry]:
    """Return the newest rows that match the filter."""
    rows = tx.named(
        "select u.id, u.at, u.actor, u.grant_id, u.method, u.outcome, u.digest, u.peer_pid,"
        " u.peer_uid, a.provider, a.user_id, u.people, u.memory"
        " from audit u left join accounts a on a.id = u.account"
        " where (cast(:since as bigint) is null or u.at >= :since)"
        " and (cast(:until as bigint) is null or u.at < :until)"
        " and (cast(:grant_id as text) is null or u.grant_id = :grant_id)"
        " and (cast(:outcome as text) is null or u.outcome = :outcome)"
        " and (cast(:before as bigint) is null or u.id < :before)"
        " order by u.id desc limit :limit",
        {**wanted._asdict(), "limit": limit},
    )
    return [Entry(*row)._replace(people=json.loads(row[-2])) for row in rows]
