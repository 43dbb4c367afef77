"""Find the active memories with the same words in the same order (A10)."""

from collections.abc import Collection

from ashd.language.fingerprint import fingerprint
from ashd.memory import protection
from ashd.memory.judge import Outcome, decide
from ashd.memory.statements import statement_of
from ashd.store import memories, memory_events, memory_links
from ashd.store.database import Tx
from ashd.store.memories import Record, is_active
from ashd.store.visibility import Viewer


def find(
    tx: Tx, viewer: Viewer, content: str, key: str, *, owners: Collection[int], chat: int | None
) -> list[Record]:
    """Return the memories of these owners, or of a chat, with the words of `content`.

    Returns only memories that are active for the viewer. The stored `key` is not enough: other
    texts may have the same key.
    """
    found = memories.same_content(tx, viewer, key, owners=owners, chat=chat)
    seen = memories.by_ids(tx, viewer, found)
    return [
        seen[number]
        for number in found
        if number in seen
        and is_active(seen[number], tx.now)
        and fingerprint(seen[number].content) == fingerprint(content)
    ]


def are_one_fact(older: Record, newer: Record) -> bool:
    """Return whether memories with the same words are about the same people, and one event."""
    verdict = decide(statement_of(older), statement_of(newer), None)
    return verdict.outcome is not Outcome.KEEP


def link(tx: Tx, record: Record, viewer: Viewer) -> None:
    """Link a changed memory to earlier ones that say the same, so that one result shows all."""
    owners: tuple[int, ...] = ()
    if record.owner is not None:
        owners = viewer.accounts if record.owner in viewer.accounts else (record.owner,)
    words, key = record.content, record.content_key
    for older in find(tx, viewer, words, key, owners=owners, chat=record.chat):
        if older.id < record.id and are_one_fact(older, record):
            memory_links.add(tx, record.id, older.id, "repeats")
            memory_events.add(tx, older.id, "repeated", "same_words", newer=record.id)
            protection.inherit(tx, record.id, older)
