"""Profiles: every version of a user's profile. A user's accounts share them."""

import json
from typing import Final, NamedTuple

from ashd.store.database import Query, Tx


class Profile(NamedTuple):
    """A row of `profile_versions`."""

    id: int
    owner: int
    version: int
    text: str
    notes: str
    source: str
    created_at: int
    learned: str
    learned_until: int
    """The last of the user's statements that `learned` was written from."""


_OF_ACCOUNTS: Final = (
    "select id, owner, version, text, notes, source, created_at, learned, learned_until"
    " from profile_versions"
    " where owner in (select value from json_each(?))"
)


def newest_query(accounts: tuple[int, ...]) -> Query:
    """Return the query of `newest`."""
    return f"{_OF_ACCOUNTS} order by id desc limit 1", (json.dumps(accounts),)


def newest(tx: Tx, accounts: tuple[int, ...]) -> Profile | None:
    """Return the current version for the user with these accounts."""
    sql, params = newest_query(accounts)
    rows = tx.all(sql, *params)
    return Profile(*rows[0]) if rows else None


def versions(tx: Tx, accounts: tuple[int, ...]) -> list[Profile]:
    """Return every version, oldest first."""
    return [Profile(*row) for row in tx.all(f"{_OF_ACCOUNTS} order by id", json.dumps(accounts))]


def insert(
    tx: Tx,
    *,
    owner: int,
    version: int,
    text: str,
    notes: str,
    source: str,
    learned: str,
    learned_until: int,
) -> Profile:
    """Insert a version, which becomes the current one."""
    tx.grow(("account", owner))
    number = tx.insert(
        "insert into profile_versions (owner, version, text, notes, source, created_at, learned,"
        " learned_until) values (?, ?, ?, ?, ?, ?, ?, ?)",
        *(owner, version, text, notes, source, tx.now, learned, learned_until),
    )
    row = (number, owner, version, text, notes, source, tx.now, learned, learned_until)
    return Profile(*row)


def part(tx: Tx, ones: tuple[int, ...], others: tuple[int, ...], since: int) -> None:
    """Give each of two groups of accounts, joined since that time, the versions it wrote by itself.

    Every version holds the whole profile, so a version written during the join also has what the
    other group wrote. Parts that a model wrote from the statements of both groups go to neither:
    they are written again from the statements of each group.
    """
    every = versions(tx, (*ones, *others)) if ones and others else []
    for accounts in (ones, others):
        _part(tx, every, accounts, since)


def _part(tx: Tx, every: list[Profile], accounts: tuple[int, ...], since: int) -> None:
    own = dict.fromkeys(_PARTS, "")
    until, number, last = 0, 0, None
    for entry in every:
        if entry.owner not in accounts:
            last = entry
            continue
        if entry.created_at < since:
            own, until, number = (
                {part: getattr(entry, part) for part in _PARTS},
                entry.learned_until,
                entry.version,
            )
            last = entry
            continue
        given = {
            part: getattr(entry, part)
            for part in _PARTS
            if entry.source != FROM_STATEMENTS and getattr(entry, part) != getattr(last, part, "")
        }
        last = entry
        if not given:
            tx.run("delete from profile_versions where id = ?", entry.id)
            continue
        own |= given
        number += 1
        tx.run(
            "update profile_versions set version = ?, text = ?, notes = ?, learned = ?,"
            " learned_until = ? where id = ?",
            *(number, own["text"], own["notes"], own["learned"], until, entry.id),
        )


_PARTS: Final = ("text", "notes", "learned")
FROM_STATEMENTS: Final = "background"
"""The source of a version that a model wrote from the user's statements."""
