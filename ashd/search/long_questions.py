"""Questions that take milliseconds to read: a thread reads them, not the event loop."""

from collections.abc import Callable
from typing import Final

from ashd.search import query
from ashd.store.database import Database

SHORT: Final = 100
"""Characters of a question that the event loop reads itself: it takes less than a millisecond."""


async def asked(db: Database, text: str) -> str:
    """Return a question as it is searched for (`query.asked`)."""
    return await _read(db, query.asked, text)


async def without_time(db: Database, text: str) -> str:
    """Return a question without words for its time (`query.without_time`)."""
    return await _read(db, query.without_time, text)


async def _read(db: Database, function: Callable[[str], str], text: str) -> str:
    return function(text) if len(text) <= SHORT else await db.compute(function, text)
