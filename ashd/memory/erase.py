"""Erase memories: their rows, their index entries, and what was learned of people with them.

One memory is erased in one transaction, so an interrupted erasure has erased some memories whole
and left the others as they were.
"""

from collections import Counter
from collections.abc import Sequence

from ashd.memory import status_changes
from ashd.store import erasure, memories, passages
from ashd.store.learned import Learned
from ashd.store.transaction import Tx


def erase_memory(tx: Tx, number: int, *, derived: bool = True) -> Counter[str]:
    """Erase a memory; return the number of rows that went, by table.

    A memory that is gone already is no error. With `derived`, what may have been made from it goes
    too; it can be made again without it.
    """
    if not memories.exists(tx, number):
        return Counter()
    record = memories.by_id(tx, number)
    memories.touch(tx, record)
    learned = Learned(tx, [number])
    status_changes.leave_chain(tx, record)
    gone = Counter[str]()
    if derived:
        gone += erasure.derived(tx, passages.MEMORY, [number], erase=True)
    gone += erasure.erase_jobs(tx, erasure.jobs_with(tx, [record.content]))
    gone += erasure.erase_indexed(tx, passages.MEMORY, number)
    gone += erasure.erase_rows(tx, "memory", [number])
    return gone + learned.forget(tx)


def found(
    tx: Tx, numbers: Sequence[int], people: Sequence[int] = (), *, derived: bool = True
) -> Counter[str]:
    """Count the rows that erasing these memories, and these people, would remove."""
    counted = Counter[str]()
    if derived:
        counted += erasure.derived(tx, passages.MEMORY, numbers, erase=False)
    counted += erasure.indexed(tx, passages.MEMORY, numbers)
    counted += erasure.rows_of(tx, "memory", numbers)
    return counted + Learned(tx, numbers).found(tx, people)
