"""Questions that take milliseconds to read: a thread reads them, not the event loop."""

from collections.abc import Callable
from typing import Final

from ashd.search import query
from ashd.store.database import Database

_SHORT: Final = 400
"""Characters of a question that are read at once; that takes less than changing the thread."""


async def asked(db: Database, text: str) -> str:
    """Return a question as it is searched for (`query.asked`)."""
    return await _read(db, query.asked, text)


async def without_time(db: Database, text: str) -> str:
    """Return a question without words for its time (`query.without_time`)."""
    return await _read(db, query.without_time, text)


async def _read(db: Database, function: Callable[[str], str], text: str) -> str:
    return function(text) if len(text) <= _SHORT else await db.compute(function, text)
