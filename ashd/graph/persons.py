"""Links from names in the graph to known people; the graph itself creates no people.

The disclosure policy for people applies, so a name that may not be known here means nobody. A
person merged into another is that other.
"""

from ashd import errors
from ashd.access.actor import Call
from ashd.language.people import vocabulary
from ashd.language.people.relationship_groups import NARROWER
from ashd.language.words import normalise
from ashd.people import by_hand, model, resolve
from ashd.people.model import PersonView
from ashd.store import merges, people
from ashd.store.database import Tx
from ashd.store.visibility import Viewer


def meant(tx: Tx, call: Call, viewer: Viewer, name: str) -> int | None:
    """Return the one person that `name` means to the speaker here; None for nobody or several."""
    speaker = resolve.speaker_of(tx, viewer, call.speaker(tx, viewer))
    try:
        found = resolve.resolve(tx, speaker, name, create=False)
    except errors.AshError:
        return None  # other people whom it could mean do not concern the graph
    return found.person if found else None


def stated(tx: Tx, call: Call, viewer: Viewer, name: str) -> int | None:
    """Return whom a stored name means without the joins of accounts, so that a split parts it."""
    person = meant(tx, call, viewer, name)
    if person is None or not merges.is_merged(tx, person):
        return person
    with by_hand.apart(tx, viewer, also=(person,)) as alone:
        return meant(tx, call, alone.viewer, name)


def names(tx: Tx, viewer: Viewer, person: int) -> set[str]:
    """Return all names of the person that the viewer may know."""
    known = model.load(tx, viewer, {person})[person]
    return {known.name, *(alias.value for alias in known.aliases)}


def view(tx: Tx, viewer: Viewer, person: int) -> list[PersonView]:
    """Return the person with their relationships; empty if the viewer does not know them here."""
    if person not in ids(tx, viewer, {person}):
        return []
    return [model.to_wire(tx, model.load(tx, viewer, {person})[person], viewer)]


def related(
    tx: Tx, viewer: Viewer, person: int | None, relation: str | None, most: int
) -> list[PersonView]:
    """Return those who are something to the person now; with a relation, who are this ("son")."""
    asked = _words(relation) if relation is not None else None
    claims = people.related_to(tx, person) if person is not None else []
    others = {number for number, word in claims if asked is None or not asked.isdisjoint(_of(word))}
    seen = ids(tx, viewer, others - {person})
    return [
        model.to_wire(tx, known, viewer)
        for known in model.load(tx, viewer, set(seen)).values()
        if any(
            claim.to_person == person
            and claim.ended_at is None
            and (asked is None or not asked.isdisjoint(_of(claim.relationship)))
            for claim in known.relationships
        )
    ][:most]


def _words(relation: str) -> frozenset[str]:
    """Return the relationships that an asked relation may be: "children" are sons and daughters."""
    found = vocabulary.relationships_in(relation)
    wider = [NARROWER[word] for word in found if word in NARROWER]
    return frozenset({normalise(relation), *found}).union(*wider)


def _of(relationship: str) -> set[str]:
    return {relationship, vocabulary.base_relationship(relationship) or relationship}


def line(person: PersonView) -> str:
    """Return in a line what the person is to others now; empty if nothing is known."""
    held = [one for one in person.relationships if one.ended_at is None]
    if not held:
        return ""
    return f"{person.name}: {', '.join(f'{one.relationship} of {one.to_name}' for one in held)}"


def one(tx: Tx, person: int | None) -> list[int]:
    """Return the rows of the person: its own, and those merged with it."""
    return merges.one_with(tx, [person]) if person is not None else []


def ids(tx: Tx, viewer: Viewer, linked: set[int]) -> dict[int, str]:
    """Return the ids of those people whom the viewer knows of here."""
    if not linked:
        return {}
    final = {number: people.final(tx, number) for number in linked}
    persons = set(final.values())
    known = persons if viewer.everything else persons & model.listed(tx, viewer)
    ids_ = model.ids_for(tx, viewer, known)
    return {number: ids_[person] for number, person in final.items() if person in ids_}
