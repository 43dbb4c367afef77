"""The asynchronous client, for a program on asyncio: one connection, one call at a time.

Tasks may share an `AsyncClient`; their calls wait for each other.
"""

import asyncio
from functools import partial
from types import TracebackType
from typing import Any, Self

from ashd_client.exchange import Exchange, Step
from ashd_client.methods import AsyncMethods
from ashd_client.protocol import AshCallError

__all__ = ["AshCallError", "AsyncClient"]


class AsyncClient(Exchange, AsyncMethods):
    """A client of the daemon; `Exchange` describes its options."""

    _new_lock = staticmethod(asyncio.Lock)

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
        self._drop()

    async def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call `method` and return its result. Raises `AshCallError`."""
        async with self._own_lock():
            steps = self._steps(method, params)
            go_on = partial(steps.send, None)
            while True:
                try:
                    step = go_on()
                except StopIteration as done:
                    result: dict[str, Any] = done.value
                    return result
                try:
                    go_on = partial(steps.send, await _take(step))
                except BaseException as error:  # noqa: BLE001  raised again by the steps
                    go_on = partial(steps.throw, error)


async def _take(step: Step) -> Any:
    if step.socket is None:
        return await asyncio.sleep(step.value)
    step.socket.setblocking(False)
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(step.seconds):
        return await getattr(loop, f"sock_{step.does}")(step.socket, step.value)
