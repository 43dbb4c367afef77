"""Conversations: their turns, their summaries, what was learned from each, and deleting them."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form, query_number
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.undo import of_withdrawal, restore_withdrawal
from ashd.web.viewer import Viewer, panels

_ROWS: Final = 30
_MESSAGES: Final = 50
_LEARNED: Final = 50
_SUMMARIES: Final = 100


async def show(request: Request, viewer: Viewer) -> Response:
    """Show a page of conversations, the latest first."""
    cursor = request.query_params.get("cursor")
    listed = await viewer.call("conversation.list", limit=_ROWS, cursor=cursor)
    more = listed["next_cursor"]
    return render(
        *(request, "conversations.html"),
        listed=listed,
        first="/conversations" if cursor else "",
        more=f"/conversations?cursor={more}" if more else "",
        same_as=viewer.command("conversation", "list"),
    )


async def read(request: Request, viewer: Viewer) -> Response:
    """Show a page of a conversation's turns, its summaries, and what was learned from it."""
    before = query_number(request, "before")
    shown = await viewer.call(
        *("conversation.get",),
        conversation_id=request.path_params["id"],
        limit=_MESSAGES,
        before=before,
    )
    conversation = shown["conversation"]
    name = conversation["conversation_id"]
    found = await panels(
        summaries=viewer.call("summary.list", conversation_id=name, limit=_SUMMARIES),
        learned=viewer.call("memory.list", session_id=name, limit=_LEARNED),
    )
    here = f"/conversations/{conversation['id']}"
    earlier = shown["before"]
    return render(
        *(request, "conversation.html"),
        conversation=conversation,
        messages=shown["messages"],
        latest=here if before is not None else "",
        earlier=f"{here}?before={earlier}" if earlier is not None else "",
        same_as=viewer.command("conversation", "show", name),
        **found,
    )


async def preview(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Count what would be deleted, with and without what was learned."""
    number = request.path_params["id"]
    shown = await viewer.call("conversation.get", conversation_id=number, limit=1)
    deleted = await viewer.call("conversation.delete", conversation_id=number, dry_run=True)
    erased = await viewer.call("memory.erase", conversation_id=number, dry_run=True)
    return render(
        *(request, "conversation_delete.html"),
        conversation=shown["conversation"],
        deleted=deleted["deleted"],
        erased=erased,
    )


async def delete(request: Request, viewer: Viewer, form: Form) -> Response:
    """Delete a conversation, and what was learned from it if that was chosen."""
    number = request.path_params["id"]
    if not form.has("sure"):
        raise Problem(
            400, "Nothing was deleted.", "Check the box that says that it cannot be undone."
        )
    if form.text("learned") == "erase":
        done = await viewer.call_lasting("memory.erase", conversation_id=number)
        notice = f"Memories and messages that were erased for good: {done['erased']}."
    else:
        deleted = await viewer.call_lasting("conversation.delete", conversation_id=number)
        notice = f"Messages that were deleted: {deleted['deleted']}. What was learned stays."
    return redirect_after(request, "/conversations", notice=notice)


async def withdraw(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Withdraw what was learned from a conversation; the conversation stays."""
    number = request.path_params["id"]
    shown = await viewer.call("conversation.get", conversation_id=number, limit=1)
    name = shown["conversation"]["conversation_id"]
    done = await viewer.call_lasting("memory.withdraw", session_id=name)
    here = f"/conversations/{number}"
    return redirect_after(
        *(request, here),
        notice=f"Memories that were withdrawn: {done['total']}.",
        undo=of_withdrawal(f"{here}/restore", done["withdrawal_id"]),
    )


async def restore(request: Request, viewer: Viewer, form: Form) -> Response:
    """Bring back what was withdrawn."""
    back = f"/conversations/{request.path_params['id']}"
    return await restore_withdrawal(request, viewer, form, back=back)


ROUTES: Final = [
    get("/conversations", show),
    get("/conversations/{id}", read),
    post("/conversations/{id}/delete", preview),
    post("/conversations/{id}/delete/make", delete),
    post("/conversations/{id}/withdraw", withdraw),
    post("/conversations/{id}/restore", restore),
]
