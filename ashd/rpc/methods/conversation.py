"""conversation.*."""

from ashd.access.actor import Call
from ashd.conversation.ingest import Ingest, IngestParams, IngestResult
from ashd.conversation.read import (
    Conversations,
    DeleteParams,
    DeleteResult,
    GetParams,
    GetResult,
    ListParams,
    ListResult,
)
from ashd.conversation.search import SearchConversations, SearchParams, SearchResult
from ashd.rpc.table import method


@method("conversation.ingest", changes=True, stores=True)
async def ingest(ingesting: Ingest, call: Call, params: IngestParams) -> IngestResult:
    """Store messages, with their dates and speakers; known ones are left out."""
    return await ingesting.ingest(call, params)


@method("conversation.search", right="read", sandbox=True)
async def search(turns: SearchConversations, call: Call, params: SearchParams) -> SearchResult:
    """Find the messages that best answer a question."""
    return await turns.search(call, params)


@method("conversation.list")
async def list_(conversations: Conversations, call: Call, params: ListParams) -> ListResult:
    """List conversations, the latest first."""
    return await conversations.list(call, params)


@method("conversation.get")
async def get(conversations: Conversations, call: Call, params: GetParams) -> GetResult:
    """Show the messages of a conversation."""
    return await conversations.get(call, params)


@method("conversation.delete", changes=True)
async def delete(conversations: Conversations, call: Call, params: DeleteParams) -> DeleteResult:
    """Delete a conversation."""
    return await conversations.delete(call, params)
