"""jobs.*: background jobs."""

from ashd.access.actor import Call
from ashd.jobs.manage import (
    FlushParams,
    FlushResult,
    IdParams,
    JobResult,
    Jobs,
    ListParams,
    ListResult,
)
from ashd.rpc.table import method


@method("jobs.list", sandbox=True, everybody="unscoped")
async def list_(jobs: Jobs, call: Call, params: ListParams) -> ListResult:
    """List background jobs, newest first: the scope's, or everybody's; a sandbox's own."""
    return await jobs.list(call, params)


@method("jobs.get", sandbox=True, everybody="unscoped")
async def get(jobs: Jobs, call: Call, params: IdParams) -> JobResult:
    """Show a background job: its state and its outcome."""
    return await jobs.get(call, params)


@method("jobs.retry", changes=True, stores=True)
async def retry(jobs: Jobs, call: Call, params: IdParams) -> JobResult:
    """Run a job again that was set aside, or run a waiting one now."""
    return await jobs.retry(call, params)


@method("jobs.flush", changes=True, stores=True)
async def flush(jobs: Jobs, call: Call, _params: FlushParams) -> FlushResult:
    """Run all waiting jobs, whatever they wait for, and answer when they are done."""
    return await jobs.flush(call)
