"""The limit on the memories of an owner or a chat: a new memory displaces the least valuable."""

from ashd.memory import status_changes
from ashd.store import cleanup, memories
from ashd.store.cleanup import Places
from ashd.store.memories import Record
from ashd.store.transaction import Tx


def archive_surplus(tx: Tx, record: Record, most: int | None) -> None:
    """Archive the surplus after a memory was added, but never that memory."""
    if most is None:
        return
    place = Places(record.owner, record.chat)
    for number in cleanup.least_valuable(tx, place, most, but=record.id):
        old = memories.by_id(tx, number)
        is_hidden = old.superseded_until > tx.now
        status_changes.archive(tx, old, "superseded" if is_hidden else "evicted")
