"""Visible rows: the ranking data of the rows a viewer may see, as arrays of one length.

Memories are in the order of their passages, turns in the order they were said.
"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.clock import FOREVER, HOUR
from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.filters import Filter
from ashd.store.visibility import Viewer

Places = NDArray[np.int64]

SILENCE: Final = 3 * HOUR
"""The silence after which the next turn of a conversation begins a session."""
_COLUMNS: Final = (
    *[np.int64] * 5,
    np.float64,
    *[np.bool_] * 2,
    *[np.int64] * 3,
    np.object_,
    *[np.int64] * 2,
    *[np.bool_] * 2,
    np.float64,
    np.object_,
    *[np.int64] * 2,
)


class VisibleRows(NamedTuple):
    """The rows that a viewer may see, as arrays of one length; turns in their order."""

    passage: Places
    item: Places
    chat: Places
    at: Places
    words: Places
    asking: NDArray[np.float64]
    dated: NDArray[np.bool_]
    ends_asking: NDArray[np.bool_]
    conversation: Places
    position: Places
    ordinal: Places
    speaker: NDArray[np.object_]
    ends_at: Places
    superseded_until: Places
    archived: NDArray[np.bool_]
    fades: NDArray[np.bool_]
    trust: NDArray[np.float64]
    about: NDArray[np.object_]
    """The people a row is about, as a tuple."""
    valid_from: Places
    valid_until: Places

    def keep(self, mask: NDArray[np.bool_]) -> "VisibleRows":
        """Return the rows under the mask."""
        return self if mask.all() else VisibleRows._make(column[mask] for column in self)

    def within(self, since: int | None, until: int | None) -> "VisibleRows":
        """Return the rows said from `since` on and before `until`."""
        mask = np.ones(len(self.at), dtype=np.bool_)
        if since is not None:
            mask &= self.at >= since
        if until is not None:
            mask &= self.at < until
        return self.keep(mask)


_SPEAKER: Final = VisibleRows._fields.index("speaker")
_ABOUT: Final = VisibleRows._fields.index("about")
_READ: Final[Mapping[int, Callable[..., list[tuple[Any, ...]]]]] = {
    passages.MEMORY: passages.memory_rows,
    passages.MESSAGE: passages.turn_rows,
    passages.SUMMARY: passages.summary_rows,
}


def load(
    tx: Tx,
    viewer: Viewer,
    wanted: Filter,
    kind: int,
    among: Sequence[int],
) -> VisibleRows:
    """Load the rows of a kind that match the filter, among these memories or messages."""
    rows = _READ[kind](tx, viewer, wanted, among)
    columns: list[tuple[Any, ...]] = [()] * len(_COLUMNS)
    if rows:
        columns = list(zip(*rows, strict=True))
    # Few names, repeated in every row.
    columns[_SPEAKER] = tuple(name and sys.intern(name) for name in columns[_SPEAKER])
    columns[_ABOUT] = tuple(people or () for people in columns[_ABOUT])
    return VisibleRows._make(
        # not `array`, which makes of tuples of one length a table
        np.fromiter(column, dtype, len(rows))
        for column, dtype in zip(columns, _COLUMNS, strict=True)
    )


def joined(parts: Sequence[VisibleRows]) -> VisibleRows:
    """Join several disjoint sets of rows in order."""
    together = VisibleRows._make(
        columns[0] if len(parts) == 1 else np.concatenate(columns)
        for columns in zip(*parts, strict=True)
    )
    keys = (together.conversation, together.position, together.ordinal)
    if _in_order(*keys):
        return together
    order = np.lexsort(keys[::-1])
    return VisibleRows._make(column[order] for column in together)


def _in_order(*keys: Places) -> bool:
    """Return whether rows are in the order of their keys, the first of which counts most."""
    later, same = np.zeros(max(len(keys[0]) - 1, 0), np.bool_), True
    for key in keys:
        later |= same & (key[1:] > key[:-1])
        same = same & (key[1:] == key[:-1])
    return bool((later | same).all())


def grown(tx: Tx, visible: VisibleRows, viewer: Viewer, wanted: Filter, kind: int) -> VisibleRows:
    """Add the rows stored since the set was loaded, provided none in it was changed.

    A new row's number is higher than every earlier one.
    """
    newer = passages.reached(tx, viewer, kind, int(visible.item.max(initial=0)))
    more = load(tx, viewer, wanted, kind, newer) if newer else None
    return visible if more is None or not len(more.passage) else joined([visible, more])


def revised(
    tx: Tx,
    visible: VisibleRows,
    viewer: Viewer,
    wanted: Filter,
    items: Collection[int],
) -> VisibleRows:
    """Load these memories again, and add those stored since the set was loaded."""
    newer = passages.reached(tx, viewer, passages.MEMORY, int(visible.item.max(initial=0)))
    others = visible.keep(~np.isin(visible.item, list(items)))
    again = load(tx, viewer, wanted, passages.MEMORY, sorted({*items, *newer}))
    return joined([others, again])


def sessions(conversations: Places, at: Places) -> Places:
    """Number the sessions of turns in order, shape (n,): each silence starts one.

    A conversation may go on for months, and only turns of one session are neighbours. Rows without
    a conversation stay -1.
    """
    opens = np.ones(len(at), dtype=np.int64)
    if len(at):
        same = conversations[1:] == conversations[:-1]
        opens[1:] = ~(same & (np.abs(np.diff(at)) < SILENCE))
    return np.where(conversations < 0, -1, np.cumsum(opens) - 1)


class ActiveRows:
    """The rows that are active at a time, with derived data computed once for all searches.

    Valid until the next of the rows ends or becomes active again.
    """

    def __init__(
        self, visible: VisibleRows, now: int, *, include_superseded: bool, include_expired: bool
    ) -> None:
        kept = ~visible.archived
        if not include_superseded:
            kept &= visible.superseded_until <= now
        if not include_expired:
            kept &= visible.ends_at > now
        self.rows = visible.keep(kept)
        changes = np.concatenate((visible.superseded_until, visible.ends_at))
        self._since = now
        self._until = int(changes.min(where=changes > now, initial=FOREVER))

    def holds(self, now: int) -> bool:
        """Return whether the same rows are active at this time."""
        return self._since <= now < self._until

    @cached_property
    def session(self) -> Places:
        """The session of each row, -1 if it has no conversation."""
        return sessions(self.rows.conversation, self.rows.at)

    @cached_property
    def items(self) -> int:
        """The number of memories, whose passages follow one another."""
        item = self.rows.item
        return int(np.count_nonzero(item[1:] != item[:-1])) + min(len(item), 1)

    @cached_property
    def memories(self) -> Places:
        """The row numbers of the memories, each once, oldest first."""
        return np.unique(self.rows.item)

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """The speakers in these rows."""
        return tuple(sorted({speaker for speaker in self.rows.speaker.tolist() if speaker}))

    @cached_property
    def people(self) -> list[int]:
        """The people these rows are about."""
        people: list[int] = np.unique(self._about[0]).tolist()
        return people

    def places_about(self, people: Collection[int]) -> Places:
        """Return the places of the rows about any of these people."""
        persons, places = self._about
        return places[np.isin(persons, list(people))]

    @cached_property
    def _about(self) -> tuple[Places, Places]:
        """Pairs of a person and the place of a row about them, each pair once."""
        about, count = self.rows.about, len(self.rows.about)
        lengths = np.fromiter(map(len, about), np.int64, count)
        persons = np.fromiter(chain.from_iterable(about), np.int64, int(lengths.sum()))
        return persons, np.repeat(np.arange(count), lengths)

    @cached_property
    def chats(self) -> tuple[int, ...]:
        """The chats that these rows are from."""
        return tuple(np.unique(self.rows.chat).tolist())

    def places(self, passages: Places) -> Places:
        """Return the places of these passages, without those that are not among the rows."""
        order, ordered = self._by_passage
        at = np.minimum(np.searchsorted(ordered, passages), len(ordered) - 1)
        kept: Places = order[at[ordered[at] == passages]]
        return kept

    @cached_property
    def _by_passage(self) -> tuple[Places, Places]:
        order = np.argsort(self.rows.passage, kind="stable")
        return order, self.rows.passage[order]
