"""Short ids of memories, for a model or a person who repeats them.

A short id is the shortest prefix, of at least 6 characters, that no other memory has which the
reader may see. It tells nothing about hidden memories, and every method accepts it for the whole
id.
"""

from collections.abc import Collection, Sequence

from ashd import limits
from ashd.access.actor import Call
from ashd.store import memories
from ashd.store.database import Database


class ShortIds:
    """Looks up the short ids of memories that a caller was shown."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of(self, call: Call, ids: Sequence[str]) -> dict[str, str]:
        """Return the short form of each id."""
        if not ids:
            return {}
        others = await self._db.read(
            lambda tx: memories.beginning_like(tx, call.look(tx), ids, limits.ID_PREFIX_CHARS)
        )
        return {one: shortest(one, others) for one in ids}


def shortest(identifier: str, others: Collection[str]) -> str:
    """Return the shortest prefix of an id that no other id has."""
    alike = [one for one in others if one != identifier]
    length = limits.ID_PREFIX_CHARS
    while any(one.startswith(identifier[:length]) for one in alike):
        length += 1
    return identifier[:length]
