"""The accounts of people as far as a viewer has met them (B9).

Other viewers must not notice that accounts were joined: an account's ids are shown to those who
share a chat with it, its name where it takes or took part, and neither shows the other accounts.
"""

from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from ashd.store import chats
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.visibility import Viewer


class Met(NamedTuple):
    """The accounts of one person, by row number: all, those whose ids are shown, those named."""

    every: list[Account]
    shown: list[Account]
    named: list[Account]


NONE: Final = Met([], [], [])


def of(tx: Tx, viewer: Viewer, persons: AbstractSet[int]) -> dict[int, Met]:
    """Return the accounts of those people who have any."""
    accounts = chats.accounts_by_person(tx, set(persons))
    hearing = set(viewer.audience if viewer.group else viewer.accounts)
    every = [account.id for theirs in accounts.values() for account in theirs]
    places = [viewer.chat] if viewer.group else chats.chats_of(tx, viewer.accounts)
    met = hearing | chats.ever_in(tx, places, every)
    return {
        person: Met(
            theirs,
            [one for one in theirs if viewer.everything or one.id in hearing],
            [one for one in theirs if viewer.everything or one.id in met],
        )
        for person, theirs in accounts.items()
    }


def name_of(account: Account) -> str:
    """Return the name under which a provider shows an account."""
    return account.display_name or account.username or account.user_id
