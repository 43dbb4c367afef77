"""Check every request before a route sees it: host, origin, method, type, size, time, session.

Another page in the same browser can send requests here, and a rebound name makes them look like our
own except for `Host`. The guard lets through only requests that our own page sends from the browser
that signed in, and the login, which is protected by its one-time token.
"""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ashd import log
from ashd.http_server import requests
from ashd.http_server.bodies import TimedBody, has_two_lengths
from ashd.http_server.connections import AllBusy
from ashd.web.sessions import COOKIE, Session, Sessions

LOGIN: Final = "/login"
_STATIC: Final = "/static/"
_MOST_BODY_BYTES: Final = 512 * 1024
"""Enough for the longest memory in any script, or a thousand selected rows."""
_BODY_SECONDS: Final = 30.0
_FORM: Final = "application/x-www-form-urlencoded"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: Final = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": with that, a browser sends our own forms with the origin "null".
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Headers of every answer; only static files may be cached."""


class Refusal(Exception):
    """A request that is not served: its status and one line that says why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def refusal(method: str, path: str, headers: Mapping[str, str], host: str) -> Refusal | None:
    """Return why a request is refused by its headers alone; None if it may pass."""
    if headers.get("host", "").lower() != host:
        return Refusal(421, "This server answers under its own name alone.")
    if method not in ("GET", "HEAD", "POST"):
        return Refusal(405, "Pages are read and forms are sent, no more.")
    if has_two_lengths(headers):
        return Refusal(400, "A body has one length or comes in chunks.")
    if path != LOGIN and not _is_own(method, headers, host):
        return Refusal(403, "Other pages may not ask here.")
    if method != "POST":
        return None
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        return Refusal(415, "Only forms are taken.")
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > _MOST_BODY_BYTES:
        return Refusal(413, f"A form has at most {_MOST_BODY_BYTES // 1024} KiB.")
    return None


def _is_own(method: str, headers: Mapping[str, str], host: str) -> bool:
    """Return whether our own page sends this, or, for reading, a person who opened an address."""
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host}":
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin" or (site == "none" and method != "POST")
    return method != "POST" or origin is not None


class Guard:
    """Serves the requests that `refusal` allows, with the session in the request's state.

    Without a session `unsigned` answers, but for the login and static files.
    """

    def __init__(self, app: ASGIApp, *, unsigned: ASGIApp, host: str, sessions: Sessions) -> None:
        self._app = app
        self._unsigned = unsigned
        self._host = host
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = _single(scope)
        problem = (
            refusal(scope["method"], scope["path"], headers, self._host)
            if headers is not None
            else Refusal(400, "A header was sent twice.")
        )
        answering = _with_headers(send)
        if problem is None and headers is not None:
            session = self._session(headers)
            scope.setdefault("state", {})["session"] = session
            logs_in = scope["path"] == LOGIN and scope["method"] == "POST"
            open_to_all = logs_in or scope["path"].startswith(_STATIC)
            app = self._app if session is not None or open_to_all else self._unsigned
            try:
                if session is not None:
                    requests.show_key(scope, COOKIE)
                body = TimedBody(receive, _BODY_SECONDS, _missing)
                await app(scope, body.receive, answering)
            except Refusal as missing:
                problem = missing
            except AllBusy as busy:
                problem = Refusal(503, busy.message)
            except Exception as fault:  # noqa: BLE001  one page's fault is not the next one's
                # The application has answered it; this only logs where it happened.
                log.error("page_failed", fault=type(fault).__name__, where=log.place_of(fault))
        if problem is not None:
            # Open connections of refused requests could take all places.
            text = PlainTextResponse(
                problem.reason + "\n", problem.status, headers={"connection": "close"}
            )
            await text(scope, receive, answering)

    def _session(self, headers: Mapping[str, str]) -> Session | None:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return None
        return self._sessions.of_cookie(morsel.value if morsel is not None else None)


def _missing() -> Refusal:
    return Refusal(408, "The form did not arrive in time.")


def _with_headers(send: Send) -> Send:
    async def answering(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.encode() not in own
                ),
            ]
        await send(message)

    return answering


_ONCE: Final = frozenset(
    {"host", "origin", "sec-fetch-site", "content-type", "content-length", "cookie"}
)


def _single(scope: Scope) -> dict[str, str] | None:
    """Return the headers by name; None if one that decides is repeated."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1")
        if name in headers and name in _ONCE:
            return None
        headers[name] = raw_value.decode("latin-1")
    return headers
