"""Conflicts: pairs of active memories of which the newer perhaps replaces the older.

A model's belief hides nothing (A17): both memories stay active, and each is shown with the other to
everyone who may see both. `memory.supersede` settles a conflict.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Annotated, Final

import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.ids import no_cursor
from ashd.memory import wire
from ashd.memory.model import Memory
from ashd.store import memories, memory_links, memory_lists
from ashd.store.database import Database, Tx
from ashd.store.filters import MemoryFilter
from ashd.store.memory_links import Link
from ashd.store.visibility import Viewer

_PARTS: Final = 3
"""Parts of a cursor: the likelihood and the two ids of the page's last conflict."""


class ConflictsParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The page of conflicts to return."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None


class ConflictView(msgspec.Struct, frozen=True):
    """Two active memories, the likelihood that the newer one replaces the older, and since when."""

    newer: Memory
    older: Memory
    likelihood: float
    since: str


class ConflictsResult(msgspec.Struct, frozen=True):
    """A page of conflicts that are not settled, likeliest first; `total` counts all pages.

    `names` are those of the people that their memories are about, by id.
    """

    conflicts: list[ConflictView]
    next_cursor: str | None
    total: int
    names: dict[str, str]


class _Open(msgspec.Struct, frozen=True, order=True):
    """A conflict by the ids of its memories, in the order of the list."""

    unlikelihood: float
    newer: str
    older: str

    @classmethod
    def from_cursor(cls, cursor: str) -> "_Open":
        """Return the last conflict of a page.

        Raises:
            errors.InvalidParams: this is no cursor.
        """
        parts = cursor.split("/")
        try:
            if len(parts) != _PARTS:
                raise no_cursor()
            return cls(float(parts[0]), *parts[1:])
        except ValueError as error:
            raise no_cursor() from error

    def cursor(self) -> str:
        """Return the cursor of the page after this conflict."""
        return f"{self.unlikelihood}/{self.newer}/{self.older}"


class Conflicts:
    """Lists the conflicts that nobody has settled."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list(self, call: Call, params: ConflictsParams) -> ConflictsResult:
        """List likely conflicts that nobody has settled, likeliest first.

        Raises:
            errors.InvalidParams: the cursor is none.
        """
        return await self._db.read(lambda tx: _list(tx, call, params))


def _list(tx: Tx, call: Call, params: ConflictsParams) -> ConflictsResult:
    viewer = call.look(tx)
    after = None if params.cursor is None else _Open.from_cursor(params.cursor)
    seen = memory_lists.seen(tx, viewer, MemoryFilter())
    links = [link for link in memory_links.among(tx, seen) if link.kind == "may_replace"]
    ids = memories.uuids(tx, {number for link in links for number in (link.newer, link.older)})
    found = sorted((_Open(-link.chance, ids[link.newer], ids[link.older]), link) for link in links)
    left = [one for one in found if after is None or one[0] > after]
    page = left[: params.limit]
    shown, names = _views(tx, viewer, [link for _, link in page])
    return ConflictsResult(
        conflicts=shown,
        next_cursor=page[-1][0].cursor() if len(left) > len(page) else None,
        total=len(found),
        names=names,
    )


def _views(
    tx: Tx, viewer: Viewer, links: Collection[Link]
) -> tuple[list[ConflictView], dict[str, str]]:
    """Return the conflicts as the viewer gets them, and the names of people by id."""
    records = memories.by_ids(tx, viewer, [n for link in links for n in (link.newer, link.older)])
    seen = wire.memories(tx, viewer, list(records.values()))
    shown = dict(zip(records, seen, strict=True))
    views = [
        ConflictView(
            newer=shown[link.newer],
            older=shown[link.older],
            likelihood=round(link.chance, 2),
            since=to_text(records[link.newer].created_at) or "",
        )
        for link in links
        if link.newer in shown and link.older in shown
    ]
    return views, wire.names(tx, viewer, list(records.values()), seen)


def newer_of(tx: Tx, numbers: Collection[int]) -> dict[int, list[int]]:
    """Return the active memories that perhaps replace each of these, likeliest first."""
    found: dict[int, list[int]] = defaultdict(list)
    wanted = set(numbers)
    for link in memory_links.conflicts_of(tx, wanted):
        if link.older in wanted:
            found[link.older].append(link.newer)
    return found
