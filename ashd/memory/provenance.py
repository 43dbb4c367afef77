"""Provenance of one memory: where it came from, who may read it and why, what it may replace.

Nothing here decides on disclosure: `access.readers` says who may read it and who may be named. An
account is listed if it owns the memory, said it, is a subject of it or was present.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from ashd.access import disclosure, readers
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.memory import model, ownership
from ashd.memory.model import Memory
from ashd.people import met_accounts
from ashd.store import chats, conversations, memories, memory_links, transcripts
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_MOST_READERS: Final = 50

Role = Literal["owner", "stated_by", "subject", "present"]


class SourceMessage(msgspec.Struct, frozen=True):
    """The message that a memory was learned from."""

    id: str
    conversation: str
    """Our id of the conversation; `conversation_id` is the host's."""
    conversation_id: str
    role: str
    speaker: str | None
    content: str
    at: str


class LearnedIn(msgspec.Struct, frozen=True):
    """The chat in which a memory was learned; `chat_id` is null for an unnamed private chat."""

    provider: str
    chat_id: str | None
    chat_type: str


class MemoryReader(msgspec.Struct, frozen=True):
    """An account, its part in the memory, and the places where it may read the memory."""

    provider: str
    user_id: str
    name: str
    roles: list[Role]
    in_private: bool
    in_other_groups: bool


class Repeated(msgspec.Struct, frozen=True):
    """An earlier memory that says the same."""

    id: str
    content: str


class Explained(msgspec.Struct, frozen=True):
    """The source of a memory, its readers, and the memories it repeats.

    Only an operator is told who may read it. `in_its_group` is null for a memory of a private chat;
    `more_readers` counts accounts that are not listed, because there are many or the viewer never
    met them.
    """

    learned_in: LearnedIn | None
    message: SourceMessage | None
    grant_id: str | None
    may_change: bool
    in_its_group: bool | None
    readers: list[MemoryReader]
    more_readers: int
    repeats: list[Repeated]


class _Concerned(NamedTuple):
    """An account with its part in a memory."""

    account: int
    roles: list[Role]


def explained(tx: Tx, call: Call, viewer: Viewer, record: Record, shown: Memory) -> Explained:
    """Explain a memory that the viewer may see, and gets as `shown`."""
    is_operator = call.actor.kind == "operator"
    memory = readers.policy_memory(tx, record, model.given_subjects(record))
    listed, more = _readers(tx, viewer, record, memory) if is_operator else ([], 0)
    older = memory_links.older_than(tx, record.id)
    return Explained(
        learned_in=_learned_in(tx, viewer, record),
        message=_message(tx, viewer, record, shown),
        grant_id=record.grant_id if is_operator else None,
        may_change=ownership.may_change(viewer, record),
        in_its_group=readers.shown_in_its_group(tx, memory) if is_operator else None,
        readers=listed,
        more_readers=more,
        repeats=_shown(tx, viewer, [link.older for link in older if link.kind == "repeats"]),
    )


def _learned_in(tx: Tx, viewer: Viewer, record: Record) -> LearnedIn | None:
    if record.learned_in is None or not readers.may_name_chat(tx, viewer, record):
        return None
    chat = chats.chat_by_id(tx, record.learned_in)
    return LearnedIn(chat.provider, chat.chat_id, chat.chat_type)


def _message(tx: Tx, viewer: Viewer, record: Record, shown: Memory) -> SourceMessage | None:
    """Return the message, if neither it nor its id is hidden from the viewer."""
    session, name = shown.source_session_id, shown.source_message_id
    if record.learned_in is None or session is None or name is None:
        return None
    number = conversations.message_named(tx, record.learned_in, session, name)
    for found in conversations.by_ids(tx, viewer, [] if number is None else [number]):
        return SourceMessage(
            id=found.uuid,
            conversation=transcripts.uuid_of(tx, found.conversation),
            conversation_id=found.conversation_id,
            role=found.role,
            speaker=found.speaker,
            content=found.content,
            at=to_text(found.said_at) or "",
        )
    return None


def _shown(tx: Tx, viewer: Viewer, numbers: Sequence[int]) -> list[Repeated]:
    """Return the linked memories that the viewer may see."""
    found = memories.by_ids(tx, viewer, numbers)
    return [Repeated(found[one].uuid, found[one].content) for one in numbers if one in found]


# Who may read it ----------------------------------------------------------------------------------


def _readers(
    tx: Tx, viewer: Viewer, record: Record, memory: disclosure.Memory
) -> tuple[list[MemoryReader], int]:
    """Return the accounts to list, and the number of those that are not listed."""
    concerned = _concerned(tx, record, memory)
    met = met_accounts.among(tx, viewer, [one.account for one in concerned])
    listed = [one for one in concerned if one.account in met][:_MOST_READERS]
    return [_reader(tx, one, memory) for one in listed], len(concerned) - len(listed)


def _reader(tx: Tx, one: _Concerned, memory: disclosure.Memory) -> MemoryReader:
    account = chats.account_by_id(tx, one.account)
    where = readers.reading(tx, account, memory)
    return MemoryReader(
        provider=account.provider,
        user_id=account.user_id,
        name=account.display_name or account.username or account.user_id,
        roles=one.roles,
        in_private=where.in_private,
        in_other_groups=where.in_other_groups,
    )


def _concerned(tx: Tx, record: Record, memory: disclosure.Memory) -> list[_Concerned]:
    """Return the accounts that have to do with a memory: its owner first, those present last."""
    about = chats.accounts_by_person(tx, set(memory.subjects))
    roles: dict[int, list[Role]] = {}

    def note(role: Role, accounts: Iterable[int | None]) -> None:
        for number in accounts:
            if number is not None:
                roles.setdefault(number, []).append(role)

    note("owner", [record.owner])
    note("stated_by", [record.stated_by])
    note("subject", [account.id for accounts in about.values() for account in accounts])
    if record.learned_type == "group":
        note("present", sorted(memory.present))
    return [_Concerned(number, has) for number, has in roles.items()]
