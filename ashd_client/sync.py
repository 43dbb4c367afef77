"""The synchronous client: one connection, one call at a time.

A `Client` may be shared between threads; their calls wait for each other.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ashd_client.exchange import Exchange
from ashd_client.methods import Methods
from ashd_client.protocol import AshCallError

if TYPE_CHECKING:
    from ashd_client.exchange import Step

__all__ = ["AshCallError", "Client"]


class Client(Exchange, Methods):
    """A client of the daemon; `Exchange` describes its options."""

    _new_lock = staticmethod(threading.Lock)

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
        self._drop()

    def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call `method` and return its result. Raises `AshCallError`."""
        with self._own_lock():
            steps = self._steps(method, params)
            go_on = partial(steps.send, None)
            while True:
                try:
                    step = go_on()
                except StopIteration as done:
                    result: dict[str, Any] = done.value
                    return result
                try:
                    go_on = partial(steps.send, _take(step))
                except BaseException as error:  # noqa: BLE001  raised again by the steps
                    go_on = partial(steps.throw, error)


def _take(step: Step) -> Any:
    if step.socket is None:
        return time.sleep(step.value)
    step.socket.settimeout(step.seconds)
    return getattr(step.socket, step.does)(step.value)
