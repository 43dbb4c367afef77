"""People, their names, and their relationships."""

import json
from typing import Any, NamedTuple

from ashd.store.database import Query, Tx


class Person(NamedTuple):
    """A row of `people`; `named` is false while a relationship word is used as the name."""

    id: int
    uuid: str
    name: str
    named: bool
    created_by: int | None
    learned_in: int | None
    named_at: int
    sensitivity: str | None
    merged_into: int | None
    metadata: str | None
    created_at: int
    updated_at: int
    active_at: int
    said_at: int
    """The time of the statement of the name, by which presence is decided."""


class Alias(NamedTuple):
    """A row of `person_aliases`."""

    id: int
    person: int
    value: str
    key: str
    added_by: int | None
    learned_in: int | None
    sensitivity: str | None
    created_at: int
    said_at: int


class Relationship(NamedTuple):
    """A row of `person_relationships`: a claim by somebody of what a person is to another."""

    id: int
    person: int
    relationship: str
    to_person: int
    stated_by: int | None
    learned_in: int | None
    sensitivity: str | None
    created_at: int
    ended_at: int | None
    said_at: int


_PERSON = (
    "select id, uuid, name, named, created_by, learned_in, named_at, sensitivity, merged_into,"
    " metadata, created_at, updated_at, active_at, said_at from people"
)
_ALIAS = (
    "select id, person, value, key, added_by, learned_in, sensitivity, created_at, said_at"
    " from person_aliases"
)
_RELATIONSHIP = (
    "select id, person, relationship, to_person, stated_by, learned_in, sensitivity, created_at,"
    " ended_at, said_at from person_relationships"
)


_AMONG = "in (select value from json_each(?)) order by id"
PERSONS = f"{_PERSON} where id {_AMONG}"
ALIASES = f"{_ALIAS} where person {_AMONG}"
RELATIONSHIPS = f"{_RELATIONSHIP} where person {_AMONG}"
"""The queries of `by_ids`, `aliases` and `relationships`, for a list of people."""


def person_of(row: tuple[Any, ...]) -> Person:
    """Return a row of `PERSONS`."""
    return Person._make((*row[:3], bool(row[3]), *row[4:]))


def insert(
    tx: Tx,
    *,
    name: str,
    named: bool,
    created_by: int | None,
    learned_in: int | None,
    said_at: int,
    sensitivity: str | None = None,
) -> int:
    """A new person; the row number."""
    grow(tx, None, learned_in, created_by)
    return tx.insert(
        "insert into people (uuid, name, named, created_by, learned_in, named_at, sensitivity,"
        " created_at, updated_at, active_at, said_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(tx.new_id(), name, named, created_by, learned_in, tx.now, sensitivity),
        *(tx.now, tx.now, tx.now, said_at),
    )


def grow(tx: Tx, person: int | None, learned_in: int | None, by: int | None) -> None:
    """Note who may see a new statement about a person: its chat, its account and the person."""
    tx.grow(("person", person), ("chat", learned_in), ("account", by))


def by_id(tx: Tx, number: int) -> Person:
    """Return the person with that row number, which exists."""
    row = tx.one(f"{_PERSON} where id = ?", number)
    assert row is not None
    return person_of(row)


def by_ids(tx: Tx, numbers: list[int] | tuple[int, ...] | set[int]) -> list[Person]:
    """Return those of the people that exist."""
    if not numbers:
        return []
    return [person_of(row) for row in tx.all(PERSONS, json.dumps(list(numbers)))]


def newest(tx: Tx) -> int:
    """Return the row number of the newest person; 0 if there is none."""
    return int(tx.value("select coalesce(max(id), 0) from people"))


def since(tx: Tx, number: int) -> list[int]:
    """Return the people who were made after this one."""
    return [row[0] for row in tx.all("select id from people where id > ? order by id", number)]


def by_prefix(tx: Tx, prefix: str) -> list[tuple[str, int]]:
    """Return (uuid, row number) of the people whose id begins with the prefix."""
    rows = tx.all(
        "select uuid, id from people where uuid >= ? and uuid < ? order by uuid",
        *(prefix, prefix + "g"),
    )
    return [(row[0], row[1]) for row in rows]


