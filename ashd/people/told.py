"""Resolution of a reference in a statement that is stored, so that a split can part it.

While people are merged, a reference means who they are now. Written down with it is whom it would
mean without the merges (`store.meant`). For that it is resolved again, with those people parted:

- Joined accounts: the statement stores names, claims and new people as it would had the accounts
  not been joined. The people whom the account would know by itself are merged with those whom the
  reference means while they are joined; unlinking splits them again.
- People merged by a caller: the one of them whose names or relationships the reference fits.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ashd import errors
from ashd.language.words import normalise
from ashd.people import reference_candidates
from ashd.people import resolve as resolving
from ashd.people.reference_candidates import Speaker
from ashd.people.resolve import Resolved
from ashd.store import chats, ended_claims, meant, merges, parting, people
from ashd.store.database import Tx
from ashd.store.meant import AMONG_JOINED, AMONG_MERGED, Meant
from ashd.store.merges import Merge


@dataclass(frozen=True, slots=True)
class Told:
    """The person whom a statement means, and whom it means when nobody is merged."""

    found: Resolved
    meant: Meant | None
    """None if nobody concerned was merged."""

    @property
    def person(self) -> int:
        """The person whom it means now."""
        return self.found.person


def write_subjects(tx: Tx, number: int, about: Sequence[Told]) -> None:
    """Write down whom the new subjects of a memory mean, if anybody of them was merged."""
    is_merged = any(one.meant is not None for one in about)
    means = [one.meant or Meant(one.person) for one in about] if is_merged else []
    meant.set_subjects(tx, number, means)


class _MergedPerson(Exception):
    """The reference means somebody who was merged: it is resolved with care."""


_Run = Callable[..., Resolved | None]


def resolve(
    tx: Tx,
    speaker: Speaker,
    text: str,
    *,
    hint: str | None = None,
    not_this: int | None = None,
    is_stored: bool = True,
    may_join: bool = True,
    is_checked: bool = False,
) -> Told:
    """Return the person that a statement means, created if needed; the options of `resolve`.

    Raises:
        errors.AshError: as `resolve` does.
    """

    def run(by: Speaker, *, joins: bool = may_join, create: bool = True) -> Resolved | None:
        return resolving.resolve(
            *(tx, by, text),
            hint=hint,
            create=create,
            not_this=not_this,
            is_stored=is_stored,
            may_join=joins,
            is_checked=is_checked,
        )

    with suppress(_MergedPerson), tx.savepoint():
        known = _somebody(run(speaker))
        is_merged = speaker.person is not None and merges.is_merged(tx, speaker.person)
        if not (is_merged or merges.is_merged(tx, known.person)):
            return Told(known, None)
        ended = ended_claims.now(tx, speaker.accounts)
        raise _MergedPerson
    existed = known.person <= people.newest(tx)
    rows = merges.family(tx, known.person) if existed else []
    return _Parted(tx, speaker, text, run, known, rows, ended).told()


@dataclass(frozen=True, slots=True)
class _Parted:
    """A reference to be resolved with merged people parted."""

    tx: Tx
    speaker: Speaker
    text: str
    run: _Run
    known: Resolved
    """The person who was found; what was stored for that is undone."""
    rows: Collection[int]
    """The rows of that person; none of somebody who was created."""
    ended: Collection[int]
    """The claims that the statement ends while the accounts are joined."""

    def told(self) -> Told:
        """Store the statement, and return whom it means."""
        tx, known = self.tx, self.known
        persons = {known.person} if self.rows else set[int]()
        if self.speaker.person is not None:
            persons.add(self.speaker.person)
        every = {one.id: one for person in persons for one in merges.within(tx, person)}
        joins = parting.joins_of(tx, persons)
        base = (
            self._base(list(every.values())) if every.keys() - {one.id for one in joins} else None
        )
        if joins:
            with suppress(errors.AshError):
                return self._without(joins, base)
        found = _somebody(self.run(self.speaker))
        means = Meant(found.person)
        if merges.is_merged(tx, found.person):
            means = base or Meant(found.person, AMONG_JOINED if joins else AMONG_MERGED)
        meant.settle(tx, found.person, means, _own_person(tx, self.speaker))
        return Told(found, means)

    def _base(self, every: Collection[Merge]) -> Meant | None:
        """Return the merged person whom the reference fits; None if several or none do."""
        tx, own = self.tx, _own_person(self.tx, self.speaker)
        if self.known.matched_by == "self" and own is not None:
            return Meant(own)
        if self.known.matched_by == "id":
            return Meant(people.by_prefix(tx, self.text.strip().lower())[0][1])

        def alone() -> Resolved | None:
            with parting.without(tx, every):
                return self.run(apart(tx, self.speaker), create=False, joins=False)

        try:
            found = tx.rehearse(alone)
        except errors.AshError:
            return None
        return Meant(found.person) if found is not None and found.person in self.rows else None

    def _without(self, joins: Collection[Merge], base: Meant | None) -> Told:
        """Store the statement as without the joins of accounts, and merge whom it means with them.

        Raises:
            errors.AshError: without them it is refused.
        """
        tx, newest = self.tx, people.newest(self.tx)
        with parting.without(tx, joins):
            speaker = apart(tx, self.speaker)
            found = self._found_by(speaker)
            family = merges.family(tx, found.person)
            means = Meant(found.person)
            if len(family) > 1:
                is_sure = base is not None and base.person in family
                means = base if base and is_sure else Meant(found.person, AMONG_MERGED)
            meant.settle(tx, found.person, means, _own_person(tx, speaker))
        known = min(self.rows, default=None)
        for number in people.since(tx, newest):
            if number != found.person:
                self._merge(number, self._known_as(number))
        if known is not None and found.person > newest:
            self._merge(found.person, known)
        if self.speaker.account is not None:
            ended_claims.end(tx, self.ended, self.speaker.account)
        person = people.final(tx, found.person)
        is_known = known is None or people.final(tx, known) == person
        # Whom the account knows by itself is meant, not another person of the other account.
        shown = self.known if is_known else found
        return Told(replace(shown, person=person, joined=found.joined), means)

    def _found_by(self, speaker: Speaker) -> Resolved:
        """Resolve the reference for the speaker without the joins.

        Raises:
            errors.AshError: it is refused.
        """
        tx, known = self.tx, self.known
        is_id = known.matched_by == "id" and speaker.account is not None
        if is_id and known.person == self.speaker.person and speaker.person is not None:
            return replace(known, person=speaker.person)
        try:
            return _somebody(self.run(speaker, joins=known.joined is not None))
        except errors.NotFound:
            if not is_id:
                raise
            # The id is of somebody whom the account knows by the join: by itself by another row.
            among = {people.final(tx, row) for row in self.rows}
            among &= set(people.own_of(tx, speaker.accounts))
            if among:
                return replace(known, person=min(among))
            made = people.insert(
                *(tx,),
                name="someone",
                named=False,
                created_by=speaker.account,
                learned_in=speaker.chat,
                said_at=speaker.said_at,
            )
            return replace(known, person=made)

    def _known_as(self, number: int) -> int | None:
        """Return the person whom the speaker, with the joins, knows by the name of a new person."""
        person = people.by_id(self.tx, number)
        if not person.named:
            return None
        try:
            found = resolving.resolve(
                *(self.tx, self.speaker, person.name), create=False, not_this=number
            )
        except errors.AshError:
            return None
        return found.person if found is not None else None

    def _merge(self, number: int, into: int | None) -> None:
        """Merge a person whom the account knows by itself into the one known with the joins."""
        tx = self.tx
        if into is None or people.final(tx, into) == people.final(tx, number):
            return
        loser, winner = people.by_id(tx, number), people.by_id(tx, people.final(tx, into))
        if loser.merged_into is None and not people.claims_between(tx, loser.id, winner.id):
            merges.merge(tx, loser, winner, normalise(loser.name), by_join=True)
            tx.touch(("person", winner.id), ("account", self.speaker.account))


def _somebody(found: Resolved | None) -> Resolved:
    """Return the person whom a statement means, created if nobody fits."""
    assert found is not None
    return found


def _own_person(tx: Tx, speaker: Speaker) -> int | None:
    """Return the person that the speaker's account had before it was joined to another."""
    if speaker.account is None:
        return speaker.person
    return chats.account_by_id(tx, speaker.account).own_person


def apart(tx: Tx, speaker: Speaker) -> Speaker:
    """Return the speaker as it is with the people parted."""
    viewer = speaker.viewer
    account = chats.account_by_id(tx, speaker.account) if speaker.account is not None else None
    accounts, persons = viewer.accounts, viewer.persons
    if viewer.account is not None:
        own = chats.account_by_id(tx, viewer.account).person
        accounts, persons = chats.joined_accounts(tx, own), (own,)
    audience = viewer.audience if viewer.group else accounts
    viewer = replace(
        viewer,
        accounts=accounts,
        persons=persons,
        audience=audience,
        audience_persons=chats.persons_of(tx, audience) if viewer.group else persons,
    )
    return reference_candidates.speaker_of(tx, viewer, account, speaker.held, speaker.said_at)
