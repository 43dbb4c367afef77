"""References that an account said do not mean a person."""

import json
from collections.abc import Collection

from ashd.store.database import Tx
from ashd.store.dialect import text_list


def add(tx: Tx, person: int, key: str, stated_by: int | None) -> None:
    """Record that the reference does not mean the person."""
    tx.run(
        "insert into not_identified (person, key, stated_by, created_at)"
        " values (?, ?, ?, ?) on conflict do nothing",
        *(person, key, stated_by, tx.now),
    )


def persons(tx: Tx, accounts: Collection[int], keys: Collection[str]) -> list[int]:
    """Return the people whom these accounts excluded for any of the references."""
    rows = tx.all(
        f"select person from not_identified where key in (select value from {text_list('?')})"
        " and stated_by in (select value from json_each(?))",
        *(json.dumps(list(keys)), json.dumps(list(accounts))),
    )
    return [row[0] for row in rows]


def has(tx: Tx, person: int, key: str, accounts: Collection[int] | None) -> bool:
    """Return whether these accounts (None: any) said that the reference is not the person."""
    row = tx.one(
        "select 1 from not_identified where person = ?1 and key = ?2"
        " and (cast(?3 as text) is null or stated_by in (select value from json_each(?3)))",
        *(person, key, None if accounts is None else json.dumps(list(accounts))),
    )
    return row is not None


def remove(tx: Tx, person: int, keys: Collection[str], accounts: Collection[int] | None) -> None:
    """Remove such records of these accounts; with None, those of everybody."""
    tx.run(
        "delete from not_identified where person = ?1"
        f" and key in (select value from {text_list('?2')})"
        " and (cast(?3 as text) is null or stated_by in (select value from json_each(?3)))",
        *(person, json.dumps(list(keys))),
        None if accounts is None else json.dumps(list(accounts)),
    )
