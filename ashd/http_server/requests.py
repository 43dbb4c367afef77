"""Follow every request from its header to the end of its answer, for `Connections`.

A connection ends with an answer to somebody without a key: a client that knows none needs no
second request, and could send thousands at once without reading an answer.
"""

from typing import Final

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ashd.http_server.connections import Connection
from ashd.http_server.protocol import CONNECTION

_REQUEST: Final = "followed"
_CLOSE: Final = (b"connection", b"close")
_LINGER_SECONDS: Final = 5.0
"""Time for the rest of a body after an early answer, which a client that still sends would lose."""


class Followed:
    """The application, with the connection told of each request and each answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(scope, receive, send)
        scope["state"][_REQUEST] = request
        request.begin()
        try:
            await self._app(scope, request.receive, request.send)
        finally:
            request.end()


def show_key(scope: Scope, key: str) -> None:
    """Note that a request shows a good key, and is therefore answered to its end.

    Raises:
        AllBusy: as many are answered as can be.
    """
    request = scope.get("state", {}).get(_REQUEST)
    if isinstance(request, _Request):
        request.show_key(key)


class _Request:
    """One request."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._connection: Connection = scope["state"][CONNECTION]
        self._receive = receive
        self._send = send
        self._is_whole = not _has_body(scope)
        self._key: str | None = None
        self._is_counted = False
        self._is_answered = False

    def begin(self) -> None:
        """Note that the header has come."""
        self._connection.header_arrived(is_whole=self._is_whole)

    def show_key(self, key: str) -> None:
        """Note whose request it is. Raises `AllBusy`."""
        self._connection.connections.check_answers(key)
        self._key = key
        self._connection.key_shown(key)
        self._count()

    async def receive(self) -> Message:
        """Return the next part of the body, or the end of the connection."""
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body", False):
            self._is_whole = True
            self._connection.request_arrived()
            self._count()
        return message

    def _count(self) -> None:
        if self._key is not None and self._is_whole and not self._is_counted:
            self._is_counted = True
            self._connection.connections.begin_answer(self._key)

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        is_last = message["type"] == "http.response.body" and not message.get("more_body", False)
        if self._key is None:
            if message["type"] == "http.response.start":
                headers = [one for one in message["headers"] if one[0] != _CLOSE[0]]
                message = {**message, "headers": [*headers, _CLOSE]}
            elif is_last and not self._is_whole:
                await self._send({**message, "more_body": True})
                await self._read_on()
                message = {"type": "http.response.body"}
        await self._send(message)
        if is_last:
            self._finish()

    async def _read_on(self) -> None:
        """Read the rest of the body and drop it."""
        with anyio.move_on_after(_LINGER_SECONDS):
            while not self._is_whole and (await self.receive())["type"] == "http.request":
                pass

    def end(self) -> None:
        """Note that the application is through, whether it answered or failed."""
        self._finish()
        if self._key is not None and self._is_counted:
            self._connection.connections.end_answer(self._key)

    def _finish(self) -> None:
        """Free the connection for its next request, which may have begun when `end` is called."""
        if not self._is_answered:
            self._is_answered = True
            self._connection.answered()


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
        for name, value in scope["headers"]
    )
