"""Matching of a reference against the known people. Pure, except for reading accounts.

A shared first name is no evidence (B6): a name that only one of two has joins them only if nothing
else is known of either, or if both hold one role with the same speaker.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from ashd.language.people import name_similarity, references, vocabulary
from ashd.language.people.identity import NOTHING_SAID, Identity
from ashd.language.people.references import MatchKind, Reference
from ashd.people import exclusive_relationships, reference_candidates
from ashd.people.kinship import Family
from ashd.people.model import Known
from ashd.people.reference_candidates import Called, Speaker

Way = Literal["self", "handle", "relationship", "id", "name", "created"]

_KIN: Final = frozenset(
    {
        *("son", "daughter", "child", "sister", "brother", "sibling", "twin", "uncle", "aunt"),
        *("nephew", "niece", "grandson", "granddaughter", "grandmother", "grandfather"),
    }
)
"""Relationships in which no two people share a name's forms: "uncle Bob" is the uncle Robert."""
_OF_ONE_NAME: Final = frozenset(
    {
        *("son", "daughter", "child", "sister", "brother", "sibling", "twin"),
        *("partner", "mother", "father"),
    }
)
"""Relatives of whom no two have one first name, whatever surname they have."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A reference, with what its sentence adds."""

    reference: Reference
    name: str | None
    to_person: int | None
    """The person on the other side of the relationship."""
    sensitivity: str | None
    hint: str | None = None
    other_names: tuple[str, ...] = ()
    """Other names of the person in the sentence."""
    said: Identity = NOTHING_SAID
    """Whatever the sentence says of the person."""
    names_it: bool = False
    """Whether the name may be given to a person whose name was unknown."""
    is_mere: bool = False
    """Whether the reference is a mere name, and the sentence says what its person is."""
    roles: tuple[tuple[str, int], ...] = ()
    """Further relationships that the sentence states, each with the person on its other side."""
    not_these: frozenset[int] = frozenset()
    """The people whom the speaker excluded for this reference."""
    takes_roles: bool = True
    """Whether a role that only the sentence states is taken from whoever has it."""
    others: frozenset[int] = frozenset()
    """The people of whom the sentence says that they are somebody else."""


def among_own(speaker: Speaker, wanted: Wanted, own: list[Known]) -> tuple[list[Known], Way]:
    """Return the speaker's own people that match, by the speaker's own words."""

    def called(known: Known) -> list[str]:
        return reference_candidates.placed_names(speaker, known)

    word, name = wanted.reference.relationship, wanted.name
    if word and wanted.to_person is not None:
        family = family_of(speaker, own)
        own = [
            known
            for known in own
            if known.person.id != wanted.to_person
            and not family.contradicts(known.person.id, word, wanted.to_person)
        ]
        related = _related(speaker, wanted, own, word, called, family)
        if related:
            return related, "relationship"
        if name is None and vocabulary.is_open(word):
            # "my anna": not a relationship that anybody has, but a name in lower case.
            exact = [
                known
                for known in own
                if reference_candidates.best_kind(word, called(known)) is MatchKind.EXACT
            ]
            return exact, "name"
    place = vocabulary.place_of(word or "")
    fits = by_name(wanted, own, called, f"{name} {place}") if name and place else []
    fits = fits or by_name(wanted, own, called, name)
    for other in () if fits else wanted.other_names:
        fits = fits or by_name(wanted, own, called, other)
    return fits, "name"


def family_of(speaker: Speaker, own: Iterable[Known]) -> Family:
    """The family that the speaker's own claims make of people."""
    return Family(c for k in own for c in k.relationships if c.stated_by in speaker.accounts)


def _related(
    speaker: Speaker, wanted: Wanted, own: list[Known], word: str, called: Called, family: Family
) -> list[Known]:
    """Return the people with the reference's relationship to the speaker or to another."""
    assert wanted.to_person is not None
    asked = (wanted.to_person, speaker.accounts)
    related = reference_candidates.related_by(own, frozenset({word}), *asked)
    role = exclusive_relationships.role_of(word)
    if not related and not (role and exclusive_relationships.followed(own, role, *asked)):
        kin = family.related(word, wanted.to_person)
        related = [known for known in own if known.person.id in kin]
    if name := wanted.name:
        # "my wife Anna" is not the wife called Sarah; "my friend Bob" may be another friend than
        # the one whose name was never stated.
        kin = family.possible(word, wanted.to_person)
        holders = reference_candidates.in_role(own, word, *asked)
        holders += [k for k in own if k.person.id in kin and k not in holders]
        if place := vocabulary.place_of(word):
            holders = [k for k in holders if _may_be_placed(speaker, k, place)]
        spoken = (name, *wanted.other_names)
        return (
            next(
                (
                    fits
                    for n in spoken
                    if (fits := reference_candidates.best_called(holders, n, called))
                ),
                None,
            )
            or _by_pet_form(word, holders, name, called)
            or _by_first_name(word, holders, name, called)
            or [k for k in related if wanted.names_it and not has_name(called(k))]
        )
    if role:
        related = related or exclusive_relationships.successors(own, role, *asked)
        return exclusive_relationships.newest(related, role, *asked)
    if not related and (placed := _is_placed(word)):
        related = reference_candidates.only_called(own, placed, *asked)
    elif not related:
        related = _placed_holders(speaker, wanted.to_person, own, word)
    else:
        return related
    return related if len(related) == 1 else []


