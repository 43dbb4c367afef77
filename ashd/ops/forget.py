"""`memory.forget_person`: archive all memories about a person, or erase them and the record."""

from collections import Counter
from dataclasses import replace
from functools import partial

import msgspec

from ashd.access.actor import Call
from ashd.language.words import normalise
from ashd.memory import ownership, status_changes
from ashd.ops import erasing, slices
from ashd.ops.erasing import Erasing, Target
from ashd.ops.receipt import Receipt
from ashd.people import directory, edit
from ashd.people.directory import PersonId
from ashd.store import (
    chats,
    erasure,
    memories,
    memory_lists,
    merges,
    people,
    traces,
    withdrawals,
)
from ashd.store.filters import MemoryFilter
from ashd.store.transaction import Tx
from ashd.store.visibility import States, Viewer


class ForgetParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person to forget.

    Without `erase` the memories are archived and can be restored as one act. With it they are
    erased, and so is the record with names and relationships; `delete_person_record` alone deletes
    only the record.
    """

    person_id: PersonId
    delete_person_record: bool = False
    erase: bool = False
    dry_run: bool = False


class ForgetResult(msgspec.Struct, frozen=True):
    """The number of memories archived and erased, and the receipt of what was erased."""

    archived: int
    erased: int
    receipt: Receipt
    record_kept: str | None
    """The reason why the person's record stays: an account, or mentions by others."""
    withdrawal_id: str | None
    """Restores the archived memories (`memory.restore`); null if there were none."""


class Forget:
    """Forgets people."""

    def __init__(self, erasing_: Erasing) -> None:
        self._erasing = erasing_
        self._db = erasing_.db

    async def forget(self, call: Call, params: ForgetParams) -> ForgetResult:
        """Archive or erase the memories about the person that the caller may change.

        Raises:
            errors.NotFound, errors.Ambiguous: no such person, or several.
        """
        person, about = await self._db.read(
            lambda tx: _about(tx, call, params.person_id, archived=params.erase)
        )
        deletes = params.delete_person_record or params.erase
        kept = await self._db.read(lambda tx: _why_kept(tx, call, person)) if deletes else None
        archived = [] if params.erase else about
        withdrawal_id = None
        if params.dry_run:
            target = Target(about if params.erase else [])
            if deletes:
                target = await self._db.read(
                    partial(_with_record, call=call, person=person, kept=kept, target=target)
                )
            rows = await self._db.read(partial(erasing.found, target=target))
        else:
            begin = partial(_begin, call=call, archived=archived, erases=deletes)
            withdrawal_id = await self._db.write(begin, quiet=True)
            rows = await self._forget(call, params, person, about)
            if deletes:
                rows += await self._db.write(
                    partial(_erase_record, call=call, person=person, kept=kept)
                )
                rows += await self._erasing.finish()
        return ForgetResult(
            archived=len(archived),
            erased=rows["memories"],
            receipt=await self._erasing.receipt(rows),
            record_kept=kept,
            withdrawal_id=withdrawal_id,
        )

    async def _forget(
        self, call: Call, params: ForgetParams, person: int, about: list[int]
    ) -> Counter[str]:
        if params.erase:
            return await self._erasing.all_of(
                "forget_person",
                lambda tx: Target(_of_person(tx, call.look(tx), person, archived=True)),
            )
        await slices.run(self._db, about, _archive, lambda _done, _total: None, scoped=True)
        return Counter()


def _about(tx: Tx, call: Call, person_id: str, *, archived: bool) -> tuple[int, list[int]]:
    viewer = call.look(tx)
    person = directory.find(tx, viewer, person_id)
    return person, _of_person(tx, viewer, person, archived=archived)


def _of_person(tx: Tx, viewer: Viewer, person: int, *, archived: bool) -> list[int]:
    """Return the memories about the person that the viewer may change, perhaps archived ones."""
    states = States(superseded=True, expired=True, archived=True)
    seen = memory_lists.seen(tx, viewer, MemoryFilter(about=person), states)
    records = memories.by_ids(tx, viewer, seen)
    return [
        number
        for number in seen
        if ownership.may_change(viewer, records[number])
        and (archived or records[number].archive_reason in {None, "superseded"})
    ]


def _begin(tx: Tx, *, call: Call, archived: list[int], erases: bool) -> str | None:
    call.record(tx)
    if erases:
        traces.note_left(tx)
    return withdrawals.insert(tx, archived).uuid if archived else None


def _archive(tx: Tx, number: int) -> Counter[str]:
    status_changes.archive(tx, memories.by_id(tx, number), "forgotten")
    return Counter()


def _why_kept(tx: Tx, call: Call, person: int) -> str | None:
    if chats.accounts_of(tx, person):
        return "account"
    viewer = call.look(tx)
    alone = viewer.everything or edit.tells_alone(tx, viewer, person)
    return None if alone else "others"


def _with_record(tx: Tx, *, call: Call, person: int, kept: str | None, target: Target) -> Target:
    """Return the target with the record, unless it is kept, and the entities of the person."""
    family = merges.family(tx, person)
    keys = {normalise(name) for _, name in people.names(tx, family)}
    entities = erasure.entities_that_are(tx, call.look(tx), family, keys)
    return replace(target, people=[] if kept else family, entities=entities)


def _erase_record(tx: Tx, *, call: Call, person: int, kept: str | None) -> Counter[str]:
    going = _with_record(tx, call=call, person=person, kept=kept, target=Target())
    counted = erasure.erase_rows(tx, "entity", going.entities)
    if going.people:
        counted += erasure.rows_of(tx, "person", going.people)
        counted["people"] = merges.erase(tx, person)
    return +counted
