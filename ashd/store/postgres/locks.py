"""Take locks of the server that last as long as their connection."""

import time
from typing import Final

from ashd.store.postgres.connection import Connection

_TRIES: Final = 40
_PAUSE_SECONDS: Final = 0.05


def take(connection: Connection, lock: str) -> bool:
    """Take a lock; return whether it could be had."""
    return connection.script(f"select {lock}") == [(True,)]


def take_soon(connection: Connection, lock: str) -> bool:
    """Take a lock within two seconds; return whether it could be had.

    A process of the server ends, and its locks with it, a moment after its connection was closed.
    """
    for _ in range(_TRIES):
        if take(connection, lock):
            return True
        time.sleep(_PAUSE_SECONDS)
    return False
