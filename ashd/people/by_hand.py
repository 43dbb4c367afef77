"""Changes of a person that is given by id, stored so that a split of accounts can part them.

While two accounts are joined, a statement about a person is stored for the person whom the caller's
account would know without the join (`told`). That person and the one shown are the same.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ashd.language.words import normalise
from ashd.people import told
from ashd.people.reference_candidates import Speaker
from ashd.store import chats, meant, merges, parting, people
from ashd.store.database import Tx
from ashd.store.meant import Meant
from ashd.store.visibility import Viewer


@dataclass(frozen=True, slots=True)
class Parted:
    """A viewer, and people by their given ids, both as they are without joins of accounts."""

    viewer: Viewer
    persons: tuple[int, ...]


@contextmanager
def apart(
    tx: Tx, viewer: Viewer, *given: tuple[int, str], also: Collection[int] = ()
) -> Iterator[Parted]:
    """Yield the `given` people, each a row and its id, as they are without joins of accounts.

    The joins of the viewer, of these people and of the people in `also` are taken out.
    """
    account = chats.account_by_id(tx, viewer.account) if viewer.account is not None else None
    own = {people.final(tx, account.person)} if account is not None else set[int]()
    joins = parting.joins_of(tx, {number for number, _ in given} | own | {*also})
    if not joins:
        yield Parted(viewer, tuple(number for number, _ in given))
        for number, uuid in given:
            if merges.is_merged(tx, number):
                family = merges.family(tx, number)
                meant.settle(tx, number, Meant(_named(tx, uuid, family)), None)
        return
    families = [merges.family(tx, number) for number, _ in given]
    is_own = [number in own for number, _ in given]
    newest = people.newest(tx)
    with parting.without(tx, joins):
        speaker = told.apart(tx, _speaker(tx, viewer))
        persons = [
            speaker.person
            if mine and speaker.person is not None
            else _known(tx, speaker, uuid, family)
            for (_, uuid), family, mine in zip(given, families, is_own, strict=True)
        ]
        yield Parted(speaker.viewer, tuple(persons))
    for number, (shown, _) in zip(persons, given, strict=True):
        if number > newest:
            loser, winner = people.by_id(tx, number), people.by_id(tx, people.final(tx, shown))
            merges.merge(tx, loser, winner, normalise(loser.name), by_join=True)


def _speaker(tx: Tx, viewer: Viewer) -> Speaker:
    person = viewer.persons[0] if viewer.persons else None
    return Speaker(viewer.account, viewer.accounts, person, viewer.chat, viewer, None, tx.now)


def _known(tx: Tx, speaker: Speaker, uuid: str, family: list[int]) -> int:
    """Return the one of the merged people whom the account knows by itself; else a new person."""
    if speaker.viewer.everything or speaker.account is None:
        return people.final(tx, _named(tx, uuid, family))
    among = {people.final(tx, row) for row in family}
    known = among & {*people.own_of(tx, speaker.accounts), *speaker.viewer.audience_persons}
    if known:
        return min(known)
    if len(among) == 1:
        return min(among)  # nobody was merged into this one
    return people.insert(
        *(tx,),
        name="someone",
        named=False,
        created_by=speaker.account,
        learned_in=speaker.chat,
        said_at=speaker.said_at,
    )


def _named(tx: Tx, uuid: str, family: list[int]) -> int:
    """Return the row, among merged people, that an id or the beginning of an id names."""
    return min(
        (row for _, row in people.by_prefix(tx, uuid) if uuid and row in family), default=family[0]
    )
