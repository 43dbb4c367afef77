"""Provenance of one memory: where it came from, who may read it and why, what it may replace.

Nothing here decides on disclosure: readers are found by asking the policy for each person who owns
the memory, said it, is a subject of it or was present. A viewer gets what the viewer may see.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from ashd.access import disclosure
from ashd.access.actor import Call
from ashd.access.disclosure import Asker, Audience
from ashd.clock import to_text
from ashd.memory import model, ownership
from ashd.memory.add_result import MayReplace
from ashd.memory.model import Memory
from ashd.store import chats, conversations, memories, memory_links, transcripts
from ashd.store.chats import Stay
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_MOST_READERS: Final = 50
_ELSEWHERE: Final = -1
"""No chat's row number: another group than the memory's own."""

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
    """An account, its part in the memory, and where it may read it."""

    provider: str
    user_id: str
    name: str
    roles: list[Role]
    in_private: bool
    in_other_groups: bool


class Explained(msgspec.Struct, frozen=True):
    """The source of a memory, its readers, and the memories it may replace or repeats.

    Who may read it is told to an operator alone. `in_its_group` is null for a memory of a private
    chat; `more_readers` counts accounts that are not listed, because there are many or the viewer
    never met them.
    """

    learned_in: LearnedIn | None
    message: SourceMessage | None
    grant_id: str | None
    may_change: bool
    in_its_group: bool | None
    readers: list[MemoryReader]
    more_readers: int
    may_replace: list[MayReplace]
    may_be_replaced_by: list[MayReplace]
    repeats: list[MayReplace]


class _Concerned(NamedTuple):
    """An account with its part in a memory."""

    account: int
    roles: list[Role]


def explained(tx: Tx, call: Call, viewer: Viewer, record: Record, shown: Memory) -> Explained:
    """Explain a memory that the viewer may see, and gets as `shown`."""
    is_operator = call.actor.kind == "operator"
    readers, more = _readers(tx, viewer, record) if is_operator else ([], 0)
    older = memory_links.older_than(tx, record.id)
    newer = memory_links.newer_than(tx, record.id)
    return Explained(
        learned_in=_learned_in(tx, viewer, record),
        message=_message(tx, viewer, record, shown),
        grant_id=record.grant_id if is_operator else None,
        may_change=ownership.may_change(viewer, record),
        in_its_group=_in_its_group(tx, record) if is_operator else None,
        readers=readers,
        more_readers=more,
        may_replace=_shown(
            tx, viewer, [link.older for link in older if link.kind == "may_replace"]
        ),
        may_be_replaced_by=_shown(
            tx, viewer, [link.newer for link in newer if link.kind == "may_replace"]
        ),
        repeats=_shown(tx, viewer, [link.older for link in older if link.kind == "repeats"]),
    )


def _learned_in(tx: Tx, viewer: Viewer, record: Record) -> LearnedIn | None:
    """Return the chat, where the viewer takes or took part in it."""
    if record.learned_in is None:
        return None
    is_known = viewer.everything or record.learned_type == "private"
    if not is_known and record.learned_in != viewer.chat:
        is_known = not viewer.group and record.learned_in in chats.chats_of(tx, viewer.accounts)
    if not is_known:
        return None
    chat = chats.chat_by_id(tx, record.learned_in)
    return LearnedIn(chat.provider, chat.chat_id, chat.chat_type)


def _message(tx: Tx, viewer: Viewer, record: Record, shown: Memory) -> SourceMessage | None:
    """Return the message, where neither it nor its id is hidden from the viewer."""
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


def _shown(tx: Tx, viewer: Viewer, numbers: Sequence[int]) -> list[MayReplace]:
    """Return the linked memories, as far as the viewer sees them."""
    found = memories.by_ids(tx, viewer, numbers)
    return [MayReplace(found[one].uuid, found[one].content) for one in numbers if one in found]


# Who may read it ----------------------------------------------------------------------------------


def _in_its_group(tx: Tx, record: Record) -> bool | None:
    """Return whether the memory may be shown in its group, with those who take part now."""
    if record.learned_type != "group" or record.learned_in is None:
        return None
    now = frozenset(account for _, account in chats.roster(tx, record.learned_in))
    people = frozenset(chats.persons_of(tx, tuple(now)))
    audience = Audience(record.learned_in, group=True, accounts=now, persons=people)
    return disclosure.decide(Asker(), audience, _as_the_policy_reads(tx, record)).shown


def _readers(tx: Tx, viewer: Viewer, record: Record) -> tuple[list[MemoryReader], int]:
    concerned = _concerned(tx, record)
    if not viewer.everything:
        met = {*viewer.accounts, *(viewer.audience if viewer.group else ())}
        places = {viewer.chat} if viewer.group else set(chats.chats_of(tx, viewer.accounts))
        met |= chats.ever_in(tx, places, [one.account for one in concerned])
        listed = [one for one in concerned if one.account in met]
    else:
        listed = concerned
    memory = _as_the_policy_reads(tx, record)
    readers = [_reader(tx, one, memory) for one in listed[:_MOST_READERS]]
    return readers, len(concerned) - len(readers)


def _reader(tx: Tx, one: _Concerned, memory: disclosure.Memory) -> MemoryReader:
    account = chats.account_by_id(tx, one.account)
    accounts = frozenset(chats.joined_accounts(tx, account.person))
    asker = Asker(accounts, frozenset({account.person}))
    private = Audience(None, group=False, accounts=accounts, persons=asker.persons)
    elsewhere = Audience(_ELSEWHERE, group=True, accounts=accounts, persons=asker.persons)
    return MemoryReader(
        provider=account.provider,
        user_id=account.user_id,
        name=account.display_name or account.username or account.user_id,
        roles=one.roles,
        in_private=disclosure.decide(asker, private, memory).shown,
        in_other_groups=disclosure.decide(asker, elsewhere, memory).shown,
    )


def _concerned(tx: Tx, record: Record) -> list[_Concerned]:
    """Return the accounts that have to do with a memory: its owner first, those present last."""
    subjects = {number for number, _ in model.subjects(record)}
    about = chats.accounts_by_person(tx, subjects)
    roles: dict[int, list[Role]] = {}

    def note(role: Role, accounts: Iterable[int | None]) -> None:
        for number in accounts:
            if number is not None:
                roles.setdefault(number, []).append(role)

    note("owner", [record.owner])
    note("stated_by", [record.stated_by])
    note("subject", [account.id for accounts in about.values() for account in accounts])
    if record.learned_type == "group":
        note("present", sorted(_present(tx, record)))
    return [_Concerned(number, has) for number, has in roles.items()]


def _present(tx: Tx, record: Record) -> frozenset[int]:
    """Return the accounts that took part in the memory's chat when it was said."""
    if record.learned_in is None:
        return frozenset()
    stays = chats.stays_in(tx, record.learned_in)
    return frozenset(one.account for one in stays if _covers(one, record.said_at))


def _covers(stay: Stay, at: int) -> bool:
    return stay.joined_at <= at and (stay.left_at is None or stay.left_at > at)


def _as_the_policy_reads(tx: Tx, record: Record) -> disclosure.Memory:
    return disclosure.Memory(
        learned_in=record.learned_in,
        learned_type=record.learned_type,
        sensitivity=record.sensitivity,
        portable=bool(record.portable),
        owner=record.owner,
        stated_by=record.stated_by,
        subjects=frozenset(number for number, _ in model.subjects(record)),
        present=_present(tx, record),
    )
