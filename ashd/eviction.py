"""Who gives way when all places for connections are taken. Pure."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

_Connection = TypeVar("_Connection")


def longest_waiting(waiting: Mapping[_Connection, Hashable]) -> _Connection:
    """Return the oldest connection of the group that has the most.

    `waiting` has the connections, oldest first, with the group of each: the process or the key
    behind it, None where that is unknown.
    """
    counts = Counter(waiting.values())
    most = max(counts.values())
    return next(connection for connection, group in waiting.items() if counts[group] == most)
