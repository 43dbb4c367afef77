"""Other people whom a reference could have meant, as the caller may know them (B6)."""

from collections.abc import Iterator
from typing import Final

import msgspec

from ashd.people import reference_candidates, reference_matching
from ashd.people.model import Known
from ashd.people.reference_candidates import KnownPeople, Speaker
from ashd.people.reference_matching import Wanted

MOST: Final = 5


class MayBe(msgspec.Struct, frozen=True):
    """Another person who could be meant, with a relationship to the speaker or to somebody else."""

    id: str
    name: str
    relationship: str | None


def others(
    speaker: Speaker, around: KnownPeople, wanted: Wanted, person: int, *, is_found: bool
) -> tuple[MayBe, ...]:
    """Return the people the reference could mean besides `person`, who was found or created."""
    fits = {known.person.id: known for known in similar(speaker, around, wanted.name)}
    relatives = _relatives(speaker, around.own, wanted, is_found=is_found)
    fits |= {known.person.id: known for known in relatives}
    chosen = [k for n, k in fits.items() if n != person and n not in wanted.not_these]
    return shown(speaker, chosen)


def shown(speaker: Speaker, chosen: list[Known]) -> tuple[MayBe, ...]:
    """Return the first few of these people in the form that a reply has."""
    return tuple(
        MayBe(known.known_as.uuid, known.name, relationship(speaker, known))
        for known in chosen[:MOST]
    )


def _relatives(
    speaker: Speaker, own: list[Known], wanted: Wanted, *, is_found: bool
) -> Iterator[Known]:
    """Yield the other people who have the relationship, unless they have a different name.

    If the person was just created, also yield people who only may have the relationship.
    """
    word = wanted.reference.relationship
    if word is None or wanted.to_person is None:
        return
    family = reference_matching.family_of(speaker, own)
    fits = family.related(word, wanted.to_person)
    if not is_found:
        holders = reference_candidates.related_by(
            own, frozenset({word}), wanted.to_person, speaker.accounts
        )
        fits |= family.possible(word, wanted.to_person) | {one.person.id for one in holders}
    for known in own:
        called = reference_candidates.own_names(speaker, known)
        if known.person.id in fits and not (wanted.name and called):
            yield known


def similar(speaker: Speaker, around: KnownPeople, name: str | None) -> list[Known]:
    """Return the people besides the speaker whom the name, or a variant of it, could mean."""
    return [
        known
        for among, called in (
            (around.own, reference_candidates.own_names),
            (around.near, reference_candidates.names_here),
        )
        for known in among
        if name is not None
        and known.person.id != speaker.person
        and reference_matching.could_be(name, called(speaker, known))
    ]


def relationship(speaker: Speaker, known: Known) -> str | None:
    """The latest relationship of a person, by the speaker's own word if there is one."""
    claims = [claim for claim in known.relationships if claim.ended_at is None]
    own = [claim for claim in claims if claim.stated_by in speaker.accounts]
    return (own or claims)[-1].relationship if claims else None


def listed(speaker: Speaker, fits: list[Known]) -> str:
    """Return several people in words: "Tom (son, 1f0c…), Tom Baker (plumber, 77ab…)"."""
    shown = [
        f"{known.name} ({', '.join(filter(None, (relationship(speaker, known), uuid)))})"
        for known in fits[:MOST]
        for uuid in [known.known_as.uuid]
    ]
    more = len(fits) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
