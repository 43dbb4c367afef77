"""People with their names, claims and accounts, which are asked for together."""

import json
from collections.abc import Collection
from typing import NamedTuple

from ashd.store import chats, people
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.people import Alias, Person, Relationship


class Described(NamedTuple):
    """Rows about people, each kind in the order in which they were stored."""

    persons: list[Person]
    aliases: list[Alias]
    relationships: list[Relationship]
    accounts: dict[int, list[Account]]
    """By person."""


def load(tx: Tx, numbers: Collection[int]) -> Described:
    """Return all rows about those of the people that exist."""
    if not numbers:
        return Described([], [], [], {})
    asked = (json.dumps(list(numbers)),)
    queries = (people.PERSONS, people.ALIASES, people.RELATIONSHIPS, chats.ACCOUNTS)
    persons, aliases, claims, accounts = tx.together(*((sql, asked) for sql in queries))
    return Described(
        [people.person_of(row) for row in persons],
        [Alias(*row) for row in aliases],
        [Relationship(*row) for row in claims],
        chats.by_person(accounts),
    )
