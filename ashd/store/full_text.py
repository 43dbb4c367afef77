"""The layout of the full-text index: few segments, since each word is looked up in all of them.

Every commit adds a segment. SQLite by itself merges them late, many at a time.
"""

from contextlib import suppress
from typing import Final

import apsw

_PAGES: Final = 16
"""Pages written at most, in half a millisecond; on average a memory takes less than one."""


def merge(connection: apsw.Connection) -> None:
    """Merge segments a little further, if two are of a size; no row is found or lost by it."""
    # A damaged index is left alone; searches and checks report it.
    with suppress(apsw.CorruptError):
        connection.execute(
            "insert into passage_fts (passage_fts, rank) values ('merge', ?)", (_PAGES,)
        )
