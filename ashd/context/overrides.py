"""Overrides: facts that are always in the context; set by the operator only.

A user's override is shown in all private chats of that user, and in groups if it is marked for
them; one that is added in a group belongs to the group and is shown only there. One that is added
in a project is shown only in that project.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from ashd import errors
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.ids import find_one
from ashd.language.fingerprint import content_key, fingerprint
from ashd.memory import validation
from ashd.memory.model import Content, MemoryId
from ashd.people import met_accounts
from ashd.store import overrides
from ashd.store.database import Database, Query, Tx
from ashd.store.overrides import Override
from ashd.store.visibility import Viewer


class AddParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact to pin. `for_groups` shows a user's own also in groups where that user asks."""

    content: Content
    for_groups: bool | None = None


class OverrideView(msgspec.Struct, frozen=True, kw_only=True):
    """An override on the wire: a user's (`owner_user_id`) or a group's (`chat_id`).

    In a group the user is not named if the account that pinned it is of another provider.
    """

    id: str
    content: str
    for_groups: bool
    provider: str | None
    owner_user_id: str | None
    chat_id: str | None
    project_id: str | None
    created_at: str
    removed_at: str | None


class AddResult(msgspec.Struct, frozen=True):
    """The override; `changed` if it existed already and its mark for groups changed."""

    outcome: Literal["added", "duplicate", "changed"]
    override: OverrideView


class ListParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters: the overrides of the scope are listed."""


class ListResult(msgspec.Struct, frozen=True):
    """Overrides, oldest first."""

    overrides: list[OverrideView]


class RemoveParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The override to remove, by its id or an unambiguous prefix of it."""

    id: MemoryId


class RemoveResult(msgspec.Struct, frozen=True):
    """The override as it was."""

    override: OverrideView


class Overrides:
    """Keeps overrides."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, call: Call, params: AddParams) -> AddResult:
        """Pin a fact, so that it is always in the context.

        Raises:
            errors.InvalidParams: it is empty, or `for_groups` is denied in a group.
            errors.ContentRefused: it holds a secret.
        """
        content = validation.content(params.content)
        return await self._db.write(
            lambda tx: _add(tx, call, content, params.for_groups), scoped=True
        )

    async def pin(self, call: Call, content: str) -> bool:
        """Pin a fact; return whether it was new.

        Raises:
            errors.InvalidParams, errors.ContentRefused
        """
        return (await self.add(call, AddParams(content=content))).outcome == "added"

    async def list(self, call: Call, _params: ListParams) -> ListResult:
        """List the pinned facts of a user, or in a group the pinned facts that are shown there."""

        def read(tx: Tx) -> ListResult:
            viewer = call.look(tx)
            return ListResult(_views(tx, viewer, overrides.visible(tx, viewer)))

        return await self._db.read(read)

    async def remove(self, call: Call, params: RemoveParams) -> RemoveResult:
        """Unpin a fact.

        Raises:
            errors.NotFound, errors.Ambiguous
        """
        return await self._db.write(lambda tx: _remove(tx, call, params.id), scoped=True)


def queries(viewer: Viewer) -> list[Query]:
    """Return the queries of `for_viewer`."""
    return [overrides.visible_query(viewer)]


def for_viewer(tx: Tx, viewer: Viewer) -> list[tuple[str, str, int]]:
    """Return the viewer's overrides as (id, content, created at in microseconds), oldest first.

    The same words may be pinned for a project and for all, or by several members: they come once.
    """
    by_words: dict[str, tuple[str, str, int]] = {}
    for entry in overrides.visible(tx, viewer):
        told = (entry.uuid, entry.content, entry.created_at)
        by_words.setdefault(fingerprint(entry.content), told)
    return list(by_words.values())


def _add(tx: Tx, call: Call, content: str, for_groups: bool | None) -> AddResult:
    viewer = call.enter(tx)
    if viewer.group and for_groups is False:
        raise errors.InvalidParams(
            "What is pinned in a group is for that group.",
            "Leave for_groups out, or pin it in the user's private chat.",
        )
    owner, chat = (None, viewer.chat) if viewer.group else (viewer.account, None)
    marked = viewer.group or bool(for_groups)
    key = content_key(content)
    outcome: Literal["added", "duplicate", "changed"] = "added"
    words = fingerprint(content)
    project = call.scope.told_in.id if call.scope.told_in else None
    like = overrides.same(tx, key, owner, chat, project)
    found = next((one for one in like if fingerprint(one.content) == words), None)
    if found is None:
        number = overrides.insert(
            tx,
            content=content,
            key=key,
            owner=owner,
            chat=chat,
            for_groups=marked,
            project=project,
        )
    else:
        number = found.id
        outcome = "duplicate"
        if for_groups is not None and found.for_groups != marked:
            overrides.mark(tx, number, for_groups=marked)
            outcome = "changed"
    if outcome != "duplicate":
        call.record(tx)
    return AddResult(outcome, _view(tx, viewer, overrides.by_id(tx, number)))


def _remove(tx: Tx, call: Call, override_id: str) -> RemoveResult:
    viewer = call.look(tx)
    found = find_one(
        override_id, "override", lambda prefix: overrides.by_prefix(tx, viewer, prefix)
    )
    overrides.remove(tx, found.id)
    call.record(tx)
    return RemoveResult(_view(tx, viewer, overrides.by_id(tx, found.id)))


def _view(tx: Tx, viewer: Viewer, entry: Override) -> OverrideView:
    return _views(tx, viewer, [entry])[0]


def _views(tx: Tx, viewer: Viewer, entries: Sequence[Override]) -> list[OverrideView]:
    """Return the overrides as the viewer gets them, without names of people it never met."""
    met = met_accounts.among(tx, viewer, {entry.owner for entry in entries})
    return [_shown(entry, is_met=entry.owner is None or entry.owner in met) for entry in entries]


def _shown(entry: Override, *, is_met: bool) -> OverrideView:
    return OverrideView(
        id=entry.uuid,
        content=entry.content,
        for_groups=entry.for_groups,
        provider=entry.provider if is_met else None,
        owner_user_id=entry.owner_user_id if is_met else None,
        chat_id=entry.chat_id,
        project_id=entry.project,
        created_at=to_text(entry.created_at) or "",
        removed_at=to_text(entry.removed_at),
    )
