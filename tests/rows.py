"""The database of a stopped daemon, opened as the daemon does: others would spoil its checksums."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from ashd.store import connection


@contextmanager
def opened(home: Path, *, read_only: bool = False) -> Iterator[apsw.Connection]:
    """A connection to the database of a home."""
    opened = connection.connect(home / "data" / "ash.db", read_only=read_only)
    try:
        yield opened
    finally:
        opened.close()
