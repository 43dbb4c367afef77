"""All names of people, whoever may know them."""

import json
from collections.abc import Collection

from ashd.store import people
from ashd.store.database import Tx


def of(tx: Tx, numbers: Collection[int]) -> list[tuple[int, str]]:
    """Return every name and alias of these people, and their relationships, by row number."""
    sql = _names("in (select value from json_each(?1))")
    return [(row[0], row[1]) for row in tx.all(sql, json.dumps(list(numbers)))]


def of_own(
    tx: Tx, accounts: tuple[int, ...], persons: tuple[int, ...]
) -> tuple[list[tuple[int, str]], dict[int, list[tuple[int, str]]]]:
    """Return the names of the people of `people.own_of`, and of these; each has a name at least.

    The second result is `people.related_to` of each of these.
    """
    own = f"with own (id) as ({people.OWN} union select value from json_each(?2))"
    named = f"{own} {_names('in (select id from own)')}"
    names, *related = tx.together(
        (named, (json.dumps(accounts), json.dumps(persons))),
        *((people.RELATED_TO, (one,)) for one in persons),
    )
    return [(row[0], row[1]) for row in names], {
        person: [(row[0], row[1]) for row in rows]
        for person, rows in zip(persons, related, strict=True)
    }


def _names(among: str) -> str:
    return (
        f"select id, name from people where id {among}"
        f" union all select person, value from person_aliases where person {among}"
        f" union all select person, relationship from person_relationships where person {among}"
        " union all select person, coalesce(display_name, username, user_id) from accounts"
        f"  where person {among}"
        " union all select person, username from accounts"
        f"  where person {among} and username is not null and display_name is not null"
    )
