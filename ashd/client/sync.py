"""The synchronous client: one connection, one call at a time, the standard library only.

A connection is opened by the first call and opened anew after it was lost. A call that failed on
the way leaves no connection behind, so a late reply can never be taken for that of another call.
A `Client` may be shared between threads; their calls wait for each other. `_socket` is the C half
of `socket`, whose other half would be a twentieth of what a command of `ash` costs.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from _socket import AF_UNIX, SOCK_STREAM
from _socket import socket as Socket  # noqa: N812  `socket` is a parameter below
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, Unpack, cast

from ashd.client import protocol
from ashd.client.protocol import AshCallError

if TYPE_CHECKING:  # importing the shapes of results takes as long as a whole call
    from ashd.client import messages, types

__all__ = ["AshCallError", "Client"]

CONNECT_TIMEOUT_S: Final = 5.0
CALL_TIMEOUT_S: Final = 60.0
_LOOK_AGAIN_S: Final = 0.1
_READ_BYTES: Final = 65_536


class Client:
    """A client of the daemon.

    `socket` names the control socket, or a sandbox socket; without it the places of
    `protocol.candidates` are tried in turn. `scope` is sent with every call that has none. `name`
    tells the daemon which program asks. `timeout_s` bounds one call; None waits for ever. `wait_s`
    is how long to wait for a daemon that is starting.
    """

    def __init__(
        self,
        socket: str | os.PathLike[str] | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        scope: types.Scope | None = None,
        name: str | None = None,
        timeout_s: float | None = CALL_TIMEOUT_S,
        wait_s: float = 0,
    ) -> None:
        self._socket = None if socket is None else os.fspath(socket)
        self._home = None if home is None else os.fspath(home)
        self.scope = scope
        self._name = name
        self._timeout_s = timeout_s
        self._wait_s = wait_s
        self._lock = threading.Lock()
        self._connection: Socket | None = None
        self._last_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; a later call opens a new one."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call `method` and return its result. Raises `AshCallError`."""
        if self.scope is not None:
            params.setdefault("scope", self.scope)
        with self._lock:
            if self._connection is None or _is_over(self._connection):
                self.close()
                self._connect()
            return self._exchange(method, params)

    def add(self, content: str, **options: Unpack[types.AddOptions]) -> types.Added:
        """Store one fact."""
        return cast("types.Added", self.call("memory.add", content=content, **options))

    def add_many(self, facts: list[types.Fact], **options: Unpack[types.AddOptions]) -> types.Added:
        """Store several facts; one that is refused does not lose the others."""
        return cast("types.Added", self.call("memory.add", facts=facts, **options))

    def search(self, query: str, **options: Unpack[types.SearchOptions]) -> types.Found:
        """Find memories, best first; empty when nothing is relevant."""
        return cast("types.Found", self.call("memory.search", query=query, **options))

    def list_memories(self, **options: Unpack[types.ListOptions]) -> types.Listed:
        """List memories page by page: the last page's `next_cursor` is None."""
        return cast("types.Listed", self.call("memory.list", **options))

    def get(self, memory_id: str, **options: Unpack[types.Call]) -> types.Memory:
        """Read one memory by its id or a unique prefix of it."""
        return cast("types.Memory", self.call("memory.get", id=memory_id, **options)["memory"])

    def update(
        self, memory_id: str, changes: dict[str, Any], **options: Unpack[types.Call]
    ) -> types.Memory:
        """Change a memory; another content makes a new memory that supersedes it."""
        result = self.call("memory.update", id=memory_id, changes=changes, **options)
        return cast("types.Memory", result["memory"])

    def supersede(
        self, memory_id: str, superseded_id: str, **options: Unpack[types.Call]
    ) -> types.Memory:
        """Settle that a memory replaces another, as `may_replace` or `conflicts` asks."""
        result = self.call("memory.supersede", id=memory_id, superseded_id=superseded_id, **options)
        return cast("types.Memory", result["memory"])

    def delete(self, memory_id: str, **options: Unpack[types.Call]) -> types.Memory:
        """Archive a memory; the operator can restore it."""
        return cast("types.Memory", self.call("memory.delete", id=memory_id, **options)["memory"])

    def resolve_person(self, reference: str, **options: Unpack[types.Call]) -> types.Resolved:
        """Find or create the person whom the speaker means."""
        result = self.call("person.resolve", reference=reference, **options)
        return cast("types.Resolved", result)

    def context(
        self, message: messages.Text, **options: Unpack[types.ContextOptions]
    ) -> types.Context:
        """Return what a model should know before it answers `message`, as a block for its prompt.

        `recent` may be the whole history: the newest messages that have text are sent.
        """
        from ashd.client import fitting  # noqa: PLC0415  few calls need it

        asked: dict[str, Any] = {**options, "message": fitting.text(message)}
        if "recent" in options:
            asked["recent"] = fitting.recent(options["recent"])
        return cast("types.Context", self.call("context.get", **asked))

    def tools(self, **options: Unpack[types.Call]) -> list[types.Tool]:
        """Return the tools for a model, in the form that an OpenAI-compatible endpoint takes."""
        return cast("list[types.Tool]", self.call("tools.list", **options)["tools"])

    def call_tool(
        self,
        name: str,
        arguments: str | dict[str, Any] | None,
        **options: Unpack[types.ToolOptions],
    ) -> types.ToolResult:
        """Run a tool that a model called, with the arguments as it wrote them.

        Mistakes that the model can correct, such as a secret in the arguments, are in `content`
        with `is_error`; other errors raise `AshCallError`.
        """
        from ashd.client import fitting  # noqa: PLC0415  few calls need it

        given = fitting.arguments(arguments or {})
        result = self.call("tools.call", name=name, arguments=given, **options)
        return cast("types.ToolResult", result)

    def ingest(
        self, conversation_id: str, **options: Unpack[types.IngestOptions]
    ) -> types.Ingested:
        """Store the turns or messages of a conversation; repeating it is harmless.

        Messages may be as a model's API has them. Those without text are skipped, and a text of
        more than 10,000 characters is cut, with a mark that says so.
        """
        from ashd.client import fitting  # noqa: PLC0415  few calls need it

        given: dict[str, Any] = {**options, "conversation_id": conversation_id}
        if "turns" in options:
            given["turns"] = fitting.turns(options["turns"])
        if "messages" in options:
            given["messages"] = fitting.stored(options["messages"])
        result = self.call("conversation.ingest", **given)
        return cast("types.Ingested", result)

    def search_conversations(
        self, query: str, **options: Unpack[types.ConversationOptions]
    ) -> types.FoundMessages:
        """Find messages of past conversations, best first."""
        result = self.call("conversation.search", query=query, **options)
        return cast("types.FoundMessages", result)

    def job(self, job_id: str, **options: Unpack[types.Call]) -> types.Job:
        """Return a background job: whether it is done, and with what outcome."""
        result = self.call("jobs.get", id=job_id, **options)
        return cast("types.Job", result["job"])

    def create_grant(self, **options: Unpack[types.GrantOptions]) -> types.Grant:
        """Open a sandbox socket that is bound to the scope."""
        return cast("types.Grant", self.call("grant.create", **options))

    def revoke_grant(self, grant_id: str) -> dict[str, Any]:
        """Close a grant's socket and its connections at once."""
        return self.call("grant.revoke", grant_id=grant_id)

    def _connect(self) -> None:
        deadline = time.monotonic() + self._wait_s
        while True:
            try:
                return self._try_to_connect()
            except AshCallError as error:
                if error.kind != protocol.UNAVAILABLE or time.monotonic() >= deadline:
                    raise
            time.sleep(_LOOK_AGAIN_S)

    def _try_to_connect(self) -> None:
        tried: dict[str, OSError] = {}
        for path in protocol.candidates(os.environ, socket=self._socket, home=self._home):
            connection = Socket(AF_UNIX, SOCK_STREAM)
            connection.settimeout(CONNECT_TIMEOUT_S)
            try:
                connection.connect(path)
            except OSError as error:
                connection.close()
                tried[path] = error
                continue
            connection.settimeout(self._timeout_s)
            self._connection = connection
            self._greet()
            return
        raise protocol.no_daemon(tried)

    def _greet(self) -> None:
        """Identify this client. A connection is used only after that."""
        if self._name is None:
            return
        try:
            self._exchange("session.hello", {"client": self._name})
        except AshCallError:
            self.close()
            raise

    def _exchange(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        connection = self._connection
        assert connection is not None
        self._last_id += 1
        request = protocol.write_request(self._last_id, method, params)
        reply = None
        try:
            # A daemon that refuses half a request has already answered: read the answer.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(request)
            reply = protocol.read_reply(_read_line(connection), self._last_id)
        except TimeoutError as error:
            raise protocol.timed_out(method, self._timeout_s or 0) from error
        except OSError as error:
            raise protocol.lost(error.strerror or "the socket failed") from error
        finally:
            if reply is None:
                self.close()
        return protocol.result_of(reply)


def _read_line(connection: Socket) -> bytes:
    """Read one reply: all that comes, for nothing follows it. Without its end if there is none."""
    parts = []
    while part := connection.recv(_READ_BYTES):
        parts.append(part)
        if part.endswith(b"\n"):
            break
    return b"".join(parts)


def _is_over(connection: Socket) -> bool:
    """Return whether an idle connection can carry no call: closed, as after the daemon's restart.

    Nothing is sent between calls, so anything to read there is an end.
    """
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))
