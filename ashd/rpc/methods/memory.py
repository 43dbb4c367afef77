"""memory.*."""

from typing import Any

import msgspec

from ashd.access.actor import Call
from ashd.access.quota import Cost
from ashd.extraction.explicit import ExtractMemory, ExtractParams, ExtractResult
from ashd.memory.add import AddMemory
from ashd.memory.add_result import AddResult
from ashd.memory.archive import DeleteResult
from ashd.memory.by_id import IdParams
from ashd.memory.conflicts import Conflicts, ConflictsParams, ConflictsResult
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Fact
from ashd.memory.read import GetParams, GetResult, HistoryResult, ListParams, ListResult, ReadMemory
from ashd.memory.search import SearchMemory, SearchParams, SearchResult
from ashd.memory.supersede import SupersedeMemory, SupersedeParams, SupersedeResult
from ashd.memory.update import UpdateMemory
from ashd.memory.update_params import Changes, UpdateParams, UpdateResult
from ashd.ops.erase import Erase, EraseParams, EraseResult
from ashd.ops.forget import Forget, ForgetParams, ForgetResult
from ashd.ops.withdraw import RestoreParams, RestoreResult, Withdraw, WithdrawParams, WithdrawResult
from ashd.rpc.app import Session
from ashd.rpc.table import method
from ashd.wire_schemas import ErrorObject


def _cost_of_adding(params: AddParams) -> Cost:
    """Each fact is a write; fields at the top of the call are stored with each of them."""
    facts: list[Any] = [*(params.facts or ()), *([params.content] if params.content else ())]
    defaults = msgspec.json.encode([params.tags, params.metadata])
    return Cost(len(facts), len(msgspec.json.encode(facts)) + len(facts) * len(defaults))


@method(
    "memory.add",
    right="write",
    sandbox=True,
    changes=True,
    stores=True,
    cost=_cost_of_adding,
    describes=(Fact, ErrorObject),
)
async def add(remember: AddMemory, call: Call, params: AddParams) -> AddResult:
    """Store a fact, or several; each has its own outcome."""
    return await remember.add(call, params)


def _cost_of_extracting(params: ExtractParams) -> Cost:
    """Each message is a write: it yields a fact or two."""
    return Cost(len(params.messages), len(msgspec.json.encode(params.messages)))


@method(
    "memory.extract",
    right="write",
    sandbox=True,
    changes=True,
    stores=True,
    cost=_cost_of_extracting,
)
async def extract(extraction: ExtractMemory, call: Call, params: ExtractParams) -> ExtractResult:
    """Extract facts from messages with the language model; `wait` returns what it found."""
    return await extraction.extract(call, params)


@method("memory.search", right="read", sandbox=True)
async def search(recall: SearchMemory, call: Call, params: SearchParams) -> SearchResult:
    """Find the memories that answer a question."""
    return await recall.search(call, params)


@method("memory.list", right="read", sandbox=True)
async def list_(read: ReadMemory, call: Call, params: ListParams) -> ListResult:
    """List memories, newest first or in another order."""
    return await read.list(call, params)


@method("memory.get", right="read", sandbox=True)
async def get(read: ReadMemory, call: Call, params: GetParams) -> GetResult:
    """Show a memory and the people it is about; on request also where it came from."""
    return await read.get(call, params)


def _cost_of_updating(params: UpdateParams) -> Cost:
    """Each memory is a write of all the changes."""
    count = len(params.ids or [params.id])
    return Cost(count, count * len(msgspec.json.encode(params.changes)))


@method(
    "memory.update",
    right="write",
    sandbox=True,
    changes=True,
    stores=True,
    cost=_cost_of_updating,
    describes=(Changes,),
)
async def update(change: UpdateMemory, call: Call, params: UpdateParams) -> UpdateResult:
    """Change a memory, or several at once; new content is a new memory that supersedes.

    The new content is compared with other memories a moment later, as an added fact would be.
    """
    return await change.update(call, params)


@method("memory.supersede", right="write", sandbox=True, changes=True, cost=lambda _params: Cost(1))
async def supersede(
    superseding: SupersedeMemory, call: Call, params: SupersedeParams
) -> SupersedeResult:
    """Settle a conflict: the newer memory replaces the older one, or both hold."""
    return await superseding.supersede(call, params)


@method("memory.conflicts", right="read", sandbox=True)
async def conflicts(open_: Conflicts, call: Call, params: ConflictsParams) -> ConflictsResult:
    """List likely conflicts that nobody has settled, likeliest first."""
    return await open_.list(call, params)


@method("memory.delete", right="forget", sandbox=True, changes=True, cost=lambda _params: Cost(1))
async def delete(change: UpdateMemory, call: Call, params: IdParams) -> DeleteResult:
    """Delete a memory; the operator can restore it."""
    return await change.delete(call, params)


@method("memory.restore", changes=True, lasts=True)
async def restore(withdrawing: Withdraw, call: Call, params: RestoreParams) -> RestoreResult:
    """Bring a deleted memory back."""
    return await withdrawing.restore(call, params)


@method("memory.history", right="read", sandbox=True)
async def history(read: ReadMemory, call: Call, params: IdParams) -> HistoryResult:
    """Show which memories superseded one another, oldest first."""
    return await read.history(call, params)


@method("memory.forget_person", changes=True, lasts=True)
async def forget_person(forgetting: Forget, call: Call, params: ForgetParams) -> ForgetResult:
    """Archive all memories about a person, or erase them for good."""
    return await forgetting.forget(call, params)


@method("memory.erase", changes=True, lasts=True)
async def erase(erasing: Erase, session: Session, call: Call, params: EraseParams) -> EraseResult:
    """Erase a memory, a conversation, or all that came through a grant or from an owner."""
    return await erasing.erase(call, params, session.listeners)


@method("memory.withdraw", changes=True, lasts=True)
async def withdraw(withdrawing: Withdraw, call: Call, params: WithdrawParams) -> WithdrawResult:
    """Archive, as one act, all memories from a session, a grant, a source or a period."""
    return await withdrawing.withdraw(call, params)
