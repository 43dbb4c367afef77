"""The start page: search, the memories learned last, conflicts to settle, people, the profile."""

from collections.abc import Awaitable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd import wording
from ashd.web import memory_forms
from ashd.web.rendering import render
from ashd.web.routes import get
from ashd.web.viewer import Viewer, panels

_LEARNED: Final = 8
_CONFLICTS: Final = 3
_PEOPLE: Final = 12


async def show(request: Request, viewer: Viewer) -> Response:
    """Show the newest of everything that a person may want to see or correct."""
    asked: dict[str, Awaitable[dict[str, Any]]] = {
        "learned": viewer.call("memory.list", limit=_LEARNED),
        "conflicts": viewer.call("memory.conflicts", limit=_CONFLICTS),
        "people": viewer.call("person.list", limit=_PEOPLE, count=True),
        "profile": viewer.call("profile.get"),
        "pinned": viewer.call("override.list"),
    }
    if not viewer.is_bound:
        asked["status"] = viewer.operate("system.status")
    found = await panels(**asked)
    status = found.pop("status", None)
    return render(
        request,
        "start.html",
        warnings=len(status.value["warnings"]) if status and status.value else 0,
        forms=memory_forms,
        words=wording,
        **found,
    )


ROUTES: Final = [get("/", show)]