def stated_in(tx: Tx, chat: int) -> int:
    """Count the people who were introduced in the chat."""
    count: int = tx.value("select count(*) from people where learned_in = ?", chat)
    return count


def own_query(accounts: tuple[int, ...]) -> Query:
    """Return the query of `own_of`."""
    return OWN, (json.dumps(accounts),)


def own_of(tx: Tx, accounts: tuple[int, ...]) -> list[int]:
    """Return the people these accounts have introduced, named or made a claim about."""
    sql, params = own_query(accounts)
    return [row[0] for row in tx.all(sql, *params)]


OWN = (
    "select id from people where merged_into is null and id in ("
    " select id from people where created_by in (select value from json_each(?1))"
    " union select person from person_aliases where added_by in (select value from json_each(?1))"
    " union select person from person_relationships"
    "  where stated_by in (select value from json_each(?1)))"
)
"""The query of `own_of`."""


def everyone(tx: Tx) -> list[int]:
    """Return all people that were not merged into another."""
    return [row[0] for row in tx.all("select id from people where merged_into is null")]


def learned_in(tx: Tx, chat: int) -> list[int]:
    """Return the people about whom something was stated in this chat."""
    rows = tx.all(
        "select id from people where merged_into is null and id in ("
        " select id from people where learned_in = ?1"
        " union select person from person_aliases where learned_in = ?1"
        " union select person from person_relationships where learned_in = ?1)",
        chat,
    )
    return [row[0] for row in rows]


def final(tx: Tx, number: int) -> int:
    """Return the person that `number` was merged into, or itself."""
    return tx.until_written(("final", number), lambda: _final(tx, number))


def _final(tx: Tx, number: int) -> int:
    row = tx.one("select merged_into from people where id = ?", number)
    if row is None or row[0] is None:  # the usual case, in half the time of a recursive query
        return number
    row = tx.one(
        "with recursive chain (id, next) as ("
        " select id, merged_into from people where id = ?"
        " union select p.id, p.merged_into from people p join chain on p.id = chain.next)"
        " select id from chain where next is null",
        number,
    )
    return int(row[0]) if row else number


def rename(
    tx: Tx,
    number: int,
    name: str,
    *,
    by: int | None,
    learned_in: int | None,
    said_at: int,
    sensitivity: str | None = None,
) -> None:
    """Set the person's name, as stated by an account in that chat under that label."""
    grow(tx, number, learned_in, by)
    tx.run(
        "update people set name = ?, named = 1, created_by = ?, learned_in = ?, sensitivity = ?,"
        " named_at = ?, updated_at = ?, said_at = ? where id = ?",
        *(name, by, learned_in, sensitivity, tx.now, tx.now, said_at, number),
    )


def rename_if(tx: Tx, number: int, old: str, name: str) -> None:
    """Rename the person if it still has the old name (an account's person follows the account)."""
    tx.run(
        "update people set name = ?, named = 1, updated_at = ? where id = ? and name = ?",
        *(name, tx.now, number, old),
    )


def aliases(tx: Tx, numbers: list[int] | tuple[int, ...] | set[int]) -> list[Alias]:
    """Every alias of these people, oldest first."""
    if not numbers:
        return []
    return [Alias(*row) for row in tx.all(ALIASES, json.dumps(list(numbers)))]


def add_alias(
    tx: Tx,
    person: int,
    value: str,
    key: str,
    *,
    added_by: int | None,
    learned_in: int | None,
    said_at: int,
    sensitivity: str | None = None,
    stored_at: int | None = None,
) -> int | None:
    """Insert another name, once in each chat for each speaker; return its row number if it is new.

    `stored_at` is when it was stored first, if not now.
    """
    known = tx.one(
        "select 1 from person_aliases where person = ? and key = ?"
        " and added_by is not distinct from ?"
        " and learned_in is not distinct from ? and sensitivity is not distinct from ?",
        *(person, key, added_by, learned_in, sensitivity),
    )
    if known is not None:
        return None
    grow(tx, person, learned_in, added_by)
    return tx.insert(
        "insert into person_aliases"
        " (person, value, key, added_by, learned_in, sensitivity, created_at, said_at)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        *(person, value, key, added_by, learned_in, sensitivity),
        *(tx.now if stored_at is None else stored_at, said_at),
    )


