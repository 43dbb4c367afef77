"""Accounts, chats, and the intervals in which accounts take part in chats."""

import json
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from ashd.store.database import Query, Row, Tx


class Account(NamedTuple):
    """A row of `accounts`; `person` follows joins, `own_person` is the account's first."""

    id: int
    provider: str
    user_id: str
    username: str | None
    display_name: str | None
    person: int
    own_person: int


class Chat(NamedTuple):
    """A row of `chats`; `chat_id` is None for a user's private chat without a name.

    A private chat belongs to one account: another account's chat of the same name is another chat.
    """

    id: int
    provider: str
    chat_id: str | None
    chat_type: str


_ACCOUNT = "select id, provider, user_id, username, display_name, person, own_person from accounts"
ACCOUNTS = f"{_ACCOUNT} where person in (select value from json_each(?)) order by id"
"""The query for the accounts of a list of people."""
_CHAT = "select id, provider, chat_id, chat_type from chats"


def account(tx: Tx, provider: str, user_id: str) -> Account | None:
    """Return an account by its identity."""
    row = tx.one(f"{_ACCOUNT} where provider = ? and user_id = ?", provider, user_id)
    if row is None:
        return None
    return remember(tx, Account(*row))


class Alone(NamedTuple):
    """A user alone with the agent."""

    account: Account
    chat: Chat | None
    joined: tuple[int, ...]
    """Every account of the same person."""


def alone(tx: Tx, provider: str, user_id: str, chat_id: str | None) -> Alone | None:
    """Return a user and the private chat of that name, or the one without a name."""
    named = "c.user_id = a.user_id" if chat_id is None else "c.account = a.id and c.chat_id = ?3"
    rows = tx.all(
        "select a.id, a.provider, a.user_id, a.username, a.display_name, a.person, a.own_person,"
        " j.id, c.id, c.provider, c.chat_id, c.chat_type from accounts a"
        f" left join chats c on c.provider = a.provider and {named}"
        " cross join accounts j on j.person = a.person"
        " where a.provider = ?1 and a.user_id = ?2 order by j.id",
        *(provider, user_id, *(() if chat_id is None else (chat_id,))),
    )
    if not rows:
        return None
    of_account = len(Account._fields)
    found = remember(tx, Account(*rows[0][:of_account]))
    chat = Chat(*rows[0][of_account + 1 :])
    joined = tuple(row[of_account] for row in rows)
    return Alone(found, None if chat.id is None else chat, joined)


def remember(tx: Tx, found: Account) -> Account:
    """Let `account_by_id` know an account that was read."""
    return tx.until_written(("account", found.id), lambda: found)


def account_by_id(tx: Tx, number: int) -> Account:
    """The account with that row number, which exists."""

    def read() -> Account:
        row = tx.one(f"{_ACCOUNT} where id = ?", number)
        assert row is not None
        return Account(*row)

    return tx.until_written(("account", number), read)


def insert_account(
    tx: Tx,
    provider: str,
    user_id: str,
    username: str | None,
    display_name: str | None,
    person: int,
) -> Account:
    """A new account with its person."""
    number = tx.insert(
        "insert into accounts (provider, user_id, username, display_name, person, own_person,"
        " created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?)",
        *(provider, user_id, username, display_name, person, person, tx.now, tx.now),
    )
    return account_by_id(tx, number)


def rename_account(tx: Tx, number: int, username: str | None, display_name: str | None) -> None:
    """Update an account's names to the provider's, in the chats where it was met."""
    tx.grow(("account", number), *(("chat", chat) for chat in chats_of(tx, (number,))))
    tx.run(
        "update accounts set username = ?, display_name = ?, updated_at = ? where id = ?",
        *(username, display_name, tx.now, number),
    )


def joined_accounts(tx: Tx, person: int) -> tuple[int, ...]:
    """Return every account of a person."""
    return tuple(
        row[0] for row in tx.all("select id from accounts where person = ? order by id", person)
    )


