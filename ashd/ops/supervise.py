"""Keep the daemon's background tasks running: a fault in one ends neither it nor the daemon.

A task that raises is logged and started again, each time after a longer wait.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import anyio

from ashd import log
from ashd.store.health import Warned

_FIRST_WAIT_SECONDS: Final = 1.0
_LONGEST_WAIT_SECONDS: Final = 300.0
_SETTLED_SECONDS: Final = 600.0
"""Seconds after which a task that was restarted counts as sound."""

Work = Callable[[], Awaitable[None]]


class Supervisor:
    """Restarts tasks that fail, and knows which tasks failed. The daemon has one instance."""

    def __init__(self, *, first_wait_seconds: float = _FIRST_WAIT_SECONDS) -> None:
        self._first_wait_seconds = first_wait_seconds
        self._failed_at: dict[str, float] = {}

    async def run(self, name: str, work: Work) -> None:
        """Run `work` until it returns; run it again after each exception."""
        wait = self._first_wait_seconds
        while True:
            began = anyio.current_time()
            try:
                await work()
            except Exception as fault:  # noqa: BLE001  no fault of a task may end the daemon
                if anyio.current_time() - began > _SETTLED_SECONDS:
                    wait = self._first_wait_seconds
                self._failed_at[name] = anyio.current_time()
                cause = _cause(fault)
                log.error(
                    "task_failed",
                    task=name,
                    error=type(cause).__name__,
                    at=log.place_of(cause),
                    again_in_seconds=f"{wait:.0f}",
                )
            else:
                return
            await anyio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def warnings(self) -> list[Warned]:
        """Return a warning for each task that failed a short while ago."""
        now = anyio.current_time()
        failing = [name for name, at in self._failed_at.items() if now - at < _SETTLED_SECONDS]
        if not failing:
            return []
        return [
            Warned(
                "task_failing",
                f"Background work failed and was started again: {', '.join(sorted(failing))}.",
                "The daemon's log has each fault (task_failed); `ash doctor` looks for damage.",
            )
        ]


def _cause(fault: Exception) -> Exception:
    """Return the first fault in an exception group that a task group raised."""
    while isinstance(fault, ExceptionGroup):
        fault = fault.exceptions[0]
    return fault
