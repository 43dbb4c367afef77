"""Replies to calls with an idempotency key, stored in the transaction of the call."""

from ashd.store.transaction import Tx


def find(tx: Tx, caller: str, key: str, oldest: int) -> tuple[bytes, str | None] | None:
    """Return (digest of the params, reply) of the call that used this key since `oldest`, if any.

    The reply is None if it is no longer stored: something was erased since, or it was large.
    """
    row = tx.one(
        "select digest, reply from replies where caller = ? and key = ? and created_at >= ?",
        *(caller, key, oldest),
    )
    return (row[0], row[1]) if row else None


def keep(tx: Tx, caller: str, key: str, digest: bytes, reply: str | None) -> None:
    """Store a reply, in place of an older one with the key."""
    tx.run(
        "insert or replace into replies (caller, key, digest, reply, created_at)"
        " values (?, ?, ?, ?, ?)",
        *(caller, key, digest, reply, tx.now),
    )
