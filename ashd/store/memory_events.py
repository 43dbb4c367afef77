"""Events: the effects of newer memories on a memory, and repetitions that were not stored.

An event is shown to those who may read the newer memory. A repetition is shown in the group where
it was said, if everyone who takes part heard it.
"""

import json
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from ashd.store import visibility
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer

Kind = Literal["duplicate", "superseded", "repeated", "may_be_replaced", "kept"]
"""The effect of a newer memory on an older one: `kept` if a rule kept both."""


class Event(NamedTuple):
    """An event in the history of a memory."""

    memory: int
    at: int
    kind: str
    reason: str


def add(
    tx: Tx,
    memory: int,
    kind: Kind,
    reason: str,
    *,
    newer: int | None = None,
    said_in: int | None = None,
) -> None:
    """Store the effect of a newer memory on an older one, and why."""
    tx.send(
        "insert into memory_events (memory, at, event, reason, newer, said_in)"
        " values (?, ?, ?, ?, ?, ?)",
        *(memory, tx.now, kind, reason, newer, said_in),
    )


def of(tx: Tx, viewer: Viewer, numbers: Sequence[int]) -> list[Event]:
    """Return the events of memories that the viewer may read, oldest first."""
    rows = tx.named(
        "select e.memory, e.at, e.event, e.reason from json_each(:numbers) wanted"
        " cross join memory_events e on e.memory = wanted.value"
        f" where {condition(viewer)} order by e.id",
        {**visibility.parameters(viewer), "numbers": json.dumps(list(numbers))},
    )
    return [Event(*row) for row in rows]


_HEARD: Final = (
    "e.said_in = :chat and :audience_known = 1"
    " and json_array_length(:audience) ="
    " (select count(distinct p.account) from participations p where p.chat = e.said_in"
    "  and p.account in (select value from json_each(:audience))"
    "  and p.joined_at <= e.at and (p.left_at is null or p.left_at > e.at))"
)


def condition(viewer: Viewer) -> str:
    """Return the condition on an event `e` of a memory that the viewer may read."""
    if viewer.everything:
        return "true"
    newer = (
        f"exists (select 1 from memories m where m.id = e.newer and {visibility.condition(viewer)})"
    )
    # All who read what was told in private are one person.
    private = "(select m.learned_type from memories m where m.id = e.memory) = 'private'"
    heard = _HEARD if viewer.group else private
    return f"case when e.newer is not null then {newer} else {heard} end"
