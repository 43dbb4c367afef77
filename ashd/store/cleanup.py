"""Rows that are no longer needed: which to archive and remove, and the least valuable ones."""

from typing import Final, Literal, NamedTuple

from ashd.clock import DAY, FOREVER, SECOND
from ashd.store.erasure.rows import Rows
from ashd.store.transaction import Tx

Reason = Literal["superseded", "expired", "ephemeral_decay", "evicted", "returned"]


class Due(NamedTuple):
    """A memory whose state is to change, and why; `returned` reactivates an archived one."""

    memory: int
    reason: Reason


class Places(NamedTuple):
    """The holder whose memories share a cap: an owner, or a chat for memories without one."""

    owner: int | None
    chat: int | None


REMOVED: Final = (
    Rows("idempotency", "created_at < :reply_before"),
    Rows("replies", "created_at < :reply_before"),
    Rows("usage", "day < :today"),
    Rows("audit", "at < :audit_before"),
    Rows(
        "grants",
        "coalesce(revoked_at, expires_at) < :grant_before"
        " and (revoked_at is not null or expires_at < :now)"
        " and not exists (select 1 from memories m where m.grant_id = grants.id)",
    ),
    Rows("embeddings", "not exists (select 1 from passages p where p.hash = embeddings.hash)"),
)
"""Rows that are no longer needed, whatever else is stored; `times` are the params."""
ENDED: Final = (
    Rows("overrides", "removed_at < :before"),
    Rows("relations", "removed_at < :before"),
    Rows(
        "entities",
        "removed_at < :before and not exists (select 1 from relations r"
        " where r.source = entities.id or r.target = entities.id)",
    ),
)
"""Rows removed by their owners `before`, for compaction, in an order that references allow."""


_PRESENT: Final = (
    "select p.account from participations p where p.chat = {0}.learned_in"
    " and p.joined_at <= {0}.said_at and (p.left_at is null or p.left_at > {0}.said_at)"
)
_SUPERSEDED_FOR_ALL: Final = (
    "exists (select 1 from memories w where w.id = m.superseded_by and w.ends_at >= :forever"
    " and (w.archived_at is null or w.archive_reason = 'superseded')"
    " and w.owner is not distinct from m.owner"
    " and w.stated_by is not distinct from m.stated_by"
    " and w.learned_type is not distinct from m.learned_type"
    " and (m.learned_type = 'private' or (w.learned_in = m.learned_in"
    "  and coalesce(w.sensitivity, 'public') = coalesce(m.sensitivity, 'public')"
    "  and w.portable >= m.portable and not exists"
    "   (select person from memory_subjects where memory = m.id and is_read = 0"
    "    except select person from memory_subjects where memory = w.id and is_read = 0)"
    f"  and not exists ({_PRESENT.format('m')} except {_PRESENT.format('w')}))))"
)
"""The condition that all who may read a superseded memory `m` may also read its winner.

The condition is narrower than the policy: a memory that it leaves out stays, and counts for the
cap.
"""


def due(tx: Tx) -> list[Due]:
    """Return the memories to archive, or to reactivate, oldest first.

    Leaves alone memories hidden by a winner that has an end, since they are active again at that
    end (A12); and memories whose winner some reader may not read, since they are active for that
    reader.
    """
    rows = tx.named(
        "select id, case when expires_at <= :now then 'expired' else 'ephemeral_decay' end"
        "   from memories where archived_at is null and ends_at <= :now"
        " union all select m.id, 'superseded' from memories m"
        "   where m.archived_at is null and m.superseded_until >= :forever and m.ends_at > :now"
        f"  and {_SUPERSEDED_FOR_ALL}"
        " union all select m.id, 'returned' from memories m"
        "   where m.archive_reason = 'superseded' and m.ends_at > :now"
        f"  and (m.superseded_until <= :now or not {_SUPERSEDED_FOR_ALL})"
        " order by 1",
        {"now": tx.now, "forever": FOREVER},
    )
    return [Due(*row) for row in rows]


def is_due(tx: Tx, wanted: Due) -> bool:
    """Return whether the change is still due."""
    rows = tx.named(
        "select archived_at is null, archive_reason, ends_at <= :now, superseded_until,"
        f" {_SUPERSEDED_FOR_ALL} from memories m where id = :id",
        {"id": wanted.memory, "now": tx.now, "forever": FOREVER},
    )
    if not rows:
        return False
    is_active, reason, ended, hidden_until, for_all = rows[0]
    if wanted.reason == "returned":
        is_back = hidden_until <= tx.now or not for_all
        return bool(reason == "superseded" and is_back and not ended)
    if wanted.reason == "superseded":
        return bool(is_active and hidden_until >= FOREVER and for_all)
    return bool(is_active and (ended or wanted.reason == "evicted"))


# Caps ------------------------------------------------------------------------------------------


def least_valuable(tx: Tx, place: Places, most: int, *, but: int | None = None) -> list[int]:
    """Return the surplus memories of a place, the least valuable ones.

    First superseded and expired ones; then unused ones, the longest untouched first; then by use,
    where a use counts less for each month that has passed.
    """
    condition = (
        "owner is not distinct from :owner and chat is not distinct from :chat"
        " and archived_at is null"
    )
    params = {**place._asdict(), "now": tx.now, "but": but, "month": 30 * DAY}
    count = tx.named(f"select count(*) from memories where {condition}", params)[0][0]
    if count <= most:
        return []
    rows = tx.named(
        f"select id from memories where {condition} and id is distinct from :but"
        " order by superseded_until <= :now and ends_at > :now, access_count > 0,"
        " access_count * 1.0 / (1.0 + max(0, :now - last_accessed_at) * 1.0 / :month),"
        " coalesce(last_accessed_at, created_at), id limit :excess",
        {**params, "excess": count - most},
    )
    return [row[0] for row in rows]


def crowded(tx: Tx, most: int) -> list[Places]:
    """Return the owners and chats with more than so many memories."""
    rows = tx.all(
        "select owner, chat from memories where archived_at is null"
        " group by owner, chat having count(*) > ?",
        most,
    )
    return [Places(*row) for row in rows]


# Removal ---------------------------------------------------------------------------------------


_REPLY: Final = DAY
_AUDIT: Final = 365 * DAY
_GRANT: Final = 90 * DAY


def times(tx: Tx) -> dict[str, int]:
    """Return the times before which rows are no longer needed, in microseconds."""
    return {
        "now": tx.now,
        "today": tx.now // DAY,
        "reply_before": tx.now - _REPLY,
        "audit_before": tx.now - _AUDIT,
        "grant_before": tx.now - _GRANT,
    }


def archived_before(tx: Tx, at: int) -> list[int]:
    """Return the memories that were archived before that time."""
    return [row[0] for row in tx.all("select id from memories where archived_at < ?", at)]


def was_archived_before(tx: Tx, number: int, at: int) -> bool:
    """Return whether a memory is archived, since before that time."""
    return tx.one("select 1 from memories where id = ? and archived_at < ?", number, at) is not None


def note_run(tx: Tx) -> None:
    """Note that the clean-up ran now."""
    tx.run(
        "insert into meta (key, value) values ('cleaned_at', ?)"
        " on conflict (key) do update set value = excluded.value",
        tx.now,
    )


def last_run(tx: Tx) -> int:
    """Return the time at which the clean-up last ran; 0 if it never did."""
    row = tx.one("select value from meta where key = 'cleaned_at'")
    return int(row[0]) if row else 0


def interval(hours: float) -> int:
    """Convert hours to microseconds."""
    return int(hours * 3600) * SECOND
