"""Lists of memories, as row numbers: all that match a filter and that a reader may see, in order.

Every list includes the condition of the disclosure policy.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from ashd.store import chains, filters, visibility
from ashd.store.database import Tx
from ashd.store.filters import MemoryFilter
from ashd.store.visibility import States, Viewer

Order = Literal["oldest", "most_used", "last_used", "ends_first"]
_KEYS: Final[dict[Order, str]] = {
    "oldest": "m.id",
    "most_used": "-m.access_count",
    "last_used": "-coalesce(m.last_accessed_at, 0)",
    "ends_first": "m.ends_at",
}


def seen(
    tx: Tx, viewer: Viewer, wanted: MemoryFilter, states: States = visibility.ACTIVE
) -> list[int]:
    """Return the memories that match and that the reader may see, newest first."""
    (numbers,) = _columns(tx, viewer, wanted, states, "m.id")
    numbers.sort(reverse=True)
    return numbers


def seen_in_order(
    tx: Tx, viewer: Viewer, wanted: MemoryFilter, states: States, order: Order, after: int | None
) -> tuple[int, list[int]]:
    """Return the number of all that match, and those after a given memory, in order.

    The given memory may no longer match, since it may have changed after it was listed.
    """
    numbers, values = _columns(tx, viewer, wanted, states, "m.id", _KEYS[order])
    key_of = dict(zip(numbers, values, strict=True))
    # Sorting integers here takes a quarter of the time it takes in the database.
    numbers.sort(reverse=True)
    numbers.sort(key=key_of.__getitem__)
    if after is None:
        return len(numbers), numbers
    cursor = tx.value(f"select {_KEYS[order]} from memories m where m.id = ?", after)
    first = bisect_right(numbers, (cursor, -after), key=lambda one: (key_of[one], -one))
    return len(numbers), numbers[first:]


def _columns(
    tx: Tx, viewer: Viewer, wanted: MemoryFilter, states: States, *columns: str
) -> list[list[int]]:
    """Return columns of the memories, unordered."""
    where, values = filters.condition(wanted)
    begin = _narrowest(tx, viewer, wanted, values)
    arrays = ", ".join(f"json_group_array({column})" for column in columns)
    doubtful = chains.doubtful(viewer)
    in_states = visibility.in_states(states, doubtful=doubtful)
    unsure = doubtful if wanted.known_at is None else "m.superseded_by is not null"
    rows = tx.named(
        # cross join: the planner must not begin with all memories
        f"select {arrays}, json_group_array(m.id) filter (where {unsure})"
        f" from ({begin}) r cross join memories m on m.id = r.id where ({where})"
        f" and {in_states} and {visibility.condition(viewer)}",
        {**visibility.parameters(viewer), "now": tx.now, "after": 0, **values},
    )
    # One row of text: reading thousands of rows takes longer than finding them.
    texts = rows[0] if rows else ["[]"] * (len(columns) + 1)
    *found, doubted = [msgspec.json.decode(text, type=list[int]) for text in texts]
    hidden = _in_other_states(tx, viewer, wanted, states, doubted)
    if not hidden:
        return found
    ids = found[columns.index("m.id")]
    return [
        [value for number, value in zip(ids, column, strict=True) if number not in hidden]
        for column in found
    ]


def _in_other_states(
    tx: Tx, viewer: Viewer, wanted: MemoryFilter, states: States, doubted: Sequence[int]
) -> set[int]:
    """Return those of the memories that are in none of the states for the viewer."""
    above = chains.load(tx, viewer, doubted)
    hidden: set[int] = set()
    if wanted.known_at is not None:
        hidden.update(set(doubted) - above.known_at(doubted, wanted.known_at))
    if states.are_superseded is not None:
        hidden.update(
            number
            for number in doubted
            if (above.superseded_until(number) > tx.now) is not states.are_superseded
        )
    return hidden


_FEW: Final = 4_000
"""The largest number of candidates, of all owners, from which a list starts. Reading so many takes
a few milliseconds, so nobody waits for what other owners have stored.
"""


def _narrowest(tx: Tx, viewer: Viewer, wanted: MemoryFilter, values: dict[str, Any]) -> str:
    """Return the query with the fewest candidates: by the filter, or by what the reader may see."""
    may_fit = filters.indexed(wanted)
    if may_fit and (viewer.everything or _are_few(tx, may_fit, values)):
        return " union ".join(may_fit)
    return visibility.reach(viewer)


def _are_few(tx: Tx, queries: Sequence[str], values: dict[str, Any]) -> bool:
    counts = [f"(select count(*) from ({query} limit {_FEW + 1}) r)" for query in queries]
    return all(row[0] <= _FEW for row in tx.named(f"select {' + '.join(counts)}", values))
