"""chat.*: the operator tells who takes part in a group, since when."""

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
    """Say that an account takes part in a group, now or since a time past."""
    return await participation.join(call, params)


@method("chat.leave", changes=True)
async def leave(
    participation: Participation, call: Call, params: TakesPartParams
) -> ParticipantsResult:
    """Say that it does no longer."""
    return await participation.leave(call, params)


@method("chat.list")
async def list_(participation: Participation, params: ListParams) -> ListResult:
    """List who takes part in a chat and who did, since when; or the chats, with counts."""
    return await participation.list(params)
