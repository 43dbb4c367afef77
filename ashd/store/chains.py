"""Chains of memories that superseded one another, as a viewer may read them.

A memory that the viewer may not read supersedes nothing for them. `superseded_until` in the table
is the time for a reader of everything: for any other it is that time or an earlier one.
"""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Final, NamedTuple

from ashd.clock import FOREVER
from ashd.store import visibility
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer

_LASTS = "m.archived_at is null or m.archive_reason = 'superseded'"
"""A memory that was archived because it was superseded itself still supersedes the earlier ones."""


def doubtful(viewer: Viewer) -> str:
    """Return the condition on `m` that `superseded_until` may be too late a time for the viewer.

    The usual memory is superseded by one that all its readers may read, which is looked up at once.
    """
    if viewer.everything:
        return "false"
    return (
        "(m.superseded_until > :now and not exists (select 1 from"
        " (select m.superseded_by as winner, m.superseded_until as until, m.chat as place) loser"
        " cross join memories m on m.id = loser.winner where"
        f" ({_LASTS} or (m.archive_reason = 'evicted' and m.chat is not distinct from loser.place))"
        f" and m.ends_at >= loser.until and {visibility.condition(viewer)}))"
    )


_TOUCHED: Final = 100
"""The number of earlier memories of a chain that are noted one by one."""


def touch_older(tx: Tx, number: int) -> None:
    """Note who may see the earlier memories of a chain that a later memory now hides."""
    rows = tx.all(
        "with recursive older (id) as (select id from memories where superseded_by = ?1 union"
        " select m.id from older join memories m on m.superseded_by = older.id)"
        " select m.id, m.learned_in, m.owner, m.stated_by,"
        " (select json_group_array(person) from memory_subjects"
        "  where memory = m.id and is_read = 0)"
        " from (select id from older limit ?2) o join memories m on m.id = o.id",
        *(number, _TOUCHED),
    )
    for memory, chat, owner, stater, about in rows:
        seen_by = [("chat", chat), ("account", owner), ("account", stater)]
        seen_by += [("person", person) for person in json.loads(about)]
        if len(rows) < _TOUCHED:
            tx.revise(memory, *seen_by)
        else:
            tx.touch(*seen_by)


class Link(NamedTuple):
    """A memory of a chain; `is_shown` if the viewer may read it."""

    id: int
    uuid: str
    superseded_by: int | None
    superseded_at: int | None
    chat: int | None
    known_at: int
    ends_at: int
    archived_at: int | None
    archive_reason: str | None
    is_shown: bool


class Superseded(NamedTuple):
    """The memory that supersedes another for a viewer: the next in the chain that they may read."""

    by: int
    by_uuid: str
    at: int
    until: int


class Chains:
    """The memories looked at, and all later ones of their chains."""

    def __init__(self, links: Mapping[int, Link]) -> None:
        self._links = links
        self._until: dict[int, int] = {}

    def superseded_until(self, number: int) -> int:
        """Return the time until which a memory is superseded; 0 if it is not."""
        return self._latest(number, self._until, _hides_until)

    def superseded(self, number: int) -> Superseded | None:
        """Return the winner of a memory, and the times; None if nothing superseded it."""
        link = self._links[number]
        while link.superseded_by is not None:
            winner = self._links[link.superseded_by]
            if winner.is_shown:
                # Later than the hidden ones in between, of which it says nothing.
                at = link.superseded_at or 0
                return Superseded(winner.id, winner.uuid, at, self.superseded_until(number))
            link = winner
        return None

    def known_at(self, numbers: Collection[int], at: int) -> set[int]:
        """Return those memories that no later one had superseded at a time."""
        kept: dict[int, int] = {}

        def hides(winner: Link, _loser: Link) -> int:
            is_there = winner.archived_at is None or winner.archived_at > at
            is_there |= winner.archive_reason == "superseded"
            return int(is_there and winner.known_at <= at < winner.ends_at)

        return {number for number in numbers if not self._latest(number, kept, hides)}

    def _latest(self, number: int, kept: dict[int, int], hides: Callable[[Link, Link], int]) -> int:
        """Return the highest value of `hides` for the shown memories above one in its chain."""
        path = [self._links[number]]
        on_path = {number}
        while path[-1].id not in kept:
            above = path[-1].superseded_by
            if above is None or above in on_path:
                break
            path.append(self._links[above])
            on_path.add(above)
        last = path.pop()
        highest = kept.setdefault(last.id, 0)
        for loser in reversed(path):
            highest = max(highest, hides(last, loser) if last.is_shown else 0)
            kept[loser.id] = highest
            last = loser
        return highest


def _hides_until(winner: Link, loser: Link) -> int:
    """Return the time until which the winner itself hides the loser.

    That is the end of the winner, or 0 if the winner is archived.
    """
    # A winner that the cap archived still supersedes its loser, but no cap of a member's takes
    # away what is the group's.
    is_evicted = winner.archive_reason == "evicted" and winner.chat == loser.chat
    if winner.archived_at is not None and not (is_evicted or winner.archive_reason == "superseded"):
        return 0
    return min(winner.ends_at, FOREVER)


def load(tx: Tx, viewer: Viewer, numbers: Collection[int]) -> Chains:
    """Load the chains above some memories."""
    if not numbers:
        return Chains({})
    rows = tx.named(
        "with recursive later (id) as (select value from json_each(:numbers) union"
        " select m.superseded_by from later cross join memories m on m.id = later.id"
        " where m.superseded_by is not null)"
        " select m.id, m.uuid, m.superseded_by, m.superseded_at, m.chat,"
        " coalesce(m.observed_at, m.created_at), m.ends_at, m.archived_at, m.archive_reason,"
        f" {visibility.condition(viewer)} from later cross join memories m on m.id = later.id",
        {**visibility.parameters(viewer), "numbers": json.dumps(list(numbers))},
    )
    return Chains({row[0]: Link._make((*row[:-1], bool(row[-1]))) for row in rows})
