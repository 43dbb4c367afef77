"""The row cache: the rows that viewers may see, in memory between searches.

An entry that is returned shows what the transaction would read. All viewers share one bound of
rows, and the number of entries per viewer is limited, so that one viewer's searches do not evict
everybody else's entries.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, Literal, NamedTuple

import numpy as np

from ashd.search import visible_rows
from ashd.search.visible_rows import ActiveRows, VisibleRows
from ashd.store import passages, watched
from ashd.store.change_tracker import Key
from ashd.store.database import Database, Tx
from ashd.store.filters import Filter
from ashd.store.visibility import Viewer

MAX_CACHED_ROWS: Final = 1_000_000
"""In all, of some 120 bytes each. An entry larger than that is cached alone."""
_OF_ITSELF: Final = 50
"""Rows added to each entry in the count, for the memory that even an empty one takes."""
_SLICE: Final = {passages.MEMORY: 4_000, passages.MESSAGE: 4_000, passages.SUMMARY: 100}
"""Items of a kind read at a time: some twenty milliseconds. A summary is as many as its turns."""
MAX_ENTRIES_PER_VIEWER: Final = 6
"""Memories and turns, and some that are filtered by what the caller chose."""


class CachedRows(NamedTuple):
    """A cache entry: rows, the generation they are from, and the keys whose changes affect them."""

    generation: int
    keys: frozenset[Key] | None
    visible: VisibleRows
    standing: dict[tuple[bool, bool], ActiveRows]
    """Its active rows, with or without superseded ones, and with or without expired ones."""

    @property
    def rows(self) -> int:
        """The number of rows held; the active ones count again if they are a copy."""
        copies = [one.rows for one in tuple(self.standing.values()) if one.rows is not self.visible]
        return sum(len(rows.passage) for rows in (self.visible, *copies))


class _Place(NamedTuple):
    """The key of a cache entry."""

    kind: int
    viewer: Viewer
    filter: Filter


class _Reading:
    """An entry being read slice by slice; `generation` is the one at its start."""

    def __init__(self, generation: int, numbers: list[int]) -> None:
        self.generation = generation
        self.numbers = numbers
        self.read = 0
        self.parts: list[VisibleRows] = []


class RowCache:
    """The daemon's cache of visible rows; `get` runs on a reader."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._cached: OrderedDict[_Place, CachedRows] = OrderedDict()
        self._counted: dict[_Place, int] = {}
        """The rows that each entry counts in the bound."""
        self._total = 0
        self._of_viewer: dict[Viewer, OrderedDict[_Place, None]] = {}
        self._lock = Lock()

    @property
    def rows(self) -> int:
        """The number of rows in the whole cache."""
        return sum(kept.rows for kept in self._cached.values())

    def get(self, tx: Tx, viewer: Viewer, wanted: Filter, kind: int) -> CachedRows:
        """Return the rows of a kind that fit a filter: cached, extended by new ones, or read."""
        place = _Place(kind, viewer, wanted)
        with self._lock:
            kept = self._cached.get(place)
        since = self._since(kept, tx.generation) if kept is not None else "changed"
        if kept is None or since == "changed":
            kept = self._read(tx, place)
        elif since == "grown":
            kept = self._grown(tx, place, kept)
        self._keep(place, kept)
        return kept

    def _read(self, tx: Tx, place: _Place) -> CachedRows:
        """Read an entry; a large one in slices, between which others may use the reader."""
        kind, viewer, wanted = place
        waits = None if viewer.everything else tx.progress  # every change would be one of it
        reading = waits.get(place) if waits is not None else None
        if reading is None:
            reading = _Reading(tx.generation, passages.reached(tx, viewer, kind, 0))
        while reading.read < len(reading.numbers) or not reading.parts:
            part = reading.numbers[reading.read : reading.read + _SLICE[kind]]
            reading.parts.append(visible_rows.load(tx, viewer, wanted, kind, part))
            reading.read += _SLICE[kind]
            if waits is not None and reading.read < len(reading.numbers):
                waits[place] = reading
                tx.give_way()
        visible = visible_rows.joined(reading.parts)
        kept = CachedRows(reading.generation, _keys(tx, viewer, visible), visible, {})
        since = self._since(kept, tx.generation)
        if since == "grown":
            return self._grown(tx, place, kept)
        if since == "changed" and reading.generation != tx.generation:
            # Meanwhile, some of what was read: all of it once more, now without a pause.
            numbers = passages.reached(tx, viewer, kind, 0)
            visible = visible_rows.load(tx, viewer, wanted, kind, numbers)
            kept = CachedRows(tx.generation, _keys(tx, viewer, visible), visible, {})
        return kept

    def _grown(self, tx: Tx, place: _Place, kept: CachedRows) -> CachedRows:
        """Return an entry extended by the new rows."""
        kind, viewer, wanted = place
        visible = visible_rows.grown(tx, kept.visible, viewer, wanted, kind)
        standing = kept.standing if visible is kept.visible else {}
        return CachedRows(tx.generation, _keys(tx, viewer, visible), visible, standing)

    def _keep(self, place: _Place, kept: CachedRows) -> None:
        """Cache an entry, and evict the least recently used ones beyond the bound."""
        with self._lock:
            self._cached[place] = kept
            self._cached.move_to_end(place)
            rows = kept.rows + _OF_ITSELF
            self._total += rows - self._counted.get(place, 0)
            self._counted[place] = rows
            of_viewer = self._of_viewer.setdefault(place.viewer, OrderedDict())
            of_viewer[place] = None
            of_viewer.move_to_end(place)
            if len(of_viewer) > MAX_ENTRIES_PER_VIEWER:
                self._let_go(next(iter(of_viewer)))
            while len(self._cached) > 1 and self._total > MAX_CACHED_ROWS:
                self._let_go(next(iter(self._cached)))

    def _let_go(self, place: _Place) -> None:
        del self._cached[place]
        self._total -= self._counted.pop(place)
        of_viewer = self._of_viewer[place.viewer]
        del of_viewer[place]
        if not of_viewer:
            del self._of_viewer[place.viewer]

    def _since(self, kept: CachedRows, generation: int) -> Literal["same", "grown", "changed"]:
        if kept.keys is None:
            return "same" if kept.generation == generation else "changed"
        return self._db.since(kept.keys, kept.generation)


def _keys(tx: Tx, viewer: Viewer, visible: VisibleRows) -> frozenset[Key] | None:
    """Return the keys whose changes may affect these rows of the viewer's."""
    return watched.keys_of(tx, viewer, np.unique(visible.chat).tolist())
