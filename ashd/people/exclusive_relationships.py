"""Exclusive relationships (spouse, boss): a new holder replaces the previous one.

"My boss is now Stefan" ends the speaker's claim about the previous boss, so that "my boss" still
means one person. Nobody is merged or renamed by it, ended claims stay on record, and other users'
claims are unchanged. A claim stated in a group is ended only by a statement in that group: an
ending must not show the group that something was said elsewhere. A claim is ended only by what was
said later, in whatever order the two are read: an old one that is read late is stored as ended.
"""

from collections.abc import Iterable
from typing import Final

from ashd.language.folding import clean
from ashd.language.people import vocabulary
from ashd.language.people.identity import Identity, identity_of
from ashd.language.people.references import Reference
from ashd.language.words import split
from ashd.people import kinship
from ashd.people.model import Known
from ashd.people.reference_candidates import Speaker
from ashd.store import chats, people, people_names
from ashd.store.database import Tx
from ashd.store.people import Relationship

ONE_OF_A_KIND: Final = frozenset(
    {
        *("wife", "husband", "spouse", "partner", "girlfriend", "boyfriend", "fiancé"),
        *("mother", "father", "mother-in-law", "father-in-law"),
        *("best friend", "boss", "manager", "supervisor"),
        *("landlord", "landlady", "doctor", "dentist", "therapist"),
    }
)
"""Exclusive relationships: "my wife Sarah" names the wife who had no name so far."""

_NEW: Final = "new "
_SEVERAL: Final = frozenset(
    {
        *("friend", "colleague", "teammate", "classmate", "roommate", "neighbour", "cofounder"),
        *("client", "customer", "student", "employee", "intern", "mentee", "teacher", "professor"),
    }
)
"""Relationships that one has to several people: a new friend does not replace the old one."""


def role_of(relationship: str | None) -> str | None:
    """Return the exclusive relationship that a word means; None if it is not exclusive.

    "Other boss" and "first wife" imply that there are several. "New plumber" is exclusive: it has a
    new holder.
    """
    word = relationship or ""
    role = word.removeprefix(_NEW)
    is_one = role in ONE_OF_A_KIND or (role != word and is_mostly_one(role))
    return role if is_one else None


def is_mostly_one(relationship: str) -> bool:
    """Return whether people mostly have one such person at a time: a plumber, but not a friend."""
    base = vocabulary.base_relationship(relationship) or relationship
    is_several = base in _SEVERAL or kinship.is_kin(base)
    return relationship in ONE_OF_A_KIND or not is_several


def _role(stated: Relationship | Reference) -> str:
    return (stated.relationship or "").removeprefix(_NEW)


def newest(fits: list[Known], role: str, to_person: int, accounts: Iterable[int]) -> list[Known]:
    """Return the holder of a role who was stated last.

    Returns all of them if they were stated in one call, or if one is set apart ("other boss").
    """
    since = [_since(known, role, to_person, accounts) for known in fits]
    times = [at for at in since if at is not None]
    if len(times) < len(fits):
        return fits
    return [known for known, at in zip(fits, since, strict=True) if at == max(times)]


def successors(own: list[Known], role: str, to_person: int, accounts: Iterable[int]) -> list[Known]:
    """Return the people "my new boss" may mean: the holder, if there was an earlier one."""
    staters = frozenset(accounts)
    if not followed(own, role, to_person, staters):
        return []
    holders = [k for k in own if _since(k, role, to_person, staters) is not None]
    return newest(holders, role, to_person, staters)


def followed(own: list[Known], role: str, to_person: int, accounts: Iterable[int]) -> bool:
    """Return whether somebody else had the role before, by the claims of these accounts."""
    staters = frozenset(accounts)
    return any(
        _role(claim) == role
        and claim.ended_at is not None
        and claim.to_person == to_person
        and claim.stated_by in staters
        for known in own
        for claim in known.relationships
    )


def _since(known: Known, role: str, to_person: int, accounts: Iterable[int]) -> int | None:
    """Return the time since which these accounts state the person in the role, in microseconds."""
    staters = frozenset(accounts)
    return min(
        (
            claim.said_at
            for claim in known.relationships
            if claim.ended_at is None
            and claim.stated_by in staters
            and claim.to_person == to_person
            and _role(claim) == role
        ),
        default=None,
    )


