"""A crowd of clients that take places of a server and ask nothing whole of it."""

import contextlib
import select
import socket
import threading
from collections.abc import Callable, Iterator

_POLL_MS = 20


class Crowd:
    """Holds connections, and opens a new one for each that the server closes."""

    def __init__(self, connect: Callable[[], socket.socket], begin: bytes, size: int) -> None:
        self._connect = connect
        self._begin = begin
        self._size = size
        self._held: dict[int, socket.socket] = {}
        self._poll = select.poll()
        self._over = threading.Event()
        self.full = threading.Event()
        """Set once all connections have been opened."""
        self.renewed = 0
        """Connections that the server closed."""

    def run(self) -> None:
        """Hold the connections until `end`."""
        try:
            while not self._over.is_set():
                while len(self._held) < self._size and not self._over.is_set():
                    self._open()
                self.full.set()
                for number, _ in self._poll.poll(_POLL_MS):
                    self._look(number)
        finally:
            for one in self._held.values():
                one.close()

    def end(self) -> None:
        """Close everything, soon."""
        self._over.set()

    def _open(self) -> None:
        with contextlib.suppress(OSError):
            made = self._connect()
            self._held[made.fileno()] = made
            self._poll.register(made, select.POLLIN)
            made.setblocking(False)
            made.send(self._begin)

    def _look(self, number: int) -> None:
        """Read an answer; forget a connection that has ended."""
        try:
            if self._held[number].recv(65_536):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._poll.unregister(number)
        self._held.pop(number).close()
        self.renewed += 1


@contextlib.contextmanager
def crowded(connect: Callable[[], socket.socket], begin: bytes, size: int) -> Iterator[Crowd]:
    """Hold `size` connections that have sent `begin`, for as long as the context lasts."""
    crowd = Crowd(connect, begin, size)
    thread = threading.Thread(target=crowd.run, daemon=True)
    thread.start()
    try:
        assert crowd.full.wait(120)
        yield crowd
    finally:
        crowd.end()
        thread.join(120)
