"""Jobs: waiting, running, done and failed ones, and running a failed one again."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.viewer import Viewer

_STATES: Final = ("waiting", "running", "done", "set_aside")


async def show(request: Request, viewer: Viewer) -> Response:
    """List jobs, the newest first, of one state or all."""
    state = request.query_params.get("state") or None
    if state not in (None, *_STATES):
        raise Problem(400, "There is no such state of a job.", "Choose one of the list.")
    result = await viewer.operate(
        "jobs.list", state=state, cursor=request.query_params.get("cursor")
    )
    return render(
        request,
        "jobs.html",
        same_as="ash jobs list" + (f" --state {state}" if state else ""),
        state=state,
        states=_STATES,
        **result,
    )


async def retry(request: Request, viewer: Viewer, form: Form) -> Response:
    """Run a job again."""
    await viewer.operate("jobs.retry", id=form.text("id"))
    return redirect_after(request, "/jobs", notice="The job runs again.")


ROUTES: Final = [get("/jobs", show), post("/jobs/retry", retry)]
