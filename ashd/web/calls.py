"""The connections to the daemon: a few for the pages' calls, and one for each long call."""

import contextlib
import os
from collections.abc import AsyncIterator
from typing import Any, Final

import anyio

from ashd_client.aio import AsyncClient

CLIENT_NAME: Final = "ash web"
"""The connection's name, by which the audit and memories' sources identify the page."""
_CONNECTIONS: Final = 4
_TIMEOUT_S: Final = 90.0
"""Longer than the daemon's own limit for a call, so that its answer comes first."""


class Calls:
    """Calls the daemon; several at a time, each on its own connection."""

    def __init__(
        self,
        socket: str | os.PathLike[str] | None,
        *,
        home: str | os.PathLike[str] | None = None,
        read_only: bool = False,
    ) -> None:
        self._socket = socket
        self._home = home
        self._read_only = read_only
        self._idle: list[AsyncClient] = []
        self._free = anyio.Semaphore(_CONNECTIONS)

    async def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call a method and return its result.

        Raises:
            AshCallError: the daemon refused, or did not answer.
        """
        async with self._connection() as client:
            return await client.call(method, **params)

    async def call_lasting(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call a method that may take minutes, without a time limit."""
        client = self._client(None)
        try:
            return await client.call(method, **params)
        finally:
            await client.aclose()

    async def aclose(self) -> None:
        """Close the connections that are open."""
        while self._idle:
            await self._idle.pop().aclose()

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncClient]:
        async with self._free:
            client = self._idle.pop() if self._idle else self._client(_TIMEOUT_S)
            try:
                yield client
            finally:
                self._idle.append(client)

    def _client(self, timeout_s: float | None) -> AsyncClient:
        return AsyncClient(
            self._socket,
            home=self._home,
            name=CLIENT_NAME,
            timeout_s=timeout_s,
            read_only=self._read_only,
        )
