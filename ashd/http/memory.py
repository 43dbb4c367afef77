"""The daemon as the gateway uses it: contexts, turns, and calls on behalf of an agent.

Agent X is the account (http, X) in its private chat. What an agent's client may call by itself goes
through a grant, as from a sandbox: the daemon binds the scope, counts and records it.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import anyio

from ashd.client.aio import AsyncClient
from ashd.client.protocol import AshCallError

PROVIDER: Final = "http"
LASTING: Final = ("overrides", "profile", "people")
"""Sections that change seldom; they come at the beginning of a prompt."""
ASKED: Final = (
    *("memories", "summaries", "relationships"),
    *("excerpts", "relevant_memories", "relevant_summaries"),
)
"""Sections that belong to a question."""
CONNECTIONS: Final = 8
"""Calls at a time, of all agents; and of each through its grant."""
_RIGHTS: Final = ("read", "write")
_CHUNK: Final = 65_536
_MOST_CONTEXT_CHARS: Final = 10_000


class Memory:
    """Calls the daemon, a few at a time."""

    def __init__(self, socket: Path | None, home: Path | None) -> None:
        self._socket = socket
        self._home = home
        self._idle: list[AsyncClient] = []
        self._places = anyio.CapacityLimiter(CONNECTIONS)
        self._grants: dict[str, str] = {}
        self._opening: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)
        self._grant_places: defaultdict[str, anyio.CapacityLimiter] = defaultdict(
            lambda: anyio.CapacityLimiter(CONNECTIONS)
        )

    async def aclose(self) -> None:
        """Close the connections; grants end with this process."""
        for client in self._idle:
            await client.aclose()

    async def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Call a method of the control socket.

        Raises:
            AshCallError
        """
        async with self._places:
            client = self._idle.pop() if self._idle else self._client()
            try:
                return await client.call(method, **params)
            finally:
                self._idle.append(client)

    async def context(
        self, agent: str, message: str, recent: list[dict[str, str]]
    ) -> tuple[str, str]:
        """Return what a prompt gets: what changes seldom, and what belongs to the message.

        Raises:
            AshCallError
        """
        asked = {
            "scope": scope_of(agent),
            "message": message[:_MOST_CONTEXT_CHARS],
            "recent": [
                {**one, "content": one["content"][:_MOST_CONTEXT_CHARS]} for one in recent[-20:]
            ],
        }
        blocks: dict[tuple[str, ...], str] = {}

        async def ask(sections: tuple[str, ...]) -> None:
            found = await self.call("context.get", {**asked, "sections": list(sections)})
            blocks[sections] = found["text"]

        await ask(LASTING)
        await ask(ASKED)
        return blocks[LASTING], blocks[ASKED]

    async def keep(self, agent: str, conversation: str, said: list[dict[str, str]]) -> None:
        """Store messages, each once however often it is sent.

        Raises:
            AshCallError
        """
        await self.call(
            "conversation.ingest",
            {"scope": scope_of(agent), "conversation_id": conversation, "messages": said},
        )

    async def forward(self, agent: str, frame: bytes) -> bytes:
        """Send a request as it is through the agent's grant, and return the answer's line.

        An answer is empty where the request is a notification.

        Raises:
            AshCallError, OSError
        """
        async with self._grant_places[agent]:
            try:
                return await _exchange(await self._grant(agent), frame)
            except (OSError, anyio.EndOfStream):
                # The daemon was started again, or the grant ended: another one is opened.
                self._grants.pop(agent, None)
                return await _exchange(await self._grant(agent), frame)

    async def _grant(self, agent: str) -> str:
        async with self._opening[agent]:
            if agent not in self._grants:
                params = {
                    "scope": scope_of(agent),
                    "rights": list(_RIGHTS),
                    "ends_with_caller": True,
                }
                self._grants[agent] = (await self.call("grant.create", params))["socket"]
            return self._grants[agent]

    def _client(self) -> AsyncClient:
        return AsyncClient(self._socket, home=self._home, name="http")


def scope_of(agent: str) -> dict[str, str]:
    """Return the scope of an agent's private chat."""
    return {"provider": PROVIDER, "user_id": agent}


async def _exchange(socket: str, frame: bytes) -> bytes:
    """Send one line and return the line that comes back."""
    async with await anyio.connect_unix(socket) as stream:
        await stream.send(frame.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
        await stream.send_eof()
        answer = bytearray()
        try:
            while not answer.endswith(b"\n"):
                answer += await stream.receive(_CHUNK)
        except anyio.EndOfStream:
            if answer:
                raise
        return bytes(answer)


__all__ = ["AshCallError", "Memory"]
