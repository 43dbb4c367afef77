"""`grant.list` and `grant.revoke`: methods that need the grants and their use."""

import msgspec

from ashd.access.actor import Call
from ashd.access.grant_views import (
    GrantResult,
    GrantView,
    ListParams,
    ListResult,
    RevokeParams,
    UseView,
    WithdrawalView,
)
from ashd.access.grants import GrantListeners, Grants, find_id, view
from ashd.access.quota import Quota
from ashd.access.usage import Quotas
from ashd.clock import DAY, to_text
from ashd.ids import no_cursor
from ashd.store import grants, usage, withdrawals
from ashd.store.database import Database, Tx

_DATE_CHARS = len("2026-01-01")
_COUNTED = ("stored_bytes", "writes_per_day", "reply_bytes_per_day", "embedder_calls_per_day")
"""The quotas that are counted over more than a minute."""


async def listed(db: Database, quotas: Quotas, params: ListParams) -> ListResult:
    """List the grants in force, or all.

    Raises:
        errors.NotFound, errors.Ambiguous: no grant, or several, have the id.
        errors.InvalidParams: the cursor is none.
    """
    page = await db.read(lambda tx: _page(tx, params))
    if not params.count:
        return page
    allowed = {one.grant_id: quotas.allowed(one.quota) for one in page.grants}
    await quotas.flush()
    return await db.read(lambda tx: _with_use(tx, page, allowed))


async def revoke(
    held: Grants, quotas: Quotas, call: Call, params: RevokeParams, listeners: GrantListeners
) -> GrantResult:
    """Revoke a grant and drop its connections at once."""
    revoked = await held.revoke(call, params, listeners)
    quotas.forget(revoked.grant.grant_id)
    return revoked


def _page(tx: Tx, params: ListParams) -> ListResult:
    if params.grant_id is None:
        rows = grants.everyone(tx, open_only=not params.include_closed)
    else:
        rows = [row for row in [grants.by_id(tx, find_id(tx, params.grant_id))] if row]
    ids = [row.id for row in rows]
    if params.cursor is not None and params.cursor not in ids:
        raise no_cursor()
    first = 0 if params.cursor is None else ids.index(params.cursor) + 1
    shown = rows[first:] if params.limit is None else rows[first : first + params.limit]
    more = first + len(shown) < len(rows)
    return ListResult(
        [view(row, tx.now) for row in shown], shown[-1].id if shown and more else None, len(rows)
    )


def _with_use(tx: Tx, page: ListResult, allowed: dict[str, Quota]) -> ListResult:
    shown = [
        msgspec.structs.replace(one, use=_use(tx, one, allowed[one.grant_id]))
        for one in page.grants
    ]
    return msgspec.structs.replace(page, grants=shown)


def _use(tx: Tx, grant: GrantView, allowed: Quota) -> UseView:
    today = tx.now // DAY
    used = usage.of(tx, grant.grant_id, today)
    day = usage.last_day(tx, grant.grant_id)
    active, archived = usage.memories(tx, grant.grant_id)
    last_used = to_text(day * DAY) if day is not None else None
    return UseView(
        memories=active,
        archived=archived,
        last_used_on=last_used[:_DATE_CHARS] if last_used else None,
        quota={name: getattr(allowed, name) for name in _COUNTED},
        used={
            "stored_bytes": usage.stored_bytes(tx, grant.grant_id),
            "writes_per_day": used.writes,
            "reply_bytes_per_day": used.reply_bytes,
            "embedder_calls_per_day": used.embedder_calls,
        },
        withdrawals=[
            WithdrawalView(uuid, count, to_text(at) or "")
            for uuid, at, count in withdrawals.of_grant(tx, grant.grant_id)
        ],
    )
