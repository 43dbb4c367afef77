"""Keys of the gateway's callers, of all daemons that share the database.

A revoked key leaves its id, so that no old file of keys brings it back.
"""

from ashd.store.transaction import Tx


def add(tx: Tx, key_id: str, record: str, created_at: int) -> None:
    """Store a key, unless its id is known, that of a revoked key too."""
    tx.run(
        "insert into gateway_keys (id, record, created_at) values (?, ?, ?)"
        " on conflict (id) do nothing",
        *(key_id, record, created_at),
    )


def records(tx: Tx) -> list[str]:
    """Return the keys that are not revoked, the oldest first."""
    rows = tx.all(
        "select record from gateway_keys where record is not null order by created_at, id"
    )
    return [record for (record,) in rows]


def record_of(tx: Tx, key_id: str) -> str | None:
    """Return a key that is not revoked."""
    row = tx.one("select record from gateway_keys where id = ?", key_id)
    return row[0] if row else None


def revoke(tx: Tx, key_id: str) -> None:
    """Forget a key but its id."""
    tx.run("update gateway_keys set record = null where id = ?", key_id)


def remove_all(tx: Tx) -> None:
    """Forget all keys, which are in a file now."""
    tx.run("delete from gateway_keys")
