"""The database of a stopped daemon, opened as the daemon does: others would spoil its checksums."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from ashd.store import connection


@contextmanager
def opened(place: Path, *, read_only: bool = False) -> Iterator[apsw.Connection]:
    """A connection to a database file, or to the database of a home."""
    path = place / "data" / "ash.db" if place.is_dir() else place
    opened = connection.connect(path, read_only=read_only)
    try:
        yield opened
    finally:
        opened.close()