def accounts_of(tx: Tx, person: int) -> list[Account]:
    """Return every account of a person, as full rows."""
    return [Account(*row) for row in tx.all(f"{_ACCOUNT} where person = ? order by id", person)]


def accounts_by_person(tx: Tx, persons: set[int]) -> dict[int, list[Account]]:
    """Return the accounts of those people who have any."""
    if not persons:
        return {}
    return by_person(tx.all(ACCOUNTS, json.dumps(list(persons))))


def by_person(rows: Iterable[Row]) -> dict[int, list[Account]]:
    """Return the rows of `ACCOUNTS` by person."""
    found: dict[int, list[Account]] = {}
    for row in rows:
        account_ = Account(*row)
        found.setdefault(account_.person, []).append(account_)
    return found


def persons_of(tx: Tx, accounts: tuple[int, ...]) -> tuple[int, ...]:
    """Return the people behind accounts."""
    return tuple(
        row[0]
        for row in tx.all(
            "select distinct person from accounts where id in (select value from json_each(?))",
            json.dumps(accounts),
        )
    )


def group(tx: Tx, provider: str, chat_id: str) -> Chat | None:
    """Return a provider's group."""
    row = tx.one(
        f"{_CHAT} where provider = ? and chat_id = ? and chat_type = 'group'", provider, chat_id
    )
    return Chat(*row) if row else None


def ensure_group(tx: Tx, provider: str, chat_id: str) -> Chat:
    """Return the group, created if it is new."""
    tx.run(
        "insert into chats (provider, chat_id, chat_type, created_at) values (?, ?, 'group', ?)"
        " on conflict do nothing",
        *(provider, chat_id, tx.now),
    )
    found = group(tx, provider, chat_id)
    assert found is not None
    return found


def private(tx: Tx, owner: Account, chat_id: str | None) -> Chat | None:
    """Return an account's private chat of that name, or the one without a name."""
    if chat_id is None:
        row = tx.one(f"{_CHAT} where provider = ? and user_id = ?", owner.provider, owner.user_id)
    else:
        row = tx.one(
            f"{_CHAT} where provider = ? and chat_id = ? and account = ?",
            *(owner.provider, chat_id, owner.id),
        )
    return Chat(*row) if row else None


def ensure_private(tx: Tx, owner: Account, chat_id: str | None) -> Chat:
    """Return the account's private chat, created if it is new."""
    found = private(tx, owner, chat_id)
    if found is None:
        tx.run(
            "insert into chats (provider, chat_id, user_id, chat_type, account, created_at)"
            " values (?, ?, ?, 'private', ?, ?)",
            *(owner.provider, chat_id, None if chat_id else owner.user_id, owner.id, tx.now),
        )
        found = private(tx, owner, chat_id)
        assert found is not None
    return found


def chat_by_id(tx: Tx, number: int) -> Chat:
    """The chat with that row number, which exists."""
    row = tx.one(f"{_CHAT} where id = ?", number)
    assert row is not None
    return Chat(*row)


def roster(tx: Tx, chat_number: int) -> list[tuple[str, int]]:
    """Return (user_id, account) of everyone who takes part now."""
    return [
        (row[0], row[1])
        for row in tx.all(
            "select a.user_id, a.id from participations p join accounts a on a.id = p.account"
            " where p.chat = ? and p.left_at is null",
            chat_number,
        )
    ]


