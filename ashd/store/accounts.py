"""Counts of the rows of each account and chat, for the operator's lists of them."""

from typing import NamedTuple

from ashd.store.database import Tx


class Counted(NamedTuple):
    """An account by row number and identity, with its counts; `last_active_at` in microseconds."""

    id: int
    provider: str
    user_id: str
    name: str | None
    memories: int
    conversations: int
    turns: int
    last_active_at: int


def counted(tx: Tx, provider: str | None, after: int, limit: int) -> list[Counted]:
    """Return the accounts after a row number, by row number, each with its own counts."""
    rows = tx.all(
        "select a.id, a.provider, a.user_id, coalesce(a.display_name, a.username),"
        " (select count(*) from memories m where m.owner = a.id and m.archived_at is null),"
        " (select count(*) from conversations c where c.owner = a.id),"
        " (select count(*) from messages t join conversations c on c.id = t.conversation"
        "   where c.owner = a.id and t.role = 'user'),"
        " max(a.updated_at,"
        "  coalesce((select max(m.created_at) from memories m where m.owner = a.id), 0),"
        "  coalesce((select max(c.updated_at) from conversations c where c.owner = a.id), 0))"
        " from accounts a where a.id > ? and (cast(? as text) is null or a.provider = ?)"
        " order by a.id limit ?",
        *(after, provider, provider, limit),
    )
    return [Counted(*row) for row in rows]


class CountedChat(NamedTuple):
    """A chat by row number and identity, with its counts."""

    id: int
    provider: str
    chat_type: str
    chat_id: str | None
    user_id: str | None
    participants: int
    memories: int
    conversations: int


def counted_chats(tx: Tx, after: int, limit: int) -> list[CountedChat]:
    """Return the chats after a row number, by row number, each with its own counts."""
    rows = tx.all(
        "select h.id, h.provider, h.chat_type, h.chat_id,"
        " (select a.user_id from accounts a where a.id = h.account),"
        " (select count(*) from participations p where p.chat = h.id and p.left_at is null),"
        " (select count(*) from memories m where m.learned_in = h.id and m.archived_at is null),"
        " (select count(*) from conversations c where c.chat = h.id)"
        " from chats h where h.id > ? order by h.id limit ?",
        *(after, limit),
    )
    return [CountedChat(*row) for row in rows]
