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
from ashd.access.grants import Grants
from ashd.access.usage import Quotas
from ashd.rpc.app import Session
from ashd.rpc.table import method
from ashd.store.database import Database


@method("grant.create", changes=True)
async def create(
    grants: Grants, session: Session, call: Call, params: CreateParams
) -> CreateResult:
    """Open a socket for a sandbox, bound to the scope."""
    return await grants.create(call, params, session.listeners)


@method("grant.list")
async def list_(db: Database, quotas: Quotas, params: ListParams) -> ListResult:
    """List the grants in force, or all."""
    return await grant_listing.listed(db, quotas, params)


@method("grant.revoke", changes=True)
async def revoke(
    grants: Grants, quotas: Quotas, session: Session, call: Call, params: RevokeParams
) -> GrantResult:
    """Revoke a grant and drop its connections at once."""
    revoked = await grants.revoke(call, params, session.listeners)
    quotas.forget(revoked.grant.grant_id)
    return revoked


@method("grant.turn", changes=True)
async def turn(grants: Grants, call: Call, params: TurnParams) -> GrantResult:
    """Set who is speaking in a group grant's chat, or in which session and message."""
    return await grants.turn(call, params)
