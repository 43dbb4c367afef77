"""The layout of the full-text index: few segments, since each word is looked up in all of them.

Every commit adds a segment. SQLite by itself merges them late, many at a time.
"""

from contextlib import suppress
from typing import Final

import apsw

_PAGES: Final = 16
"""The most pages that a merge writes, which takes half a millisecond; on average a memory needs
less than one page.
"""


def merge(connection: apsw.Connection) -> None:
    """Merge segments of similar size a little further; the rows in the index stay the same."""
    # A damaged index is left alone; searches and checks report it.
    with suppress(apsw.CorruptError):
        connection.execute(
            "insert into passage_fts (passage_fts, rank) values ('merge', ?)", (_PAGES,)
        )
