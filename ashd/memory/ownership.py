"""The memories that a caller may change: their own, what they said, or a group's in the group."""

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
    """Return the viewer of the call and a memory that the caller may change.

    Raises:
        errors.NotFound: the caller may see no memory with this id.
        errors.Denied: the memory is somebody else's.
    """
    viewer, record = readable(tx, call, memory_id)
    if not may_change(viewer, record):
        raise errors.Denied(
            "Only who owns or said a memory can change it.", "Ask that person, or the operator."
        )
    return viewer, record


def may_change(viewer: Viewer, record: Record) -> bool:
    """Return whether the viewer may change the memory, which it can see."""
    of_the_group = viewer.group and record.chat is not None and record.chat == viewer.chat
    # A member's statement about themselves is theirs, in the group's memory too (B8).
    return is_own(viewer, record) or (of_the_group and not model.is_own_word(record))


def require_lasting(call: Call, record: Record, values: Mapping[str, Any]) -> None:
    """Require the right to forget for an earlier end, and for taking a memory out of others' reads.

    These are the other members' reads of a group's memory, and reads outside of one project.

    Raises:
        errors.Denied: the grant has no right to forget.
    """
    shorter = values["ends_at"] < record.ends_at
    if record.learned_type == "group":
        valid_from = values.get("valid_from", record.valid_from)
        valid_until = values.get("valid_until", record.valid_until)
        shorter |= (valid_from or 0) > (record.valid_from or 0)
        shorter |= (valid_until or FOREVER) < (record.valid_until or FOREVER)
    narrower = values.get("project", record.project) not in {None, record.project}
    if shorter or narrower:
        call.require("forget")


def is_own(viewer: Viewer, record: Record) -> bool:
    """Return whether the viewer owns or said the memory, or is an operator with all scopes."""
    own = record.owner in viewer.accounts or record.stated_by in viewer.accounts
    return own or viewer.everything


def said_now(tx: Tx, call: Call, viewer: Viewer, record: Record) -> dict[str, Any]:
    """Return the columns of new content: where, when and by whom it is said now.

    Otherwise the content would appear as the words of the speaker of the former content. An
    operator with all scopes corrects the former statement instead.
    """
    if viewer.everything:
        return {}
    account = call.speaker(tx, viewer)
    return {
        # What a joined account says is its own, also of what the other one was told.
        "owner": viewer.account if record.owner in viewer.accounts else record.owner,
        "said_at": tx.now,
        "learned_in": viewer.chat,
        "learned_type": "group" if viewer.group else "private",
        "stated_by": account.id if account else None,
        "source_username": account.username if account else None,
        "source_display_name": account.display_name if account else None,
        "source_session_id": call.session_id,
        "source_message_id": call.message_id,
        "source": call.actor.source,
        "grant_id": call.actor.grant_id,
    }
