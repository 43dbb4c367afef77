"""The danger zone: a backup, and erasing for good, which asks twice and gives a receipt."""

from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.viewer import Viewer, panels
from ashd_client.types import Scope

_EVERYTHING: Final = "everything"
_FIELDS: Final = {
    "owner": "the account",
    "conversation_id": "the conversation",
    "grant_id": "what came through the grant",
    "id": "the memory",
}
"""Parameters of `memory.erase`, each with its words for the question."""


class Erasure(NamedTuple):
    """An erasure that was previewed and waits for the second confirmation."""

    method: str
    params: dict[str, Any]
    words: str
    typed: str
    """The text that has to be typed to confirm it."""
    preview: dict[str, Any]
    scope: Scope | None
    all_scopes: bool


async def show(request: Request, viewer: Viewer) -> Response:
    """Show the counts of everything, the newest backup, and the forms."""
    viewer.require_unbound()
    found = await panels(all=_clear(viewer, dry_run=True))
    return render(
        request,
        "danger.html",
        same_as="ash db backup; ash memory erase; ash db clear",
        fields=[(name, words) for name, words in _FIELDS.items()],
        **found,
    )


async def back_up(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Copy the database into the backup folder, and verify the copy."""
    made = await viewer.operate_lasting("db.backup")
    notice = f"Backed up and verified: {made['path']}, {made['memories']:,} memories."
    return redirect_after(request, "/danger", notice=notice)


async def preview_erasure(request: Request, viewer: Viewer, form: Form) -> Response:
    """Count what an erasure would take, and ask for the second confirmation."""
    viewer.require_unbound()
    field, name = form.text("field"), form.text("name")
    if field not in _FIELDS or not name:
        raise Problem(400, "Nothing was named.", "Go back and say what to erase.")
    params = {field: _account(name) if field == "owner" else name}
    preview = await viewer.call_lasting("memory.erase", **params, dry_run=True)
    words, view = f"{_FIELDS[field]} {name}", (viewer.scope, viewer.all_scopes)
    return _ask(request, Erasure("memory.erase", params, words, name, preview, *view))


async def preview_clear(request: Request, viewer: Viewer, form: Form) -> Response:
    """Count everything, and ask for the second confirmation."""
    if form.text("name") != _EVERYTHING:
        raise Problem(400, f"“{_EVERYTHING}” was not typed.", "Nothing was erased. Go back.")
    preview = await _clear(viewer, dry_run=True)
    words, view = "everything, for everybody", (viewer.scope, viewer.all_scopes)
    params = {"confirm": _EVERYTHING}
    return _ask(request, Erasure("db.clear", params, words, _EVERYTHING, preview, *view))


async def confirm(request: Request, _viewer: Viewer) -> Response:
    """Show what would be erased, and ask to type its name."""
    key = request.query_params.get("key")
    return render(request, "danger_confirm.html", key=key, erasure=_erasure(request, key))


async def erase(request: Request, viewer: Viewer, form: Form) -> Response:
    """Erase what was previewed, if its name was typed, and show the receipt."""
    key = form.text("key")
    erasure = _erasure(request, key)
    if form.text("name") != erasure.typed:
        raise Problem(400, "The name does not match.", "Nothing was erased. Go back and type it.")
    # The same name may be another conversation of another account.
    viewer.require_same(erasure.scope, all_scopes=erasure.all_scopes)
    request.state.session.drop(key)
    run = viewer.operate_lasting if erasure.method == "db.clear" else viewer.call_lasting
    result = await run(erasure.method, **erasure.params)
    if erasure.method == "db.clear" or "owner" in erasure.params:
        request.state.session.scope = None
    kept = request.state.session.keep({"words": erasure.words, "result": result})
    return redirect_after(request, f"/danger/receipt?key={kept}")


async def receipt(request: Request, _viewer: Viewer) -> Response:
    """Show the receipt of an erasure."""
    kept = request.state.session.kept(request.query_params.get("key"))
    if not isinstance(kept, dict) or "result" not in kept:
        raise _gone()
    return render(request, "danger_receipt.html", **kept)


async def _clear(viewer: Viewer, *, dry_run: bool) -> dict[str, Any]:
    return await viewer.operate_lasting("db.clear", confirm=_EVERYTHING, dry_run=dry_run)


def _ask(request: Request, erasure: Erasure) -> Response:
    return redirect_after(request, f"/danger/confirm?key={request.state.session.keep(erasure)}")


def _erasure(request: Request, key: str | None) -> Erasure:
    erasure = request.state.session.kept(key)
    if not isinstance(erasure, Erasure):
        raise _gone()
    return erasure


def _gone() -> Problem:
    return Problem(410, "This page has had its time.", "Begin again in the danger zone.")


def _account(name: str) -> dict[str, str]:
    provider, colon, user = name.partition(":")
    return (
        {"provider": provider, "user_id": user} if colon else {"provider": "local", "user_id": name}
    )


ROUTES: Final = [
    get("/danger", show),
    post("/danger/backup", back_up),
    post("/danger/erase", preview_erasure),
    post("/danger/clear", preview_clear),
    get("/danger/confirm", confirm),
    post("/danger/confirmed", erase),
    get("/danger/receipt", receipt),
]
