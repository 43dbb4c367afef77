"""systemd's watchdog: it gets a sign of life only while the writer thread answers."""

from contextlib import suppress

import anyio

from ashd import errors
from ashd.ops import notify
from ashd.store.database import Database


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
