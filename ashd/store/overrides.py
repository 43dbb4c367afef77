"""Overrides: facts pinned for the prompt, a user's own or a group's.

In private a user's own are shown; in a group the group's own, and those of the asker that were
marked for groups. Nobody sees another user's (features.md, section C). One that was pinned in a
project is shown in that project.
"""

from typing import Any, Final, NamedTuple

from ashd.store import visibility
from ashd.store.database import Tx
from ashd.store.visibility import Viewer


class Override(NamedTuple):
    """A row of `overrides`, with its owner's or chat's ids of the wire."""

    id: int
    uuid: str
    content: str
    owner: int | None
    chat: int | None
    for_groups: bool
    created_at: int
    removed_at: int | None
    project: str | None
    provider: str
    owner_user_id: str | None
    chat_id: str | None


_SELECT: Final = (
    "select o.id, o.uuid, o.content, o.owner, o.chat, o.for_groups, o.created_at, o.removed_at,"
    " o.project, coalesce(a.provider, c.provider), a.user_id, c.chat_id from overrides o"
    " left join accounts a on a.id = o.owner left join chats c on c.id = o.chat"
)
_OWN: Final = "o.owner in (select value from json_each(:accounts))"


def condition(viewer: Viewer) -> str:
    """Return the SQL condition on an active override `o` that is shown to a viewer."""
    if viewer.everything:
        return "true"
    here = visibility.in_project("o")
    if not viewer.group:
        return f"{_OWN} and {here}"
    return (  # two look-ups by an index each, instead of one scan of all overrides
        "o.id in (select id from overrides where removed_at is null and chat = :chat"
        f" union select o.id from overrides o where removed_at is null and for_groups = 1"
        f" and {_OWN})"
        f" and {here}"
    )


def _override(row: tuple[Any, ...]) -> Override:
    return Override._make((*row[:5], bool(row[5]), *row[6:]))


def insert(
    tx: Tx,
    *,
    content: str,
    key: str,
    owner: int | None,
    chat: int | None,
    for_groups: bool,
    project: str | None,
) -> int:
    """Insert a new override; return its row number."""
    tx.grow(("account", owner), ("chat", chat))
    return tx.insert(
        "insert into overrides"
        " (uuid, content, content_key, owner, chat, for_groups, created_at, project)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        *(tx.new_id(), content, key, owner, chat, for_groups, tx.now, project),
    )


def same(
    tx: Tx, key: str, owner: int | None, chat: int | None, project: str | None
) -> list[Override]:
    """Return the active overrides of this owner or chat with the same content key.

    Only those that are shown wherever those of the project are.
    """
    rows = tx.all(
        f"{_SELECT} where o.removed_at is null and o.content_key = ?"
        " and o.owner is not distinct from ?"
        " and o.chat is not distinct from ?"
        " and (o.project is null or o.project is not distinct from ?)",
        *(key, owner, chat, project),
    )
    return [_override(row) for row in rows]


def by_id(tx: Tx, number: int) -> Override:
    """The override with that row number, which exists."""
    row = tx.one(f"{_SELECT} where o.id = ?", number)
    assert row is not None
    return _override(row)


def _grow(tx: Tx, number: int) -> None:
    """Note who may see a changed override."""
    found = by_id(tx, number)
    tx.grow(("account", found.owner), ("chat", found.chat))


def mark(tx: Tx, number: int, *, for_groups: bool) -> None:
    """Set whether an owner's override is also shown in groups."""
    _grow(tx, number)
    tx.run("update overrides set for_groups = ? where id = ?", for_groups, number)


def remove(tx: Tx, number: int) -> None:
    """Unpin an override; the row stays in the history."""
    _grow(tx, number)
    tx.run("update overrides set removed_at = ? where id = ?", tx.now, number)


def visible_query(
    viewer: Viewer, where: str = "true", params: dict[str, Any] | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the query of `visible`."""
    return (
        f"{_SELECT} where o.removed_at is null and ({where}) and {condition(viewer)} order by o.id",
        {**visibility.parameters(viewer), **(params or {})},
    )


def visible(
    tx: Tx, viewer: Viewer, where: str = "true", params: dict[str, Any] | None = None
) -> list[Override]:
    """Return the active overrides under `where` that the viewer may see, oldest first."""
    return [_override(row) for row in tx.named(*visible_query(viewer, where, params))]


def by_prefix(tx: Tx, viewer: Viewer, prefix: str) -> list[tuple[str, Override]]:
    """Return (id, override) of those whose id has a prefix and that are shown to the viewer."""
    found = visible(
        tx,
        viewer,
        "o.uuid >= :low and o.uuid < :high",
        {"low": prefix, "high": prefix + "g"},
    )
    return [(override.uuid, override) for override in found]
