"""The columns of a memory that an update changes. Used by `update`."""

from typing import Any

from ashd import errors
from ashd.access import metadata
from ashd.access.scope import Project
from ashd.clock import DAY
from ashd.memory import expiry, model, validation
from ashd.memory.update_params import Changes
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.wire_times import micros, require_order


def given(
    tx: Tx, record: Record, changes: Changes, raw: dict[str, Any], created: int
) -> dict[str, Any]:
    """Return the columns that change, from the fields that the caller gave."""
    values: dict[str, Any] = {}
    if changes.type is not None:
        values["memory_type"] = model.stored_type(changes.type)
    if "sensitivity" in raw:
        values["sensitivity"] = changes.sensitivity
    if changes.portable is not None:
        values["portable"] = changes.portable
    if changes.expires_in_days is not None and changes.expires_at is not None:
        raise errors.InvalidParams(
            "Give one of expires_at and expires_in_days.", "Leave the other out."
        )
    if changes.expires_in_days is not None:
        values["expires_at"] = tx.now + int(changes.expires_in_days * DAY)
    elif "expires_at" in raw:
        values["expires_at"] = micros(changes.expires_at, "expires_at", end_of_day=True)
    if "valid_from" in raw:
        values["valid_from"] = micros(changes.valid_from, "valid_from")
    if "valid_until" in raw:
        values["valid_until"] = micros(changes.valid_until, "valid_until", end_of_day=True)
    if not {"valid_from", "valid_until"}.isdisjoint(raw):
        require_order(
            values.get("valid_from", record.valid_from),
            values.get("valid_until", record.valid_until),
        )
    if changes.tags is not None:
        values["tags"] = validation.tags(changes.tags)
    if "metadata" in raw:
        values["metadata"] = metadata.encode(changes.metadata)
    if values.get("expires_at") is not None and values["expires_at"] <= tx.now:
        raise errors.InvalidParams("expires_at is in the past.", "Delete the memory instead.")
    values["ends_at"] = expiry.ends_at(
        values.get("memory_type", record.memory_type),
        values.get("expires_at", record.expires_at),
        record.observed_at,
        created,
        valid_from=values.get("valid_from", record.valid_from),
        valid_until=values.get("valid_until", record.valid_until),
    )
    return values


def project(told_in: Project | None, *, everywhere: bool) -> dict[str, Any]:
    """Return the columns of a memory that is of the person from now on, or of the project.

    Raises:
        errors.InvalidParams: the caller works on no project.
    """
    if everywhere:
        return {"project": None, "project_name": None}
    if told_in is None:
        raise errors.InvalidParams(
            "everywhere false needs a project.", "Name the one it belongs to in scope.project."
        )
    return {"project": told_in.id, "project_name": told_in.name}
