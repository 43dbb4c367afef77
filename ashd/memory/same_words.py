"""Find the active memories with the same words in the same order: a new one is a duplicate."""

from collections.abc import Collection

from ashd.language.fingerprint import fingerprint
from ashd.store import memories
from ashd.store.database import Tx
from ashd.store.memories import Record


def find(
    tx: Tx, content: str, key: str, *, owners: Collection[int], chat: int | None
) -> list[Record]:
    """Return the memories of these owners, or of a chat, with the words of `content`.

    The stored `key` is that of more texts than these.
    """
    words = fingerprint(content)
    found = memories.same_content(tx, key, owners=owners, chat=chat)
    return [record for record in found if fingerprint(record.content) == words]
