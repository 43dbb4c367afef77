"""Today's usage of grants and owners, and the bytes stored through a grant."""

from collections.abc import Iterable
from typing import NamedTuple

from ashd.store.database import Tx


class Used(NamedTuple):
    """The usage of a holder on a day (days since 1970, UTC)."""

    holder: str
    day: int
    writes: int
    reply_bytes: int
    embedder_calls: int


def of(tx: Tx, holder: str, day: int) -> Used:
    """Return the holder's usage on this day."""
    row = tx.one(
        "select holder, day, writes, reply_bytes, embedder_calls from usage"
        " where holder = ? and day = ?",
        *(holder, day),
    )
    return Used(*row) if row else Used(holder, day, 0, 0, 0)


def keep(tx: Tx, used: Iterable[Used]) -> None:
    """Write down what these holders used; the day before is forgotten."""
    for entry in used:
        tx.run(
            "insert into usage (holder, day, writes, reply_bytes, embedder_calls)"
            " values (?, ?, ?, ?, ?) on conflict (holder) do update set day = excluded.day,"
            " writes = excluded.writes, reply_bytes = excluded.reply_bytes,"
            " embedder_calls = excluded.embedder_calls",
            *entry,
        )


def stored_bytes(tx: Tx, holder: str) -> int:
    """The bytes of text in the memories that came through a grant, or all grants of an owner."""
    total: int = tx.value(
        "select coalesce(sum(octet_length(content) + octet_length(tags)"
        " + coalesce(octet_length(metadata), 0)), 0)"
        " from memories where grant_id in (select id from grants where id = ?1 or owner = ?1)",
        holder,
    )
    return total
