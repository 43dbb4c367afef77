"""Today's usage of grants and owners, and the bytes stored through a grant."""

from collections.abc import Iterable
from typing import NamedTuple

from ashd.store.database import Tx


class Used(NamedTuple):
    """The use of a holder on a day (days since 1970, UTC)."""

    holder: str
    day: int
    writes: int
    reply_bytes: int
    embedder_calls: int

    def plus(self, other: "Used") -> "Used":
        """Return the sum of two uses on the same day."""
        return self._replace(
            writes=self.writes + other.writes,
            reply_bytes=self.reply_bytes + other.reply_bytes,
            embedder_calls=self.embedder_calls + other.embedder_calls,
        )

    def minus(self, earlier: "Used") -> "Used":
        """Return what was used since; all of it, if the earlier one is of another day."""
        if earlier.day != self.day:
            return self
        return self._replace(
            writes=self.writes - earlier.writes,
            reply_bytes=self.reply_bytes - earlier.reply_bytes,
            embedder_calls=self.embedder_calls - earlier.embedder_calls,
        )


def of(tx: Tx, holder: str, day: int) -> Used:
    """Return the holder's use on this day."""
    row = tx.one(
        "select holder, day, writes, reply_bytes, embedder_calls from usage"
        " where holder = ? and day = ?",
        *(holder, day),
    )
    return Used(*row) if row else Used(holder, day, 0, 0, 0)


def last_day(tx: Tx, holder: str) -> int | None:
    """Return the last day on which the holder used something, as `Used.day`."""
    row = tx.one("select day from usage where holder = ?", holder)
    return row[0] if row else None


def memories(tx: Tx, grant_id: str) -> tuple[int, int]:
    """Count the memories that came through a grant: those that are active, and archived ones."""
    row = tx.one(
        "select count(*) filter (where archived_at is null),"
        " count(*) filter (where archived_at is not null)"
        " from memories where grant_id = ?",
        grant_id,
    )
    assert row is not None
    return row[0], row[1]


def add(tx: Tx, used: Iterable[Used]) -> list[Used]:
    """Add to the stored use of these holders; return what is stored now for the same days.

    The use of an earlier day is replaced; what is added to a day that is over is dropped.
    """
    totals = []
    for entry in used:
        stored = of(tx, entry.holder, entry.day)
        total = stored.plus(entry)
        tx.run(
            "insert into usage (holder, day, writes, reply_bytes, embedder_calls)"
            " values (?, ?, ?, ?, ?) on conflict (holder) do update set day = excluded.day,"
            " writes = excluded.writes, reply_bytes = excluded.reply_bytes,"
            " embedder_calls = excluded.embedder_calls where usage.day <= excluded.day",
            *total,
        )
        totals.append(total)
    return totals


def stored_bytes(tx: Tx, holder: str) -> int:
    """Return the bytes of text in the memories of a grant, or of all grants of an owner."""
    total: int = tx.value(
        "select coalesce(sum(octet_length(content) + octet_length(tags)"
        " + coalesce(octet_length(metadata), 0)), 0)"
        " from memories where grant_id in (select id from grants where id = ?1 or owner = ?1)",
        holder,
    )
    return total
