"""conversation.*."""

from ashd.access.actor import Call
from ashd.conversation.ingest import IngestParams, IngestResult
from ashd.conversation.read import (
    DeleteParams,
    DeleteResult,
    GetParams,
    GetResult,
    ListParams,
    ListResult,
)
from ashd.conversation.search import SearchParams, SearchResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("conversation.ingest", changes=True, stores=True)
async def ingest(app: App, _session: Session, call: Call, params: IngestParams) -> IngestResult:
    """Store what was said, with its dates and speakers; what is known already is left out."""
    return await app.ingest.ingest(call, params)


@method("conversation.search", right="read", sandbox=True)
async def search(app: App, _session: Session, call: Call, params: SearchParams) -> SearchResult:
    """Find the messages that best answer a question."""
    return await app.turns.search(call, params)


@method("conversation.list")
async def list_(app: App, _session: Session, call: Call, params: ListParams) -> ListResult:
    """List conversations, the latest first."""
    return await app.conversations.list(call, params)


@method("conversation.get")
async def get(app: App, _session: Session, call: Call, params: GetParams) -> GetResult:
    """Show the messages of a conversation."""
    return await app.conversations.get(call, params)


@method("conversation.delete", changes=True)
async def delete(app: App, _session: Session, call: Call, params: DeleteParams) -> DeleteResult:
    """Take a conversation away."""
    return await app.conversations.delete(call, params)