def forget_name(tx: Tx, person: int, name: str) -> None:
    """Forget that memories named a person by a name that the person no longer has."""
    tx.run(
        "update memory_subjects set reference = null where person = ?"
        " and lower(reference) = lower(?)",
        *(person, name),
    )


def remove_alias(tx: Tx, number: int) -> None:
    """Take an alias away."""
    tx.run("delete from person_aliases where id = ?", number)


def relationships(tx: Tx, numbers: list[int] | tuple[int, ...] | set[int]) -> list[Relationship]:
    """Every claim about these people, ended ones too, oldest first."""
    if not numbers:
        return []
    return [Relationship(*row) for row in tx.all(RELATIONSHIPS, json.dumps(list(numbers)))]


def relate(
    tx: Tx,
    person: int,
    relationship: str,
    to_person: int,
    *,
    stated_by: int | None,
    learned_in: int | None,
    said_at: int,
    sensitivity: str | None = None,
    ended_at: int | None = None,
) -> None:
    """Insert a claim of what the person is to another, once in each chat while it is active."""
    known = tx.one(
        "select 1 from person_relationships where person = ? and relationship = ?"
        " and to_person = ? and stated_by is not distinct from ?"
        " and learned_in is not distinct from ? and sensitivity is not distinct from ?"
        " and ended_at is null",
        *(person, relationship, to_person, stated_by, learned_in, sensitivity),
    )
    if known is None:
        grow(tx, person, learned_in, stated_by)
        tx.send(
            "insert into person_relationships"
            " (person, relationship, to_person, stated_by, learned_in, sensitivity, created_at,"
            " ended_at, said_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(person, relationship, to_person, stated_by, learned_in, sensitivity, tx.now),
            *(ended_at, said_at),
        )


def claims_between(tx: Tx, one: int, other: int) -> int:
    """Count the active claims between two people, in either direction."""
    return int(
        tx.value(
            "select count(*) from person_relationships where ended_at is null and"
            " ((person = ?1 and to_person = ?2) or (person = ?2 and to_person = ?1))",
            *(one, other),
        )
    )


def claims_on(tx: Tx, to_person: int, accounts: tuple[int, ...]) -> list[Relationship]:
    """Return these accounts' active claims of what others are to this person, oldest first."""
    rows = tx.all(
        f"{_RELATIONSHIP} where to_person = ? and ended_at is null"
        " and stated_by in (select value from json_each(?)) order by id",
        *(to_person, json.dumps(accounts)),
    )
    return [Relationship(*row) for row in rows]


def end_relationship(tx: Tx, number: int) -> None:
    """End a claim; it stays in the history."""
    row = tx.one(
        "select person, learned_in, stated_by from person_relationships where id = ?", number
    )
    if row is not None:
        grow(tx, *row)
    tx.run("update person_relationships set ended_at = ? where id = ?", tx.now, number)


def delete_relationship(tx: Tx, number: int) -> None:
    """Delete a claim that was a mistake, without a trace."""
    tx.run("delete from person_relationships where id = ?", number)


def related_to(tx: Tx, number: int | None) -> list[tuple[int, str]]:
    """Return (person, relationship) of every active claim of what others are to this person."""
    return [(row[0], row[1]) for row in tx.all(RELATED_TO, number)]


RELATED_TO = (
    "select person, relationship from person_relationships where to_person = ? and ended_at is null"
)
"""The query of `related_to`."""


def related(tx: Tx, numbers: set[int], *, ended: bool = False) -> set[int]:
    """Return the people whom a claim connects to these, in either direction; `ended` ones too."""
    rows = tx.all(
        "select person, to_person from person_relationships where (?2 = 1 or ended_at is null)"
        " and ("
        " person in (select value from json_each(?1))"
        " or to_person in (select value from json_each(?1)))",
        *(json.dumps(list(numbers)), ended),
    )
    return {number for row in rows for number in row}


def set_metadata(tx: Tx, number: int, metadata: str | None) -> None:
    """Replace the person's metadata (JSON)."""
    tx.run("update people set metadata = ?, updated_at = ? where id = ?", metadata, tx.now, number)
