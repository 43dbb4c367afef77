"""References that the speaker said do not mean a person: an undone identification stays undone."""

from ashd.access.text_cleaning import one_line
from ashd.language.people import references
from ashd.language.people.references import Reference
from ashd.language.words import normalise
from ashd.people.reference_candidates import Speaker
from ashd.people.reference_matching import Wanted
from ashd.store import people, rejected_references
from ashd.store.database import Tx


def key_of(reference: Reference) -> str:
    """Return a key of the reference; "my son Tom" and "Tom, my son" have the same key."""
    of = key_of(reference.of) + "'s" if reference.of is not None else ""
    name = normalise(reference.name or "")
    parts = (of, reference.relationship or "", name, normalise(reference.handle or ""))
    return " ".join(part for part in parts if part)


def read(text: str) -> Reference:
    """Parse a reference as a caller wrote it."""
    return references.parse_reference(one_line(text))


def not_meant(tx: Tx, speaker: Speaker, wanted: Wanted) -> frozenset[int]:
    """Return the people whom the speaker said this reference does not mean."""
    reference = wanted.reference
    keys = {key_of(reference)}
    if reference.name is not None:
        keys.add(normalise(reference.name))
    found = rejected_references.persons(tx, speaker.accounts, keys)
    return frozenset(people.final(tx, number) for number in found)
