"""summary.*."""

from ashd.access.actor import Call
from ashd.conversation.summaries import (
    GetParams,
    GetResult,
    ListParams,
    ListResult,
    SearchParams,
    SearchResult,
    Summaries,
)
from ashd.rpc.table import method


@method("summary.list")
async def list_(summaries: Summaries, call: Call, params: ListParams) -> ListResult:
    """List summaries of conversations, latest conversations first."""
    return await summaries.list(call, params)


@method("summary.get")
async def get(summaries: Summaries, call: Call, params: GetParams) -> GetResult:
    """Show one summary."""
    return await summaries.get(call, params)


@method("summary.search", right="read", sandbox=True)
async def search(summaries: Summaries, call: Call, params: SearchParams) -> SearchResult:
    """Find the summaries of conversations that best answer a question."""
    return await summaries.search(call, params)
