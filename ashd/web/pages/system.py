"""The system: the daemon's health, counts, accounts, the latest changes, and *sync now*."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.viewer import Viewer, panels

_ROWS: Final = 8


async def show(request: Request, viewer: Viewer) -> Response:
    """Show the daemon's health, its counts and the latest changes."""
    cursor = request.query_params.get("accounts")
    found = await panels(
        status=viewer.operate("system.status"),
        stats=viewer.operate("db.stats"),
        accounts=viewer.operate("account.list", limit=_ROWS, cursor=cursor),
        recent=viewer.operate("audit.list", limit=_ROWS),
    )
    return render(request, "system.html", same_as="ash stats", paged=cursor is not None, **found)


async def sync(request: Request, viewer: Viewer, form: Form) -> Response:
    """Run every waiting background job, and say how they ended."""
    result = await viewer.operate_lasting("jobs.flush")
    done, failed, left = result["done"], result["set_aside"], result["waiting"]
    notice = f"Synced: {done} jobs done, {failed} failed, {left} still waiting."
    return redirect_after(request, form.text("back") or "/system", notice=notice)


ROUTES: Final = [get("/system", show), post("/sync", sync)]
