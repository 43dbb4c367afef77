"""The layout of the full-text index: few segments, since each word is looked up in all of them.

Every commit adds a segment. SQLite by itself merges them late, many at a time.
"""

from contextlib import suppress
from typing import Final

import apsw

_PAGES: Final = 16
"""Pages written at most, in half a millisecond; on the average a memory takes less than one."""


def merge(connection: apsw.Connection) -> None:
    """Merge segments a little further, where two are of a size; no row is found or lost by it."""
    # Of a damaged index nothing is merged; whoever searches or checks it reports that.
    with suppress(apsw.CorruptError):
        connection.execute(
            "insert into passage_fts (passage_fts, rank) values ('merge', ?)", (_PAGES,)
        )
