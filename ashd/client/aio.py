"""The asynchronous client on anyio: one connection, one call at a time.

The first call opens a connection, and a later one opens it anew after it was lost. A failed or
cancelled call closes its connection, so a late reply can never be taken for that of another call.
Tasks may share an `AsyncClient`; their calls wait for each other.
"""

import contextlib
import os
import select
from types import TracebackType
from typing import Any, Final, Self, Unpack, cast

import anyio
from anyio.abc import SocketAttribute, SocketStream

from ashd.client import fitting, messages, protocol, types
from ashd.client.protocol import AshCallError

__all__ = ["AshCallError", "AsyncClient"]

CONNECT_TIMEOUT_S: Final = 5.0
CALL_TIMEOUT_S: Final = 60.0


class AsyncClient:
    """A client of the daemon, for a program on asyncio or trio.

    `socket` names the control socket, or a sandbox socket; without it the places of
    `protocol.candidates` are tried in turn. `scope` is sent with every call that has none. `name`
    tells the daemon which program asks. `timeout_s` bounds one call; None waits for ever. With
    `read_only` the daemon denies every change on this client's connections.
    """

    def __init__(
        self,
        socket: str | os.PathLike[str] | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        scope: types.Scope | None = None,
        name: str | None = None,
        timeout_s: float | None = CALL_TIMEOUT_S,
        read_only: bool = False,
    ) -> None:
        self._socket = None if socket is None else os.fspath(socket)
        self._home = None if home is None else os.fspath(home)
        self.scope = scope
        self._name = name
        self._timeout_s = timeout_s
        self._read_only = read_only
        self._lock = anyio.Lock()
        self._stream: SocketStream | None = None
        self._unread = b""
        self._last_id = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connection; a later call opens a new one."""
        stream, self._stream, self._unread = self._stream, None, b""
        if stream is not None:
            await anyio.aclose_forcefully(stream)

    async def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call `method` and return its result. Raises `AshCallError`."""
        if self.scope is not None:
            params.setdefault("scope", self.scope)
        async with self._lock:
            if self._stream is None or self._unread or _is_over(self._stream):
                await self.aclose()
                await self._connect()
            return await self._exchange(method, params)

    async def add(self, content: str, **options: Unpack[types.AddOptions]) -> types.Added:
        """Store one fact."""
        return cast("types.Added", await self.call("memory.add", content=content, **options))

    async def add_many(
        self, facts: list[types.Fact], **options: Unpack[types.AddOptions]
    ) -> types.Added:
        """Store several facts; one that is refused does not lose the others."""
        return cast("types.Added", await self.call("memory.add", facts=facts, **options))

    async def search(self, query: str, **options: Unpack[types.SearchOptions]) -> types.Found:
        """Find memories, best first; empty when nothing is relevant."""
        return cast("types.Found", await self.call("memory.search", query=query, **options))

    async def list_memories(self, **options: Unpack[types.ListOptions]) -> types.Listed:
        """List memories page by page: the last page's `next_cursor` is None."""
        return cast("types.Listed", await self.call("memory.list", **options))

    async def get(self, memory_id: str, **options: Unpack[types.Call]) -> types.Memory:
        """Read one memory by its id or a unique prefix of it."""
        return cast(
            "types.Memory", (await self.call("memory.get", id=memory_id, **options))["memory"]
        )

    async def update(
        self, memory_id: str, changes: dict[str, Any], **options: Unpack[types.Call]
    ) -> types.Memory:
        """Change a memory; another content makes a new memory that supersedes it."""
        result = await self.call("memory.update", id=memory_id, changes=changes, **options)
        return cast("types.Memory", result["memory"])

    async def supersede(
        self, memory_id: str, superseded_id: str, **options: Unpack[types.Call]
    ) -> types.Memory:
        """Settle that a memory replaces another, as `may_replace` or `conflicts` asks."""
        result = await self.call(
            "memory.supersede", id=memory_id, superseded_id=superseded_id, **options
        )
        return cast("types.Memory", result["memory"])

    async def delete(self, memory_id: str, **options: Unpack[types.Call]) -> types.Memory:
        """Archive a memory; the operator can restore it."""
        return cast(
            "types.Memory", (await self.call("memory.delete", id=memory_id, **options))["memory"]
        )

    async def resolve_person(self, reference: str, **options: Unpack[types.Call]) -> types.Resolved:
        """Find or create the person whom the speaker means."""
        result = await self.call("person.resolve", reference=reference, **options)
        return cast("types.Resolved", result)

    async def context(
        self, message: messages.Text, **options: Unpack[types.ContextOptions]
    ) -> types.Context:
        """Return what a model should know before it answers `message`, as a block for its prompt.

        `recent` may be the whole history: the newest messages that have text are sent.
        """
        asked: dict[str, Any] = {**options, "message": fitting.text(message)}
        if "recent" in options:
            asked["recent"] = fitting.recent(options["recent"])
        return cast("types.Context", await self.call("context.get", **asked))

    async def tools(self, **options: Unpack[types.Call]) -> list[types.Tool]:
        """Return the tools for a model, in the form that an OpenAI-compatible endpoint takes."""
        return cast("list[types.Tool]", (await self.call("tools.list", **options))["tools"])

    async def call_tool(
        self,
        name: str,
        arguments: str | dict[str, Any] | None,
        **options: Unpack[types.ToolOptions],
    ) -> types.ToolResult:
        """Run a tool that a model called, with the arguments as it wrote them.

        Mistakes that the model can correct, such as a secret in the arguments, are in `content`
        with `is_error`; other errors raise `AshCallError`.
        """
        given = fitting.arguments(arguments or {})
        result = await self.call("tools.call", name=name, arguments=given, **options)
        return cast("types.ToolResult", result)

    async def ingest(
        self, conversation_id: str, **options: Unpack[types.IngestOptions]
    ) -> types.Ingested:
        """Store the turns or messages of a conversation; repeating it is harmless.

        Messages may be as a model's API has them. Those without text are skipped, and a text of
        more than 10,000 characters is cut, with a mark that says so.
        """
        given: dict[str, Any] = {**options, "conversation_id": conversation_id}
        if "turns" in options:
            given["turns"] = fitting.turns(options["turns"])
        if "messages" in options:
            given["messages"] = fitting.stored(options["messages"])
        result = await self.call("conversation.ingest", **given)
        return cast("types.Ingested", result)

    async def search_conversations(
        self, query: str, **options: Unpack[types.ConversationOptions]
    ) -> types.FoundMessages:
        """Find messages of past conversations, best first."""
        result = await self.call("conversation.search", query=query, **options)
        return cast("types.FoundMessages", result)

    async def job(self, job_id: str, **options: Unpack[types.Call]) -> types.Job:
        """Return a background job: whether it is done, and with what outcome."""
        result = await self.call("jobs.get", id=job_id, **options)
        return cast("types.Job", result["job"])

    async def create_grant(self, **options: Unpack[types.GrantOptions]) -> types.Grant:
        """Open a sandbox socket that is bound to the scope."""
        return cast("types.Grant", await self.call("grant.create", **options))

    async def revoke_grant(self, grant_id: str) -> dict[str, Any]:
        """Close a grant's socket and its connections at once."""
        return await self.call("grant.revoke", grant_id=grant_id)

    async def _connect(self) -> None:
        tried: dict[str, OSError] = {}
        for path in protocol.candidates(os.environ, socket=self._socket, home=self._home):
            try:
                with anyio.fail_after(CONNECT_TIMEOUT_S):
                    self._stream = await anyio.connect_unix(path)
            except OSError as error:
                tried[path] = error
                continue
            await self._greet()
            return
        raise protocol.no_daemon(tried)

    async def _greet(self) -> None:
        """Identify this client. A connection is used only after that."""
        greeting: dict[str, Any] = {}
        if self._name is not None:
            greeting["client"] = self._name
        if self._read_only:
            greeting["read_only"] = True
        if not greeting:
            return
        try:
            await self._exchange("session.hello", greeting)
        except AshCallError:
            await self.aclose()
            raise

    async def _exchange(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        stream = self._stream
        assert stream is not None
        self._last_id += 1
        request = protocol.write_request(self._last_id, method, params)
        reply = None
        try:
            with anyio.fail_after(self._timeout_s):
                # A daemon that refuses half a request has already answered: read the answer.
                with contextlib.suppress(anyio.BrokenResourceError):
                    await stream.send(request)
                reply = protocol.read_reply(await self._read_line(stream), self._last_id)
        except TimeoutError as error:
            raise protocol.timed_out(method, self._timeout_s or 0) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise protocol.lost("the socket failed") from error
        finally:
            if reply is None:
                await self.aclose()
        return protocol.result_of(reply)

    async def _read_line(self, stream: SocketStream) -> bytes:
        """Read one line, or the rest before the end of the stream."""
        parts: list[bytes] = []
        while True:
            try:
                part = await stream.receive()
            except anyio.EndOfStream:
                return b"".join(parts)
            line, end, rest = part.partition(b"\n")
            parts.append(line + end)
            if end:
                self._unread = rest
                return b"".join(parts)


def _is_over(stream: SocketStream) -> bool:
    """Return whether an idle connection was closed, as after the daemon's restart.

    Nothing is sent between calls, so anything to read there is an end.
    """
    poll = select.poll()
    poll.register(stream.extra_attributes[SocketAttribute.raw_socket](), select.POLLIN)
    return bool(poll.poll(0))
