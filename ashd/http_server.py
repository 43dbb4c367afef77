"""Deadlines for clients of `ashd http` and `ash web`: for the headers, and for bodies."""

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
from starlette.types import Message, Receive
from uvicorn.protocols.http.h11_impl import H11Protocol


def with_deadline(seconds: float) -> type[H11Protocol]:
    """Return the protocol with a time within which the headers of a request must arrive.

    uvicorn has no such limit: a client that sends a header byte by byte would hold its place for
    ever.
    """

    class WithDeadline(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._has_request():
                self._stop_waiting()
            else:
                self._wait()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self.transport.is_closing() and not self._has_request():
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _has_request(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _wait(self) -> None:
            if self._waiting is None:
                self._waiting = self.loop.call_later(seconds, self._give_up)

        def _stop_waiting(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _give_up(self) -> None:
            self._waiting = None
            if not self._has_request():
                self.transport.close()

    return WithDeadline


class TimedBody:
    """Receives a request's body within a time."""

    def __init__(self, receive: Receive, seconds: float, late: Callable[[], Exception]) -> None:
        self._receive = receive
        self._deadline = anyio.current_time() + seconds
        self._late = late
        self._done = False

    async def receive(self) -> Message:
        """Return the next part of the body; after its last part, whatever comes next.

        Raises the exception that `late` makes when the time has passed.
        """
        if self._done:
            return await self._receive()
        try:
            with anyio.fail_after(self._deadline - anyio.current_time()):
                message = await self._receive()
        except TimeoutError:
            raise self._late() from None
        self._done = not message.get("more_body", False)
        return message
