"""The application: all pages behind the guard, the login, the static files."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ashd.web import forms, pages, rendering
from ashd.web.calls import Calls
from ashd.web.guard import Guard
from ashd.web.problems import Problem
from ashd.web.routes import problem_page
from ashd.web.sessions import COOKIE, Sessions


def build(
    calls: Calls,
    sessions: Sessions,
    *,
    host: str,
    read_only: bool = False,
    on_login: Callable[[], None] = lambda: None,
) -> ASGIApp:
    """Return the application that answers as `host` (name and port) to the session's browser."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await calls.aclose()

    async def log_in(request: Request) -> Response:
        try:
            cookie = sessions.log_in((await forms.read(request)).text("token"))
        except Problem:
            cookie = None
        if cookie is None:
            return _login_page(failed=True)
        on_login()
        # A redirect after another site's form arrives without the new Strict cookie; a page that
        # refreshes itself arrives with it.
        answer = rendering.alone("entered.html")
        answer.set_cookie(COOKIE, cookie, path="/", secure=True, httponly=True, samesite="strict")
        return answer

    app = Starlette(
        routes=[
            Route("/login", log_in, methods=["POST"]),
            Route("/static/{name}", _static, methods=["GET"]),
            *pages.ROUTES,
        ],
        exception_handlers={404: _not_found, 405: _not_found, 500: _failed},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.calls = calls
    app.state.navigation = pages.NAVIGATION
    app.state.read_only = read_only
    return Guard(app, unsigned=_without_session, host=host, sessions=sessions)


async def _static(request: Request) -> Response:
    found = rendering.STATIC.get(request.path_params["name"])
    if found is None:
        return Response(status_code=404)
    data, kind = found
    return Response(
        data,
        headers={"content-type": kind, "cache-control": "private, max-age=31536000, immutable"},
    )


async def _without_session(scope: Scope, receive: Receive, send: Send) -> None:
    await _login_page(failed=False)(scope, receive, send)


def _login_page(*, failed: bool) -> Response:
    return rendering.alone("login.html", status_code=401, failed=failed)


async def _not_found(request: Request, _error: Exception) -> Response:
    if request.state.session is None:
        return Response(status_code=404)
    return problem_page(request, Problem(404, "There is no such page.", "Choose one above."))


async def _failed(_request: Request, _error: Exception) -> Response:
    text = "This page failed; the terminal of `ash web` says where.\n"
    return Response(text, 500, media_type="text/plain")
