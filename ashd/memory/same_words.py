"""Find the active memories with the same words in the same order (A10)."""

from collections.abc import Collection

from ashd.language.fingerprint import fingerprint
from ashd.memory import protection
from ashd.memory.judge import Outcome, decide
from ashd.memory.statements import statement_of
from ashd.store import memories, memory_links
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


def find(
    tx: Tx, content: str, key: str, *, owners: Collection[int], chat: int | None
) -> list[Record]:
    """Return the memories of these owners, or of a chat, with the words of `content`.

    The stored `key` is that of more texts than these.
    """
    found = memories.same_content(tx, key, owners=owners, chat=chat)
    return [one for one in found if fingerprint(one.content) == fingerprint(content)]


def are_one_fact(older: Record, newer: Record) -> bool:
    """Return whether memories with the same words are about the same people, and one event."""
    verdict = decide(statement_of(older), statement_of(newer), None)
    return verdict.outcome is not Outcome.KEEP


def link(tx: Tx, record: Record, viewer: Viewer) -> None:
    """Link a changed memory to earlier ones that say the same, so that one result shows them."""
    owners: tuple[int, ...] = ()
    if record.owner is not None:
        owners = viewer.accounts if record.owner in viewer.accounts else (record.owner,)
    for older in find(tx, record.content, record.content_key, owners=owners, chat=record.chat):
        if older.id < record.id and are_one_fact(older, record):
            memory_links.add(tx, record.id, older.id, "repeats")
            memories.add_event(tx, older.id, "repeated", "same_words")
            protection.inherit(tx, record.id, older)
