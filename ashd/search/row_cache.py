"""The row cache: the rows that viewers may see, in memory between searches.

A returned entry shows what the transaction would read. All viewers share one limit of bytes. Each
viewer's entries are limited in number, and a viewer with more than a share of the bytes loses
entries first, so that one viewer's searches do not evict everybody else's entries.
"""

from collections import Counter, OrderedDict
from dataclasses import replace
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

import numpy as np

from ashd.search import visible_rows
from ashd.search.visible_rows import ActiveRows, VisibleRows
from ashd.store import passages, watched
from ashd.store.change_tracker import Key
from ashd.store.database import Database, Tx
from ashd.store.filters import Filter
from ashd.store.visibility import Viewer

KEPT_BYTES: Final = 192 * 1024 * 1024
_SHARE: Final = 4
"""A viewer with more than one in so many of all bytes loses entries first."""
_OBJECT_BYTES: Final = 64
"""Bytes of a row's Python objects, besides its columns."""
_OF_ITSELF: Final = 8_192
"""Bytes counted for an entry besides its rows."""
_SLICE: Final = {passages.MEMORY: 4_000, passages.MESSAGE: 4_000, passages.SUMMARY: 100}
"""Items of a kind read at a time, in some twenty milliseconds; a summary costs as much as its
turns.
"""
_MOST_REVISED: Final = 1_000
"""If more memories than this were changed, all are read again, in slices."""
_LOOKED_AT: Final = 2
"""Entries that each search looks at besides its own; what is out of date holds memory for nothing:
an erased owner's is never asked for again."""
MAX_ENTRIES_PER_VIEWER: Final = 12
"""Entries for memories, turns and summaries in some projects, and some with filters."""


class CachedRows(NamedTuple):
    """A cache entry: rows, the generation they are from, and the keys whose changes affect them."""

    generation: int
    keys: frozenset[Key]
    visible: VisibleRows
    active: dict[tuple[bool, bool], ActiveRows]
    """Its active rows, with or without superseded ones, and with or without expired ones."""

    def active_at(self, now: int, superseded: bool, expired: bool) -> ActiveRows:
        """Return the rows that are active at a time, and superseded or expired ones if wanted."""
        active = self.active.get((superseded, expired))
        if active is None or not active.holds(now):
            active = self.active[superseded, expired] = ActiveRows(
                self.visible, now, include_superseded=superseded, include_expired=expired
            )
        return active

    @property
    def bytes(self) -> int:
        """The memory that its rows take; the active ones count again if they are a copy."""
        copies = [one.rows for one in tuple(self.active.values()) if one.rows is not self.visible]
        return sum(
            len(rows.passage) * _OBJECT_BYTES + sum(column.nbytes for column in rows)
            for rows in (self.visible, *copies)
        )


