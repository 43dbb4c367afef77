"""llm.*: the language model's use by programs of the host."""

from typing import Annotated, Literal

import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.ops.llm_usage import LlmUsage
from ashd.prometheus_text import ModelCalls
from ashd.rpc.table import method
from ashd.store.database import Database

_Tokens = Annotated[int, msgspec.Meta(ge=0, le=limits.LLM_TOKENS_PER_CALL)]


class CountParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One completion: its task, and the tokens that were sent and received."""

    task: Literal["chat"]
    sent: _Tokens
    received: _Tokens


class CountResult(msgspec.Struct, frozen=True):
    """Tokens of all tasks since midnight, UTC."""

    tokens_today: int


@method("llm.count", changes=True)
async def count(
    llm_usage: LlmUsage, llm_calls: ModelCalls, db: Database, call: Call, params: CountParams
) -> CountResult:
    """Count a completion that the caller made, as `ash chat` does, for the day's ceiling."""
    llm_usage.count(params.task, params.sent, params.received)
    llm_calls.count(params.task, "ok")
    await db.write(call.record, quiet=True)
    return CountResult(llm_usage.tokens_today)
