"""Long work on the database in slices, between which other writes get their turn."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import anyio

from ashd import limits
from ashd.store.database import Database
from ashd.store.transaction import Tx

T = TypeVar("T")

_PAUSE_SECONDS: Final = 0.005


async def run(
    db: Database,
    items: Sequence[T],
    work: Callable[[Tx, T], Counter[str]],
    show: Callable[[int, int], None],
    *,
    scoped: bool = False,
    note: Callable[[Tx, Counter[str]], None] | None = None,
) -> Counter[str]:
    """Do the work on each item, several in a transaction; return the sum of its counts.

    An item is done whole or not at all. `scoped` is `Database.write`'s; `note` gets the counts of
    each transaction, in it.

    Raises:
        errors.StorageError: the items of the slices before are done.
    """
    counted: Counter[str] = Counter()
    done = 0
    while done < len(items):
        first = done

        def some(tx: Tx, first: int = first) -> tuple[Counter[str], int]:
            slice_counted: Counter[str] = Counter()
            until = time.monotonic() + limits.SLICE_SECONDS
            place = first
            while place < len(items) and (place == first or time.monotonic() < until):
                slice_counted += work(tx, items[place])
                place += 1
            if note is not None:
                note(tx, slice_counted)
            return slice_counted, place

        found, done = await db.write(some, scoped=scoped)
        counted += found
        show(done, len(items))
        await anyio.sleep(_PAUSE_SECONDS)
    return counted


async def until_none(db: Database, work: Callable[[Tx], int]) -> int:
    """Repeat work that does a bounded part each time until nothing is left; return the sum."""
    total = 0
    while part := await db.write(work, quiet=True):
        total += part
        await anyio.sleep(_PAUSE_SECONDS)
    return total
