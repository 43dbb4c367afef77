"""Conversations and their messages; read through the disclosure policy for turns."""

import json
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import msgspec

from ashd.clock import FOREVER
from ashd.store import summaries, visibility
from ashd.store.database import Tx
from ashd.store.filters import ConversationFilter, condition


class Conversation(NamedTuple):
    """A row of `conversations`, with its place, how many messages it has and when they were said.

    `user_id` is the owner's, `group` the group's id, if it is one's. `title` was given to it; a
    group's has none, since each member may see other messages.
    """

    id: int
    uuid: str
    external_id: str
    chat: int
    learned_type: str
    owner: int | None
    provider: str
    user_id: str | None
    group: str | None
    messages: int
    first_at: int | None
    last_at: int | None
    title: str | None


_ALL: Final = FOREVER
"""No limit."""


class Message(NamedTuple):
    """A row of `messages`, with its conversation's external id."""

    id: int
    uuid: str
    conversation: int
    conversation_id: str
    learned_type: str
    position: int
    role: str
    speaker: str | None
    content: str
    said_at: int
    external_id: str | None
    token_count: int
    metadata: str | None
    """As JSON."""


_MESSAGE: Final = (
    "select t.id, t.uuid, t.conversation, c.external_id, c.learned_type, t.position, t.role,"
    " t.speaker, t.content, t.said_at, t.external_id, t.token_count,"
    " t.metadata"
    " from messages t join conversations c on c.id = t.conversation"
)


def ensure(
    tx: Tx,
    *,
    external_id: str,
    chat: int,
    learned_type: str,
    owner: int | None,
    title: str | None = None,
) -> int:
    """Return the conversation of that name in the chat, created if it is new.

    A title replaces the former one.
    """
    found = by_name(tx, chat, external_id)
    if found is not None:
        tx.run(
            "update conversations set updated_at = ?, title = coalesce(?, title) where id = ?",
            *(tx.now, title, found),
        )
        return found
    return tx.insert(
        "insert into conversations"
        " (uuid, external_id, chat, learned_type, owner, created_at, updated_at, title)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        *(tx.new_id(), external_id, chat, learned_type, owner, tx.now, tx.now, title),
    )


def by_name(tx: Tx, chat: int, external_id: str) -> int | None:
    """The conversation of that name in the chat."""
    row = tx.one(
        "select id from conversations where chat = ? and external_id = ?", chat, external_id
    )
    return row[0] if row else None


def message_named(tx: Tx, chat: int, conversation: str, name: str) -> int | None:
    """The message of a conversation in the chat by the host's id of it, or by ours."""
    row = tx.one(
        "select t.id from conversations c join messages t on t.conversation = c.id"
        " where c.chat = ?1 and c.external_id = ?2 and (t.external_id = ?3 or t.uuid = ?3)",
        *(chat, conversation, name),
    )
    return row[0] if row else None


def chat_of(tx: Tx, conversation: int) -> int:
    """The chat that a conversation, which exists, is in."""
    return int(tx.value("select chat from conversations where id = ?", conversation))


def is_taken(tx: Tx, conversation: int, position: int) -> bool:
    """Return whether there is a message at that position."""
    row = tx.one(
        "select 1 from messages where conversation = ? and position = ?", conversation, position
    )
    return row is not None


def next_position(tx: Tx, conversation: int) -> int:
    """Return the position of the next message, after all that were summarised or passed over.

    The last of them may be deleted by now.
    """
    return 1 + int(
        tx.value(
            "select max(summarised_until, coalesce((select max(position) from messages"
            " where conversation = ?1), -1)) from conversations where id = ?1",
            conversation,
        )
    )


def known(
    tx: Tx, conversation: int, external_id: str | None, import_key: bytes | None
) -> int | None:
    """Return the row number of a message that is stored already."""
    row = tx.one(
        "select id from messages where conversation = ?1 and (external_id = ?2 or import_key = ?3)",
        *(conversation, external_id, import_key),
    )
    return row[0] if row else None


def insert_message(
    tx: Tx,
    *,
    conversation: int,
    position: int,
    role: str,
    speaker: str | None,
    account: int | None,
    content: str,
    said_at: int,
    external_id: str | None,
    import_key: bytes | None,
    token_count: int,
    names_speaker: bool,
    project: str | None = None,
    project_name: str | None = None,
    metadata: str | None = None,
) -> int:
    """Insert a message; return its row number. Its chat grows with its passages.

    `names_speaker`: the speaker's name was given with it, and is indexed.
    """
    tx.grow(("account", account))
    return tx.insert(
        "insert into messages (uuid, conversation, position, role, speaker, account, content,"
        " said_at, external_id, import_key, token_count, created_at, names_speaker, project,"
        " project_name, metadata) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(tx.new_id(), conversation, position, role, speaker, account, content),
        *(said_at, external_id, import_key, token_count, tx.now, names_speaker),
        *(project, project_name, metadata),
    )


