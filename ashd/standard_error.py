"""Standard error of a server: a thread writes it, so that no reader or disk holds up a call.

Owns the file descriptor. What must always hold: a write returns at once and raises nothing, lines
keep their order, a line that cannot be written is counted, and an end waits for the last lines for
a bounded time only. Warnings, tracebacks and the logs of libraries go the same way.
"""

import atexit
import io
import os
import queue
import select
import sys
import threading
from collections.abc import Callable
from typing import Final

WAITING_LINES: Final = 10_000
"""Lines that wait for a slow reader, a few megabytes; more are dropped."""
_END_SECONDS: Final = 2.0
"""Seconds that the last lines may take at the end of the process."""
_DESCRIPTOR: Final = 2


class Stream(io.TextIOBase):
    """A text stream for lines; those of one thread are written in their order, and whole."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, descriptor: int | None, notice: Callable[[int], str]) -> None:
        """Start the thread; `notice` makes the line about lines that were dropped meanwhile."""
        self._descriptor = descriptor
        self._notice = notice
        self._waiting: queue.SimpleQueue[str | threading.Event] = queue.SimpleQueue()
        self._started = threading.local()
        self._dropped = 0
        self._noticed = 0
        self._counting = threading.Lock()
        self._is_torn = False
        threading.Thread(target=self._run, name="standard error", daemon=True).start()

    @property
    def dropped(self) -> int:
        """Lines that were not written, since the start."""
        return self._dropped

    def writable(self) -> bool:
        """Return true."""
        return True

    def fileno(self) -> int:
        """Return the file descriptor of standard error."""
        if self._descriptor is None:
            raise OSError("standard error is closed")
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether a person reads it."""
        return self._descriptor is not None and os.isatty(self._descriptor)

    def write(self, text: str) -> int:
        """Take lines; the start of one waits for its end."""
        if not isinstance(text, str):
            raise TypeError("standard error takes text")
        *lines, start = (getattr(self._started, "text", "") + text).split("\n")
        self._started.text = start
        for line in lines:
            self._put(f"{line}\n")
        return len(text)

    def flush(self) -> None:
        """Take the line that this thread started as it is."""
        if start := getattr(self._started, "text", ""):
            self._started.text = ""
            self._put(start)

    def wait(self, seconds: float) -> bool:
        """Wait until the lines so far are written or dropped; return whether they are."""
        self.flush()
        reached = threading.Event()
        self._waiting.put(reached)
        return reached.wait(seconds)

    def _put(self, line: str) -> None:
        if self._waiting.qsize() >= WAITING_LINES:
            self._drop()
        else:
            self._waiting.put(line)

    def _drop(self) -> None:
        with self._counting:
            self._dropped += 1

    def _run(self) -> None:
        while True:
            one = self._waiting.get()
            if isinstance(one, str) and not self._write_line(one):
                self._drop()
            elif self._waiting.empty():
                self._give_notice()
            if isinstance(one, threading.Event):
                one.set()

    def _give_notice(self) -> None:
        """Say how many lines were lost, now that others can be written again."""
        lost = self._dropped
        if lost > self._noticed and self._write_line(self._notice(lost - self._noticed)):
            self._noticed = lost

    def _write_line(self, line: str) -> bool:
        """Write a line, after the end of one that was cut; return whether all of it was written."""
        if self._descriptor is None:
            return False
        left = (("\n" if self._is_torn else "") + line).encode(self.encoding, self.errors)
        whole = len(left)
        try:
            while left:
                left = left[self._write_some(left) :]
        except OSError:
            self._is_torn |= len(left) < whole
            return False
        self._is_torn = False
        return True

    def _write_some(self, data: bytes) -> int:
        while True:
            try:
                return os.write(self.fileno(), data)
            except BlockingIOError:  # whoever shares the descriptor made it so
                select.select([], [self.fileno()], [])


def install(notice: Callable[[int], str]) -> None:
    """Replace `sys.stderr` for the rest of the process, and open what is closed of 0, 1 and 2.

    Without that the next file to be opened would get the number 2, and lines of libraries.
    """
    is_open = _is_open(_DESCRIPTOR)
    for descriptor in range(_DESCRIPTOR + 1):
        if not _is_open(descriptor):
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    sys.stderr = Stream(_DESCRIPTOR if is_open else None, notice)
    atexit.register(wait)


def wait() -> None:
    """Wait a bounded time for the last lines."""
    if isinstance(sys.stderr, Stream):
        sys.stderr.wait(_END_SECONDS)


def dropped() -> int:
    """Return the number of lines that were not written."""
    return sys.stderr.dropped if isinstance(sys.stderr, Stream) else 0


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
