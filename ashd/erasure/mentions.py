"""Texts that name a person without being linked to it: found, listed, and erased on request.

What surely names the person is a *mention*. What may name somebody else (a namesake, a family) is
never erased with it, but listed as `left`, and so are other people with a word of the name.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from ashd.access.actor import Call
from ashd.language.people.name_traces import NameTraces, Trace
from ashd.memory import ownership
from ashd.people import model as people_model
from ashd.store import conversations, memories, memory_lists, merges, people
from ashd.store.erasure import naming_texts
from ashd.store.erasure.naming_texts import Text
from ashd.store.filters import ConversationFilter, MemoryFilter
from ashd.store.transaction import Tx
from ashd.store.visibility import States, Viewer

Kind = Literal[
    "memories",
    "messages",
    "summaries",
    "entities",
    "relations",
    "overrides",
    "profile_statements",
    "profile_versions",
    "people",
    "conversations",
]
LISTED: Final = 200
"""Ids that are listed of a kind; all are counted."""


class Listed(msgspec.Struct, frozen=True):
    """The number of texts of each kind, and the ids of the first 200.

    A statement or a version of a profile has no id; its number stands for it.
    """

    counts: dict[Kind, int] = {}
    ids: dict[Kind, list[str]] = {}


@dataclass(slots=True)
class Mentions:
    """What names a person: rows to erase by kind, and what is listed of them and of the rest."""

    rows: dict[str, list[int]] = field(default_factory=dict)
    mentions: Listed = field(default_factory=Listed)
    left: Listed = field(default_factory=Listed)


def find(tx: Tx, call: Call, person: int, linked: Iterable[int]) -> Mentions:
    """Look through everything that the caller may change, but for the linked memories.

    Reads every text of the scope: run it on a connection for long reads.
    """
    viewer = call.look(tx)
    family = {person, *merges.family(tx, person)}
    others = _names(tx, viewer, people_model.listed(tx, viewer) - family)
    known = [name for names in others.values() for name in names]
    traces = NameTraces(_names(tx, viewer, {person}).get(person, []), known)
    namesakes = {number for number, names in others.items() if any(map(traces.shares, names))}
    found, left = _Sorted(), _Sorted()

    def sort(kind: Kind, texts: Iterable[Text]) -> None:
        for text in texts:
            trace = traces.in_text(text.text)
            if trace is Trace.NAMES:
                found.add(kind, text)
            elif trace is not Trace.NONE:
                left.add(kind, text)

    known_already = set(linked)
    numbers = [one for one in _own_memories(tx, viewer) if one not in known_already]
    sort("memories", naming_texts.of_memories(tx, numbers))
    messages, seen, whole = _own_messages(tx, viewer)
    sort("messages", naming_texts.of_messages(tx, messages))
    for kind in naming_texts.KINDS:
        sort(kind, naming_texts.of_kind(tx, viewer, kind, whole))
    for text in naming_texts.conversation_names(tx, seen):
        if traces.in_text(text.text) is not Trace.NONE:
            left.add("conversations", text)
    for one in people.by_ids(tx, namesakes):
        left.add("people", Text(one.id, one.uuid, ""))
    return Mentions(found.rows, found.listed(), left.listed())


def erase_others(tx: Tx, call: Call, person: int, rows: dict[str, list[int]]) -> Counter[str]:
    """Erase the mentions of every kind but memories and messages."""
    counted = Counter[str]()
    viewer = call.look(tx)
    traces = NameTraces(_names(tx, viewer, {person}).get(person, []))
    for kind in naming_texts.KINDS:
        if not (numbers := rows.get(kind)):
            continue
        if kind == "profile_versions":
            counted += naming_texts.clear_parts(
                tx, numbers, lambda text: traces.in_text(text) is Trace.NAMES
            )
        else:
            counted += naming_texts.erase(tx, kind, numbers)
    return counted


class _Sorted:
    """Collects texts by kind."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {}
        self._ids: dict[Kind, list[str]] = {}

    def add(self, kind: Kind, text: Text) -> None:
        self.rows.setdefault(kind, []).append(text.row)
        ids = self._ids.setdefault(kind, [])
        if len(ids) < LISTED:
            ids.append(text.id)

    def listed(self) -> Listed:
        return Listed({kind: len(self.rows[kind]) for kind in self._ids}, self._ids)


def _names(tx: Tx, viewer: Viewer, numbers: set[int]) -> dict[int, list[str]]:
    """Return every name by which the viewer knows each of these people."""
    if not numbers:
        return {}
    return {
        number: [
            *([known.name] if known.knows_name or known.aliases else []),
            *(alias.value for alias in known.aliases),
            *(
                name
                for account in known.accounts
                for name in (account.display_name, account.username)
                if name
            ),
        ]
        for number, known in people_model.load(tx, viewer, numbers).items()
    }


def _own_memories(tx: Tx, viewer: Viewer) -> list[int]:
    states = States(superseded=True, expired=True, archived=True)
    seen = memory_lists.seen(tx, viewer, MemoryFilter(), states)
    records = memories.by_ids(tx, viewer, seen)
    return [number for number in seen if ownership.may_change(viewer, records[number])]


def _own_messages(tx: Tx, viewer: Viewer) -> tuple[list[int], list[int], list[int]]:
    """Return messages, conversations, and those of them that are the viewer's as a whole."""
    found = [
        one.id
        for one in conversations.conversations(tx, viewer, ConversationFilter())
        if one.learned_type != "group" or one.chat == viewer.chat or viewer.everything
    ]
    seen = conversations.counted(tx, viewer, found)
    whole = [one for one in found if len(seen[one]) == conversations.message_count(tx, one)]
    return [number for numbers in seen.values() for number in numbers], found, whole
