"""Ends a grant with the process that it was made for."""

from ashd import errors, log
from ashd.access import actor as calls
from ashd.access.actor import Actor, Call, Peer
from ashd.access.grant_views import RevokeParams
from ashd.access.grants import Grant, GrantListeners
from ashd.access.holder_process import HolderProcess
from ashd.rpc.app import App

_METHOD = "grant.revoke"


async def revoke(app: App, listeners: GrantListeners, grant: Grant, holder: HolderProcess) -> None:
    """Revoke a grant on behalf of its process; in the audit it is that process's call."""
    # Even if the row cannot be changed, nobody may call through it any more.
    grant.revoked = True
    call = Call(
        actor=Actor("operator", None, frozenset(), Peer(holder.pid, None), "rpc"),
        scope=grant.scope,
        all_scopes=False,
        turn=None,
        method=_METHOD,
        digest=calls.digest(app.audit_key, _METHOD, {"grant_id": grant.id}),
        memory_on=app.memory_on,
    )
    try:
        await app.grants.revoke(call, RevokeParams(grant.id), listeners)
    except errors.AshError as error:
        log.error("grant_not_revoked", grant=grant.id, reason=error.kind)
        await listeners.close(grant.id)
    app.quotas.forget(grant.id)
