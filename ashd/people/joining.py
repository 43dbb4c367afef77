"""Two known people who are one, as the speaker says: "Ottilie and the baker are the same person".

Who was split, or was said to be somebody else, is never joined again by a sentence. A sentence
joins only people of whom nobody but its speaker has told; others are offered as `may_be`.
"""

from collections.abc import Collection
from typing import NamedTuple

from ashd import errors
from ashd.language.words import normalise
from ashd.people.reference_candidates import Speaker
from ashd.store import chats, merges, people, people_told_of, rejected_references
from ashd.store.database import Tx
from ashd.store.merges import Merge, NotParted
from ashd.store.people import Person


class Join(NamedTuple):
    """The ids of a person who was merged into another, and of that other."""

    loser: str
    winner: str


def join(tx: Tx, loser: int, winner: int) -> Join:
    """Merge one person into another, and take back statements that they are two people.

    Raises:
        errors.Conflict: they are one already, or related.
    """
    if loser == winner:
        raise errors.Conflict("They are the same person already.", "`ash person split` undoes it.")
    if people.claims_between(tx, loser, winner):
        raise errors.Conflict(
            "One is related to the other, so they are two people.",
            "End that relationship first (`ash person unrelate`).",
        )
    losing, winning = people.by_id(tx, loser), people.by_id(tx, winner)
    called = {normalise(losing.name), *(alias.key for alias in people.aliases(tx, {loser}))}
    rejected_references.remove(tx, winner, called | {losing.uuid}, None)
    rejected_references.remove(tx, loser, {winning.uuid}, None)
    merges.merge(tx, losing, winning, normalise(losing.name))
    return Join(losing.uuid, winning.uuid)


def split(tx: Tx, merged: Merge, left: NotParted | None = None) -> Join:
    """Undo a merge; return the ids of the two people. `left` gets what could not be parted."""
    merges.split(tx, merged, left)
    return Join(people.by_id(tx, merged.loser).uuid, people.by_id(tx, merged.winner).uuid)


def set_apart(tx: Tx, one: int, other: int, account: int | None) -> None:
    """Record that an account says that two people are not the same."""
    if account is not None and one != other:
        rejected_references.add(tx, one, people.by_id(tx, other).uuid, account)


def are_apart(tx: Tx, one: Person, other: Person, accounts: Collection[int] | None) -> bool:
    """Return whether one of these accounts, or any with None, said that they are two people."""
    return any(
        rejected_references.has(tx, person.id, another.uuid, accounts)
        for person, another in ((one, other), (other, one))
    )


def may_join(tx: Tx, speaker: Speaker, one: int, other: int) -> bool:
    """Return whether a sentence of the speaker may join two people here."""
    pair = {one, other}
    persons = people.by_ids(tx, pair)
    is_apart = are_apart(tx, persons[0], persons[-1], speaker.accounts)
    if is_apart or speaker.person in pair or people.claims_between(tx, one, other):
        return False
    is_here = _is_all_here(tx, speaker, pair)
    has_accounts = any(chats.accounts_of(tx, number) for number in pair)
    return tellers(tx, pair) <= set(speaker.accounts) and is_here and not has_accounts


def tellers(tx: Tx, numbers: Collection[int]) -> set[int | None]:
    """Return the accounts that told of these people, in their records or in memories."""
    return {teller for teller, _ in people_told_of.told_of(tx, numbers)}


def _is_all_here(tx: Tx, speaker: Speaker, numbers: Collection[int]) -> bool:
    """Return whether people are known from this group only, or from private chats only.

    Joined in private, people of a group would show its members what was said in private.
    """
    places = {place for _, place in people_told_of.told_of(tx, numbers)}
    if speaker.viewer.group:
        return places == {speaker.chat}
    return None not in places and set(chats.types_of(tx, places).values()) <= {"private"}
