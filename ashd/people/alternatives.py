"""Other people whom a reference could have meant, as the caller may know them (B6)."""

from typing import Final

import msgspec

from ashd.people import reference_candidates, reference_matching
from ashd.people.model import Known
from ashd.people.reference_candidates import KnownPeople, Speaker

MOST: Final = 5


class MayBe(msgspec.Struct, frozen=True):
    """Another person who could be meant, and their relationship to the speaker, or to somebody."""

    id: str
    name: str
    relationship: str | None


def others(
    speaker: Speaker, around: KnownPeople, name: str | None, found: int, not_these: frozenset[int]
) -> tuple[MayBe, ...]:
    """Return the people the name could mean besides the one who was found or created."""
    excluded = {found, *not_these}
    fits = [k for k in similar(speaker, around, name) if k.person.id not in excluded]
    return tuple(
        MayBe(known.known_as.uuid, known.name, relationship(speaker, known))
        for known in fits[:MOST]
    )


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
