"""Routes of pages: every handler gets the viewer, every form is checked, every error is a page."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ashd.web import forms
from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.rendering import Refused, render
from ashd.web.viewer import Viewer
from ashd_client.protocol import AshCallError

Show = Callable[[Request, Viewer], Awaitable[Response]]
Act = Callable[[Request, Viewer, Form], Awaitable[Response]]


def get(path: str, handler: Show) -> Route:
    """Return a route that shows something and changes nothing."""

    async def endpoint(request: Request) -> Response:
        try:
            return await handler(request, await _viewer(request))
        except (AshCallError, Problem) as error:
            return problem_page(request, error)

    return Route(path, endpoint, methods=["GET"])


def post(path: str, handler: Act, *, changes: bool = True, shown_by: Show | None = None) -> Route:
    """Return a route for a form. `changes` False: allowed on a read-only page too.

    `shown_by` shows the page with the form: a refused form is there again, with what was typed.
    """

    async def endpoint(request: Request) -> Response:
        try:
            form = await forms.read(request)
            forms.check_token(form, request.state.session)
            if changes:
                _require_writing(request)
        except Problem as error:
            return problem_page(request, error)
        try:
            return await handler(request, await _viewer(request), form)
        except (AshCallError, Problem) as error:
            return await _refused(request, form, error, shown_by)
        finally:
            request.state.session.own_person = None  # a merge may have changed it

    return Route(path, endpoint, methods=["POST"])


def problem_page(request: Request, error: AshCallError | Problem) -> Response:
    """Return a page that says what went wrong and what to do."""
    return render(request, "error.html", status_code=status_of(error), error=error)


async def _refused(
    request: Request, form: Form, error: AshCallError | Problem, shown_by: Show | None
) -> Response:
    if shown_by is not None:
        path = request.scope["path"]
        request.state.refused = Refused(path, form, error, status_of(error))
        try:
            return await shown_by(request, await _viewer(request))
        except (AshCallError, Problem):
            request.state.refused = None
    return problem_page(request, error)


def status_of(error: AshCallError | Problem) -> int:
    """Return the HTTP status of a page that shows an error."""
    return error.status if isinstance(error, Problem) else error.http_status


def _require_writing(request: Request) -> None:
    if request.app.state.read_only:
        raise Problem(403, "This page only reads.", "Start `ash web` without --read-only.")


async def _viewer(request: Request) -> Viewer:
    viewer = Viewer(request.app.state.calls, request.state.session)
    await viewer.meet()
    return viewer
