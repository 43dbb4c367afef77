"""Resolution of a reference ("my wife", "Sarah", "Alice's boss") to one person.

The speaker's own people come first, then those of the chat (`reference_candidates`). Another user's
contacts are never looked at (B4). If several match, nothing is guessed and nothing is created (B6).

In a group the answer does not depend on what was said in private: only what may be known there
finds anybody. If a speaker then mentions one of their own people there, it is that person (so that
the knowledge from both chats is together), but the answer is the one for a new person: to the group
it is new.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from ashd import errors
from ashd.access import disclosure, sensitivity
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import one_line
from ashd.language.people import name_similarity, references, vocabulary
from ashd.language.people.identity import NOTHING_SAID, Identity, identity_of
from ashd.language.people.references import Reference
from ashd.people import (
    alternatives,
    exclusive_relationships,
    joining,
    learn_from_mention,
    model,
    reference_candidates,
    reference_matching,
    reference_reading,
    rejected_references,
)
from ashd.people.alternatives import MayBe
from ashd.people.joining import Join
from ashd.people.model import Known
from ashd.people.reference_candidates import KnownPeople, Speaker, speaker_of
from ashd.people.reference_matching import Wanted, Way
from ashd.people.sentence_joins import SaidIdentity
from ashd.store import chats, people, person_activity
from ashd.store.database import Tx

__all__ = ["Resolved", "Speaker", "resolve", "speaker_of"]

_PERSON_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Resolved:
    """The person that was meant, whether they were created, and how they were found."""

    person: int
    created: bool
    matched_by: Way
    tells: bool = False
    """Whether the reference says something new of the person."""
    may_be: tuple[MayBe, ...] = ()
    """Other people whom the reference could mean."""
    joined: Join | None = None
    """The people whom the sentence made one."""


def resolve(
    tx: Tx,
    speaker: Speaker,
    text: str,
    *,
    hint: str | None = None,
    create: bool = True,
    not_this: int | None = None,
    is_stored: bool = True,
    may_join: bool = True,
    is_checked: bool = False,
) -> Resolved | None:
    """Return the person that `text` means, created if needed; None if nobody matches or is created.

    `hint` is the sentence with the reference; names are taken from it. `not_this` is a person whom
    the reference does not mean. A hint that is not stored joins nobody, ends no relationship,
    and gives nobody a role that another has. Without `may_join` the people whom it says to be one
    are offered as `may_be`. `is_checked` words were read from a text in which no secret was found.

    Raises:
        errors.NotFound: an id of nobody known here, when somebody might be created.
        errors.Ambiguous: several people fit; they are in `data["candidates"]`.
        errors.InvalidParams: the reference names nobody, or several at once.
        errors.ContentRefused: the reference holds a secret.
    """
    tx.check_time()
    cleaned = one_line(text)
    if not is_checked:
        require_no_secret(cleaned, "subject")
    if (known := _by_id(tx, speaker, cleaned)) is not None:
        return Resolved(known, created=False, matched_by="id")
    if create and _PERSON_ID.fullmatch(cleaned.lower()):
        raise errors.NotFound("No person known here has this id.", "`ash person list` shows them.")
    reference = references.parse_reference(cleaned)
    return _resolve(
        *(tx, speaker, reference, hint),
        create=create,
        not_this=not_this,
        is_stored=is_stored,
        may_join=may_join and is_stored,
    )


def similar(tx: Tx, speaker: Speaker, text: str) -> str:
    """Return in words the people known here by a name similar to the reference's."""
    name = references.parse_reference(one_line(text)).name
    around = reference_candidates.around(tx, speaker)
    return alternatives.listed(speaker, alternatives.similar(speaker, around, name))


def _by_id(tx: Tx, speaker: Speaker, text: str) -> int | None:
    """Return the person with this whole id, if the speaker may know that person here."""
    if not _PERSON_ID.fullmatch(text.lower()):
        return None
    listed = model.listed(tx, speaker.viewer)
    for _, number in people.by_prefix(tx, text.lower()):
        person = people.final(tx, number)
        if speaker.viewer.everything:
            return person
        if person in listed:
            known = model.load(tx, speaker.viewer, {person})[person]
            if model.is_known_by(tx, speaker.viewer, known, number):
                return person
    return None


