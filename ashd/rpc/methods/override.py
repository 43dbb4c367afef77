"""override.*."""

from ashd.access.actor import Call
from ashd.context.overrides import (
    AddParams,
    AddResult,
    ListParams,
    ListResult,
    RemoveParams,
    RemoveResult,
)
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("override.add", changes=True, stores=True)
async def add(app: App, _session: Session, call: Call, params: AddParams) -> AddResult:
    """Pin a fact that is always in the context."""
    return await app.overrides.add(call, params)


@method("override.list")
async def list_(app: App, _session: Session, call: Call, params: ListParams) -> ListResult:
    """List the pinned facts of a user, or in a group what is shown there."""
    return await app.overrides.list(call, params)


@method("override.remove", changes=True)
async def remove(app: App, _session: Session, call: Call, params: RemoveParams) -> RemoveResult:
    """Pin a fact no longer."""
    return await app.overrides.remove(call, params)
