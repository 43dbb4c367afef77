"""Replies to calls with an idempotency key, stored in the transaction of the call.

A reply that holds content is stored twice: whole, until something is erased, and `bare`, without
the content. A call in many transactions has its progress here until its reply is stored.
"""

from typing import NamedTuple

from ashd.store.transaction import Tx


class Stored(NamedTuple):
    """The call that used a key: the digest of its params, and its reply.

    `reply` is None if it holds no content, or if something was erased since; `bare` if there is
    nothing to be told without the content.
    """

    digest: bytes
    reply: str | None
    bare: str | None


def find(tx: Tx, caller: str, key: str, oldest: int) -> Stored | None:
    """Return the finished call that used this key since `oldest`, if any."""
    row = tx.one(
        "select digest, reply, bare from replies where caller = ? and key = ? and created_at >= ?"
        " and progress is null",
        *(caller, key, oldest),
    )
    return Stored(*row) if row else None


def keep(tx: Tx, caller: str, key: str, stored: Stored) -> None:
    """Store a reply; it replaces an older reply with the same key."""
    tx.run(
        "insert into replies (caller, key, digest, reply, bare, created_at)"
        " values (?, ?, ?, ?, ?, ?) on conflict (caller, key) do update set"
        " digest = excluded.digest, reply = excluded.reply, bare = excluded.bare,"
        " created_at = excluded.created_at, progress = null",
        *(caller, key, *stored, tx.now),
    )


def progress(tx: Tx, caller: str, key: str, digest: bytes) -> str | None:
    """Return the progress of an unfinished call with this key and these params."""
    row = tx.one(
        "select progress from replies where caller = ? and key = ? and digest = ?",
        *(caller, key, digest),
    )
    return row[0] if row else None


def keep_progress(tx: Tx, caller: str, key: str, digest: bytes, text: str) -> None:
    """Store the progress of an unfinished call."""
    tx.run(
        "insert into replies (caller, key, digest, progress, created_at)"
        " values (?, ?, ?, ?, ?) on conflict (caller, key) do update set"
        " digest = excluded.digest, progress = excluded.progress,"
        " created_at = excluded.created_at, reply = null, bare = null",
        *(caller, key, digest, text, tx.now),
    )


def has_unfinished(tx: Tx, caller: str, key: str, digest: bytes) -> bool:
    """Return whether another unfinished call, with other params, has this key."""
    row = tx.one(
        "select 1 from replies where caller = ? and key = ? and digest <> ?"
        " and progress is not null",
        *(caller, key, digest),
    )
    return row is not None
