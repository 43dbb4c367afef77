"""Claims of relationships that ended, and the account whose words ended each claim."""

import json
from collections.abc import Collection

from ashd.store import people
from ashd.store.database import Tx


def now(tx: Tx, accounts: tuple[int, ...]) -> list[int]:
    """Return these accounts' claims that this transaction ended."""
    rows = tx.all(
        "select id from person_relationships where ended_at = ?"
        " and stated_by in (select value from json_each(?))",
        *(tx.now, json.dumps(accounts)),
    )
    return [row[0] for row in rows]


def end(tx: Tx, numbers: Collection[int], account: int) -> None:
    """End those claims that still hold, and record that a joined account's words ended them."""
    for number in numbers:
        row = tx.one(
            "select person, learned_in, stated_by from person_relationships"
            " where id = ? and ended_at is null",
            number,
        )
        if row is not None:
            people.grow(tx, *row)
            tx.run(
                "update person_relationships set ended_at = ?, ended_by = ? where id = ?",
                *(tx.now, account, number),
            )


def let_hold(tx: Tx, staters: Collection[int], enders: Collection[int]) -> None:
    """Reopen the claims of some accounts that the words of others ended."""
    tx.run(
        "update person_relationships set ended_at = null, ended_by = null"
        " where stated_by in (select value from json_each(?))"
        " and ended_by in (select value from json_each(?))",
        *(json.dumps(list(staters)), json.dumps(list(enders))),
    )
