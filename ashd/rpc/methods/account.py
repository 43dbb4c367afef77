"""account.*: the operator's view of who has what."""

from ashd.access.actor import Call
from ashd.people.accounts import ListParams, ListResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("account.list")
async def list_(app: App, _session: Session, _call: Call, params: ListParams) -> ListResult:
    """List the accounts with how much each has: memories, conversations, turns."""
    return await app.accounts.list(params)
