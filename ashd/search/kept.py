"""The shelves that stay in memory between searches, and what may be kept of them in all.

What must hold: a shelf that is handed out shows what the transaction would read. All viewers share
one bound of rows, and none takes more places than it needs, so that nobody's searches push out
what everybody else's go by.
"""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from ashd.search import shelf as shelves
from ashd.search.shelf import Shelf, Standing
from ashd.store import chats
from ashd.store.changes import Key
from ashd.store.database import Database, Tx
from ashd.store.visibility import Viewer

KEPT_ROWS: Final = 1_000_000
"""In all, of some 120 bytes each. A shelf that has more by itself is kept alone."""
KEPT_SHELVES: Final = 32
OF_ONE_VIEWER: Final = 6
"""Memories and turns, and some that are filtered by what the caller chose."""


class Kept(NamedTuple):
    """A shelf, since when it holds, and whose changes would be seen on it."""

    generation: int
    keys: frozenset[Key] | None
    shelf: Shelf
    standing: dict[tuple[bool, bool], Standing]
    """Its rows as they stand, with superseded ones or without, with expired ones or without."""

    @property
    def rows(self) -> int:
        """How many rows it holds; those that stand are held once more where they are not all."""
        copies = [one.rows for one in tuple(self.standing.values()) if one.rows is not self.shelf]
        return sum(len(rows.passage) for rows in (self.shelf, *copies))


class _Place(NamedTuple):
    """Which shelf it is."""

    kind: int
    viewer: Viewer
    where: str
    params: tuple[tuple[str, Any], ...]


class Shelves:
    """The shelves of the daemon; `get` runs on a reader."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: OrderedDict[_Place, Kept] = OrderedDict()
        self._lock = Lock()

    @property
    def rows(self) -> int:
        """How many rows are kept in all."""
        return sum(kept.rows for kept in self._kept.values())

    def get(self, tx: Tx, viewer: Viewer, where: str, params: Mapping[str, Any], kind: int) -> Kept:
        """The shelf of a kind of rows under a condition: as kept, grown by what is new, or read."""
        place = _Place(kind, viewer, where, tuple(sorted(params.items())))
        with self._lock:
            kept = self._kept.get(place)
        since = self._since(kept, tx.generation) if kept is not None else "changed"
        if kept is None or since == "changed":
            shelf = shelves.load(tx, viewer, where, params, kind)
            kept = Kept(tx.generation, _seen_on(tx, viewer, shelf), shelf, {})
        elif since == "grown":
            shelf = shelves.grown(tx, kept.shelf, viewer, where, params, kind)
            standing = kept.standing if shelf is kept.shelf else {}
            kept = Kept(tx.generation, _seen_on(tx, viewer, shelf), shelf, standing)
        self._keep(place, kept)
        return kept

    def _keep(self, place: _Place, kept: Kept) -> None:
        """Keep it, and let go of what was not used for longest where that is too much."""
        with self._lock:
            self._kept[place] = kept
            self._kept.move_to_end(place)
            of_viewer = [other for other in self._kept if other.viewer == place.viewer]
            for other in of_viewer[:-OF_ONE_VIEWER]:
                del self._kept[other]
            while len(self._kept) > 1 and (len(self._kept) > KEPT_SHELVES or self.rows > KEPT_ROWS):
                self._kept.popitem(last=False)

    def _since(self, kept: Kept, generation: int) -> Literal["same", "grown", "changed"]:
        if kept.keys is None:
            return "same" if kept.generation == generation else "changed"
        return self._db.since(kept.keys, kept.generation)


def _seen_on(tx: Tx, viewer: Viewer, shelf: Shelf) -> frozenset[Key] | None:
    """Whose changes a viewer may see; None for one who sees all."""
    if viewer.everything:
        return None
    chats_seen = {*np.unique(shelf.chat).tolist(), *chats.chats_of(tx, viewer.accounts)}
    if viewer.chat is not None:
        chats_seen.add(viewer.chat)
    return frozenset(
        {
            *(("chat", number) for number in chats_seen),
            *(("account", number) for number in viewer.accounts),
            *(("person", number) for number in (*viewer.persons, *viewer.audience_persons)),
        }
    )
