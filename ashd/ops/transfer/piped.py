"""Read what a function writes to a file while it writes it, in a thread of its own.

What is between the two is a pipe's buffer, 64 KiB of the kernel's: nothing of it is on a disk.
"""

import io
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, Protocol


class _Buffer(Protocol):
    """Bytes to be filled."""

    def __buffer__(self, flags: int, /) -> memoryview: ...


class Piped(io.RawIOBase):
    """A stream of the bytes that a function writes; its failure is raised where its output ends.

    Closed early, it ends the function, whose next write fails (`BrokenPipeError`).
    """

    def __init__(self, write: Callable[[BinaryIO], object]) -> None:
        super().__init__()
        self._output, end = os.pipe()
        self._position = 0
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(write, end), daemon=True)
        self._thread.start()

    def _run(self, write: Callable[[BinaryIO], object], end: int) -> None:
        file = os.fdopen(end, "wb")
        try:
            write(file)
            file.flush()
        except BaseException as failure:  # noqa: BLE001  raised in the thread that reads
            self._failure = failure
        finally:
            with suppress(OSError):  # nobody reads what is left
                file.close()

    def readable(self) -> bool:
        """Say so."""
        return True

    def readinto(self, buffer: _Buffer) -> int:
        """Fill a buffer with the next bytes; return their number, 0 at the end.

        Raises:
            BaseException: the function's.
        """
        count = os.readv(self._output, [memoryview(buffer)])
        self._position += count
        if count == 0:
            self._thread.join()
            if self._failure is not None:
                raise self._failure
        return count

    def tell(self) -> int:
        """Return the number of bytes that were read."""
        return self._position

    def close(self) -> None:
        """End the function, and wait for its end."""
        if not self.closed:
            super().close()
            os.close(self._output)
            self._thread.join()