def _placed_holders(speaker: Speaker, to_person: int, own: list[Known], word: str) -> list[Known]:
    """Return the people with the role of the word in a place: "goalkeeper of the team"."""
    return [
        known
        for known in own
        if any(
            claim.stated_by in speaker.accounts
            and claim.to_person == to_person
            and claim.ended_at is None
            and (place := vocabulary.place_of(claim.relationship))
            and claim.relationship == f"{word} {place}"
            for claim in known.relationships
        )
    ]


def _may_be_placed(speaker: Speaker, known: Known, place: str) -> bool:
    """Return whether no other place is known: Robin from work is not Robin from the choir."""
    return reference_candidates.places(speaker, known) in (set(), {place})


def _is_placed(word: str) -> str | None:
    """Return whether "sister in Boston" may mean the one sister who is known."""
    base = vocabulary.base_relationship(word)
    return base if base and word.startswith(f"{base} ") else None


def _by_pet_form(word: str, holders: list[Known], name: str, called: Called) -> list[Known]:
    role = vocabulary.one_role(word)
    if role not in _KIN and role not in exclusive_relationships.ONE_OF_A_KIND:
        return []
    return [
        k for k in holders if any(name_similarity.is_pet_form(name, value) for value in called(k))
    ]


def _by_first_name(word: str, holders: list[Known], name: str, called: Called) -> list[Known]:
    """Return the person who only has another surname now: nobody has two sisters called Julia."""
    if vocabulary.one_role(word) not in _OF_ONE_NAME or not name_similarity.is_whole(name):
        return []
    first = name_similarity.name_words(name)[0]
    fits = [
        known
        for known in holders
        if any(name_similarity.name_words(value)[:1] == (first,) for value in called(known))
    ]
    return fits if len(fits) == 1 else []


def has_name(called: Iterable[str]) -> bool:
    """Return whether any of the names is more than a handle."""
    return any(not value.islower() for value in called)


def by_name(
    wanted: Wanted, among: Iterable[Known], called: Called, name: str | None
) -> list[Known]:
    """Return the people whom the name fits best, where a name alone is enough."""
    if name is None:
        return []
    reference, title = wanted.reference, references.title_of(name)
    # "Ben is Lucy's teacher" and "Mr Ames is my neighbour" tell of the one who is known; "Ben is my
    # boss's son" may introduce another.
    is_named = reference.of is not None and reference.of.relationship is None
    tells = wanted.is_mere and (is_named or bool(title))
    says_role = reference.relationship is not None and not (tells or wanted.said.is_known)
    is_whole = name_similarity.is_whole(name)
    fits = [
        (kind, known)
        for known in among
        if (kind := reference_candidates.best_kind(name, values := called(known))) is not None
        and _may_join(kind, known, says_role=says_role, is_whole=is_whole)
        # "Father Aidan" is not "my father Aidan".
        and (not says_role or is_whole or title in map(references.title_of, values))
    ]
    best = min((kind for kind, _ in fits), default=None)
    return [known for kind, known in fits if kind is best]


def _may_join(kind: MatchKind, known: Known, *, says_role: bool, is_whole: bool) -> bool:
    """Return whether a name is enough to identify a person.

    The coworker Sarah is neither the wife Sarah nor Sarah Miller; a whole name is enough.
    """
    is_related = reference_candidates.is_related(known)
    if not says_role:
        return kind is not MatchKind.LONGER or not is_related
    if kind is MatchKind.EXACT:
        return is_whole or not is_related
    return bool(known.accounts) and not is_related


def participants_first(fits: list[Known], name: str | None) -> list[Known]:
    """Return those of several people whose account has this very name; else all of them."""
    own = [
        known
        for known in fits
        if name is not None
        and any(
            references.matches(name, shown or "") is MatchKind.EXACT
            for account in known.accounts
            for shown in (account.display_name, account.username)
        )
    ]
    return own or fits


def could_be(name: str, called: Iterable[str]) -> bool:
    """Return whether a name that is shorter, longer or a variant might mean a known person."""
    values = list(called)
    return any(
        references.matches(name, value) is not None
        or name_similarity.variant(name, value)
        or name_similarity.is_surname(name, value)
        for value in values
    )
