"""audit.*: for the operator only."""

from ashd.ops.audit import Audit, ListParams, ListResult
from ashd.rpc.table import method


@method("audit.list")
async def list_(audit_log: Audit, params: ListParams) -> ListResult:
    """Show what was done and what was denied, newest first."""
    return await audit_log.list(params)
