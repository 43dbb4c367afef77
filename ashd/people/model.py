"""A person as a reader may know it.

A name, an alias or a claim is disclosed like a memory of the person who stated it: from a private
chat it belongs to that person, from a group to the group and its present members, and it has a
sensitivity as a fact does. Nobody sees another user's contacts.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ashd.access import disclosure
from ashd.clock import to_text
from ashd.language.words import normalise
from ashd.people import met_accounts
from ashd.people.met_accounts import Met
from ashd.store import chats, described_people, people
from ashd.store.chats import Account, Stay
from ashd.store.database import Tx
from ashd.store.people import Alias, Person, Relationship
from ashd.store.visibility import Viewer


class RelationshipView(msgspec.Struct, frozen=True):
    """A relationship to another person; `stated_by` is a user id, `to` a person's id."""

    relationship: str
    to: str
    to_name: str
    stated_by: str | None
    created_at: str
    ended_at: str | None


class AliasView(msgspec.Struct, frozen=True):
    """Another name, and who added it (a user id)."""

    value: str
    added_by: str | None
    created_at: str


class AccountView(msgspec.Struct, frozen=True):
    """An account of the person."""

    provider: str
    user_id: str
    username: str | None
    display_name: str | None


class PersonView(msgspec.Struct, frozen=True):
    """A person on the wire."""

    id: str
    version: int
    created_by: str | None
    name: str
    relationships: list[RelationshipView]
    aliases: list[AliasView]
    accounts: list[AccountView]
    merged_into: str | None
    metadata: dict[str, Any] | None
    created_at: str
    updated_at: str


class Known(NamedTuple):
    """A person with everything that a viewer may know of it."""

    person: Person
    known_as: Person
    """The row whose id the viewer knows the person by: a joined account's own, if met here."""
    name: str
    """The name that the viewer knows, or another word for the person."""
    knows_name: bool
    """Whether `name` is the person's own name."""
    aliases: list[Alias]
    relationships: list[Relationship]
    accounts: list[Account]
    """The user's own accounts; in a group, those that take part."""


def load(tx: Tx, viewer: Viewer, numbers: set[int]) -> dict[int, Known]:
    """Return the people as the viewer knows them, by row number, in their order."""
    known = tx.until_written(("known", viewer), dict[int, Known])
    if missing := numbers - known.keys():
        known.update(_load(tx, viewer, missing))
    return {number: known[number] for number in sorted(numbers) if number in known}


def _load(tx: Tx, viewer: Viewer, numbers: set[int]) -> dict[int, Known]:
    persons, aliases, claims, accounts, types = described_people.load(tx, numbers)
    policy = _Policy(tx, viewer, types)
    called: dict[int, list[Alias]] = {person.id: [] for person in persons}
    related: dict[int, list[Relationship]] = {person.id: [] for person in persons}
    for alias in aliases:
        if policy.shows(alias, alias.added_by, alias.said_at):
            called[alias.person].append(alias)
    for claim in claims:
        if policy.shows(claim, claim.stated_by, claim.said_at):
            related[claim.person].append(claim)
    met = met_accounts.seen(tx, viewer, accounts)
    own = {one.own_person for theirs in met.values() for one in theirs.named}
    rows = {row.id: row for row in people.by_ids(tx, own)} if viewer.group else {}
    known = {}
    for person in persons:
        theirs = met.get(person.id, met_accounts.NONE)
        if person.learned_in is None:
            knows_name = viewer.everything or any(a.own_person == person.id for a in theirs.named)
        else:
            knows_name = policy.shows(person, person.created_by, person.said_at)
        known_as = person
        if viewer.group and not (knows_name or viewer.everything) and theirs.named:
            known_as = rows[theirs.named[0].own_person]
        also = [*_account_names(viewer, person, theirs, knows_name=knows_name), *called[person.id]]
        is_what = related[person.id]
        # A relationship word serves as the name only while there is no name.
        by_name = knows_name and (person.named or not also)
        name = person.name if by_name else _other_word(also, is_what)
        known[person.id] = Known(person, known_as, name, knows_name, also, is_what, theirs.shown)
    return known


