"""account.*: the operator's view of all accounts."""

from ashd.people.accounts import Accounts, ListParams, ListResult
from ashd.rpc.table import method


@method("account.list", everybody="always")
async def list_(known_accounts: Accounts, params: ListParams) -> ListResult:
    """List the accounts with how much each has: memories, conversations, turns."""
    return await known_accounts.list(params)