def claim(
    tx: Tx,
    speaker: Speaker,
    person: int,
    relationship: str,
    to_person: int,
    *,
    held: str | None,
    hint: str | None,
    takes: bool,
) -> bool:
    """Store the speaker's claim of what `person` is to another; a role moves to its new holder.

    `hint` is the sentence that states it: others who hold the role by that sentence keep it. A
    claim that ends another is stored only if it `takes`; return whether it was stored.
    """
    role = role_of(relationship)
    all_claims = people.claims_on(tx, to_person, speaker.accounts)
    claims = [one for one in all_claims if one.said_at <= speaker.said_at]
    former = relationship.removeprefix("ex-") if relationship.startswith("ex-") else None
    denied = [one for one in claims if one.person == person and one.relationship == former]
    held_by = [one for one in claims if role is not None and _role(one) == role]
    later = [one for one in all_claims if one not in claims and _role(one) == role]
    # Already the holder: nothing to end.
    if any(one.person == person for one in (*held_by, *later)):
        held_by, later = [], []
    if not takes and (denied or held_by):
        return False
    for one in denied:
        # In the place where it was said.
        if one.learned_in == speaker.chat:
            people.end_relationship(tx, one.id)
    if held_by:
        _end_former(tx, speaker, relationship, held_by, hint)
    people.relate(
        *(tx, person, relationship, to_person),
        stated_by=speaker.account,
        learned_in=speaker.chat,
        said_at=speaker.said_at,
        sensitivity=held,
        ended_at=min((one.said_at for one in later if _shows_here(speaker, one)), default=None),
    )
    return True


def _shows_here(speaker: Speaker, later: Relationship) -> bool:
    """Return whether a claim said later may end one that is said here."""
    return not speaker.viewer.group or later.learned_in == speaker.chat


def end(tx: Tx, speaker: Speaker, person: int, said: Identity) -> None:
    """End the claims of the speaker that the sentence ends, where they were stated.

    For a role that the person no longer holds, the person's own claim ends. For a role that the
    person took over, the claims of all earlier holders end.
    """
    if speaker.person is None:
        return
    for claim in people.claims_on(tx, speaker.person, speaker.accounts):
        roles = said.ended if claim.person == person else said.taken_over
        is_ended = any(role.of is None and _is_role(claim, role) for role in roles)
        is_earlier = claim.said_at <= speaker.said_at
        if is_ended and is_earlier and claim.learned_in == speaker.chat:
            people.end_relationship(tx, claim.id)


def _is_role(claim: Relationship, role: Reference) -> bool:
    """Return whether one word says the role of the other, perhaps with less detail.

    "Coach" says the role of "coach of our club".
    """
    one, other = claim.relationship, role.relationship or ""
    bases = {vocabulary.base_relationship(one), vocabulary.base_relationship(other)}
    return one == other or not bases.isdisjoint({one, other})


def _end_former(
    tx: Tx, speaker: Speaker, relationship: str, claims: list[Relationship], hint: str | None
) -> None:
    """End the claims by which others hold a role that somebody has now."""
    role = _role(claims[0])
    types = chats.types_of(tx, {claim.learned_in for claim in claims} - {None})
    former = [
        claim
        for claim in claims
        if claim.learned_in == speaker.chat
        or (claim.learned_in is not None and types[claim.learned_in] == "private")
    ]
    names: dict[int, list[str]] = {claim.person: [] for claim in former}
    for number, name in people_names.of(tx, set(names)):
        if (
            role_of(name) is None and name != role
        ):  # a relationship to others is not one of their names
            names[number].append(name)
    for claim in former:
        # Of "my boss Ann and my new boss Bo", Bo replaces Ann.
        follows = relationship.startswith(_NEW) and not claim.relationship.startswith(_NEW)
        if follows or not _holds_too(claim, names[claim.person], hint, said_at=speaker.said_at):
            people.end_relationship(tx, claim.id)


def _holds_too(claim: Relationship, names: list[str], hint: str | None, *, said_at: int) -> bool:
    """Return whether the sentence that names a new holder names this person as a holder, too."""
    if hint is None:
        return claim.said_at == said_at
    role = _role(claim)
    for name in names:
        said = identity_of(Reference(name=name), hint).roles
        if any(one.of is None and _role(one) == role for one in said):
            return True
    # A sentence that introduced both people names both.
    spoken = {word.key for word in split(clean(hint))}
    return claim.said_at == said_at and any(
        not spoken.isdisjoint(word.key for word in split(clean(name))) for name in names
    )
