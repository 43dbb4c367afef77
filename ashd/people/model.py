"""A person as a reader gets to know it.

What is shown follows where it was learned: a name or a claim told in a private chat belongs to
whoever told it; told in a group, to those who read in that group or in private. Nobody sees
another user's contacts.
"""

from typing import Any, NamedTuple

import msgspec

from ashd.clock import to_text
from ashd.store import chats, people
from ashd.store.database import Tx
from ashd.store.people import Alias, Person, Relationship
from ashd.store.visibility import Viewer


class RelationshipView(msgspec.Struct, frozen=True):
    """What the person is, to whom, and who says so (user ids; `to` is a person's id)."""

    relationship: str
    to: str
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
    """People with all that is known of them, before anything is left out for a reader."""

    person: Person
    aliases: list[Alias]
    relationships: list[Relationship]


def load(tx: Tx, numbers: set[int]) -> dict[int, Known]:
    """The people with their names and claims, by row number, most recently active first."""
    known = {person.id: Known(person, [], []) for person in people.by_ids(tx, numbers)}
    for alias in people.aliases(tx, numbers):
        known[alias.person].aliases.append(alias)
    for claim in people.relationships(tx, numbers):
        known[claim.person].relationships.append(claim)
    return known


def listed(tx: Tx, viewer: Viewer) -> set[int]:
    """The people that the viewer knows of here: in private one's own, in a group those of it."""
    if viewer.everything:
        return set(people.everyone(tx))
    if viewer.group:
        told = people.learned_in(tx, viewer.chat) if viewer.chat is not None else []
        return {*viewer.audience_persons, *told}
    return {*people.own_of(tx, viewer.accounts), *viewer.persons}


def may_know(
    viewer: Viewer, learned_in: int | None, by: int | None, groups: frozenset[int]
) -> bool:
    """Whether a viewer may know what was told in a chat by an account; `groups` are group chats."""
    if viewer.everything or learned_in is None:
        return True
    if viewer.group:
        return learned_in == viewer.chat
    return by in viewer.accounts or learned_in in groups


def name_for(known: Known, viewer: Viewer, groups: frozenset[int]) -> str:
    """What the viewer calls the person: its name where that may be known, else another word."""
    person = known.person
    if may_know(viewer, person.learned_in, person.created_by, groups):
        return person.name
    for alias in known.aliases:
        if may_know(viewer, alias.learned_in, alias.added_by, groups):
            return alias.value
    for claim in known.relationships:
        if may_know(viewer, claim.learned_in, claim.stated_by, groups):
            return claim.relationship
    return "someone"


def names_for(tx: Tx, viewer: Viewer, numbers: set[int]) -> dict[int, str]:
    """What the viewer calls each of these people."""
    if not numbers:
        return {}
    found = load(tx, numbers)
    groups = groups_of(tx, found)
    return {number: name_for(known, viewer, groups) for number, known in found.items()}


def groups_of(tx: Tx, found: dict[int, Known]) -> frozenset[int]:
    """The group chats among those that something was learned in about these people."""
    told = {
        learned
        for known in found.values()
        for learned in (
            known.person.learned_in,
            *(alias.learned_in for alias in known.aliases),
            *(claim.learned_in for claim in known.relationships),
        )
        if learned is not None
    }
    return chats.groups_among(tx, told)


def to_wire(tx: Tx, known: Known, viewer: Viewer, groups: frozenset[int]) -> PersonView:
    """The person as the viewer may see it."""
    person = known.person
    claims = [
        claim
        for claim in known.relationships
        if may_know(viewer, claim.learned_in, claim.stated_by, groups)
    ]
    aliases = [
        alias
        for alias in known.aliases
        if may_know(viewer, alias.learned_in, alias.added_by, groups)
    ]
    user_ids = _user_ids(
        tx,
        {person.created_by, *(a.added_by for a in aliases), *(c.stated_by for c in claims)},
    )
    others = {
        other.id: other.uuid for other in people.by_ids(tx, {claim.to_person for claim in claims})
    }
    merged = people.by_id(tx, person.merged_into).uuid if person.merged_into else None
    return PersonView(
        id=person.uuid,
        version=1,
        created_by=user_ids.get(person.created_by),
        name=name_for(known, viewer, groups),
        relationships=[
            RelationshipView(
                relationship=claim.relationship,
                to=others[claim.to_person],
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
        accounts=_accounts(tx, person, viewer),
        merged_into=merged,
        metadata=msgspec.json.decode(person.metadata) if person.metadata else None,
        created_at=to_text(person.created_at) or "",
        updated_at=to_text(person.updated_at) or "",
    )


def _accounts(tx: Tx, person: Person, viewer: Viewer) -> list[AccountView]:
    """One's own accounts, and in a group those that take part."""
    shown = set(viewer.accounts) | set(viewer.audience)
    return [
        AccountView(account.provider, account.user_id, account.username, account.display_name)
        for account in chats.accounts_of(tx, person.id)
        if viewer.everything or account.id in shown
    ]


def _user_ids(tx: Tx, numbers: set[int | None]) -> dict[int | None, str]:
    return {
        number: chats.account_by_id(tx, number).user_id for number in numbers if number is not None
    }
