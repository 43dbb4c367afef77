"""The accounts of people as far as a viewer has met them (B9).

Other viewers must not notice that accounts were joined: an account's ids are shown to those who
share a chat with it, its name where it takes or took part, and neither shows the other accounts.
"""

from collections.abc import Collection, Mapping
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
    return seen(tx, viewer, chats.accounts_by_person(tx, set(persons)))


def seen(tx: Tx, viewer: Viewer, accounts: Mapping[int, list[Account]]) -> dict[int, Met]:
    """Return these accounts of people, by row number, as far as the viewer has met them."""
    hearing = set(viewer.audience if viewer.group else viewer.accounts)
    met = among(tx, viewer, {one.id for theirs in accounts.values() for one in theirs})
    return {
        person: Met(
            theirs,
            [one for one in theirs if viewer.everything or one.id in hearing],
            [one for one in theirs if one.id in met],
        )
        for person, theirs in accounts.items()
    }


def among(tx: Tx, viewer: Viewer, accounts: Collection[int | None]) -> set[int]:
    """Return those of these accounts that the viewer has met; no others are named to it."""
    asked = {number for number in accounts if number is not None}
    if viewer.everything:
        return asked
    hearing = asked & set(viewer.audience if viewer.group else viewer.accounts)
    others = asked - hearing
    return hearing | (chats.ever_in(tx, places(tx, viewer), others) if others else set())


def places(tx: Tx, viewer: Viewer) -> list[int | None]:
    """Return the chats in which the viewer meets others: the group, or all the asker's chats."""
    return [viewer.chat] if viewer.group else [*chats.chats_of(tx, viewer.accounts)]


def user_ids(tx: Tx, viewer: Viewer, accounts: Collection[int | None]) -> dict[int | None, str]:
    """Return the user ids of those of these accounts that the viewer has met."""
    met = among(tx, viewer, accounts)
    return {number: chats.account_by_id(tx, number).user_id for number in met}


def name_of(account: Account) -> str:
    """Return the name under which a provider shows an account."""
    return account.display_name or account.username or account.user_id
