"""Params and result of `memory.update`; the requested changes, checked."""

from typing import Annotated, Any, Final, NamedTuple

import msgspec

from ashd import errors, limits, validation_messages
from ashd.access.quota import Cost
from ashd.memory import model
from ashd.memory.add_result import PersonNamed
from ashd.memory.model import ChangeableFields, FactFields, Memory, MemoryId
from ashd.wire_schemas import described_by

_ONE_REVISION: Final = "Give the revision of each memory, or leave it out."


_FIXED = set(FactFields.__struct_fields__) - set(ChangeableFields.__struct_fields__)


class Changes(ChangeableFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields to change; null removes an expiry, validity or metadata."""

    content: model.Content | None = None


class UpdateParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One memory and its changes, or several (`ids`) that all change or none.

    `expected_revision`, or `expected_revisions` in the order of `ids`, guards against a change in
    between. With `ids` no content is changed; `dry_run` shows the changes and makes none.
    """

    changes: Annotated[dict[str, Any], described_by("Changes")]
    id: MemoryId | None = None
    ids: (
        Annotated[list[MemoryId], msgspec.Meta(min_length=1, max_length=limits.RESULTS_PER_CALL)]
        | None
    ) = None
    expected_revision: int | None = None
    expected_revisions: list[int] | None = None
    dry_run: bool = False

    def cost(self) -> Cost:
        """Each memory is a write of all the changes."""
        count = len(self.ids or [self.id])
        return Cost(count, count * len(msgspec.json.encode(self.changes)))


class Changed(msgspec.Struct, frozen=True):
    """A memory before and after a change."""

    before: Memory
    after: Memory


class UpdateResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The memory as it is now; `previous_id` is the one that it superseded, if any.

    New content given in private for a group's memory supersedes nothing: the group keeps its own.
    With `ids` or `dry_run`, `changed` has every memory before and after, and `memory` is the first.
    """

    memory: Memory
    previous_id: str | None
    people: list[PersonNamed]
    """The people the memory is about now, if `subjects` were given."""
    changed: list[Changed] | msgspec.UnsetType = msgspec.UNSET


def checked(raw: dict[str, Any]) -> Changes:
    """Return the changes as typed values.

    Raises:
        errors.InvalidParams: there are none, or one that cannot be made.
    """
    if not raw:
        raise errors.InvalidParams("changes is empty.", "Say what is to be different.")
    if fixed := _FIXED & raw.keys():
        raise errors.InvalidParams(
            f"{', '.join(sorted(fixed))} cannot be changed.", "Store a new memory instead."
        )
    try:
        return msgspec.convert(raw, Changes)
    except msgspec.ValidationError as error:
        raise validation_messages.of(error, Changes, within="changes") from error


class Target(NamedTuple):
    """A memory to change, and the revision that it is expected to have."""

    id: MemoryId
    revision: int | None


def targets_of(params: UpdateParams, changes: Changes) -> list[Target]:
    """Return the memories that an update names.

    Raises:
        errors.InvalidParams: none or both of `id` and `ids`, or what does not go with `ids`.
    """
    if (params.id is None) == (params.ids is None):
        raise errors.InvalidParams("Give exactly one of id and ids.", "`ids` changes several.")
    if params.id is not None:
        if params.expected_revisions is not None:
            raise errors.InvalidParams("expected_revisions goes with ids.", _ONE_REVISION)
        return [Target(params.id, params.expected_revision)]
    assert params.ids is not None
    revisions = params.expected_revisions
    if changes.content is not None:
        raise errors.InvalidParams(
            "Several memories cannot be given one content.", "Update each by its id."
        )
    if params.expected_revision is not None:
        raise errors.InvalidParams("expected_revision goes with id.", _ONE_REVISION)
    if revisions is not None and len(revisions) != len(params.ids):
        raise errors.InvalidParams("expected_revisions has another length than ids.", _ONE_REVISION)
    expected = [None] * len(params.ids) if revisions is None else revisions
    return [Target(*one) for one in zip(params.ids, expected, strict=True)]
