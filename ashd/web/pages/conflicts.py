"""Conflicts: pairs of which the newer memory perhaps replaces the older, to settle."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.rendering import render
from ashd.web.routes import get
from ashd.web.viewer import Viewer


async def show(request: Request, viewer: Viewer) -> Response:
    """Show a page of conflicts, likeliest first."""
    cursor = request.query_params.get("cursor")
    listed = await viewer.call("memory.conflicts", **({"cursor": cursor} if cursor else {}))
    return render(
        *(request, "conflicts.html"),
        conflicts=listed["conflicts"],
        next_cursor=listed["next_cursor"],
        total=listed["total"],
        same_as=viewer.command("memory", "conflicts"),
    )


ROUTES: Final = [get("/conflicts", show)]
