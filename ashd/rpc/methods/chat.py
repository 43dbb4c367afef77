"""chat.*: the operator records who takes part in a group, and since when."""

from ashd.access.actor import Call
from ashd.people.participation import (
    ListParams,
    ListResult,
    ParticipantsResult,
    Participation,
    TakesPartParams,
)
from ashd.rpc.table import method


@method("chat.join", changes=True, stores=True)
async def join(
    participation: Participation, call: Call, params: TakesPartParams
) -> ParticipantsResult:
    """Record that an account takes part in a group, now or since an earlier time."""
    return await participation.join(call, params)


@method("chat.leave", changes=True)
async def leave(
    participation: Participation, call: Call, params: TakesPartParams
) -> ParticipantsResult:
    """Record that an account has left a group."""
    return await participation.leave(call, params)


@method("chat.list", everybody="always")
async def list_(participation: Participation, params: ListParams) -> ListResult:
    """List who takes part in a chat and who did, and when; or the chats, with counts."""
    return await participation.list(params)
