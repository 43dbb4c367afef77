"""tools.*: each tool checks the rights that it needs."""

import msgspec

from ashd import errors
from ashd.access.actor import Call
from ashd.access.memory_switch import MemorySwitch
from ashd.access.quota import Cost
from ashd.context import tools
from ashd.context.tools import CallParams, CallResult, ListParams, ListResult, Tools
from ashd.rpc.table import method
from ashd.wire_schemas import ErrorObject


def cost(params: CallParams) -> Cost:
    """Return the cost of `remember`, as for `memory.add`; the other tools only read."""
    if params.name != "remember":
        return Cost()
    try:
        arguments = tools.arguments_of(params)
    except (errors.InvalidParams, errors.TooLarge):
        return Cost()
    facts = arguments.get("facts")
    count = len(facts) if isinstance(facts, list) else 1
    return Cost(count, len(msgspec.json.encode(arguments)))


@method("tools.list", sandbox=True)
async def list_(
    toolset: Tools, memory: MemorySwitch, call: Call, _params: ListParams
) -> ListResult:
    """List the tools to give a model, as function definitions; none while memory is off."""
    return toolset.list(call) if memory.on else ListResult([])


# Most tools read: without `changes`, the scope of a call is recorded before each.
@method("tools.call", sandbox=True, cost=cost, describes=(ErrorObject,))
async def call(memory: MemorySwitch, toolset: Tools, call: Call, params: CallParams) -> CallResult:
    """Run a tool that a model called; an error that the model can correct is a result."""
    memory.require()
    return await toolset.call(call, params)