def _resolve(
    tx: Tx,
    speaker: Speaker,
    reference: Reference,
    hint: str | None,
    *,
    create: bool,
    not_this: int | None = None,
    is_stored: bool = True,
    may_join: bool = True,
) -> Resolved | None:
    if reference.is_self:
        if speaker.person is None:
            raise errors.InvalidParams(
                "Nobody speaks here whom this could mean.", "Name the person, or set grant.turn."
            )
        return Resolved(speaker.person, created=False, matched_by="self")
    reference = reference_reading.read_without_speaker(speaker, reference)
    reference = reference_reading.without_place(reference)
    reference_reading.require_somebody(speaker, reference)
    said = identity_of(reference, hint) if hint else NOTHING_SAID
    if not is_stored:
        said = replace(said, ended=(), taken_over=())
    mere = reference
    reference = _as_stated(reference, said, hint)
    to_person, tells = speaker.person, False
    if reference.of is not None and not reference.of.is_empty:
        other = _resolve(tx, speaker, reference.of, None, create=create)
        if other is not None:
            to_person, tells = other.person, other.tells
        elif mere.of is None:
            reference = replace(reference, relationship=None, of=None)
        else:
            return None
    around = reference_candidates.around(tx, speaker)
    if reference.relationship in vocabulary.GROUPS and reference.name is None:
        reference_reading.refuse_several(speaker, reference.relationship, to_person, around)
    wanted = _wanted(speaker, reference, to_person, hint, said)
    wanted = replace(
        wanted,
        roles=_roles(tx, speaker, said, create=create),
        is_mere=mere.relationship is None,
        takes_roles=is_stored,
    )
    undone = rejected_references.not_meant(tx, speaker, wanted)
    wanted = replace(wanted, not_these=undone | ({not_this} if not_this else set()))
    around = KnownPeople(
        *(_without(among, wanted.not_these) for among in (around.own, around.near))
    )
    found, apart = _find(tx, speaker, wanted, around, telling=create), list[Known]()
    if create and wanted.said is not NOTHING_SAID:
        found, wanted, apart = _as_said(tx, speaker, mere, wanted, around, found, joins=may_join)
    if found is None:
        if not create:
            return None
        reference_reading.require_name(wanted)
        made = learn_from_mention.create(tx, speaker, wanted)
        found = Resolved(made, created=True, matched_by="created")
    else:
        if create:
            person_activity.touch(tx, found.person, speaker.account)
        learned = learn_from_mention.learn(tx, speaker, wanted, found.person, keep=create)
        found = replace(found, tells=tells or found.tells or learned)
    for another in wanted.others:
        joining.set_apart(tx, found.person, another, speaker.account)
    is_by_role = found.matched_by == "relationship" and wanted.name is None
    if found.created or is_by_role or _is_first_name_only(found, wanted):
        is_found = not found.created
        offered = alternatives.others(speaker, around, wanted, found.person, is_found=is_found)
        found = replace(found, may_be=offered)
    if apart:
        offered = (*alternatives.shown(speaker, apart), *found.may_be)
        found = replace(found, may_be=tuple(dict.fromkeys(offered))[: alternatives.MOST])
    return found


def _as_said(
    tx: Tx,
    speaker: Speaker,
    mere: Reference,
    wanted: Wanted,
    around: KnownPeople,
    found: Resolved | None,
    *,
    joins: bool,
) -> tuple[Resolved | None, Wanted, list[Known]]:
    """The person found, as the sentence says who is the same and who is another.

    Last come those who were not joined with the person, though the sentence gives it their names.
    """

    def known(other: Reference) -> int | None:
        try:
            meant = _resolve(tx, speaker, other, None, create=False)
        except errors.AshError:
            return None  # it is not clear who
        return meant.person if meant else None

    said = SaidIdentity(speaker, mere, wanted, around, known)
    wanted = replace(wanted, others=said.others)
    gone: int | None = None
    if found is not None and found.matched_by == "name" and said.is_another(found.person):
        wanted = replace(wanted, not_these=wanted.not_these | {found.person})
        found = None
    elif found is not None and not found.created:
        is_by_role = found.matched_by == "relationship"
        person, gone = said.join(tx, found.person, by_role=is_by_role, may_join=joins)
        if said.joined:
            found = replace(found, person=person, tells=True, joined=said.joined)
        called = known(Reference(name=mere.name)) if is_by_role and _is_name(mere) else None
        if called in said.refused and called != person:
            # Whoever is so called is meant, and not who has the role by the sentence.
            wanted = replace(wanted, reference=mere, name=mere.name, roles=(), said=NOTHING_SAID)
            found = Resolved(called, created=False, matched_by="name", joined=said.joined)
            said.refused.add(person)
    number = found.person if found is not None else None
    apart = said.taken(number or 0, gone)
    free = said.without_names_of_others(wanted, number, gone)
    return found, replace(free, not_these=wanted.not_these | ({gone} if gone else set())), apart


def _is_name(mere: Reference) -> bool:
    return mere.name is not None and mere.relationship is None


def _without(among: list[Known], numbers: frozenset[int]) -> list[Known]:
    return [known for known in among if known.person.id not in numbers]


def _is_first_name_only(found: Resolved, wanted: Wanted) -> bool:
    is_by_name = found.matched_by == "name" and wanted.is_mere
    return is_by_name and wanted.name is not None and not name_similarity.is_whole(wanted.name)


