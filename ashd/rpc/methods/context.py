"""context.*."""

from ashd.access.actor import Call
from ashd.access.memory_switch import MemorySwitch
from ashd.context.assemble import SWITCHED_OFF, Context, ContextParams, ContextResult
from ashd.rpc.table import method


@method("context.get", right="read", sandbox=True)
async def get(
    memory: MemorySwitch, assembly: Context, call: Call, params: ContextParams
) -> ContextResult:
    """Put together what a model should know before it answers a message."""
    if not memory.on:
        return SWITCHED_OFF
    return await assembly.get(call, params)
