"""A server of JSON lines on a Unix socket, which says what a test tells it to."""

import itertools
import json
import socketserver
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

Answer = Callable[[dict[str, Any]], dict[str, Any] | bytes]
"""From a request to the members of its reply, or to the very bytes; b"" closes the connection."""


class LineServer:
    """Answers each line in its turn; `requests` has what came."""

    def __init__(self, path: Path, answer: Answer, calls_a_connection: int | None = None) -> None:
        self.path = path
        self.requests: list[dict[str, Any]] = []
        self.connections = 0
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                server.connections += 1
                for line in itertools.islice(self.rfile, calls_a_connection):
                    request = json.loads(line)
                    server.requests.append(request)
                    reply = answer(request)
                    if isinstance(reply, dict):
                        members = {"jsonrpc": "2.0", "id": request["id"], **reply}
                        reply = json.dumps(members).encode() + b"\n"
                    if not reply:
                        return
                    self.wfile.write(reply)
                    if not reply.endswith(b"\n"):
                        return

        self._server = socketserver.ThreadingUnixStreamServer(str(path), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self.path.unlink()


def echo(request: dict[str, Any]) -> dict[str, Any]:
    """A result that says what was asked."""
    return {"result": {"method": request["method"], "params": request["params"]}}


def refusal(**data: Any) -> dict[str, Any]:
    """An error as the daemon sends it."""
    return {"error": {"code": 200, "message": "There is no such memory.", "data": data}}
