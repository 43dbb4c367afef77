"""context.*."""

from ashd.access.actor import Call
from ashd.context.assemble import SWITCHED_OFF, ContextParams, ContextResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("context.get", right="read", sandbox=True)
async def get(app: App, _session: Session, call: Call, params: ContextParams) -> ContextResult:
    """Put together what a model should know before it answers a message."""
    if not app.memory_on:
        return SWITCHED_OFF
    return await app.context.get(call, params)