def conversations(
    tx: Tx, viewer: visibility.Viewer, wanted: ConversationFilter, limit: int = _ALL
) -> list[Conversation]:
    """Return the conversations of which the viewer may see some message, latest first."""
    where, values = condition(wanted)
    rows = tx.named(
        "select c.id, c.uuid, c.external_id, c.chat, c.learned_type, c.owner, h.provider,"
        " (select o.user_id from accounts o where o.id = c.owner),"
        " case c.learned_type when 'group' then h.chat_id end, count(*),"
        # cross join: the planner must begin with what the viewer may reach, not with all messages
        " min(t.said_at), max(t.said_at), case when c.learned_type <> 'group' then c.title end"
        f" from ({visibility.conversation_reach(viewer)}) r"
        " cross join conversations c on c.id = r.id join messages t on t.conversation = c.id"
        " join chats h on h.id = c.chat"
        f" where ({where}) and {visibility.turn_condition(viewer)}"
        " group by c.id, h.id order by max(t.said_at) desc, c.id desc limit :limit",
        {**visibility.parameters(viewer), "limit": limit, **values},
    )
    return [Conversation(*row) for row in rows]


def delete(tx: Tx, conversation: int, numbers: Sequence[int]) -> None:
    """Delete messages, their summaries, and the conversation itself if it is then empty.

    Delete their passages first.
    """
    summaries.remove_covering(tx, numbers)
    tx.run("delete from messages where id in (select value from json_each(?))", json.dumps(numbers))
    tx.run(
        "delete from conversations where id = ?1"
        " and not exists (select 1 from messages where conversation = ?1)",
        conversation,
    )


def touch(tx: Tx, number: int) -> None:
    """Note who may see a change of a message."""
    row = tx.one(
        "select c.chat, c.owner, t.account from messages t"
        " join conversations c on c.id = t.conversation where t.id = ?",
        number,
    )
    if row is not None:
        tx.touch(("chat", row[0]), ("account", row[1]), ("account", row[2]))


def message_count(tx: Tx, conversation: int) -> int:
    """Return the number of messages in a conversation."""
    return int(tx.value("select count(*) from messages where conversation = ?", conversation))


def learned_in(tx: Tx, conversation: int) -> list[int]:
    """Return the memories that were extracted from a conversation, as row numbers."""
    rows = tx.all(
        "select m.id from conversations c join memories m on m.learned_in = c.chat"
        " and m.source_session_id = c.external_id"
        " where c.id = ? and m.source in ('extraction', 'background_extraction')",
        conversation,
    )
    return [row[0] for row in rows]


def by_ids(tx: Tx, viewer: visibility.Viewer, numbers: Sequence[int]) -> list[Message]:
    """Return those of the messages that the viewer may see."""
    if not numbers:
        return []
    rows = tx.named(
        f"{_MESSAGE} where t.id in (select value from json_each(:ids))"
        f" and {visibility.turn_condition(viewer)}",
        {**visibility.parameters(viewer), "ids": json.dumps(list(numbers))},
    )
    return [Message(*row) for row in rows]


def around(
    tx: Tx, viewer: visibility.Viewer, messages: Sequence[Message], width: int
) -> list[list[Message]]:
    """Return each message and its neighbours on both sides, as far as the viewer may see them."""
    may_see = {**visibility.parameters(viewer), "width": width}
    before, after = (
        f"{_MESSAGE} where t.conversation = :conversation and t.position {side} :position"
        f" and {visibility.turn_condition(viewer)} order by t.position {order} limit :width"
        for side, order in (("<", "desc"), (">", "asc"))
    )
    places = [
        {**may_see, "conversation": one.conversation, "position": one.position} for one in messages
    ]
    sides = tx.together(*((sql, place) for place in places for sql in (before, after)))
    read = [[Message(*row) for row in rows] for rows in sides]
    return [
        [*earlier[::-1], one, *later]
        for one, earlier, later in zip(messages, read[::2], read[1::2], strict=True)
    ]


def counted(
    tx: Tx, viewer: visibility.Viewer, conversations_: Collection[int]
) -> dict[int, list[int]]:
    """Return the messages of conversations that the viewer may see, in order, as row numbers."""
    rows = tx.named(
        "select c.id, json_group_array(t.id order by t.position)"
        " from conversations c join messages t on t.conversation = c.id"
        " where c.id in (select value from json_each(:conversations))"
        f" and {visibility.turn_condition(viewer)} group by c.id",
        {**visibility.parameters(viewer), "conversations": json.dumps(list(conversations_))},
    )
    return {row[0]: msgspec.json.decode(row[1], type=list[int]) for row in rows}


def indexes(tx: Tx, viewer: visibility.Viewer, found: Sequence[Message]) -> dict[int, int]:
    """Return the index of each message among those of its conversation that the viewer may see.

    Its position in the conversation would show how much is hidden. In private whoever sees one
    message sees them all.
    """
    of_groups = {one.conversation for one in found if one.learned_type != "private"}
    seen = counted(tx, viewer, of_groups) if of_groups else {}
    by_row = {number: at for order in seen.values() for at, number in enumerate(order)}
    return {one.id: by_row.get(one.id, one.position) for one in found}
