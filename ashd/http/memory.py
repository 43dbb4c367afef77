"""The daemon as the gateway uses it: contexts, turns, and calls on behalf of an agent.

Agent X is the account (http, X) in its private chat. An agent's client makes its own calls through
a grant, as from a sandbox: the daemon binds the scope, counts the calls and audits them.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import SocketStream

from ashd import limits
from ashd.http.callers import Acting
from ashd_client import protocol
from ashd_client.aio import AsyncClient
from ashd_client.protocol import AshCallError
from ashd_client.types import MessageIn

LASTING: Final = ("overrides", "profile")
"""Sections that seldom change; they come at the beginning of a prompt."""
ASKED: Final = (
    *("people", "memories", "summaries", "relationships", "excerpts", "relevant_summaries"),
)
"""Sections that belong to a question."""
CONNECTIONS: Final = 8
"""Concurrent calls of all agents, and of each through its grant."""
_ANSWER_SECONDS: Final = limits.SANDBOX.call_seconds + 15.0
_MOST_GRANTS: Final = 64
"""Agents whose grants are open; the grants end with this process, if the daemon can see it."""
_UNSEEN_GRANT_SECONDS: Final = 86_400
"""Time after which a grant ends by itself if the daemon is in another container."""
_RIGHTS: Final = ("read", "write")
_CHUNK: Final = 65_536


class _Grant:
    """An agent's grant, and the limit of its concurrent calls."""

    def __init__(self, identifier: str, socket: str) -> None:
        self.id = identifier
        self.socket = socket
        self.places = anyio.CapacityLimiter(CONNECTIONS)


class Memory:
    """Calls the daemon, a few at a time."""

    def __init__(self, socket: Path | None, home: Path | None) -> None:
        self._socket = socket
        self._home = home
        self._idle: list[AsyncClient] = []
        self._places = anyio.CapacityLimiter(CONNECTIONS)
        self._grants: OrderedDict[Acting, _Grant] = OrderedDict()
        self._opening = anyio.Lock()

    async def aclose(self) -> None:
        """Close the connections; grants end with this process, or by themselves."""
        for client in self._idle:
            await client.aclose()

    async def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Call a method of the control socket.

        Raises:
            AshCallError
        """
        async with self._connection() as client:
            return await client.call(method, **params)

    async def context(
        self, acting: Acting, message: str, recent: Iterable[Mapping[str, Any]]
    ) -> tuple[str, str]:
        """Return the parts of a prompt: one that seldom changes, and one for the message.

        Raises:
            AshCallError
        """
        async with self._connection() as client:
            lasting, asked = [
                await client.context.get(
                    message, recent=list(recent), sections=list(part), scope=acting.scope
                )
                for part in (LASTING, ASKED)
            ]
        return lasting["text"], asked["text"]

    async def keep(self, acting: Acting, conversation: str, said: list[MessageIn]) -> list[str]:
        """Store messages; one that is sent again is stored once. Return the roles of refused ones.

        Raises:
            AshCallError
        """
        async with self._connection() as client:
            result = await client.conversation.ingest(
                conversation, messages=said, scope=acting.scope
            )
        return [said[one["index"]]["role"] for one in result["refused"]]

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncClient]:
        async with self._places:
            client = self._idle.pop() if self._idle else self._client()
            try:
                yield client
            finally:
                self._idle.append(client)

    async def forward(self, acting: Acting, frame: bytes, *, expects_answer: bool = True) -> bytes:
        """Pass a request on unchanged through the agent's grant, and return the answer's line.

        Raises:
            AshCallError: it is too long, or the daemon does not answer, not in time either.
        """
        if len(frame) > limits.SANDBOX.request_bytes:
            message = f"A request has at most {limits.SANDBOX.request_bytes} bytes."
            raise AshCallError(message, kind="too_large", code=300, hint="Send less.")
        try:
            with anyio.fail_after(_ANSWER_SECONDS):
                grant = await self._grant(acting)
                async with grant.places:
                    stream = await self._connected(acting, grant)
                    return await _exchange(stream, frame, expects_answer=expects_answer)
        except TimeoutError:
            raise protocol.lost("it took too long") from None

    async def _connected(self, acting: Acting, grant: "_Grant") -> SocketStream:
        """Connect to a grant's socket; make a new grant if it is gone."""
        try:
            return await anyio.connect_unix(grant.socket)
        except OSError:
            # The daemon was restarted, or the grant has ended.
            if self._grants.get(acting) is grant:
                del self._grants[acting]
        grant = await self._grant(acting)
        try:
            return await anyio.connect_unix(grant.socket)
        except OSError as error:
            raise protocol.lost(type(error).__name__) from error

    async def _grant(self, acting: Acting) -> "_Grant":
        """Return the account's grant; a new one replaces the least recently used."""
        async with self._opening:
            if acting not in self._grants:
                made = await self._new_grant({"scope": acting.scope, "rights": list(_RIGHTS)})
                self._grants[acting] = _Grant(made["grant_id"], made["socket"])
                if len(self._grants) > _MOST_GRANTS:
                    _, oldest = self._grants.popitem(last=False)
                    await self.call("grant.revoke", {"grant_id": oldest.id})
            self._grants.move_to_end(acting)
            return self._grants[acting]

    async def _new_grant(self, params: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self.call("grant.create", {**params, "ends_with_caller": True})
        except AshCallError as error:
            if error.kind != "invalid_params":
                raise
        # In another container's namespace of processes the daemon does not see this one.
        return await self.call("grant.create", {**params, "expires_in_s": _UNSEEN_GRANT_SECONDS})

    def _client(self) -> AsyncClient:
        return AsyncClient(self._socket, home=self._home, name="http")


async def _exchange(stream: SocketStream, frame: bytes, *, expects_answer: bool) -> bytes:
    """Send one line and return the line that comes back.

    Raises:
        AshCallError: none does, though one was expected.
    """
    answer = bytearray()
    try:
        async with stream:
            await stream.send(frame.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
            await stream.send_eof()
            while not answer.endswith(b"\n"):
                answer += await stream.receive(_CHUNK)
    except (OSError, anyio.EndOfStream, anyio.BrokenResourceError) as error:
        if expects_answer or answer:
            raise protocol.lost(type(error).__name__) from error
    return bytes(answer)
