"""The agent's view: the block for its prompt, each line with its reason, and as text."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd import wording
from ashd.web.forms import Form
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post, status_of
from ashd.web.viewer import Viewer
from ashd_client.protocol import AshCallError

_MOST_TOKENS: Final = 2_000


async def show(request: Request, viewer: Viewer) -> Response:
    """Show what the agent gets before it answers the message that the address refers to."""
    kept = request.state.session.kept(request.query_params.get("key"))
    asked: dict[str, Any] = (
        kept
        if isinstance(kept, dict)
        else {"message": "", "max_tokens": _MOST_TOKENS, "project": ""}
    )
    found, error = None, None
    projects = (await viewer.call("project.list"))["projects"]
    if asked["message"]:
        try:
            project = {"id": asked["project"]} if asked["project"] else None
            wanted = {name: asked[name] for name in ("message", "max_tokens")}
            found = await viewer.call_in(project, "context.get", explain=True, **wanted)
        except AshCallError as refused:
            error = refused
    return render(
        request,
        "context.html",
        status_code=200 if error is None else status_of(error),
        asked=asked,
        projects=[("", "none"), *((one["id"], one["name"] or one["id"]) for one in projects)],
        found=found,
        sections=_sections(found) if found else [],
        error_of_context=error,
        words=wording,
        same_as=viewer.command(
            *([f"--project={asked['project']}"] if asked["project"] else []),
            *("context", "--explain", asked["message"] or "…"),
        ),
    )


def _sections(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the sections with their lines; sections that were left out come last."""
    known = {section["name"]: section for section in found["sections"]}
    lines = found.get("explained", [])
    return [
        {
            "heading": known[name]["heading"] if name in known else name.replace("_", " "),
            "tokens": known[name]["tokens"] if name in known else 0,
            "lines": sorted(
                (one for one in lines if one["section"] == name), key=lambda one: one["why"] != "in"
            ),
        }
        for name in dict.fromkeys([*known, *(one["section"] for one in lines)])
    ]


async def ask(request: Request, _viewer: Viewer, form: Form) -> Response:
    """Go to the block for a message, which is not in the address."""
    asked = {
        "message": form.text("message"),
        "project": form.text("project"),
        "max_tokens": form.number("max_tokens") or _MOST_TOKENS,
    }
    return redirect_after(request, f"/context?key={request.state.session.keep(asked)}")


ROUTES: Final = [get("/context", show), post("/context", ask, changes=False, shown_by=show)]
