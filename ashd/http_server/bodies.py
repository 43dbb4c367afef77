"""Bodies of requests: a deadline, and one way to read their length."""

from collections.abc import Callable, Mapping

import anyio
from starlette.types import Message, Receive


def has_two_lengths(headers: Mapping[str, str]) -> bool:
    """Return whether a body's end can be read in two ways, so that it could hide a request."""
    return "transfer-encoding" in headers and "content-length" in headers


class TimedBody:
    """Receives a request's body within a time."""

    def __init__(self, receive: Receive, seconds: float, missing: Callable[[], Exception]) -> None:
        self._receive = receive
        self._deadline = anyio.current_time() + seconds
        self._missing = missing
        self._done = False

    async def receive(self) -> Message:
        """Return the next part of the body; after its last part, whatever comes next.

        Raises the exception that `missing` makes when the time has passed or the client has left.
        """
        if self._done:
            return await self._receive()
        try:
            with anyio.fail_after(self._deadline - anyio.current_time()):
                message = await self._receive()
        except TimeoutError:
            raise self._missing() from None
        if message.get("type") == "http.disconnect":
            raise self._missing()
        self._done = not message.get("more_body", False)
        return message
