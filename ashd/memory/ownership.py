"""Memories that a caller may change: their own, what they said, or the group's in the group."""

from collections.abc import Mapping
from typing import Any

from ashd import errors
from ashd.access.actor import Call
from ashd.clock import FOREVER
from ashd.memory import model
from ashd.memory.by_id import readable
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


def find(tx: Tx, call: Call, memory_id: str) -> tuple[Viewer, Record]:
    """The viewer of the call and a memory that the caller may change.

    Raises:
        errors.NotFound: none that the caller may see.
        errors.Denied: it is somebody else's.
    """
    viewer, record = readable(tx, call, memory_id)
    if not may_change(viewer, record):
        raise errors.Denied(
            "Only who owns or said a memory can change it.", "Ask that person, or the operator."
        )
    return viewer, record


def may_change(viewer: Viewer, record: Record) -> bool:
    """Return whether the memory, which the viewer may see, is the viewer's to change."""
    of_the_group = viewer.group and record.chat is not None and record.chat == viewer.chat
    # What a member says of himself is his, in the group's memory too (B8).
    return is_own(viewer, record) or (of_the_group and not model.is_own_word(record))


def require_lasting(call: Call, record: Record, values: Mapping[str, Any]) -> None:
    """Let a memory end earlier, or a group's hold for less, only by those who may forget it.

    To write is not to forget: whatever takes a memory out of others' reads needs that right.

    Raises:
        errors.Denied: the grant has no right to forget.
    """
    shorter = values["ends_at"] < record.ends_at
    if record.learned_type == "group":
        valid_from = values.get("valid_from", record.valid_from)
        valid_until = values.get("valid_until", record.valid_until)
        shorter |= (valid_from or 0) > (record.valid_from or 0)
        shorter |= (valid_until or FOREVER) < (record.valid_until or FOREVER)
    if shorter:
        call.require("forget")


def is_own(viewer: Viewer, record: Record) -> bool:
    """Return whether the viewer owns or said the memory, or is the operator over all scopes."""
    own = record.owner in viewer.accounts or record.stated_by in viewer.accounts
    return own or viewer.everything
