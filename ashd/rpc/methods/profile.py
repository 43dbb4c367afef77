"""profile.*."""

from ashd.access.actor import Call
from ashd.conversation.profile import (
    GetParams,
    GetResult,
    HistoryParams,
    HistoryResult,
    Profiles,
    SetParams,
    SetResult,
)
from ashd.conversation.profile_jobs import ProfileJobs, RebuildParams, RebuildResult
from ashd.rpc.table import method


@method("profile.get", right="read", sandbox=True)
async def get(profiles: Profiles, call: Call, params: GetParams) -> GetResult:
    """Show the user's profile."""
    return await profiles.get(call, params)


@method("profile.history")
async def history(profiles: Profiles, call: Call, params: HistoryParams) -> HistoryResult:
    """Show the versions of the profile, and what each changed."""
    return await profiles.history(call, params)


@method("profile.set", changes=True, stores=True)
async def set_(profiles: Profiles, call: Call, params: SetParams) -> SetResult:
    """Set the user's text, notes or the learned part, as a new version of the profile."""
    return await profiles.set(call, params)


@method("profile.rebuild", changes=True, stores=True)
async def rebuild(profile_jobs: ProfileJobs, call: Call, params: RebuildParams) -> RebuildResult:
    """Rewrite the profile in the background from all that the user said of themselves."""
    return await profile_jobs.rebuild(call, params)
