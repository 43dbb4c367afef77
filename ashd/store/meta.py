"""Small facts of the database itself, and the answers to repeated calls."""

import secrets
from typing import Any

from ashd.store import grants
from ashd.store.database import Tx
from ashd.store.dialect import DATABASE_BYTES


def audit_key(tx: Tx) -> bytes:
    """Return the key of the digests, made with the database and never leaving it."""
    row = tx.one("select value from meta where key = 'audit_key'")
    if row is not None:
        # Databases from before there were two engines have it as bytes.
        return row[0] if isinstance(row[0], bytes) else bytes.fromhex(row[0])
    made = secrets.token_bytes(32)
    tx.run("insert into meta (key, value) values ('audit_key', ?)", made.hex())
    return made


def missed_model(tx: Tx) -> str | None:
    """Return the missing model that will be used again once it can be loaded, if there is one."""
    row = tx.one("select value from meta where key = 'missed_model'")
    return row[0] if row else None


def set_missed_model(tx: Tx, model: str | None) -> None:
    """Set the missing model that will be used again once it can be loaded; None for no model."""
    tx.run("delete from meta where key = 'missed_model'")
    if model is not None:
        tx.run("insert into meta (key, value) values ('missed_model', ?)", model)


def answer(tx: Tx, caller: str, key: str, oldest: int) -> tuple[bytes, str] | None:
    """Return (digest of the parameters, outcome) of the call that used this key since `oldest`."""
    row = tx.one(
        "select digest, outcome from idempotency where caller = ? and key = ? and created_at >= ?",
        *(caller, key, oldest),
    )
    return (row[0], row[1]) if row else None


def keep_answer(tx: Tx, caller: str, key: str, digest: bytes, outcome: str, oldest: int) -> None:
    """Store an outcome, and drop outcomes older than `oldest`."""
    tx.send("delete from idempotency where created_at < ?", oldest)
    tx.send(
        "insert into idempotency (caller, key, digest, outcome, created_at) values (?, ?, ?, ?, ?)",
        *(caller, key, digest, outcome, tx.now),
    )


def table_counts(tx: Tx) -> dict[str, Any]:
    """Count the rows of each kind, and return the size of the file in bytes."""
    counts = {
        name: tx.value(f"select count(*) from {name}")
        for name in ("memories", "people", "chats", "accounts", "passages", "audit")
    }
    archived = tx.value("select count(*) from memories where archived_at is not null")
    superseded = tx.value(
        "select count(*) from memories where superseded_until > 0 and superseded_until > ?", tx.now
    )
    return {
        **counts,
        "grants": grants.in_force_count(tx),
        "memories_archived": archived,
        "memories_superseded": superseded,
        "database_bytes": tx.value(DATABASE_BYTES),
    }
