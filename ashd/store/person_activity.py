"""The time at which each account last spoke of a person: the order in which it sees people."""

import json

from ashd.store import people
from ashd.store.database import Query, Tx


def touch(tx: Tx, number: int, by: int | None) -> None:
    """Note that this account mentioned the person now."""
    tx.grow(("account", by))
    tx.send("update people set active_at = ? where id = ?", tx.now, number)
    if by is not None:
        tx.send(
            "insert into person_activity (account, person, at) values (?, ?, ?)"
            " on conflict (account, person) do update set at = excluded.at",
            *(by, number, tx.now),
        )


def spoken_of_query(accounts: tuple[int, ...]) -> Query:
    """Return the query of `spoken_of`."""
    sql = (
        "select a.person, p.merged_into is not null, max(a.at) from person_activity a"
        " join people p on p.id = a.person"
        " where a.account in (select value from json_each(?)) group by a.person, p.merged_into"
    )
    return sql, (json.dumps(accounts),)


def spoken_of(tx: Tx, accounts: tuple[int, ...]) -> dict[int, int]:
    """Return the times at which these accounts last mentioned each person."""
    sql, params = spoken_of_query(accounts)
    latest: dict[int, int] = {}
    for number, is_merged, at in tx.all(sql, *params):
        person = people.final(tx, number) if is_merged else number
        latest[person] = max(at, latest.get(person, 0))
    return latest
