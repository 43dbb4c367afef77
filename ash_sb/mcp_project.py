"""The project that an MCP host works on: its first root, else the folder that it started this in.

What the person or the grant bound comes first: then nothing is named here.
"""

from __future__ import annotations

import os
from posix import environ

from ash_sb import client, project_of_call, projects, wire
from ash_sb.errors import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ASKED = "ash-roots"
_QUESTION = {"jsonrpc": "2.0", "id": _ASKED, "method": "roots/list"}
_CHANGED = ("notifications/initialized", "notifications/roots/list_changed")
_HELLO = {"jsonrpc": "2.0", "id": 0, "method": "session.hello", "params": {}}


class HostProject:
    """The project of the host's calls; `waits` while the host has not answered for its roots."""

    def __init__(self) -> None:
        self._has_roots = False
        self._folder: str | None = None
        self._is_bound: bool | None = None
        self.waits = False

    def hear(self, message: dict[str, Any]) -> bytes | None:
        """Learn from a message of the host; return the question to ask it, if it is time."""
        method = message.get("method")
        if method == "initialize":
            params = message.get("params")
            able = params.get("capabilities") if isinstance(params, dict) else None
            self._has_roots = isinstance(able, dict) and "roots" in able
        elif method in _CHANGED and self._has_roots:
            self.waits = True
            return wire.encode(_QUESTION).encode() + b"\n"
        elif method is None and message.get("id") == _ASKED:
            self.waits = False
            self._folder = _first_folder(message.get("result"))
        return None

    def named_in(self, request: dict[str, Any], daemon: client.Connection) -> bytes | None:
        """Return a call with its project; None if it stays as it is."""
        params = request.get("params")
        if not isinstance(params, dict) or self._bound(daemon):
            return None
        home = os.environ.get("ASH_HOME") if b"ASH_ON_HOST" in environ else None
        try:
            project = projects.of_folder(self._folder or os.getcwd(), home)
        except (OSError, ValueError):  # the folder is gone, or its path has a NUL
            project = None
        if project is None:
            return None
        named = {**request, "params": {**params, "scope": {"project": project}}}
        return wire.encode(named).encode(errors="replace") + b"\n"

    def _bound(self, daemon: client.Connection) -> bool:
        """Return whether the connection has a project, or is to have none."""
        if self._is_bound is None:
            try:
                reply = wire.reply(daemon.ask(wire.encode(_HELLO).encode() + b"\n"))
                self._is_bound = project_of_call.is_bound(reply["result"])
            except (Failure, ValueError, KeyError, TypeError):
                return False
        return self._is_bound


def _first_folder(roots: Any) -> str | None:
    """Return the folder of the first root that is a file's URI."""
    listed = roots.get("roots") if isinstance(roots, dict) else None
    for root in listed if isinstance(listed, list) else ():
        uri = root.get("uri") if isinstance(root, dict) else None
        if isinstance(uri, str):
            scheme, _, rest = uri.partition("://")
            machine, slash, path = rest.partition("/")
            if slash and scheme == "file" and machine in ("", "localhost"):
                return _decoded(f"/{path}")
    return None


def _decoded(path: str) -> str:
    """Return a path without its percent signs."""
    first, *others = path.encode(errors="surrogateescape").split(b"%")
    found = bytearray(first)
    for part in others:
        try:
            found += bytes.fromhex(part[:2].decode()) + part[2:]
        except ValueError:
            found += b"%" + part
    return os.fsdecode(bytes(found))
