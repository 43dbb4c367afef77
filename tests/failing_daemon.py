"""A socket that answers like a daemon whose every call ends with a chosen error."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class FailingDaemon:
    """Answers each request with `error`; `session.hello` succeeds."""

    def __init__(self, path: Path) -> None:
        self.socket = path
        self.error: dict[str, Any] = {}
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(path))
        self.listening.listen()

    def serve(self) -> None:
        """Take connections until the socket is closed."""
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(
                    target=self._answer, args=(self.listening.accept()[0],), daemon=True
                ).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            for line in connection.makefile("rb"):
                asked = json.loads(line)
                said: dict[str, Any] = {"error": self.error}
                if asked["method"] == "session.hello":
                    scope = {"provider": "local", "user_id": "somebody"}
                    hello = {"version": "0", "capabilities": [], "limits": {}, "scope": scope}
                    said = {"result": hello}
                reply = {"jsonrpc": "2.0", "id": asked["id"], **said}
                connection.sendall(json.dumps(reply).encode() + b"\n")


@contextlib.contextmanager
def failing(path: Path) -> Iterator[FailingDaemon]:
    """Run one at a path for as long as the context lasts."""
    daemon = FailingDaemon(path)
    threading.Thread(target=daemon.serve, daemon=True).start()
    try:
        yield daemon
    finally:
        daemon.listening.shutdown(socket.SHUT_RDWR)
        daemon.listening.close()