def _account_names(viewer: Viewer, person: Person, met: Met, *, knows_name: bool) -> list[Alias]:
    """Return the names of accounts that the viewer has met, besides the person's own name.

    In private, viewers other than their user get only one: two would show that they are joined.
    """
    is_named = person.learned_in is None and knows_name
    others = [a for a in met.named if not (is_named and a.own_person == person.id)]
    if not (viewer.group or viewer.everything or person.id in viewer.persons):
        others = [] if is_named else others[:1]
    names = dict.fromkeys(met_accounts.name_of(account) for account in others)
    return [
        Alias(0, person.id, name, normalise(name), None, None, None, *([person.created_at] * 2))
        for name in names
        if not (is_named and name == person.name)
    ]


def _other_word(aliases: list[Alias], claims: list[Relationship]) -> str:
    if aliases:
        return aliases[0].value
    return claims[0].relationship if claims else "someone"


class _Policy:
    """The disclosure policy for names and claims, which are treated like memories."""

    def __init__(self, tx: Tx, viewer: Viewer, types: Mapping[int, str]) -> None:
        self._asker, self._audience = disclosure.sides(viewer)
        self._types = types
        groups = {chat for chat, kind in self._types.items() if kind == "group"}
        accounts = tuple(self._asker.accounts | self._audience.accounts)
        self._decided: dict[tuple[int, str | None, int | None, frozenset[int]], bool] = {}
        self._stays: dict[int, list[Stay]] = {}
        for stay in chats.stays(tx, groups, accounts) if groups else []:
            self._stays.setdefault(stay.chat, []).append(stay)

    def shows(self, stated: Person | Alias | Relationship, by: int | None, at: int) -> bool:
        """Return whether the viewer may know what `by` stated at that time."""
        chat = stated.learned_in
        if chat is None:  # not stated in any chat
            return False
        present = frozenset(
            stay.account
            for stay in self._stays.get(chat, ())
            if stay.joined_at <= at and (stay.left_at is None or stay.left_at > at)
        )
        # Most entries share their provenance, and a user may know thousands of people.
        key = (chat, stated.sensitivity, by, present)
        if key not in self._decided:
            stated_so = disclosure.Memory(
                learned_in=chat,
                learned_type=self._types[chat],
                sensitivity=stated.sensitivity,
                # In another group the memory may be shown, but not a person whom it names.
                portable=False,
                stated_by=by,
                present=present,
            )
            self._decided[key] = disclosure.decide(self._asker, self._audience, stated_so).shown
        return self._decided[key]


def listed(tx: Tx, viewer: Viewer) -> set[int]:
    """Return the people that the viewer knows here: in private their own, else the group's."""
    if viewer.everything:
        return set(people.everyone(tx))
    if not viewer.group:
        return {*people.own_of(tx, viewer.accounts), *viewer.persons}
    met_here = set(people.learned_in(tx, viewer.chat)) if viewer.chat is not None else set()
    shown = {
        number for number, known in load(tx, viewer, met_here).items() if is_stated(known, viewer)
    }
    return {*viewer.audience_persons, *shown}


def is_stated(known: Known, viewer: Viewer) -> bool:
    """Return whether something that the viewer knows about the person was stated in this chat."""
    return (
        (known.knows_name and known.person.learned_in == viewer.chat)
        or any(alias.learned_in == viewer.chat for alias in known.aliases)
        or any(claim.learned_in == viewer.chat for claim in known.relationships)
    )


def names_for(tx: Tx, viewer: Viewer, numbers: set[int]) -> dict[int, str]:
    """Return the name of each of these people as the viewer knows it."""
    if not numbers:
        return {}
    known = load(tx, viewer, numbers)
    return {number: _called(tx, viewer, one) for number, one in known.items()}


