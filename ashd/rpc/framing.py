"""One message a line: reads frames within time and size, writes replies within time."""

import anyio
from anyio.abc import ByteStream

from ashd import errors
from ashd.limits import SocketLimits

_CHUNK = 65_536


class Frames:
    """The lines of one connection. A part of a line at the end of the stream is dropped."""

    def __init__(self, stream: ByteStream, limits: SocketLimits) -> None:
        self._stream = stream
        self.limits = limits
        self._buffer = bytearray()
        self._searched = 0

    async def next(self) -> bytes | None:
        """Return the next line without its end; None if no more comes, or nothing in time.

        Raises:
            errors.TooLarge: the line is longer than the limit; the connection is of no more use.
            errors.InvalidRequest: the line did not come to its end in time; the same.
        """
        if not self._buffer:
            with anyio.move_on_after(self.limits.idle_seconds):
                if not await self._more():
                    return None
            if not self._buffer:
                return None
        frame = self.buffered()
        if frame is None:  # mostly all of it is here, and needs no time limit
            with anyio.move_on_after(self.limits.frame_seconds):
                while frame is None:
                    self._require_fitting(self._buffer)
                    if not await self._more():
                        return None
                    frame = self.buffered()
        if frame is not None:
            self._require_fitting(frame)
            return frame
        raise errors.InvalidRequest(
            "The message did not come to its end in time.", "Send a request as one line, at once."
        )

    def buffered(self) -> bytes | None:
        """Return the next line if all of it is here; of blank lines in a row only the last."""
        if self._buffer.startswith((b"\n", b"\r")):
            del self._buffer[: len(self._buffer) - len(self._buffer.lstrip(b"\r\n")) - 1]
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            return None
        frame = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return frame

    async def send(self, line: bytes) -> bool:
        """Write a reply; return whether the client took it in time."""
        with anyio.move_on_after(self.limits.write_seconds):
            await self._stream.send(line)
            return True
        return False

    def _require_fitting(self, line: bytes | bytearray) -> None:
        if len(line) > self.limits.request_bytes:
            raise errors.TooLarge(
                f"A message has at most {self.limits.request_bytes} bytes.",
                "Send less, or in several calls; and write characters as they are, in UTF-8: as"
                " \\u escapes they are twice as long or more.",
            )

    async def _more(self) -> bool:
        try:
            self._buffer += await self._stream.receive(_CHUNK)
        except anyio.EndOfStream:
            return False
        return True