class _Place(NamedTuple):
    """The key of a cache entry."""

    kind: int
    viewer: Viewer
    filter: Filter

    @property
    def reader(self) -> Viewer:
        """The viewer whose share the entry counts in, whatever project is worked on."""
        return replace(self.viewer, project=None)


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
        """The bytes that each entry counts in the bound."""
        self._of_viewer: dict[Viewer, OrderedDict[_Place, None]] = {}
        self._bytes_of: Counter[Viewer] = Counter()
        self.bytes = 0
        """The bytes that all entries count in the bound."""
        self._large: OrderedDict[Viewer, None] = OrderedDict()
        """The viewers that hold more than their share, the one that searched last at the end."""
        self._turns: OrderedDict[_Place, None] = OrderedDict()
        """All entries, in the order in which they are looked at for changes."""
        self._lock = Lock()

    def get(self, tx: Tx, viewer: Viewer, wanted: Filter, kind: int) -> CachedRows:
        """Return the rows of a kind that fit a filter: cached, extended by new ones, or read."""
        place = _Place(kind, viewer, wanted)
        with self._lock:
            kept = self._cached.get(place)
        if kept is None and tx.progress is not None:  # it was too large to be cached
            kept = tx.progress.get((CachedRows, place))
        kept = self._renewed(tx, place, kept) if kept is not None else None
        if kept is None:
            kept = self._read(tx, place)
        if tx.progress is not None:
            tx.progress[CachedRows, place] = kept
        self._keep(place, kept)
        return kept

    def _renewed(self, tx: Tx, place: _Place, kept: CachedRows) -> CachedRows | None:
        """Return an entry brought up to date; None if all of it has to be read again."""
        kind, viewer, wanted = place
        since = self._db.since(kept.keys, kept.generation)
        if since == "same":
            return kept
        if since == "changed":
            return None
        items: set[int] = set()
        if since == "revised" and kind == passages.MEMORY:
            items = self._db.revised(kept.keys, kept.generation)
        if len(items) > _MOST_REVISED:
            return None
        if items:
            visible = visible_rows.revised(tx, kept.visible, viewer, wanted, items)
        else:
            visible = visible_rows.grown(tx, kept.visible, viewer, wanted, kind)
        active = kept.active if visible is kept.visible else {}
        return CachedRows(tx.generation, _keys(tx, viewer, visible), visible, active)

    def _read(self, tx: Tx, place: _Place) -> CachedRows:
        """Read an entry; a large one in slices, between which others may use the reader."""
        kind, viewer, wanted = place
        reading = tx.progress.get(place) if tx.progress is not None else None
        if reading is None:
            reading = _Reading(tx.generation, passages.reached(tx, viewer, kind, 0))
        while reading.read < len(reading.numbers) or not reading.parts:
            part = reading.numbers[reading.read : reading.read + _SLICE[kind]]
            reading.parts.append(visible_rows.load(tx, viewer, wanted, kind, part))
            reading.read += _SLICE[kind]
            if tx.progress is not None and reading.read < len(reading.numbers):
                tx.progress[place] = reading
                tx.give_way()
        visible = visible_rows.joined(reading.parts)
        kept = CachedRows(reading.generation, _keys(tx, viewer, visible), visible, {})
        renewed = self._renewed(tx, place, kept)
        if renewed is None:
            # Some of the rows were changed meanwhile: read all once more, without a pause.
            numbers = passages.reached(tx, viewer, kind, 0)
            visible = visible_rows.load(tx, viewer, wanted, kind, numbers)
            renewed = CachedRows(tx.generation, _keys(tx, viewer, visible), visible, {})
        return renewed

    def _keep(self, place: _Place, kept: CachedRows) -> None:
        """Cache an entry, and evict the least recently used ones beyond the limit.

        Entries of viewers that hold more than their share go first, so an operator who searches
        everything takes nothing from the others.
        """
        with self._lock:
            self._drop_changed()
            self._cached[place] = kept
            self._turns[place] = None
            self._cached.move_to_end(place)
            of_viewer = self._of_viewer.setdefault(place.reader, OrderedDict())
            of_viewer[place] = None
            of_viewer.move_to_end(place)
            self._count(place, kept.bytes + _OF_ITSELF)
            if len(of_viewer) > MAX_ENTRIES_PER_VIEWER:
                self._let_go(next(iter(of_viewer)))
            while self.bytes > KEPT_BYTES:
                large = next(iter(self._large), None)
                self._let_go(next(iter(self._of_viewer[large] if large else self._cached)))

    def _count(self, place: _Place, count: int) -> None:
        """Count so many bytes for an entry, and note whether its viewer has more than a share."""
        viewer = place.reader
        more = count - self._counted.pop(place, 0)
        self._bytes_of[viewer] += more
        self.bytes += more
        if count:
            self._counted[place] = count
        self._large.pop(viewer, None)
        if self._bytes_of[viewer] * _SHARE > KEPT_BYTES:
            self._large[viewer] = None

    def _drop_changed(self) -> None:
        """Drop what would be read anew anyway, among the entries whose turn it is."""
        for place in tuple(islice(self._turns, _LOOKED_AT)):
            kept = self._cached[place]
            if self._db.since(kept.keys, kept.generation) == "changed":
                self._let_go(place)
            else:
                self._turns.move_to_end(place)

    def _let_go(self, place: _Place) -> None:
        del self._cached[place], self._turns[place]
        self._count(place, 0)
        viewer = place.reader
        of_viewer = self._of_viewer[viewer]
        del of_viewer[place]
        if not of_viewer:
            del self._of_viewer[viewer], self._bytes_of[viewer]


def _keys(tx: Tx, viewer: Viewer, visible: VisibleRows) -> frozenset[Key]:
    """Return the keys whose changes may affect these rows of the viewer's."""
    places = [] if viewer.everything else np.unique(visible.chat).tolist()
    return watched.keys_of(tx, viewer, places)
