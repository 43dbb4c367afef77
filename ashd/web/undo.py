"""Undo: calls that reverse a change, kept in the session until the person asks for them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after
from ashd.web.routes import post
from ashd.web.sessions import Undo
from ashd.web.viewer import Viewer
from ashd_client.types import Scope

Calls = Sequence[tuple[str, Mapping[str, Any]]]


class _Plan(NamedTuple):
    """The calls that undo a change, their scope, and the page to go to."""

    calls: Calls
    scope: Scope | None
    all_scopes: bool
    back: str


def by_calls(request: Request, viewer: Viewer, calls: Calls, *, back: str) -> Undo:
    """Return the undo that makes these calls for the same account, in order."""
    plan = _Plan(calls, viewer.scope, viewer.all_scopes, back)
    return Undo("/undo", {"key": request.state.session.keep(plan)})


async def undo(request: Request, viewer: Viewer, form: Form) -> Response:
    """Make the calls that reverse a change."""
    plan = request.state.session.kept(form.text("key"))
    if not isinstance(plan, _Plan):
        raise Problem(404, "This can be undone no longer.", "Change it back by hand.")
    viewer.require_same(plan.scope, all_scopes=plan.all_scopes)
    for method, params in plan.calls:
        await viewer.call(method, **params)
    return redirect_after(request, plan.back, notice="Undone.")


def of_withdrawal(path: str, withdrawal_id: str | None) -> Undo | None:
    """Return the undo that posts a withdrawal's id to a path; None if nothing was withdrawn."""
    return Undo(path, {"withdrawal_id": withdrawal_id}) if withdrawal_id else None


async def restore_withdrawal(
    request: Request, viewer: Viewer, form: Form, *, back: str
) -> Response:
    """Bring back the memories that were withdrawn as one act."""
    done = await viewer.call_lasting("memory.restore", withdrawal_id=form.text("withdrawal_id"))
    stay = f" {len(done['stay'])} stay withdrawn: others say the same." if done["stay"] else ""
    notice = f"Memories that are back: {done['count']}.{stay}"
    return redirect_after(request, back, notice=notice)


ROUTES: Final = [post("/undo", undo)]
