"""The state between a memory and an older one that it may replace: the link and the events."""

import json
from typing import Any, TypeAlias

from ashd.store import joined_changes
from ashd.store.joined_changes import PAIR
from ashd.store.transaction import Tx

State: TypeAlias = dict[str, Any]
"""The newer memory, the link, the older one's winner, and the events between both; as JSON."""


def state(tx: Tx, newer: int, older: int) -> State:
    """Return the state between two memories."""
    link = tx.one(
        "select kind, likelihood from memory_links where newer = ? and older = ?", newer, older
    )
    winner = tx.one("select superseded_by, superseded_at from memories where id = ?", older)
    events = tx.all(
        "select id from memory_events where memory = ? and newer = ? order by id", older, newer
    )
    return {
        "newer": newer,
        "link": None if link is None else list(link),
        "winner": None if winner is None else list(winner),
        "events": [row[0] for row in events],
    }


def note(tx: Tx, before: State, older: int, owners: set[int | None]) -> None:
    """Note the decision of an account about two memories that both belong to other accounts."""
    after = state(tx, before["newer"], older)
    for owner in owners:
        by = joined_changes.cause(tx, owner)
        if by is not None and by not in owners:
            joined_changes.note(tx, older, by, {PAIR: before}, {PAIR: after})
            return


def restore(tx: Tx, before: State, older: int) -> None:
    """Restore the link and the events of two memories; the caller restores the winner."""
    newer = before["newer"]
    tx.run("delete from memory_links where newer = ? and older = ?", newer, older)
    if before["link"] is not None:
        tx.run(
            "insert into memory_links (newer, older, kind, likelihood) values (?, ?, ?, ?)",
            *(newer, older, *before["link"]),
        )
    tx.run(
        "delete from memory_events where memory = ? and newer = ?"
        " and id not in (select value from json_each(?))",
        *(older, newer, json.dumps(before["events"])),
    )
