"""Check every request before a route sees it: host, origin, type, size and time.

A page in a browser can send requests to the loopback. It cannot choose `Host` (a rebound name shows
there), it always sends its `Origin`, and to send JSON it would need permission, which this server
never gives.
"""

from collections.abc import Collection, Mapping
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ashd.http.problems import HttpProblem, openai_error
from ashd.http_server.bodies import TimedBody, has_two_lengths

MOST_BODY_BYTES: Final = 32 * 1024 * 1024
"""Enough for some images in a chat."""
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})


def refusal(method: str, headers: Mapping[str, str], names: Collection[str]) -> HttpProblem | None:
    """Return why a request is refused by its headers; None if it may pass.

    `names` are the hosts that this server answers as, besides those of the loopback.
    """
    host = headers.get("host", "").lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name not in _LOOPBACK and name not in names:
        return HttpProblem(
            421, "wrong_host", "The gateway does not answer as this host: http.names has its names."
        )
    if has_two_lengths(headers):
        return HttpProblem(400, "two_lengths", "A body has one length or comes in chunks.")
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host}":
        return HttpProblem(403, "foreign_origin", "Pages of other origins may not ask here.")
    if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return HttpProblem(403, "foreign_origin", "Pages of other origins may not ask here.")
    if method != "POST":
        return None
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return HttpProblem(415, "not_json", "Send Content-Type: application/json.")
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > MOST_BODY_BYTES:
        return _too_large()
    return None


class Guard:
    """Lets requests through that `refusal` allows, with bodies limited in time and size."""

    def __init__(self, app: ASGIApp, *, names: Collection[str], body_seconds: float) -> None:
        self._app = app
        self._names = names
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in _once(scope)}
        problem = refusal(scope["method"], headers, self._names)
        if problem is None:
            try:
                await self._app(scope, _BoundedBody(receive, self._body_seconds).receive, send)
            except HttpProblem as late:
                problem = late
        if problem is not None:
            await openai_error(problem)(scope, receive, send)


class _BoundedBody(TimedBody):
    """Receives a body within a time and a size."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        super().__init__(receive, seconds, _missing)
        self._bytes = 0

    async def receive(self) -> Message:
        """Return the next part of the body; after its last part, whatever comes next.

        Raises:
            HttpProblem: it is late, incomplete or too long.
        """
        message = await super().receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > MOST_BODY_BYTES:
            raise _too_large()
        return message


def _once(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return the headers; of a repeated one the first, so that a second cannot hide behind it."""
    return list(dict(reversed(scope["headers"])).items())


def _missing() -> HttpProblem:
    return HttpProblem(408, "body_late", "The body did not arrive in time.")


def _too_large() -> HttpProblem:
    most = MOST_BODY_BYTES // (1024 * 1024)
    return HttpProblem(413, "too_large", f"A body has at most {most} MiB, with a Content-Length.")
