"""Undo an identification: a reference does not mean a person; its memories go to another."""

from typing import Annotated

import msgspec

from ashd import errors, limits
from ashd.access import disclosure
from ashd.access.actor import Call
from ashd.language.people.name_index import NameIndex
from ashd.language.people.references import Reference
from ashd.language.words import normalise
from ashd.memory import model, ownership
from ashd.memory.model import MemoryId
from ashd.people import directory, joining, rejected_references, resolve, told
from ashd.people.directory import PersonId
from ashd.people.joining import Join
from ashd.people.model import PersonView
from ashd.store import chats, meant, memories, merges, people, subjects
from ashd.store import rejected_references as stored_rejections
from ashd.store.database import Database, Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


class UndoParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person, and a reference that does not mean them; without ids, all memories by it.

    `dry_run` shows the outcome and changes nothing.
    """

    person_id: PersonId
    reference: directory.Reference
    memory_ids: (
        Annotated[list[MemoryId], msgspec.Meta(min_length=1, max_length=limits.RESULTS_PER_CALL)]
        | None
    ) = None
    dry_run: bool = False


class UndoResult(msgspec.Struct, frozen=True):
    """The person whom the reference means now, and how many memories moved to them.

    `created`: nobody else was known by the reference, so a person was created.
    """

    person: PersonView
    moved: int
    created: bool


class UndoIdentification:
    """Corrects identifications."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def undo(self, call: Call, params: UndoParams) -> UndoResult:
        """Record that a reference does not mean a person, and move its memories to another person.

        Raises:
            errors.NotFound: no such person or memory, or the memory is not about the person.
            errors.Denied: a memory is somebody else's.
            errors.InvalidParams: the reference names nobody, or the speaker.
        """
        if params.dry_run:
            return await self._db.write(
                lambda tx: tx.rehearse(lambda: _undo(tx, call, params)), quiet=True
            )
        return await self._db.write(lambda tx: _undo(tx, call, params))


def _undo(tx: Tx, call: Call, params: UndoParams) -> UndoResult:
    viewer = call.enter(tx)
    number = directory.find(tx, viewer, params.person_id)
    reference = rejected_references.read(params.reference)
    account = call.speaker(tx, viewer)
    if account is None or reference.is_self or reference.is_empty:
        raise errors.InvalidParams(
            "This reference is nobody's to take back.", "Give the words of one user for a person."
        )
    # Find the memories before the names that identify them are removed.
    moving = _named(tx, call, number, params.memory_ids) if params.memory_ids else None
    if moving is None:
        moving = _by_reference(tx, viewer, number, reference)
    for two in _split(tx, viewer, number, reference, params.memory_ids):
        call.record(tx, method="person.split", people=two)
    _forget(tx, viewer, number, reference)
    if not (params.memory_ids and _is_own_name(tx, number, reference)):
        stored_rejections.add(tx, number, rejected_references.key_of(reference), account.id)
    speaker = resolve.speaker_of(tx, viewer, account)
    found = told.resolve(tx, speaker, params.reference, not_this=number)
    other = found.person
    joining.set_apart(tx, number, other, account.id)
    for record in moving:
        persons = [other if one == number else one for one, _ in model.subjects(record)]
        memories.change(tx, record.id, {})
        subjects.replace(tx, record.id, persons, read=subjects.are_read(tx, record.id))
        subjects.set_references(tx, record.id, {other: params.reference})
        meant.renew(tx, record.id, persons, {other: found.meant})
    call.record(tx)
    return UndoResult(directory.view(tx, viewer, other), len(moving), found.found.created)


def _split(
    tx: Tx, viewer: Viewer, number: int, reference: Reference, memory_ids: list[str] | None
) -> list[Join]:
    """Undo the caller's own merge of somebody with this name into the person, if there is one."""
    if memory_ids or reference.name is None or reference.relationship:
        return []
    for row in merges.family(tx, number):
        merged, person = merges.of_loser(tx, row), people.by_id(tx, row)
        if merged is None or normalise(person.name) != normalise(reference.name):
            continue
        types = chats.types_of(tx, {person.learned_in})
        place = person.learned_in
        is_own = person.created_by in viewer.accounts and not merges.moved_accounts(merged)
        if is_own and place and disclosure.may_change(viewer, place, types[place]):
            return [joining.split(tx, merged)]
    return []


def _named(tx: Tx, call: Call, number: int, ids: list[str]) -> list[Record]:
    """Return the memories of these ids, if about the person and the caller's to change."""
    found = []
    for memory_id in dict.fromkeys(ids):
        viewer, record = ownership.find(tx, call, memory_id)
        disclosure.require_changeable(viewer, record.learned_in, record.learned_type)
        if number not in {person for person, _ in model.subjects(record)}:
            raise errors.NotFound(
                "The memory is not about this person.", "`memory.get` shows whom it is about."
            )
        found.append(record)
    return found


def _by_reference(tx: Tx, viewer: Viewer, number: int, reference: Reference) -> list[Record]:
    """Return the caller's memories that this reference identified with the person.

    If no memory records the words that identified the person, return the memories that contain
    these words.
    """
    said = dict(subjects.about(tx, number))
    keys = {rejected_references.key_of(reference), reference.relationship}
    if not _is_own_name(tx, number, reference):
        keys.add(normalise(reference.name or ""))
    index = NameIndex([reference.name or f"my {reference.relationship}"])
    shown = memories.by_ids(tx, viewer, list(said))
    return [
        record
        for memory, words in said.items()
        if (record := shown.get(memory)) is not None
        and ownership.is_own(viewer, record)
        and disclosure.may_change(viewer, record.learned_in, record.learned_type)
        and (
            rejected_references.key_of(rejected_references.read(words)) in keys
            if words is not None
            else bool(index.mentioned(record.content))
        )
    ]


def _is_own_name(tx: Tx, number: int, reference: Reference) -> bool:
    """Return whether a mere name is another name of the person: "Tom" may mean two people."""
    person = people.by_id(tx, number)
    is_name = person.named and normalise(person.name) == normalise(reference.name or "")
    return is_name and reference.relationship is None


def _forget(tx: Tx, viewer: Viewer, number: int, reference: Reference) -> None:
    """Remove the names and relationships that the person got here from the wrong identification."""
    keys = {normalise(word) for word in (reference.name, reference.handle) if word}
    aliases, claims = people.aliases(tx, {number}), people.relationships(tx, {number})
    places = [one.learned_in for one in aliases] + [one.learned_in for one in claims]
    types = chats.types_of(tx, set(places))

    def is_own(by: int | None, learned_in: int | None) -> bool:
        if learned_in is None or not disclosure.may_change(viewer, learned_in, types[learned_in]):
            return False
        return viewer.everything or by in viewer.accounts

    for alias in aliases:
        if alias.key in keys and is_own(alias.added_by, alias.learned_in):
            people.remove_alias(tx, alias.id)
    for claim in claims:
        is_said = claim.relationship == reference.relationship
        if is_said and is_own(claim.stated_by, claim.learned_in):
            people.delete_relationship(tx, claim.id)