def _roles(
    tx: Tx, speaker: Speaker, said: Identity, *, create: bool
) -> tuple[tuple[str, int], ...]:
    """The roles that the sentence states besides the reference's, each with the person of whom."""
    found = []
    for role in said.roles:
        to_person = speaker.person
        if role.of is not None:
            try:
                owner = _resolve(tx, speaker, role.of, None, create=create)
            except errors.AshError:
                continue  # it is not clear whose
            to_person = owner.person if owner else None
        if role.relationship and to_person is not None:
            found.append((role.relationship, to_person))
    return tuple(found)


def _as_stated(reference: Reference, said: Identity, hint: str | None) -> Reference:
    """The reference of a mere name with what its sentence says that this person is."""
    if hint is None or reference.name is None or reference.relationship:
        return reference
    if said.whole_name:
        reference = replace(reference, name=said.whole_name)
    if reference.handle or said.added or reference.name is None:
        return reference
    own = [role for role in said.roles if role.of is None]
    role = next(iter(own or said.roles), None)
    return replace(role, name=reference.name) if role else reference


def _wanted(
    speaker: Speaker,
    reference: Reference,
    to_person: int | None,
    hint: str | None,
    said: Identity,
) -> Wanted:
    """The reference with the names that its sentence adds."""
    stated, in_passing = said.stated_name, said.passing_name
    name = reference.name or stated or in_passing
    other_names = [*said.names, *said.handles, *filter(None, (stated, in_passing))]
    for spoken in other_names:
        require_no_secret(spoken, "name")
    unowned = reference.of is not None and reference.of.is_empty
    word = reference.relationship
    return Wanted(
        reference=reference,
        name=name,
        other_names=tuple(dict.fromkeys(other for other in other_names if other != name)),
        names_it=stated is not None
        or (word is not None and exclusive_relationships.is_mostly_one(word)),
        # "his friend Bob" is some Bob.
        to_person=None if unowned else to_person,
        # A therapist is personal, whatever else is said.
        sensitivity=disclosure.stricter(
            speaker.held,
            *(sensitivity.classify(role.relationship or "") for role in said.roles),
            sensitivity.classify(reference.relationship or ""),
            sensitivity.classify(reference.name or ""),
        ),
        hint=hint,
        said=said,
    )


# Finding ---------------------------------------------------------------------------------------


def _find(
    tx: Tx, speaker: Speaker, wanted: Wanted, around: KnownPeople, *, telling: bool
) -> Resolved | None:
    handle = wanted.reference.handle
    if handle and (fits := reference_candidates.with_handle(speaker, around, handle)):
        return _one(speaker, fits, "handle")
    fits, way = reference_matching.among_own(speaker, wanted, around.own)
    if fits:
        return _one(speaker, fits, way)
    if telling and speaker.viewer.group:
        own = _without(reference_candidates.own_elsewhere(tx, speaker), wanted.not_these)
        elsewhere, _ = reference_matching.among_own(speaker, wanted, own)
        # Asking which of several is meant would show the group that there are several.
        if len(elsewhere) == 1:
            return Resolved(elsewhere[0].person.id, created=True, matched_by="created")
    fits, way = _among_near(tx, speaker, wanted, around.own, around.near)
    return _one(speaker, fits, way) if fits else None


def _among_near(
    tx: Tx, speaker: Speaker, wanted: Wanted, own: list[Known], near: list[Known]
) -> tuple[list[Known], Way]:
    """Return the matching people of the chat: by others' relationships stated there, or by name."""
    reference, name = wanted.reference, wanted.name

    def called(known: Known) -> list[str]:
        return reference_candidates.names_here(speaker, known)

    if reference.relationship and reference.of is not None and wanted.to_person is not None:
        # Who is also the speaker's own keeps the others' relationships.
        around_here = [*own, *(known for known in near if known not in own)]
        theirs = [account.id for account in chats.accounts_of(tx, wanted.to_person)]
        word = frozenset({reference.relationship})
        related = reference_candidates.related_by(around_here, word, wanted.to_person, theirs)
        if name:
            related = reference_candidates.best_called(related, name, called)
        if related:
            return related, "relationship"
    fits = reference_matching.by_name(wanted, near, called, name)
    return reference_matching.participants_first(fits, name), "name"


def _one(speaker: Speaker, fits: list[Known], way: Way) -> Resolved:
    if len(fits) == 1:
        return Resolved(fits[0].person.id, created=False, matched_by=way)
    raise errors.Ambiguous(
        f"{len(fits)} people fit this name: {alternatives.listed(speaker, fits)}.",
        "Give the id, or say which one: by full name, by relationship, or by handle.",
        candidates=reference_candidates.candidates(speaker, fits),
    )
