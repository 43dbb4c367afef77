"""Work ends with the call that it is for: in a thread it asks between two of its texts."""

import select
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

import anyio
import anyio.from_thread

T = TypeVar("T")
_LOOK_SECONDS: Final = 0.5


class Connection(NamedTuple):
    """The connection of a call, to see whether its client still waits."""

    descriptor: int

    def hung_up(self) -> bool:
        """Return whether a client on a Unix socket has closed it; not if it only sends no more."""
        poll = select.poll()
        poll.register(self.descriptor, 0)
        return bool(poll.poll(0))

    async def waited_for(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Do work, unless the client hangs up before its end; return whether it was done."""
        is_done, error = False, None
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while not self.hung_up():  # noqa: ASYNC110  only the kernel knows, and calls nobody
                    await anyio.sleep(_LOOK_SECONDS)
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            try:
                await work()
                is_done = True
            except Exception as raised:  # noqa: BLE001  the group would wrap it
                error = raised
            tasks.cancel_scope.cancel()
        if error is not None:
            raise error
        return is_done


def while_wanted(items: Iterable[T]) -> Iterator[T]:
    """Yield the items as long as the call that this thread works for is neither over nor cancelled.

    Outside of a worker thread, all of them.
    """
    for item in items:
        with suppress(RuntimeError):  # no worker thread
            anyio.from_thread.check_cancelled()
        yield item
