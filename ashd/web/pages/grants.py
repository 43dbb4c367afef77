"""Grants: who may reach which memories through a socket, what came through, and revoking."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.undo import of_withdrawal, restore_withdrawal
from ashd.web.viewer import Viewer, label_of, panels

_ROWS: Final = 50
_MEMORIES: Final = 20


async def show(request: Request, viewer: Viewer) -> Response:
    """Show the grants in force, or all that ever were."""
    ended = "ended" in request.query_params
    cursor = request.query_params.get("cursor")
    listed = await viewer.operate(
        "grant.list", include_closed=ended, count=True, limit=_ROWS, cursor=cursor
    )
    here = "/grants?ended=yes" if ended else "/grants"
    more = f"{here}{'&' if ended else '?'}cursor={listed['next_cursor']}"
    return render(
        *(request, "grants.html"),
        grants=[_labelled(one) for one in listed["grants"]],
        total=listed["total"],
        ended=ended,
        first=here if cursor else "",
        more=more if listed["next_cursor"] else "",
        same_as="ash grant list --all" if ended else "ash grant list",
    )


async def show_one(request: Request, viewer: Viewer) -> Response:
    """Show a grant, its use, and what came through it as far as the account may see it."""
    grant = await _grant(request, viewer)
    cursor = request.query_params.get("cursor")
    found = await panels(
        memories=viewer.call(
            "memory.list", grant_id=grant["grant_id"], limit=_MEMORIES, cursor=cursor
        )
    )
    here = f"/grants/{grant['grant_id']}"
    listed = found["memories"].value
    more = listed["next_cursor"] if listed else None
    return render(
        *(request, "grant.html"),
        grant=grant,
        first=here if cursor else "",
        more=f"{here}?cursor={more}" if more else "",
        same_as=viewer.command("memory", "list", "--grant", grant["grant_id"]),
        **found,
    )


async def revoke(request: Request, viewer: Viewer, form: Form) -> Response:
    """Revoke a grant for good."""
    if not form.has("sure"):
        raise Problem(400, "Nothing was revoked.", "Check the box: a new grant has another socket.")
    done = (await viewer.operate("grant.revoke", grant_id=request.path_params["id"]))["grant"]
    notice = f"Grant {done['grant_id']} is revoked; its connections are closed."
    return redirect_after(request, f"/grants/{done['grant_id']}", notice=notice)


async def withdraw(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Withdraw everything that came through a grant."""
    grant_id = request.path_params["id"]
    done = await viewer.call_lasting("memory.withdraw", grant_id=grant_id)
    return redirect_after(
        *(request, f"/grants/{grant_id}"),
        notice=f"Memories that were withdrawn: {done['total']}.",
        undo=of_withdrawal(f"/grants/{grant_id}/restore", done["withdrawal_id"]),
    )


async def restore(request: Request, viewer: Viewer, form: Form) -> Response:
    """Restore what was withdrawn as one act."""
    back = f"/grants/{request.path_params['id']}"
    return await restore_withdrawal(request, viewer, form, back=back)


async def _grant(request: Request, viewer: Viewer) -> dict[str, Any]:
    listed = await viewer.operate("grant.list", grant_id=request.path_params["id"], count=True)
    return _labelled(listed["grants"][0])


def _labelled(grant: dict[str, Any]) -> dict[str, Any]:
    return {**grant, "label": label_of(grant["scope"])}


ROUTES: Final = [
    get("/grants", show),
    get("/grants/{id}", show_one),
    post("/grants/{id}/revoke", revoke),
    post("/grants/{id}/withdraw", withdraw),
    post("/grants/{id}/restore", restore),
]