def _called(tx: Tx, viewer: Viewer, known: Known) -> str:
    """Return the name, or of somebody else's relative without one whose it is: "Kurt's sister"."""
    claims = [one for one in known.relationships if one.relationship == known.name]
    to = {one.to_person for one in claims if one.ended_at is None}
    if (known.knows_name and known.person.named) or not to or to & {*viewer.persons}:
        return known.name
    owner = load(tx, viewer, {max(to)})[max(to)]
    return f"{owner.name}'s {known.name}"


def ids_for(tx: Tx, viewer: Viewer, numbers: set[int]) -> dict[int, str]:
    """The ids by which the viewer knows these people."""
    return {number: known.known_as.uuid for number, known in load(tx, viewer, numbers).items()}


def is_known_by(tx: Tx, viewer: Viewer, known: Known, row: int) -> bool:
    """Return whether the viewer knows a person by the id of this row, one of several merged rows.

    The id of an account that was met elsewhere is not found, just as before the accounts were
    joined.
    """
    if viewer.everything or row == known.known_as.id:
        return True
    met = met_accounts.of(tx, viewer, {known.person.id}).get(known.person.id, met_accounts.NONE)
    if any(account.own_person == row for account in met.every):
        return any(account.own_person == row for account in met.named)
    return row != known.person.id


def known_since(known: Known, viewer: Viewer) -> int:
    """Return the time since which the viewer may know the person; in a group, a first mention."""
    person = known.person
    if not viewer.group or viewer.everything or person.learned_in is None:
        return known.known_as.created_at
    times = [person.said_at] if known.knows_name else []
    times += [alias.said_at for alias in known.aliases if alias.learned_in is not None]
    times += [claim.said_at for claim in known.relationships]
    return min(times, default=known.known_as.created_at)


def to_wire(tx: Tx, known: Known, viewer: Viewer) -> PersonView:
    """Return the person as the viewer may see it."""
    person, claims, aliases = known.person, known.relationships, known.aliases
    # A group must not learn when, or whether, the person was known before.
    here = viewer.group and not viewer.everything
    own = viewer.everything or person.created_by in viewer.accounts
    since = known_since(known, viewer)
    created_by = person.created_by
    if not known.knows_name:
        # The word used as the name is the name here; whoever said it counts as the one who
        # introduced.
        stated_by = [*(a.added_by for a in aliases), *(c.stated_by for c in claims)]
        created_by = stated_by[0] if stated_by else None
        aliases = [alias for alias in aliases if alias.value != known.name]
    user_ids = met_accounts.user_ids(
        *(tx, viewer),
        {created_by, *(a.added_by for a in aliases), *(c.stated_by for c in claims)},
    )
    others = load(tx, viewer, {claim.to_person for claim in claims}) if claims else {}
    merged = people.by_id(tx, person.merged_into).uuid if person.merged_into else None
    return PersonView(
        id=known.known_as.uuid,
        version=1,
        created_by=user_ids.get(created_by),
        name=known.name,
        relationships=[
            RelationshipView(
                relationship=claim.relationship,
                to=others[claim.to_person].known_as.uuid,
                to_name=others[claim.to_person].name,
                stated_by=user_ids.get(claim.stated_by),
                created_at=to_text(claim.created_at) or "",
                ended_at=to_text(claim.ended_at),
            )
            for claim in claims
        ],
        aliases=[
            AliasView(alias.value, user_ids.get(alias.added_by), to_text(alias.created_at) or "")
            for alias in aliases
        ],
        accounts=[
            AccountView(account.provider, account.user_id, account.username, account.display_name)
            for account in known.accounts
        ],
        merged_into=merged,
        metadata=(
            msgspec.json.decode(person.metadata) if person.metadata and own and not here else None
        ),
        created_at=to_text(since) or "",
        updated_at=to_text(since if here else person.updated_at) or "",
    )
