"""Texts in which somebody may be named, and how to erase each kind of text.

For a viewer: what its accounts own or said, and in a group the texts of the group; for an operator
with all scopes: everybody's. Memories and messages are found by conditions of their own.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal, NamedTuple

from ashd.store import summaries, transcripts
from ashd.store.erasure import texts
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer


class Text(NamedTuple):
    """A row, its id on the wire (or its number), and its text."""

    row: int
    id: str
    text: str


Kind = Literal[
    "summaries",
    "entities",
    "relations",
    "overrides",
    "profile_statements",
    "profile_versions",
]
_ROWS: Final = "in (select value from json_each(?))"
_OWN: Final = (
    "(:everything = 1 or m.owner in (select value from json_each(:accounts))"
    " or m.stated_by in (select value from json_each(:accounts)))"
)
_ACCOUNT: Final = "(:everything = 1 or m.{} in (select value from json_each(:accounts)))"
_SQL: Final[dict[Kind, str]] = {
    "entities": (
        "select m.id, m.uuid, m.name || '\n' || coalesce((select string_agg(a.value,"
        " '\n') from entity_aliases a where a.entity = m.id), '')"
        f" from entities m where {_OWN}"
        # The relations of others need it.
        " and (:everything = 1 or not exists (select 1 from relations r"
        "  where (r.source = m.id or r.target = m.id)"
        "  and coalesce(r.stated_by, r.owner, 0) not in (select value from json_each(:accounts))))"
    ),
    "relations": (
        "select m.id, m.uuid, m.source_name || '\n' || m.relation || '\n' || m.target_name"
        f" from relations m where {_OWN}"
    ),
    "overrides": (
        "select m.id, m.uuid, m.content from overrides m"
        f" where {_ACCOUNT.format('owner')} or (:group = 1 and m.chat = :chat)"
    ),
    "profile_statements": (
        "select m.id, cast(m.id as text), m.statement from profile_statements m"
        f" where {_ACCOUNT.format('account')}"
    ),
    "profile_versions": (
        "select m.id, cast(m.version as text),"
        " m.text || '\n' || m.notes || '\n' || coalesce(m.learned, '')"
        f" from profile_versions m where {_ACCOUNT.format('owner')}"
    ),
}
KINDS: Final[tuple[Kind, ...]] = ("summaries", *_SQL)
"""The kinds besides memories and messages, in the order in which references allow to erase them."""


def of_kind(tx: Tx, viewer: Viewer, kind: Kind, whole: Collection[int]) -> list[Text]:
    """Return the texts of a kind; `whole` are the conversations that the viewer owns as a whole."""
    if kind == "summaries":
        rows = tx.all(
            "select id, uuid, overall || '\n' || topics || '\n' || decisions || '\n'"
            f" || key_dates || '\n' || action_items from summaries where conversation {_ROWS}",
            json.dumps(list(whole)),
        )
    else:
        rows = tx.named(
            _SQL[kind],
            {
                "everything": viewer.everything,
                "accounts": json.dumps(list(viewer.accounts)),
                "group": viewer.group,
                "chat": viewer.chat,
            },
        )
    return [Text(*row) for row in rows]


def of_memories(tx: Tx, numbers: Sequence[int]) -> list[Text]:
    """Return memories with their tags, metadata, sources and the words used for their subjects."""
    rows = tx.all(
        "select m.id, m.uuid, m.content || '\n' || coalesce(m.tags, '') || '\n'"
        " || coalesce(m.metadata, '') || '\n' || coalesce(m.source_username, '') || '\n'"
        " || coalesce(m.source_display_name, '') || '\n' || coalesce((select"
        "  string_agg(s.reference, '\n') from memory_subjects s where s.memory = m.id), '')"
        f" from memories m where m.id {_ROWS}",
        json.dumps(list(numbers)),
    )
    return [Text(*row) for row in rows]


def of_messages(tx: Tx, numbers: Sequence[int]) -> list[Text]:
    """Return messages with their speakers and metadata."""
    rows = tx.all(
        "select id, uuid, content || '\n' || coalesce(speaker, '') || '\n'"
        f" || coalesce(metadata, '') from messages where id {_ROWS}",
        json.dumps(list(numbers)),
    )
    return [Text(*row) for row in rows]


def conversation_names(tx: Tx, numbers: Sequence[int]) -> list[Text]:
    """Return the hosts' names of conversations."""
    rows = tx.all(
        f"select id, uuid, external_id from conversations where id {_ROWS}",
        json.dumps(list(numbers)),
    )
    return [Text(*row) for row in rows]


def erase(tx: Tx, kind: Kind, numbers: Sequence[int]) -> Counter[str]:
    """Erase rows of a kind; of a profile's versions only the parts are emptied by `clear_parts`."""
    if kind == "entities":
        return texts.take(tx, "entity", numbers, erase=True)
    if kind == "summaries":
        # Some went with the messages that they were made of.
        there = tx.all(
            f"select id, conversation, first_position from summaries where id {_ROWS}",
            json.dumps(list(numbers)),
        )
        for _, conversation, first in there:
            transcripts.unsummarised(tx, conversation, first)
        return +Counter[str]({kind: summaries.remove(tx, [row[0] for row in there])})
    gone = tx.run(f"delete from {kind} where id {_ROWS}", json.dumps(list(numbers)))
    return +Counter[str]({kind: gone})


def clear_parts(tx: Tx, versions: Sequence[int], names: Callable[[str], bool]) -> Counter[str]:
    """Empty the parts of a profile's versions that name somebody; the other parts stay."""
    for number in versions:
        parts = tx.one("select text, notes, learned from profile_versions where id = ?", number)
        if parts is not None:
            kept = ["" if part and names(part) else part for part in parts]
            tx.run(
                "update profile_versions set text = ?, notes = ?, learned = ? where id = ?",
                *(*kept, number),
            )
    return +Counter({"profile_versions": len(versions)})
