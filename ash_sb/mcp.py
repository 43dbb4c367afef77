"""`ash-sb mcp`: an MCP server on standard input and output, whose work the daemon does.

Each line of standard input goes to the daemon's socket as it is, its answer to standard output.
The daemon remembers nothing between two requests, so a connection that broke is made anew. While
no daemon answers, the lists of tools, resources and prompts are answered here, so that a host that
starts before the daemon has them; a tool call gets a result that says so, for the model to read.
"""

from __future__ import annotations

from posix import read, write
from select import select
from time import sleep

from ash_sb import client, wire
from ash_sb.errors import Failure
from ash_sb.mcp_project import HostProject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WAITS_S = (0.1, 0.2)
"""Seconds to wait before each new attempt to reach a daemon that is restarting."""
ROOTS_S = 2.0
"""Seconds to wait for the host's roots before a call that came meanwhile."""
OF_A_PROJECT = ("tools/call", "resources/read", "prompts/get")
"""Methods whose answer depends on the project that the host works on."""
_VERSION = "io.modelcontextprotocol/protocolVersion"
_MODERN_FIELDS = ("_meta", "resultType", "ttlMs", "cacheScope")
_CHUNK = 65536


def serve() -> int:
    """Answer requests until standard input ends, and return the exit status."""
    daemon, project, lines = client.Connection(), HostProject(), _Lines()
    try:
        while (line := lines.next()) is not None:
            request = _read(line)
            if (question := project.hear(request)) is not None:
                _write(question)
            if "id" not in request or ("method" not in request and request["id"] is not None):
                continue  # a notification, or an answer to what was asked here or never
            frame = line + b"\n"
            if request.get("method") in OF_A_PROJECT:
                _await_roots(project, lines)
                frame = project.named_in(request, daemon) or frame
            _write(_answer(daemon, frame, request) + b"\n")
    finally:
        daemon.close()
    return 0


def _read(line: bytes) -> dict[str, Any]:
    try:
        return wire.reply(line)
    except ValueError:
        # The daemon says what is wrong with it.
        return {"id": None}


def _await_roots(project: HostProject, lines: _Lines) -> None:
    """Read on until the host has told its roots; what comes before is answered later."""
    early = []
    while project.waits and (line := lines.next(ROOTS_S)) is not None:
        if "method" in (message := _read(line)):
            early.append(line)
        else:
            project.hear(message)
    project.waits = False
    lines.put_back(early)


def _answer(daemon: client.Connection, frame: bytes, request: dict[str, Any]) -> bytes:
    """Return the daemon's answer to a request, or a substitute for it."""
    attempt = 0
    while True:
        try:
            return daemon.ask(frame)
        except Failure as failure:
            if attempt == len(WAITS_S) or not failure.retries:
                return _instead(request, failure)
        sleep(WAITS_S[attempt])
        attempt += 1


def _instead(request: dict[str, Any], failure: Failure) -> bytes:
    """Return an answer without a daemon: one that keeps the host going and tells the model why."""
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request.get("id")}
    text = f"{failure.message}. {failure.hint}." if failure.hint else f"{failure.message}."
    if request.get("method") == "tools/call":
        reply["result"] = {"content": [{"type": "text", "text": text}], "isError": True}
    elif (result := _known(request)) is not None:
        reply["result"] = result
    else:
        reply["error"] = {"code": -32603, "message": text}
    return wire.encode(reply).encode(errors="replace")


def _known(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result that the daemon would give whatever it holds; None if there is none."""
    from ash_sb.mcp_answers import ANSWERS

    answers = wire.decode(ANSWERS)
    result: dict[str, Any] | None = answers.get(request.get("method"))
    params = request.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    if result is None:
        return None
    if "protocolVersion" in result:
        # As the daemon agrees: on the client's revision, or the newest that begins this way.
        revisions = answers["server/discover"]["supportedVersions"]
        asked = params.get("protocolVersion")
        if asked in revisions[revisions.index(result["protocolVersion"]) :]:
            result["protocolVersion"] = asked
    elif "supportedVersions" not in result and not (isinstance(meta, dict) and _VERSION in meta):
        result = {name: value for name, value in result.items() if name not in _MODERN_FIELDS}
    return result


class _Lines:
    """The lines of standard input, blank ones left out."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._read: list[bytes] = []

    def next(self, seconds: float | None = None) -> bytes | None:
        """Return the next line; None at the end, or if none comes for so many seconds.

        The last one may lack its end.
        """
        while not self._read:
            if seconds is not None and not select([0], [], [], seconds)[0]:
                return None
            chunk = read(0, _CHUNK)
            if not chunk:
                last, self._buffer = bytes(self._buffer), bytearray()
                return last if last.strip() else None
            self._buffer += chunk
            if b"\n" in chunk:
                *whole, rest = bytes(self._buffer).split(b"\n")
                self._buffer = bytearray(rest)
                self._read = [line for line in whole if line.strip()]
        return self._read.pop(0)

    def put_back(self, lines: list[bytes]) -> None:
        """Let lines that were read come first."""
        self._read = lines + self._read


def _write(line: bytes) -> None:
    """Write all of a line to standard output."""
    while line:
        line = line[write(1, line) :]
