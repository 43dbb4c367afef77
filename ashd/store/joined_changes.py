"""Changes that an account made to memories of another account while both were joined."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from ashd.store.transaction import Tx

_OF_CHAINS: Final = frozenset({"superseded_at", "superseded_by", "superseded_until"})
"""Columns whose changes are not noted: chains are parted in another way."""
SUBJECTS: Final = "subjects"
"""The name of the subjects in a change: once with their words and whom they mean, then without."""
PAIR: Final = "pair"
"""The name of the state between a memory and one that may replace it (`settled_pairs`)."""


class Change(NamedTuple):
    """A change of a memory: its columns before and after it."""

    memory: int
    was: dict[str, Any]
    became: dict[str, Any]


def cause(tx: Tx, owner: int | None) -> int | None:
    """Return the account that acts in this transaction on what a joined one owns, if any."""
    if tx.acting is None or owner is None:
        return None
    account, joined = tx.acting
    return account if owner != account and owner in joined else None


def note(
    tx: Tx, memory: int, account: int, was: Mapping[str, Any], became: Mapping[str, Any]
) -> None:
    """Note a change of a memory of a joined account, by or because of an account."""
    changed = [name for name in became if name not in _OF_CHAINS and was[name] != became[name]]
    if changed:
        tx.run(
            "insert into joined_changes (memory, account, was, became) values (?, ?, ?, ?)",
            *(memory, account, json.dumps({name: was[name] for name in changed})),
            json.dumps({name: became[name] for name in changed}),
        )


def between(tx: Tx, owners: Collection[int], accounts: Collection[int]) -> list[Change]:
    """Return the changes that some accounts made to the memories of others, newest first."""
    rows = tx.all(
        "select c.memory, c.was, c.became from joined_changes c join memories m on m.id = c.memory"
        " where c.account in (select value from json_each(?))"
        " and coalesce(m.owner, m.stated_by) in (select value from json_each(?))"
        " order by c.id desc",
        *(json.dumps(list(accounts)), json.dumps(list(owners))),
    )
    return [Change(row[0], json.loads(row[1]), json.loads(row[2])) for row in rows]


def forget(tx: Tx, owners: Collection[int], accounts: Collection[int]) -> None:
    """Forget the changes that were undone."""
    tx.run(
        "delete from joined_changes where account in (select value from json_each(?))"
        " and exists (select 1 from memories m where m.id = joined_changes.memory"
        "  and coalesce(m.owner, m.stated_by) in (select value from json_each(?)))",
        *(json.dumps(list(accounts)), json.dumps(list(owners))),
    )
