"""The audit: who changed what, and who was denied what; without content."""

import shlex
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.errors import all_kinds
from ashd.web.rendering import render
from ashd.web.routes import get
from ashd.web.viewer import Viewer

_FILTERS: Final = ("since", "until", "grant_id", "outcome")
_OUTCOMES: Final = [
    *("ok", "all_scopes", "scope_seen", "ignored_notification"),
    *sorted(kind.kind for kind in all_kinds()),
]


async def show(request: Request, viewer: Viewer) -> Response:
    """List the rows that match the filters, newest first."""
    query = request.query_params
    filters = {name: query.get(name, "").strip() for name in _FILTERS}
    given = {name: value for name, value in filters.items() if value}
    result = await viewer.operate("audit.list", cursor=query.get("cursor"), **given)
    options = [
        word for name, value in given.items() for word in (f"--{name.removesuffix('_id')}", value)
    ]
    return render(
        request,
        "audit.html",
        same_as=shlex.join(["ash", "audit", *options]),
        filters=filters,
        outcomes=_OUTCOMES,
        **result,
    )


ROUTES: Final = [get("/audit", show)]
