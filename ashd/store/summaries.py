"""Summaries of conversations: written, read through the disclosure policy, and removed.

A summary is removed with its source, from the index too: `remove_covering` is called before
messages are deleted (`conversations.delete` does).
"""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ashd.store import embeddings, passages, transcripts, visibility
from ashd.store.database import Tx


class Summary(NamedTuple):
    """A row of `summaries`, with its conversation's external id and chat; lists are JSON."""

    id: int
    uuid: str
    conversation: int
    conversation_id: str
    chat: int
    first_position: int
    last_position: int
    messages: int
    said_from: int
    said_until: int
    overall: str
    topics: str
    decisions: str
    key_dates: str
    action_items: str
    title: str | None
    """The conversation's."""


WRITTEN: Final = (
    *("conversation", "first_position", "last_position", "messages", "said_from", "said_until"),
    *("overall", "topics", "decisions", "key_dates", "action_items", "ends_at"),
)
"""The columns whose values `insert` takes."""

_SUMMARY: Final = (
    "select s.id, s.uuid, s.conversation, c.external_id, c.chat, s.first_position,"
    " s.last_position, s.messages, s.said_from, s.said_until, s.overall, s.topics, s.decisions,"
    " s.key_dates, s.action_items,"
    " case when c.learned_type <> 'group' then c.title end"
    " from summaries s join conversations c on c.id = s.conversation"
)


def _visible(
    tx: Tx, viewer: visibility.Viewer, where: str, params: dict[str, Any]
) -> list[Summary]:
    """The summaries under `where` that the viewer may see and that have not ended."""
    rows = tx.named(
        f"{_SUMMARY} where ({where}) and s.ends_at > :now"
        f" and {visibility.summary_condition(viewer)}",
        {**visibility.parameters(viewer), "now": tx.now, **params},
    )
    return [Summary(*row) for row in rows]


def by_ids(tx: Tx, viewer: visibility.Viewer, numbers: Sequence[int]) -> list[Summary]:
    """Return those of the summaries that the viewer may see."""
    if not numbers:
        return []
    where = "s.id in (select value from json_each(:ids))"
    return _visible(tx, viewer, where, {"ids": json.dumps(list(numbers))})


def last_seen(
    tx: Tx, viewer: visibility.Viewer, conversations: Sequence[int]
) -> dict[int, Summary]:
    """Return the last summary of each conversation, of those that the viewer may see."""
    where = "s.conversation in (select value from json_each(:conversations))"
    found = _visible(tx, viewer, where, {"conversations": json.dumps(list(conversations))})
    found.sort(key=lambda one: one.last_position)
    return {one.conversation: one for one in found}


def with_prefix(tx: Tx, viewer: visibility.Viewer, prefix: str) -> list[tuple[str, Summary]]:
    """The summaries whose ids begin so, of those that the viewer may see."""
    found = _visible(
        tx, viewer, "s.uuid >= :prefix and s.uuid < :prefix || 'g'", {"prefix": prefix}
    )
    return [(one.uuid, one) for one in found]


def last_of(tx: Tx, conversation: int) -> Summary | None:
    """Return the summary of the last summarised stretch of a conversation."""
    row = tx.one(
        f"{_SUMMARY} where s.conversation = ? order by s.last_position desc limit 1", conversation
    )
    return Summary(*row) if row else None


def insert(tx: Tx, values: dict[str, Any]) -> int:
    """A new summary with the columns of `WRITTEN`; its row number. Its chat grows."""
    columns = ("uuid", "created_at", *WRITTEN)
    given = (tx.new_id(), tx.now, *(values[name] for name in WRITTEN))
    return tx.insert(
        f"insert into summaries ({', '.join(columns)}) values ({', '.join('?' * len(columns))})",
        *given,
    )


# Removed -----------------------------------------------------------------------------------------


def remove(tx: Tx, numbers: Sequence[int]) -> int:
    """Remove summaries with their index entries; return how many there were."""
    for number in numbers:
        chat = tx.value(
            "select c.chat from summaries s join conversations c on c.id = s.conversation"
            " where s.id = ?",
            number,
        )
        tx.touch(("chat", chat))
        indexed = passages.of_item(tx, passages.SUMMARY, number)
        embeddings.drop_vectors(tx, indexed)
        passages.delete(tx, indexed)
        tx.run("delete from summaries where id = ?", number)
    return len(numbers)


def covering(tx: Tx, messages: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return (summary, conversation, first position) of summaries made of any of these messages."""
    rows = tx.all(
        "select distinct s.id, s.conversation, s.first_position from json_each(?) wanted"
        " join messages t on t.id = wanted.value join summaries s on s.conversation ="
        " t.conversation and t.position between s.first_position and s.last_position",
        json.dumps(list(messages)),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def remove_covering(tx: Tx, messages: Sequence[int]) -> int:
    """Remove the summaries made of any of these messages, before those are deleted.

    The rest of those stretches can be summarised anew.
    """
    rows = covering(tx, messages)
    for _, conversation, first in rows:
        transcripts.unsummarised(tx, conversation, first)
    return remove(tx, [row[0] for row in rows])


def remove_ended(tx: Tx, limit: int) -> int:
    """Remove summaries past the end of their retention, at most `limit` of them."""
    return remove(
        tx, _numbers(tx, "select id from summaries where ends_at <= ? limit ?", tx.now, limit)
    )


def keep_for(tx: Tx, microseconds: int, forever: int) -> None:
    """Set the end of every summary to so much time after it was written; 0 removes the end."""
    tx.run(
        "update summaries set ends_at = case when ?1 > 0 then created_at + ?1 else ?2 end"
        " where ends_at <> case when ?1 > 0 then created_at + ?1 else ?2 end",
        *(microseconds, forever),
    )


def _numbers(tx: Tx, sql: str, *params: Any) -> list[int]:
    return [row[0] for row in tx.all(sql, *params)]
