"""Claims of what people are to others that ended, and by whose words."""

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
    """End those of the claims that still hold, by the words of an account that is joined."""
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
    """Let the claims of some accounts hold again that the words of others ended."""
    tx.run(
        "update person_relationships set ended_at = null, ended_by = null"
        " where stated_by in (select value from json_each(?))"
        " and ended_by in (select value from json_each(?))",
        *(json.dumps(list(staters)), json.dumps(list(enders))),
    )
