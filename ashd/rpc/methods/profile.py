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
from ashd.conversation.profile_jobs import RebuildParams, RebuildResult
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
    """Write the user's text, notes, or what was learned, as a new version of the profile."""
    return await app.profiles.set(call, params)


@method("profile.rebuild", changes=True, stores=True)
async def rebuild(app: App, _session: Session, call: Call, params: RebuildParams) -> RebuildResult:
    """Write the profile anew from all that the user said of themselves, in the background."""
    return await app.profile_jobs.rebuild(call, params)
