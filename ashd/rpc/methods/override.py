"""override.*."""

from ashd.access.actor import Call
from ashd.context.overrides import (
    AddParams,
    AddResult,
    ListParams,
    ListResult,
    Overrides,
    RemoveParams,
    RemoveResult,
)
from ashd.rpc.table import method


@method("override.add", changes=True, stores=True)
async def add(overrides: Overrides, call: Call, params: AddParams) -> AddResult:
    """Pin a fact, so that it is always in the context."""
    return await overrides.add(call, params)


@method("override.list")
async def list_(overrides: Overrides, call: Call, params: ListParams) -> ListResult:
    """List the pinned facts of a user, or in a group those shown there."""
    return await overrides.list(call, params)


@method("override.remove", changes=True)
async def remove(overrides: Overrides, call: Call, params: RemoveParams) -> RemoveResult:
    """Unpin a fact."""
    return await overrides.remove(call, params)
