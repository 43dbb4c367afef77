"""The picker: on whose behalf the pages ask, and the switch to everybody's memories."""

from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.pages import start
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after
from ashd.web.routes import post
from ashd.web.viewer import Viewer
from ashd_client.types import Scope


async def choose(request: Request, viewer: Viewer, form: Form) -> Response:
    """Look on behalf of the account and chat in the form."""
    scope = _scope(form)
    # Let the daemon check an account or a chat before any page uses it.
    seen = await viewer.operate("memory.list", scope=scope, limit=1)
    session = request.state.session
    session.look(scope, all_scopes=form.has("all_scopes"))
    back = urlsplit(form.text("back")).path or "/"
    notice = f"You look as {viewer.label}."
    if session.all_scopes:
        notice += " Everybody's memories are shown; each such look is in the audit."
    elif scope is not None and not seen["total"]:
        notice += " It is shown no memory: is its name spelt right?"
    return redirect_after(request, back, notice=notice)


def _scope(form: Form) -> Scope | None:
    """Return the scope in the form; None for the local user in private."""
    account = form.optional("account")
    chat = form.optional("chat")
    if account is None:
        if chat is not None:
            raise Problem(400, "A chat needs an account.", "Say whose view of the chat it is.")
        return None
    provider, colon, user = account.partition(":")
    if not colon:
        provider, user = "local", account
    scope: Scope = {"provider": provider}
    if user:
        scope["user_id"] = user
    if chat is not None:
        scope["chat_id"] = chat
        scope["chat_type"] = "private" if form.text("chat_type") == "private" else "group"
    return scope


ROUTES: Final = [post("/viewing", choose, changes=False, shown_by=start.show)]
