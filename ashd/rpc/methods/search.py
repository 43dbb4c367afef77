"""search.*."""

from ashd.access.actor import Call
from ashd.context.search_all import SearchAllParams, SearchAllResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("search.all", right="read", sandbox=True)
async def all_(app: App, _session: Session, call: Call, params: SearchAllParams) -> SearchAllResult:
    """Find what answers a question in memories and messages together."""
    return await app.recall_all.search(call, params)
