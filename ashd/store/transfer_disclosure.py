"""SQL conditions for the records a viewer may see of each kind, as in every other read."""

import json
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ashd.store import chains, chats, graph, memory_events, overrides, visibility
from ashd.store.chains import Superseded
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer

_IN_PEOPLE: Final = "m.id in (select value from json_each(:people))"
_OWN: Final = "in (select value from json_each(:accounts))"


def parameters(tx: Tx, viewer: Viewer) -> dict[str, Any]:
    """Return the parameters of the conditions, except `people`, the people the viewer knows."""
    base = {**visibility.parameters(viewer), "now": tx.now}
    return {**base, "own_chats": json.dumps(_own_chats(tx, viewer))}


def subjects_of_shown(tx: Tx, viewer: Viewer) -> set[int]:
    """Return the subjects of the memories that the viewer may see."""
    rows = tx.named(
        "select distinct s.person from memory_subjects s join memories m on m.id = s.memory"
        f" where {visibility.condition(viewer)}",
        {**visibility.parameters(viewer), "now": tx.now},
    )
    return {row[0] for row in rows}


def tellers_of_shown(tx: Tx, viewer: Viewer) -> dict[int, tuple[str, str]]:
    """Return the accounts that own or stated the memories that the viewer may see, and its own."""
    rows = tx.named(
        "select a.id, a.provider, a.user_id from accounts a where a.id in"
        f" (select m.owner from memories m where {visibility.condition(viewer)} union"
        f"  select m.stated_by from memories m where {visibility.condition(viewer)})"
        f" or a.id {_OWN}",
        {**visibility.parameters(viewer), "now": tx.now},
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def superseded(tx: Tx, viewer: Viewer) -> dict[str, Superseded]:
    """Return the winner that supersedes each memory for the viewer, by the memory's id."""
    rows = tx.named(
        "select m.id, m.uuid from memories m"
        f" where m.superseded_by is not null and {visibility.condition(viewer)} order by m.id",
        {**visibility.parameters(viewer), "now": tx.now},
    )
    above = chains.load(tx, viewer, [number for number, _ in rows])
    found = {uuid: above.superseded(number) for number, uuid in rows}
    return {uuid: winner for uuid, winner in found.items() if winner is not None}


class Positions(NamedTuple):
    """The positions of the messages of a conversation that are shown, and their times."""

    positions: list[int]
    said_from: int
    said_until: int

    def count_until(self, position: int) -> int:
        """Return how many shown messages are at a position or before it."""
        return bisect_right(self.positions, position)


def positions(tx: Tx, viewer: Viewer) -> dict[str, Positions]:
    """Return the positions of the messages that the viewer may see, by conversation."""
    rows = tx.named(
        "select c.uuid, json_group_array(t.position order by t.position), min(t.said_at),"
        " max(t.said_at) from conversations c join messages t on t.conversation = c.id"
        f" where {visibility.turn_condition(viewer)} group by c.id",
        visibility.parameters(viewer),
    )
    return {row[0]: Positions(json.loads(row[1]), row[2], row[3]) for row in rows}


def _own_chats(tx: Tx, viewer: Viewer) -> list[int]:
    """The chats that the viewer takes or took part in; in a group only that group."""
    if viewer.group:
        return [viewer.chat] if viewer.chat is not None else []
    rows = tx.named(
        f"select id from chats where account {_OWN}", {"accounts": json.dumps(viewer.accounts)}
    )
    return [*chats.chats_of(tx, viewer.accounts), *(row[0] for row in rows)]


def _memories(*columns: str) -> Callable[[Viewer], str]:
    """The condition that the memories in these columns are shown."""

    def condition(viewer: Viewer) -> str:
        shown = f"(select m.id from memories m where {visibility.condition(viewer)})"
        return " and ".join(f"m.{column} in {shown}" for column in columns)

    return condition


def _messages(here: str) -> Callable[[Viewer], str]:
    """The condition that a message under a condition on `t` is shown."""
    return lambda viewer: (
        "exists (select 1 from messages t join conversations c on c.id = t.conversation"
        f" where {here} and {visibility.turn_condition(viewer)})"
    )


CONDITIONS: Final[dict[str, Callable[[Viewer], str]]] = {
    "person": lambda _viewer: _IN_PEOPLE,
    "person_origin": lambda _viewer: _IN_PEOPLE,
    "chat": lambda _viewer: "m.id in (select value from json_each(:own_chats))",
    "participation": lambda _viewer: (
        f"m.account {_OWN} and m.chat in (select value from json_each(:own_chats))"
    ),
    "person_activity": lambda _viewer: f"m.account {_OWN}",
    "memory": visibility.condition,
    "memory_link": _memories("newer", "older"),
    "memory_event": lambda viewer: (
        f"{_memories('memory')(viewer)} and exists (select 1 from memory_events e"
        f" where e.id = m.id and {memory_events.condition(viewer)})"
    ),
    "conversation": _messages("t.conversation = m.id"),
    "message": _messages("t.id = m.id"),
    "summary": lambda viewer: (
        "exists (select 1 from summaries s join conversations c on c.id = s.conversation"
        f" where s.id = m.id and {visibility.summary_condition(viewer)})"
    ),
    "override": lambda viewer: (
        "m.removed_at is null and m.id in"
        f" (select o.id from overrides o where {overrides.condition(viewer)})"
    ),
    "profile_version": lambda viewer: "false" if viewer.group else f"m.owner {_OWN}",
    "profile_statement": lambda viewer: "false" if viewer.group else f"m.account {_OWN}",
    "entity": lambda viewer: f"m.removed_at is null and {graph.seen('entities', viewer)}",
    "entity_alias": lambda viewer: graph.seen("entity_aliases", viewer),
    "relation": lambda viewer: f"m.removed_at is null and {graph.seen('relations', viewer)}",
}
"""The condition on a row `m` of each kind.

A kind without one is the host's own (grants, merges, rejected references), or is derived from what
the viewer knows of people.
"""
AMONG: Final = "m.id in (select value from json_each(:among))"
"""The condition that a row is among the named ones."""
