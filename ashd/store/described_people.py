"""People with their names, claims and accounts, which are asked for together."""

import json
from collections.abc import Collection
from typing import Final, NamedTuple

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
    types: dict[int, str]
    """The type of each chat in which something of it was learned."""


_OF: Final = "(select value from json_each(?1))"
_LEARNED_IN: Final = (
    "select id, chat_type from chats where id in ("
    f" select learned_in from people where id in {_OF}"
    f" union select learned_in from person_aliases where person in {_OF}"
    f" union select learned_in from person_relationships where person in {_OF})"
)


def load(tx: Tx, numbers: Collection[int]) -> Described:
    """Return all rows about those of the people that exist."""
    if not numbers:
        return Described([], [], [], {}, {})
    asked = (json.dumps(list(numbers)),)
    queries = (people.PERSONS, people.ALIASES, people.RELATIONSHIPS, chats.ACCOUNTS, _LEARNED_IN)
    persons, aliases, claims, accounts, types = tx.together(*((sql, asked) for sql in queries))
    return Described(
        [people.person_of(row) for row in persons],
        [Alias(*row) for row in aliases],
        [Relationship(*row) for row in claims],
        chats.by_person(accounts),
        dict(types),
    )
