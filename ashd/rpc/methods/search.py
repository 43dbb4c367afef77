"""search.*."""

from ashd.access.actor import Call
from ashd.context.search_all import SearchAll, SearchAllParams, SearchAllResult
from ashd.rpc.table import method


@method("search.all", right="read", sandbox=True)
async def all_(recall_all: SearchAll, call: Call, params: SearchAllParams) -> SearchAllResult:
    """Find what answers a question in memories and messages together."""
    return await recall_all.search(call, params)