def types_of(tx: Tx, numbers: set[int | None]) -> dict[int, str]:
    """The type of each chat."""
    if not numbers:
        return {}
    rows = tx.all(
        "select id, chat_type from chats where id in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return dict(rows)


class Stay(NamedTuple):
    """An interval of taking part: from `joined_at` until just before `left_at`, if that is set."""

    chat: int
    account: int
    joined_at: int
    left_at: int | None


_STAY = "select chat, account, joined_at, left_at from participations"


def stays(tx: Tx, chats_: set[int], accounts: tuple[int, ...]) -> list[Stay]:
    """The times during which these accounts took part in these chats."""
    rows = tx.all(
        f"{_STAY} where chat in (select value from json_each(?))"
        " and account in (select value from json_each(?))",
        *(json.dumps(list(chats_)), json.dumps(accounts)),
    )
    return [Stay(*row) for row in rows]


def stays_in(tx: Tx, chat_number: int) -> list[Stay]:
    """Everybody's stays in a chat, oldest first."""
    rows = tx.all(f"{_STAY} where chat = ? order by joined_at, id", chat_number)
    return [Stay(*row) for row in rows]


def present_at(tx: Tx, chat_number: int | None, at: int) -> set[int]:
    """Return the accounts that took part in a chat at a time."""
    rows = tx.all(
        "select account from participations where chat = ? and joined_at <= ?"
        " and (left_at is null or left_at > ?)",
        *(chat_number, at, at),
    )
    return {row[0] for row in rows}


def changes_until(tx: Tx, chat_number: int, at: int) -> int:
    """Return how often somebody had joined or left a chat; equal counts mean the same people."""
    count: int = tx.value(
        "select count(*) filter (where joined_at <= ?2) + count(*) filter (where left_at <= ?2)"
        " from participations where chat = ?1",
        *(chat_number, at),
    )
    return count


def join(tx: Tx, chat_number: int, account_number: int, at: int) -> bool:
    """Let an account take part from `at` on; return whether that is new.

    Repetitions change nothing, so a list of past events may be sent twice: a time within a stay is
    known already, and a time before a stay moves the beginning of the stay.
    """
    if tx.one(
        "select 1 from participations where chat = ? and account = ? and joined_at <= ?"
        " and (left_at is null or left_at > ?)",
        *(chat_number, account_number, at, at),
    ):
        return False
    tx.touch(("account", account_number))
    later = tx.one(
        "select id from participations where chat = ? and account = ? and joined_at > ?"
        " order by joined_at limit 1",
        *(chat_number, account_number, at),
    )
    if later:
        tx.run("update participations set joined_at = ? where id = ?", at, later[0])
    else:
        tx.run(
            "insert into participations (chat, account, joined_at) values (?, ?, ?)",
            *(chat_number, account_number, at),
        )
    return True


def leave(tx: Tx, chat_number: int, account_number: int, at: int) -> bool:
    """End the stay that lasts at `at`; return whether there was one."""
    tx.touch(("account", account_number))
    # A leave now counts even if the clock was set back since the join.
    return bool(
        tx.run(
            "update participations set left_at = max(?1, joined_at) where chat = ?2"
            " and account = ?3 and (left_at is null or left_at > ?1)"
            " and (joined_at <= ?1 or (left_at is null and ?1 >= ?4))",
            *(at, chat_number, account_number, tx.now),
        )
    )


def chats_query(accounts: tuple[int, ...]) -> Query:
    """Return the query of `chats_of`."""
    where = "account in (select value from json_each(?))"
    return f"select distinct chat from participations where {where}", (json.dumps(accounts),)


def chats_of(tx: Tx, accounts: tuple[int, ...]) -> list[int]:
    """Return the chats in which these accounts take part or took part."""
    sql, params = chats_query(accounts)
    return [row[0] for row in tx.all(sql, *params)]


def ever_in(tx: Tx, places: Collection[int | None], accounts: Collection[int]) -> set[int]:
    """Return those of the accounts that take part, or took part, in one of these chats."""
    rows = tx.all(
        "select distinct account from participations"
        " where chat in (select value from json_each(?))"
        " and account in (select value from json_each(?))",
        *(json.dumps(list(places)), json.dumps(list(accounts))),
    )
    return {row[0] for row in rows}


def learned(tx: Tx, table: Literal["entities", "relations"], number: int) -> tuple[int, str]:
    """Return the chat in which an entity or a relation was learned, and its type then."""
    row = tx.one(f"select learned_in, learned_type from {table} where id = ?", number)
    assert row is not None
    return row[0], row[1]
