"""Readers of a memory: where each account may read it, and whether a viewer may learn its chat.

Every answer is that of the disclosure policy. Operators get these answers to see why a memory is
hidden.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

from ashd.access import disclosure
from ashd.access.disclosure import Asker, Audience
from ashd.store import chats
from ashd.store.chats import Account, Stay
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_ELSEWHERE: Final = -1
"""A row number that no chat has: it stands for any group but the memory's own."""


class Reading(NamedTuple):
    """The places where an account may read a memory, besides the memory's own chat."""

    in_private: bool
    in_other_groups: bool


def policy_memory(tx: Tx, record: Record, subjects: Collection[int]) -> disclosure.Memory:
    """Return a memory as the policy takes it, with the `subjects` that a caller named."""
    return disclosure.Memory(
        learned_in=record.learned_in,
        learned_type=record.learned_type,
        sensitivity=record.sensitivity,
        portable=bool(record.portable),
        owner=record.owner,
        stated_by=record.stated_by,
        subjects=frozenset(subjects),
        present=present(tx, record),
        project=record.project,
    )


def present(tx: Tx, record: Record) -> frozenset[int]:
    """Return the accounts that took part in the memory's chat when it was said."""
    if record.learned_in is None:
        return frozenset()
    stays = chats.stays_in(tx, record.learned_in)
    return frozenset(one.account for one in stays if _covers(one, record.said_at))


def _covers(stay: Stay, at: int) -> bool:
    return stay.joined_at <= at and (stay.left_at is None or stay.left_at > at)


def may_name_chat(tx: Tx, viewer: Viewer, record: Record) -> bool:
    """Return whether the viewer takes or took part in the chat that a memory was learned in."""
    if record.learned_in is None:
        return False
    if viewer.everything or record.learned_type == "private" or record.learned_in == viewer.chat:
        return True
    return not viewer.group and record.learned_in in chats.chats_of(tx, viewer.accounts)


def shown_in_its_group(tx: Tx, memory: disclosure.Memory) -> bool | None:
    """Return whether a memory is shown in its group as it is now; None for a private chat's."""
    if memory.learned_type != "group" or memory.learned_in is None:
        return None
    now = frozenset(account for _, account in chats.roster(tx, memory.learned_in))
    people = frozenset(chats.persons_of(tx, tuple(now)))
    audience = Audience(memory.learned_in, group=True, accounts=now, persons=people)
    return disclosure.decide(Asker(project=memory.project), audience, memory).shown


def reading(tx: Tx, account: Account, memory: disclosure.Memory) -> Reading:
    """Return where an account may read a memory, with its own project if it has one."""
    accounts = frozenset(chats.joined_accounts(tx, account.person))
    asker = Asker(accounts, frozenset({account.person}), project=memory.project)
    private = Audience(None, group=False, accounts=accounts, persons=asker.persons)
    elsewhere = Audience(_ELSEWHERE, group=True, accounts=accounts, persons=asker.persons)
    return Reading(
        in_private=disclosure.decide(asker, private, memory).shown,
        in_other_groups=disclosure.decide(asker, elsewhere, memory).shown,
    )
