"""A hostile agent behind a grant of the real daemon; prints what came of each attempt as JSON.

Runs on a bare python3. The argument is a JSON object: `hidden` (paths of the host), `pids` (the
daemon's and its parent's), `memory` and `person` (ids of somebody else's), `scope` (of somebody
else), `token` (of another grant), `word` (that only the other's memories hold).
"""

import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

SOCKET = Path("/run/ash/rpc.sock")
PTRACE_ATTACH = 16
CONTROL_ONLY = (
    *("audit.list", "grant.create", "grant.list", "grant.revoke", "db.stats", "memory.restore"),
    *("conversation.list", "conversation.ingest", "person.merge", "override.add", "profile.set"),
)


class Connection:
    """One connection to the grant's socket."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(SOCKET))
        self._file = self.socket.makefile("rb")

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def raw(self, frame: bytes) -> Any:
        with suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(frame + b"\n")
        line = self._file.readline()
        return json.loads(line) if line else None

    def call(self, method: str, **params: Any) -> Any:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.raw(json.dumps(request).encode())

    def kind(self, method: str, **params: Any) -> str:
        """The kind of the error, or `ok`."""
        return kind(self.call(method, **params))


def kind(reply: Any) -> str:
    if reply is None:
        return "hung up"
    return reply["error"]["data"]["kind"] if "error" in reply else "ok"


def attempt(action: Callable[[], Any]) -> str:
    """Do it: `done`, or the name of the error that stopped it."""
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"


def trace(pid: int) -> None:
    """Attach to a process, as a debugger does."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(PTRACE_ATTACH, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)


def replace_socket() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("/tmp/fake.sock")
    Path("/tmp/fake.sock").replace(SOCKET)


def forged(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Params that name somebody else."""
    yield {"scope": told["scope"]}
    yield {"all_scopes": True}
    yield from ({name: value} for name, value in told["scope"].items())
    yield {"participants": [told["scope"]["user_id"]]}


def others(connection: Connection, told: dict[str, Any]) -> dict[str, Any]:
    """Return the replies to every read and change with ids of another user."""
    memory, person = told["memory"], told["person"]
    shown = [
        connection.call("memory.search", query=told["word"], limit=100, min_score=0),
        connection.call(
            "memory.search", query=told["word"], mode="lexical", include_superseded=True
        ),
        connection.call("memory.list", limit=100),
        connection.call("search.all", query=told["word"]),
        connection.call("context.get", message=told["word"]),
        connection.call("person.list", limit=100),
        connection.call("graph.search"),
    ]
    return {
        "get": connection.kind("memory.get", id=memory),
        "prefix": connection.kind("memory.get", id=memory[:8]),
        "nothing": connection.kind("memory.get", id="00000000"),
        "same": connection.call("memory.get", id=memory)["error"]
        == connection.call("memory.get", id="00000000-0000-4000-8000-000000000000")["error"],
        "history": connection.kind("memory.history", id=memory),
        "update": connection.kind("memory.update", id=memory, changes={"content": "mine now"}),
        "delete": connection.kind("memory.delete", id=memory),
        "supersede": connection.kind("memory.add", content="mine now", supersedes=memory),
        "person": connection.kind("person.get", id=person),
        "token": connection.kind("session.hello", token=told["token"]),
        "seen": told["word"].lower() in json.dumps(shown).lower(),
    }


def exhaust() -> dict[str, Any]:
    """Connections, bytes, calls, writes and rows of the audit, as many as there may be."""
    crowd = []
    for _ in range(200):
        with suppress(OSError):
            crowd.append(Connection())
    served = 0
    for one in crowd:
        with suppress(OSError):
            served += one.kind("session.hello") == "ok"
    for one in crowd:
        one.close()
    large = kind(fresh().raw(b"x" * (5 * 1024 * 1024)))
    deep = kind(fresh().raw(b'{"a":' * 300_000))
    values = kind(fresh().raw(b'{"jsonrpc":"2.0","id":1,"params":[' + b"[]," * 1_000_000))
    connection = fresh()
    denied = {connection.kind("audit.list") for _ in range(300)}
    facts = [{"content": f"Flood number {number} of the agent"} for number in range(20)]
    writes = [connection.kind("memory.add", facts=facts) for _ in range(60)]
    return {
        "served": served,
        "large": large,
        "deep": deep,
        "values": values,
        "denied": sorted(denied),
        "writes": sorted(set(writes)),
        "written": writes.count("ok"),
    }


def fresh() -> Connection:
    """A connection that is served: places come free when the daemon has seen who left."""
    while True:
        connection = Connection()
        if connection.kind("session.hello") == "ok":
            return connection


def main() -> None:
    told = json.loads(sys.argv[1])
    connection = Connection()
    report = {
        "own": connection.kind("memory.add", content="I work in here"),
        "files": {path: attempt(Path(path).read_bytes) for path in told["hidden"]},
        "sockets": {path: attempt(partial(connect, path)) for path in told["hidden"]},
        "unlink": attempt(SOCKET.unlink),
        "replace": attempt(replace_socket),
        "beside": attempt(Path("/run/ash/other").mkdir),
        "above": sorted(path.name for path in Path("/run/ash/..").iterdir()),
        "signal": [attempt(partial(os.kill, pid, signal.SIGTERM)) for pid in told["pids"]],
        "trace": [attempt(partial(trace, pid)) for pid in told["pids"]],
        "forged": [connection.kind("memory.list", **params) for params in forged(told)],
        "forged_write": [
            connection.kind("memory.add", content="x", **params) for params in forged(told)
        ],
        "control": {method: connection.kind(method) for method in CONTROL_ONLY},
        "others": others(connection, told),
        "exhaust": exhaust(),
    }
    report["after"] = fresh().kind("memory.list")
    sys.stdout.write(json.dumps(report))


main()
