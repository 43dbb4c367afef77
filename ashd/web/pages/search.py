"""Search: each result with what brought it there, and withheld candidates."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd import wording
from ashd.web import memory_forms
from ashd.web.forms import Form
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post, status_of
from ashd.web.viewer import Viewer
from ashd_client.protocol import AshCallError

_FIELDS: Final = ("query", "about", "mode", "as_of", "superseded")
_MODES: Final = [("", "words and meaning"), ("lexical", "words only"), ("vector", "meaning only")]
_RESULTS: Final = 10


async def show(request: Request, viewer: Viewer) -> Response:
    """Show the results of the search that the address refers to, if any."""
    kept = request.state.session.kept(request.query_params.get("key"))
    asked = kept if isinstance(kept, dict) else dict.fromkeys(_FIELDS, "")
    found, error = None, None
    if asked["query"]:
        try:
            found = await viewer.call_in("*", "memory.search", **_params(asked))
        except AshCallError as refused:
            error = refused
    return render(
        request,
        "search.html",
        status_code=200 if error is None else status_of(error),
        asked=asked,
        found=found,
        error_of_search=error,
        modes=_MODES,
        words=wording,
        forms=memory_forms,
        same_as=viewer.command(
            "--project=*", "memory", "search", "--explain", asked["query"] or "…"
        ),
    )


async def ask(request: Request, _viewer: Viewer, form: Form) -> Response:
    """Go to the results of a search, whose question is not in the address."""
    key = request.state.session.keep({name: form.text(name) for name in _FIELDS})
    return redirect_after(request, f"/search?key={key}")


def _params(asked: dict[str, str]) -> dict[str, Any]:
    return {
        "query": asked["query"],
        "about": asked["about"] or None,
        "mode": asked["mode"] or None,
        "as_of": asked["as_of"] or None,
        "include_superseded": True if asked["superseded"] else None,
        "limit": _RESULTS,
        "explain": True,
    }


ROUTES: Final = [get("/search", show), post("/search", ask, changes=False)]
