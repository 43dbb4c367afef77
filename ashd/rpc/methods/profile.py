"""profile.*."""

from ashd.access.actor import Call
from ashd.conversation.profile import (
    GetParams,
    GetResult,
    HistoryParams,
    HistoryResult,
    SetParams,
    SetResult,
)
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("profile.get", right="read", sandbox=True)
async def get(app: App, _session: Session, call: Call, params: GetParams) -> GetResult:
    """Show what is written of the user."""
    return await app.profiles.get(call, params)


@method("profile.history")
async def history(app: App, _session: Session, call: Call, params: HistoryParams) -> HistoryResult:
    """Show the versions of the profile, and what each changed."""
    return await app.profiles.history(call, params)


@method("profile.set", changes=True, stores=True)
async def set_(app: App, _session: Session, call: Call, params: SetParams) -> SetResult:
    """Write the profile's text, the user's notes, or both, as a new version."""
    return await app.profiles.set(call, params)
