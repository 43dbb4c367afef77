"""Pinned facts (overrides): always in the context; set by the operator only."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.sessions import Undo
from ashd.web.viewer import Viewer


async def show(request: Request, viewer: Viewer) -> Response:
    """Show the account's pinned facts."""
    listed = await viewer.call("override.list")
    return render(
        *(request, "overrides.html"),
        overrides=listed["overrides"],
        same_as=viewer.command("override", "list"),
    )


async def add(request: Request, viewer: Viewer, form: Form) -> Response:
    """Pin a fact, for the viewing account or, to undo a removal, for its former owner."""
    made = await viewer.call(
        *("override.add",),
        content=form.text("content"),
        for_groups=True if form.has("for_groups") else None,
        scope=_scope(form),
    )
    if made["outcome"] == "duplicate":
        return redirect_after(request, "/overrides", notice="This is pinned already.")
    undo = Undo("/overrides/remove", {"id": made["override"]["id"]})
    return redirect_after(request, "/overrides", notice="The fact is pinned.", undo=undo)


async def remove(request: Request, viewer: Viewer, form: Form) -> Response:
    """Unpin a fact."""
    removed = (await viewer.call("override.remove", id=form.text("id")))["override"]
    fields = {
        "content": removed["content"],
        "provider": removed["provider"],
        "user_id": removed["owner_user_id"] or "",
        "chat_id": removed["chat_id"] or "",
    }
    if removed["for_groups"] and removed["owner_user_id"]:
        fields["for_groups"] = "yes"
    notice = "The fact is no longer pinned."
    return redirect_after(request, "/overrides", notice=notice, undo=Undo("/overrides/add", fields))


def _scope(form: Form) -> dict[str, Any] | None:
    """Return the owner of a fact that is pinned again; None for the viewing account."""
    provider, user, chat = map(form.optional, ("provider", "user_id", "chat_id"))
    if provider is None:
        return None
    if user is not None:
        return {"provider": provider, "user_id": user}
    return {"provider": provider, "chat_id": chat, "chat_type": "group"}


ROUTES: Final = [
    get("/overrides", show),
    post("/overrides/add", add, shown_by=show),
    post("/overrides/remove", remove),
]
