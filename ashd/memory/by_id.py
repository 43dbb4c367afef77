"""One memory by its id, if the caller may read it."""

import msgspec

from ashd import errors
from ashd.access.actor import Call
from ashd.memory import validation
from ashd.memory.model import MemoryId
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


class IdParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One memory."""

    id: MemoryId


def require_revision(record: Record, expected: int | None) -> None:
    """Refuse a change of a memory that has changed since its caller read it.

    Raises:
        errors.Conflict: it has another revision than the expected one.
    """
    if expected is not None and expected != record.revision:
        raise errors.Conflict(
            f"The memory is at revision {record.revision}.",
            id=record.uuid,
            revision=record.revision,
        )


def readable(tx: Tx, call: Call, memory_id: str) -> tuple[Viewer, Record]:
    """Return the viewer of the call, and the memory.

    For a sandbox, faded, expired and deleted memories are gone at once (A2); an operator still
    finds them by id.

    Raises:
        errors.NotFound: the viewer may see no memory with this id.
    """
    viewer = call.look(tx)
    record = validation.find(tx, viewer, memory_id)
    if call.actor.kind == "sandbox" and is_gone(tx, record):
        raise errors.NotFound("No such memory.")
    return viewer, record


def is_gone(tx: Tx, record: Record) -> bool:
    """Return whether the memory has faded, expired or was deleted."""
    return record.ends_at <= tx.now or record.archive_reason not in {None, "superseded"}
