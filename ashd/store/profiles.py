"""Profiles: every version of a user's profile. A user's accounts share them."""

import json
from typing import Final, NamedTuple

from ashd.store.database import Tx


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


def newest(tx: Tx, accounts: tuple[int, ...]) -> Profile | None:
    """Return the current version for the user with these accounts."""
    row = tx.one(f"{_OF_ACCOUNTS} order by id desc limit 1", json.dumps(accounts))
    return Profile(*row) if row else None


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
