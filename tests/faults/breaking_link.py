"""A link over loopback that a test breaks: connections to a server pass through it."""

import select
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

_RESET: Final = struct.pack("ii", 1, 0)
_COMMIT: Final = b"; commit\x00"
"""The end of a script that commits a change, in PostgreSQL's protocol."""


class BreakingLink:
    """Passes connections on to the socket at a path, which may become another at any time."""

    def __init__(self, to: Callable[[], Path]) -> None:
        self._to = to
        self._flows = threading.Event()
        self._flows.set()
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._commits: Literal["before", "after"] | None = None
        self.has_cut = threading.Event()
        """Whether the connection was cut that `cut_at_commit` waits for."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Pass nothing on, and let nobody know."""
        self._flows.clear()

    def heal(self) -> None:
        """Pass on what waits, and go on."""
        self._flows.set()

    def cut(self) -> None:
        """Reset all connections; new ones are taken."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            _reset(pair)

    def cut_at_commit(self, moment: Literal["before", "after"]) -> None:
        """Reset the next connection that commits: before the server hears of it, or after it."""
        self.has_cut.clear()
        self._commits = moment

    def end(self) -> None:
        """Take no more connections, and reset those that are there."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._flows.set()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        self._flows.wait()
        server = socket.socket(socket.AF_UNIX)
        pair = (client, server)
        try:
            server.connect(str(self._to()))
            with self._lock:
                self._pairs.append(pair)
            self._pump(client, server)
        except OSError:  # the server is away, or one of the two has hung up
            pass
        finally:
            with self._lock, suppress(ValueError):
                self._pairs.remove(pair)
            _reset(pair)

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        cuts_at_reply = False
        ready = select.poll()
        ready.register(client, select.POLLIN)
        ready.register(server, select.POLLIN)
        while True:
            for number, _ in ready.poll():
                source, to = (client, server) if number == client.fileno() else (server, client)
                data = source.recv(65_536)
                self._flows.wait()
                if not data:
                    return
                if source is server and cuts_at_reply:
                    self.has_cut.set()
                    return
                if source is client and self._commits and data.endswith(_COMMIT):
                    moment, self._commits = self._commits, None
                    if moment == "before":
                        self.has_cut.set()
                        return
                    cuts_at_reply = True
                to.sendall(data)


def _reset(pair: tuple[socket.socket, socket.socket]) -> None:
    for one in pair:
        with suppress(OSError):
            if one.family != socket.AF_UNIX:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            one.shutdown(socket.SHUT_RDWR)
        one.close()
