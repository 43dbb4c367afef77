"""audit.*: for the operator alone."""

from ashd.access.actor import Call
from ashd.ops.audit import ListParams, ListResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("audit.list")
async def list_(app: App, _session: Session, _call: Call, params: ListParams) -> ListResult:
    """Show what was done and what was denied, newest first."""
    return await app.audit.list(params)
