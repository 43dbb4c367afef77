"""The audit: who did what, with what outcome; never what it was about."""

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
) -> None:
    """Write one row, in the transaction of what it is about."""
    tx.run(
        "insert into audit (at, actor, grant_id, method, outcome, digest, peer_pid, peer_uid)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        *(tx.now, actor, grant_id, method, outcome, digest, peer_pid, peer_uid),
    )


def newest(tx: Tx, *, before: int | None, grant_id: str | None, limit: int) -> list[Entry]:
    """The newest rows first, older than row `before`, of one grant or of all."""
    rows = tx.all(
        "select id, at, actor, grant_id, method, outcome, digest, peer_pid, peer_uid from audit"
        " where (?1 is null or id < ?1) and (?2 is null or grant_id = ?2)"
        " order by id desc limit ?3",
        *(before, grant_id, limit),
    )
    return [Entry(*row) for row in rows]
