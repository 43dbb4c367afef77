"""Titles with a surname: Dr. Okafor is Ngozi Okafor if she is the dentist, else perhaps. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from ashd.language import person_references
from ashd.people.kinship import Family, Gender
from ashd.people.model import Known
from ashd.people.reference_candidates import Called

_CLERGY: Final = re.compile(r"\b(vicar|priest|minister|pastor|parson|curate|chaplain|rabbi|imam)$")
_ROLES: Final[dict[str, re.Pattern[str]]] = {
    "dr": re.compile(
        r"\b(doctor|gp|vet|surgeon|physician|therapist|professor|dentist)$"
        r"|(ologist|iatrist|iatrician|dontist|trician)$"
    ),
    "prof": re.compile(r"\b(professor|supervisor|advis[eo]r|lecturer)$"),
    "captain": re.compile(r"\b(captain|skipper|pilot)$"),
    **dict.fromkeys(("reverend", "pastor", "father", "rabbi", "imam"), _CLERGY),
}
_GENDERS: Final[dict[str, Gender]] = {
    **dict.fromkeys(("mr", "sir", "lord", "herr", "monsieur", "senor", "signor"), "male"),
    **dict.fromkeys(("mrs", "ms", "miss", "lady", "frau", "mme", "madame", "mlle"), "female"),
    **dict.fromkeys(("senora", "signora", "dame", "madam"), "female"),
}


def fitting(
    name: str | None, among: Iterable[Known], called: Called, family: Family
) -> list[Known]:
    """Return the one person with the surname, if what they are says that the title is theirs."""
    if name is None:
        return []
    titled = [
        (title, known)
        for known in among
        for value in called(known)
        if (title := person_references.shared_surname(name, value)) is not None
    ]
    if len({known.person.id for _, known in titled}) != 1:
        return []
    title, known = titled[0]
    return [known] if _has_title(title, known, family) else []


def _has_title(title: str, known: Known, family: Family) -> bool:
    if gender := _GENDERS.get(title):
        return family.gender(known.person.id) == gender
    roles = _ROLES.get(title)
    return roles is not None and any(
        claim.ended_at is None and roles.search(claim.relationship) for claim in known.relationships
    )
