"""Signs of life for systemd: that the writer thread answers, and that a long start goes on."""

from collections.abc import Awaitable
from contextlib import suppress
from typing import Final, TypeVar

import anyio

from ashd import errors
from ashd.ops import notify
from ashd.store.database import Database

_MORE_TIME_S: Final = 120
_ASK_EVERY_S: Final = 30.0

Result = TypeVar("Result")


async def feed(db: Database) -> None:
    """Tell systemd that the daemon is alive, each time the writer thread has answered."""
    interval = notify.watchdog_interval()
    if interval is None:
        return
    while True:
        with suppress(errors.StorageError):  # a full disk is no reason to be killed
            await db.write(lambda _tx: None, quiet=True)
        notify.notify("WATCHDOG=1")
        await anyio.sleep(interval)


async def extending_the_start(work: Awaitable[Result]) -> Result:
    """Do work of the start, for which systemd waits beyond `TimeoutStartSec=`.

    An upgrade of a large database takes as long as the disk needs, and would begin anew after it
    was ended.
    """
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_ask_for_time)
        result = await work
        tasks.cancel_scope.cancel()
    return result


async def _ask_for_time() -> None:
    while True:
        notify.notify(f"EXTEND_TIMEOUT_USEC={_MORE_TIME_S * 1_000_000}")
        await anyio.sleep(_ASK_EVERY_S)
