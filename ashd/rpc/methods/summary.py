"""summary.*."""

from ashd.access.actor import Call
from ashd.conversation.summaries import (
    GetParams,
    GetResult,
    ListParams,
    ListResult,
    SearchParams,
    SearchResult,
)
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("summary.list")
async def list_(app: App, _session: Session, call: Call, params: ListParams) -> ListResult:
    """List summaries of conversations, those of what was said last first."""
    return await app.summaries.list(call, params)


@method("summary.get")
async def get(app: App, _session: Session, call: Call, params: GetParams) -> GetResult:
    """Show one summary."""
    return await app.summaries.get(call, params)


@method("summary.search", right="read", sandbox=True)
async def search(app: App, _session: Session, call: Call, params: SearchParams) -> SearchResult:
    """Find the summaries of conversations that best answer a question."""
    return await app.summaries.search(call, params)
