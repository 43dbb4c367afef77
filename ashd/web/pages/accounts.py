"""Accounts and chats with how much each has, and buttons to look on behalf of one."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.rendering import render
from ashd.web.routes import get
from ashd.web.viewer import Viewer, panels

_ROWS: Final = 50


async def show(request: Request, viewer: Viewer) -> Response:
    """Show a page of accounts and a page of chats."""
    asked = {name: request.query_params.get(name) for name in ("accounts", "chats")}
    found = await panels(
        accounts=viewer.operate("account.list", limit=_ROWS, cursor=asked["accounts"]),
        chats=viewer.operate("chat.list", limit=_ROWS, cursor=asked["chats"]),
    )
    more = {name: panel.value and panel.value["next_cursor"] for name, panel in found.items()}
    return render(
        *(request, "accounts.html"),
        more={
            name: f"/accounts?{name}={cursor}" if cursor else "" for name, cursor in more.items()
        },
        first={name: "/accounts" if cursor else "" for name, cursor in asked.items()},
        same_as="ash account list",
        **found,
    )


ROUTES: Final = [get("/accounts", show)]
