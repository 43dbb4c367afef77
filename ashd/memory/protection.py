"""Keep memories protected: a label outlasts repetitions and corrections (A10, C5).

Only `memory.update`, or a new fact that asks for more protection, changes who may see a memory.
"""

from ashd.access import disclosure
from ashd.store import joined_changes, memories
from ashd.store.database import Tx
from ashd.store.memories import Record


def is_stricter(older: Record, sensitivity: str | None, *, portable: bool) -> bool:
    """Return whether fewer people may see the new fact than the older memory."""
    stricter = disclosure.stricter(older.sensitivity, sensitivity) != older.sensitivity
    return stricter or (bool(older.portable) and not portable)


def inherit(tx: Tx, newer: int, older: Record) -> None:
    """Protect a memory at least as much as the older memory that it repeats or replaces.

    A label is for its speaker's own words: labels of other people are not inherited.
    """
    record = memories.by_id(tx, newer)
    is_owners = record.owner is not None and record.owner == older.owner
    if is_owners or record.stater_person == older.stater_person:
        tighten(tx, record, older.sensitivity, portable=bool(older.portable))
        if not is_owners and older.stated_by not in {None, record.stated_by}:
            # The label is the other account's, and goes with it.
            _note(tx, record, older.stated_by)


def _note(tx: Tx, record: Record, account: int | None) -> None:
    assert account is not None
    now = memories.by_id(tx, record.id)
    labels = {"sensitivity": now.sensitivity, "portable": now.portable}
    joined_changes.note(tx, record.id, account, record._asdict(), labels)


def tighten(tx: Tx, record: Record, sensitivity: str | None, *, portable: bool) -> None:
    """Give a memory the stricter of two protections."""
    if not is_stricter(record, sensitivity, portable=portable):
        return
    label = disclosure.stricter(record.sensitivity, sensitivity)
    values = {"sensitivity": label, "portable": bool(record.portable) and portable}
    memories.change(tx, record.id, values)
