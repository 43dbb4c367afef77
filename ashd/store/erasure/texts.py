"""Erase memories, messages and conversations with their index entries and dependent rows.

Pages are overwritten (`secure_delete`), and the log is emptied afterwards (`traces`).
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final, Literal, NamedTuple

from ashd.store import jobs, passages
from ashd.store.dialect import text_list
from ashd.store.erasure import rows
from ashd.store.erasure.register import AMONG, GOES_WITH, JOBS, REMADE, VECTORS, Root
from ashd.store.transaction import Tx


def take(
    tx: Tx, root: Root, numbers: Collection[int], *, erase: bool, remade: bool = False
) -> Counter[str]:
    """Count or erase dependent rows; with `remade`, also texts derived from the given ones."""
    kinds = (*(REMADE[root] if remade else ()), *GOES_WITH[root])
    return rows.take(tx, kinds, {"numbers": json.dumps(list(numbers))}, erase=erase)


def take_passages(tx: Tx, kind: int, items: Sequence[int], *, erase: bool) -> Counter[str]:
    """Count or erase the passages of memories or messages: full text, queue, and their vectors.

    A vector belongs to a text; it stays while another passage has the same text.
    """
    params = {"kind": kind, "numbers": json.dumps(list(items))}
    counted = rows.take(tx, [VECTORS], params, erase=erase)
    numbers = passages.of_items(tx, kind, items)
    if erase:
        passages.delete(tx, numbers)
    return counted + Counter({"passages": len(numbers)})


class Told(NamedTuple):
    """A text that is erased, and where it was told: in a group, or by a user in private."""

    text: str
    provider: str
    group: str | None
    user: str | None


_TOLD: Final = (
    "select t.content, c.provider, case c.chat_type when 'group' then c.chat_id end,"
    " case c.chat_type when 'private' then coalesce(c.user_id, a.user_id) end"
    " from {table} join chats c on c.id = {chat} left join accounts a on a.id = c.account"
    f" where t.id {AMONG}"
)
_TOLD_BY: Final = {
    "memory": _TOLD.format(table="memories t", chat="t.learned_in"),
    "message": _TOLD.format(
        table="messages t join conversations v on v.id = t.conversation", chat="v.chat"
    ),
}


def told(tx: Tx, root: Literal["memory", "message"], numbers: Collection[int]) -> list[Told]:
    """Return the texts of memories or messages, and where they were told."""
    rows_ = tx.named(_TOLD_BY[root], {"numbers": json.dumps(list(numbers))})
    return [Told(*row) for row in rows_]


def take_jobs(tx: Tx, said: Collection[Told], *, erase: bool) -> Counter[str]:
    """Count or erase the unfinished jobs of the same place whose messages hold one of the texts."""
    written = [
        json.dumps(one.text, ensure_ascii=pure)[1:-1] for one in said for pure in (False, True)
    ]
    holding = tx.named(
        "select id, payload from jobs"
        " where state in ('queued', 'delayed', 'due', 'running', 'set_aside')"
        f" and exists (select 1 from {text_list(':texts')} t where instr(payload, t.value) > 0)",
        {"texts": json.dumps(written)},
    )
    numbers = [number for number, payload in holding if _holds(json.loads(payload), said)]
    counted = rows.take(tx, [JOBS], {"numbers": json.dumps(numbers)}, erase=erase)
    if erase and counted:
        jobs.move_up_bereft(tx)
    return counted


def _holds(payload: Any, said: Collection[Told]) -> bool:
    """Return whether a job has messages from a place where one of these texts was told, with it.

    A payload without messages has numbers and its own words alone.
    """
    if "messages" not in payload or "scope" not in payload:
        return False
    contents = [message["content"] for message in payload["messages"]]
    scope = payload["scope"]
    in_group = scope.get("chat_type") == "group"
    place = (
        scope["provider"],
        scope.get("chat_id") if in_group else None,
        None if in_group else scope.get("user_id"),
    )
    texts = [one.text for one in said if one[1:] == place]
    return any(text in content for text in texts for content in contents)


def take_conversations(
    tx: Tx, numbers: Collection[int], messages: Collection[int], *, erase: bool
) -> Counter[str]:
    """Count or erase conversations that have no messages besides these."""
    params = {"numbers": json.dumps(list(numbers)), "messages": json.dumps(list(messages))}
    return rows.take(tx, GOES_WITH["conversation"], params, erase=erase)
