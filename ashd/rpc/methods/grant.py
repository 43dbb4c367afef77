"""grant.*: the operator opens and closes sockets for sandboxes. Their scope is `params.scope`."""

from ashd.access import grant_listing
from ashd.access.actor import Call
from ashd.access.grant_views import (
    CreateParams,
    CreateResult,
    GrantResult,
    ListParams,
    ListResult,
    RevokeParams,
    TurnParams,
)
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("grant.create", changes=True)
async def create(app: App, session: Session, call: Call, params: CreateParams) -> CreateResult:
    """Open a socket for a sandbox, bound to the scope."""
    return await app.grants.create(call, params, session.listeners)


@method("grant.list")
async def list_(app: App, _session: Session, _call: Call, params: ListParams) -> ListResult:
    """List the grants that hold, or all."""
    return await grant_listing.listed(app.db, app.quotas, params)


@method("grant.revoke", changes=True)
async def revoke(app: App, session: Session, call: Call, params: RevokeParams) -> GrantResult:
    """Take a grant back and drop its connections at once."""
    revoked = await app.grants.revoke(call, params, session.listeners)
    app.quotas.forget(revoked.grant.grant_id)
    return revoked


@method("grant.turn", changes=True)
async def turn(app: App, _session: Session, call: Call, params: TurnParams) -> GrantResult:
    """Say who is speaking in a group grant's chat, or in which session and message."""
    return await app.grants.turn(call, params)
