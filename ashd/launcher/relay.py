"""Connections from a sandbox without a network to hosts that the operator named, and no others.

The sandbox's first process listens on its own loopback, passes the listening sockets to the
launcher and becomes the agent. The launcher, outside, accepts connections there and opens their
counterparts on the host's network; it resolves the names. Nothing else of it is in the sandbox. One
listener is an HTTP proxy, for programs that take one from their environment; TLS passes through it
unchanged. A target on the host's own loopback is also reachable by its own port, since many
programs use no proxy for the loopback.
"""

import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import urlsplit

_PROXY_PORTS: Final = range(3128, 65_536)
_FIRST_FREE_PORT: Final = 1024
_LOOPBACK: Final = "127.0.0.1"
_LOOPBACK_NAMES: Final = frozenset((_LOOPBACK, "localhost", "::1"))
_HTTP_PORT: Final = 80
_HEAD_BYTES: Final = 65_536
_CHUNK: Final = 65_536
_TIMEOUT_S: Final = 30.0
_CONNECTIONS: Final = 64
_END: Final = b"\r\n\r\n"

_ANNOUNCE: Final = """
import os, signal, socket, sys
for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and its successor would too
    signal.signal(number, signal.SIG_DFL)
channel = socket.socket(fileno=int(sys.argv[1]))
ports = [int(port) for port in sys.argv[2].split(",")]
listeners = [socket.create_server(("127.0.0.1", port), backlog=64) for port in ports]
socket.send_fds(channel, [b"x"], [listener.fileno() for listener in listeners])
for one in (channel, *listeners):
    one.close()
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Target(NamedTuple):
    """A host, by its name or address, and a port."""

    host: str
    port: int


class Relay:
    """Serves the connections of one sandbox, for as long as the context lasts."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets = {Target(target.host.lower(), target.port) for target in targets}
        direct = {
            target.port: target
            for target in sorted(self._targets)
            if target.host in _LOOPBACK_NAMES and target.port >= _FIRST_FREE_PORT
        }
        self.proxy_port = next(port for port in _PROXY_PORTS if port not in direct)
        self._ports: dict[int, Target | None] = {self.proxy_port: None, **direct}
        self._places = threading.BoundedSemaphore(_CONNECTIONS)
        self._listeners: list[socket.socket] = []
        self._here, self._inside = socket.socketpair()

    def fileno(self) -> int:
        """Return the descriptor that the sandbox's first process inherits."""
        return self._inside.fileno()

    def announcing(self, argv: Sequence[str]) -> list[str]:
        """Return the command that listens inside, passes its sockets out and becomes ``argv``."""
        ports = ",".join(map(str, self._ports))
        return ["python3", "-ISc", _ANNOUNCE, str(self.fileno()), ports, *argv]

    def serve(self) -> None:
        """Take the sandbox's sockets, once it was started, and serve them in threads.

        Does nothing if the sandbox ended earlier.
        """
        self._inside.close()
        _, descriptors, _, _ = socket.recv_fds(self._here, 1, len(self._ports))
        self._listeners = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        for listener, target in zip(self._listeners, self._ports.values(), strict=False):
            threading.Thread(target=self._accept, args=(listener, target), daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        for one in (self._here, self._inside, *self._listeners):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self, listener: socket.socket, target: Target | None) -> None:
        while True:
            self._places.acquire()
            try:
                connection, _ = listener.accept()
            except OSError:
                self._places.release()
                return
            threading.Thread(target=self._serve_one, args=(connection, target), daemon=True).start()

    def _serve_one(self, connection: socket.socket, target: Target | None) -> None:
        try:
            with connection, suppress(OSError):
                connection.settimeout(_TIMEOUT_S)
                if target is not None:
                    with _connect(target) as far:
                        _join(connection, far)
                else:
                    self._proxy(connection)
        finally:
            self._places.release()

    def _proxy(self, connection: socket.socket) -> None:
        head, rest = _read_head(connection)
        request = wanted(head)
        if request is None:
            _answer(connection, "400 Bad Request")
            return
        target, is_tunnel = request
        if target not in self._targets:
            _answer(connection, "403 Forbidden")
            return
        try:
            far = _connect(target)
        except OSError:
            _answer(connection, "502 Bad Gateway")
            return
        with far:
            if is_tunnel:
                connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            far.sendall(rest if is_tunnel else head + _END + rest)
            _join(connection, far)


def wanted(head: bytes) -> tuple[Target, bool] | None:
    """Return the target in the head of a proxy request, and whether it asks for a tunnel."""
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    try:
        method, name, _ = words
        is_tunnel = method == "CONNECT"
        parts = urlsplit(f"//{name}" if is_tunnel else name)
        port = parts.port if is_tunnel else parts.port or _HTTP_PORT
    except ValueError:
        return None
    if not parts.hostname or port is None or (not is_tunnel and parts.scheme != "http"):
        return None
    return Target(parts.hostname.lower(), port), is_tunnel


def _answer(connection: socket.socket, status: str) -> None:
    connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())


def _connect(target: Target) -> socket.socket:
    return socket.create_connection(target, timeout=_TIMEOUT_S)


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """Return the head of a request without its end, and the bytes after it."""
    data = b""
    while _END not in data:
        more = connection.recv(_CHUNK)
        if not more or len(data) > _HEAD_BYTES:
            return b"", b""
        data += more
    head, _, rest = data.partition(_END)
    return head, rest


def _join(near: socket.socket, far: socket.socket) -> None:
    """Pass bytes both ways until both sides have ended, however long that takes."""
    for one in (near, far):
        one.settimeout(None)
    back = threading.Thread(target=_copy, args=(far, near), daemon=True)
    back.start()
    _copy(near, far)
    back.join()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
