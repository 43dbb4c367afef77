"""Lasting statements of users about themselves, which their profiles are written from."""

import json
from typing import NamedTuple

from ashd.store.database import Tx


class ProfileStatement(NamedTuple):
    """A row of `profile_statements`."""

    id: int
    account: int
    statement: str
    confidence: float
    message: int | None
    created_at: int


def add(
    tx: Tx, *, account: int, statement: str, confidence: float, message: int | None, said_at: int
) -> bool:
    """Store a statement with the time of its turn, unless it exists; return whether it is new."""
    return bool(
        tx.insert(
            "insert into profile_statements (account, statement, confidence, message, created_at)"
            " values (?, ?, ?, ?, ?) on conflict do nothing",
            *(account, statement, confidence, message, min(said_at, tx.now)),
        )
    )


class Turn(NamedTuple):
    """The turn that shows a statement: its conversation, as the host names it, and its words."""

    conversation_id: str
    content: str


def turns_of(tx: Tx, messages: list[int]) -> dict[int, Turn]:
    """Return the turns of statements by the row number of their message, if they still exist."""
    rows = tx.all(
        "select m.id, c.external_id, m.content from messages m"
        " join conversations c on c.id = m.conversation"
        " where m.id in (select value from json_each(?))",
        json.dumps(messages),
    )
    return {row[0]: Turn(row[1], row[2]) for row in rows}


def people(tx: Tx, least: int) -> list[tuple[int, int]]:
    """Return each user of at least so many statements, with the first account that spoke."""
    rows = tx.all(
        "select a.person, min(a.id) from profile_statements s join accounts a on a.id = s.account"
        " group by a.person having count(*) >= ?",
        least,
    )
    return [(row[0], row[1]) for row in rows]


def of_accounts(tx: Tx, accounts: tuple[int, ...], *, after: int = 0) -> list[ProfileStatement]:
    """The statements about the user with these accounts that came after one, oldest first."""
    rows = tx.all(
        "select id, account, statement, confidence, message, created_at from profile_statements"
        " where account in (select value from json_each(?)) and id > ? order by id",
        *(json.dumps(accounts), after),
    )
    return [ProfileStatement(*row) for row in rows]
