"""Conversations as the daemon itself reads them, for a language model: nothing here is shown.

Owns `conversations.summarised_until`: the position up to which no summary is missing.
"""

import json
from typing import NamedTuple

from ashd.store.database import Tx
from ashd.store.dialect import text_list
from ashd.store.visibility import SUMMARISED_ROLES

_ROLES = json.dumps(SUMMARISED_ROLES)


class Heading(NamedTuple):
    """A conversation without its messages."""

    id: int
    uuid: str
    chat: int
    summarised_until: int


class Said(NamedTuple):
    """A message with its speaker's account."""

    position: int
    role: str
    speaker: str | None
    handle: str | None
    """The account's username, else its id."""
    display_name: str | None
    content: str
    said_at: int
    token_count: int
    project: str | None = None


class LeftOver(NamedTuple):
    """A conversation that waits to be summarised, with its owner."""

    conversation: str
    """The wire id of the conversation."""
    provider: str
    user_id: str | None
    chat_id: str | None


def uuid_of(tx: Tx, conversation: int) -> str:
    """Return the wire id of a conversation."""
    return str(tx.value("select uuid from conversations where id = ?", conversation))


def heading(tx: Tx, uuid: str) -> Heading | None:
    """Return a conversation by its wire id, if it still exists."""
    row = tx.one("select id, uuid, chat, summarised_until from conversations where uuid = ?", uuid)
    return Heading(*row) if row else None


def said(tx: Tx, conversation: int, *, first: int, limit: int) -> list[Said]:
    """The messages of users and assistants from a position on, in order."""
    rows = tx.all(
        "select t.position, t.role, t.speaker, coalesce(a.username, a.user_id), a.display_name,"
        " t.content, t.said_at, t.token_count, t.project from messages t"
        " left join accounts a on a.id = t.account where t.conversation = ? and t.position >= ?"
        f" and t.role in (select value from {text_list('?')}) order by t.position limit ?",
        *(conversation, first, _ROLES, limit),
    )
    return [Said(*row) for row in rows]


def sizes(tx: Tx, conversation: int, first: int, last: int) -> list[tuple[int, str, int]]:
    """Return (position, role, characters) of the messages between two positions, in order.

    Of messages that a model is not shown, no characters are counted.
    """
    rows = tx.all(
        "select position, role, case when role in"
        f" (select value from {text_list('?')}) then length(content) else 0 end from messages"
        " where conversation = ? and position between ? and ? order by position",
        *(_ROLES, conversation, first, last),
    )
    return [(row[0], row[1], row[2]) for row in rows]


class Place(NamedTuple):
    """The chat and the owner of a conversation."""

    external_id: str
    chat: int
    is_group: bool
    owner: int | None


class Known(NamedTuple):
    """A stored message by its row number, with its account and its wire id."""

    id: int
    account: int | None
    name: str
    """The host's id of the message, else ours."""
    heard_at: int
    """The time at which the message was said; if that is in the future, the time at which it was
    stored.
    """
    stored_at: int
    project: str | None
    project_name: str | None


def place(tx: Tx, conversation: int) -> Place | None:
    """Return the chat and the owner of a conversation; None once it was deleted."""
    row = tx.one(
        "select external_id, chat, learned_type = 'group', owner from conversations where id = ?",
        conversation,
    )
    return Place(row[0], row[1], bool(row[2]), row[3]) if row else None


def known_of(tx: Tx, conversation: int, first: int, last: int) -> dict[int, Known]:
    """Return the messages between two positions, by position."""
    rows = tx.all(
        "select position, id, account, coalesce(external_id, uuid), min(said_at, created_at),"
        " created_at, project, project_name from messages"
        " where conversation = ? and position between ? and ?",
        *(conversation, first, last),
    )
    return {row[0]: Known(*row[1:]) for row in rows}


def summarised(tx: Tx, conversation: int, position: int) -> None:
    """Note that a conversation is summarised up to a position."""
    tx.run(
        "update conversations set summarised_until = max(summarised_until, ?) where id = ?",
        *(position, conversation),
    )


def unsummarised(tx: Tx, conversation: int, position: int) -> None:
    """Note that the turns from a position on have no summary."""
    tx.run(
        "update conversations set summarised_until = min(summarised_until, ? - 1) where id = ?",
        *(position, conversation),
    )


def skip_summary(tx: Tx, conversation: int, first: int, last: int) -> None:
    """Note that some new turns need no summary, if all before them have one."""
    tx.run(
        "update conversations set summarised_until = ? where id = ? and summarised_until >= ? - 1",
        *(last, conversation, first),
    )


def left_over(tx: Tx, since: int, limit: int) -> list[LeftOver]:
    """Return recent conversations that have turns without a summary, latest first."""
    rows = tx.all(
        "select c.uuid, h.provider, a.user_id, h.chat_id from conversations c"
        " join chats h on h.id = c.chat left join accounts a on a.id = c.owner"
        " where c.updated_at >= ? and exists (select 1 from messages t"
        " where t.conversation = c.id and t.position > c.summarised_until"
        f" and t.role in (select value from {text_list('?')})) order by c.updated_at desc limit ?",
        *(since, _ROLES, limit),
    )
    return [LeftOver(*row) for row in rows]
