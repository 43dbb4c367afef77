"""`memory.forget_person`: archive all memories about a person, or erase them and the record."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Final

import anyio.to_thread
import msgspec

from ashd import errors
from ashd.access.actor import Call
from ashd.erasure import engine, mentions, withdraw
from ashd.erasure.engine import Erasing, Receipt
from ashd.erasure.mentions import Listed, Mentions
from ashd.erasure.resumable import Resumable, SoFar
from ashd.erasure.walk import Selection
from ashd.ids import OwnWord
from ashd.language.words import normalise
from ashd.memory import ownership
from ashd.people import directory, edit
from ashd.people.directory import PersonId
from ashd.store import chats, memories, memory_lists, merges, people, people_names, slices
from ashd.store.erasure import people as people_erasure
from ashd.store.erasure import texts, traces
from ashd.store.filters import MemoryFilter
from ashd.store.transaction import Tx
from ashd.store.visibility import States, Viewer

_LOOKS: Final = 5
"""How often texts are looked for again: others may write meanwhile."""


class ForgetParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person to forget.

    Without `erase` the memories are archived and can be restored as one act. With it they are
    erased, and so is the record with names and relationships; `delete_person_record` alone deletes
    only the record. With `mentions`, texts that name the person without being linked to it are
    erased too: see what they are with `dry_run` first.
    """

    person_id: PersonId
    delete_person_record: bool = False
    erase: bool = False
    mentions: bool = False
    dry_run: bool = False


class ForgetResult(msgspec.Struct, frozen=True):
    """The number of memories archived and erased, and the receipt of what was erased."""

    archived: int
    erased: int
    receipt: Receipt
    record_kept: OwnWord | None
    """The reason why the person's record stays: an account, or mentions by others."""
    withdrawal_id: str | None
    """Restores the archived memories (`memory.restore`); null if there were none."""
    mentions: Listed
    """With `erase`: what names the person without being linked; with `mentions` it is erased."""
    left: Listed
    """With `erase`: what has a word of the name, but may be about somebody else. It stays."""


class Forget:
    """Forgets people."""

    def __init__(self, erasing: Erasing) -> None:
        self._erasing = erasing
        self._db = erasing.db

    async def forget(self, call: Call, params: ForgetParams) -> ForgetResult:
        """Archive all memories about a person, or erase them for good.

        Raises:
            errors.NotFound, errors.Ambiguous: no such person, or several.
            errors.InvalidParams: `mentions` without `erase`.
            errors.Conflict: meanwhile the person was merged into another one.
        """
        if params.mentions and not params.erase:
            raise errors.InvalidParams(
                "mentions is for an erasure.", "Give erase too, or leave mentions out."
            )
        progress = await Resumable.of(self._db, call)
        deletes = params.delete_person_record or params.erase
        try:
            person, about = await self._db.read(
                partial(_about, call=call, params=params, progress=progress)
            )
        except errors.NotFound:
            if not (progress.is_resumed and deletes):
                raise
            # All but the traces was done before the crash.
            async with self._erasing.begun(call, progress):
                await self._erasing.finish(progress)
            return await self._result(progress.so_far)
        if deletes and not progress.is_resumed:
            progress.so_far.record_kept = await self._db.read(
                lambda tx: _why_kept(tx, call, person)
            )
        found = Mentions()
        if params.erase:
            found = await self._mentions(call, person, about)
            if not progress.is_resumed:
                progress.so_far.mentions, progress.so_far.left = found.mentions, found.left
        if params.dry_run:
            going = found if params.mentions else Mentions()
            return await self._dry_run(call, params, person, about, progress.so_far, going)
        begin = partial(
            _begin,
            call=call,
            person=person,
            archived=[] if params.erase else about,
            erases=deletes,
            progress=progress,
        )
        archived = await self._db.write(begin, quiet=True)
        with self._erasing.traces.later_on_failure() if deletes else nullcontext():
            # The record goes with the last memory, if nothing else needs it; then no name is known.
            if params.mentions:
                await self._erase_mentions(call, person, found, progress)
            if params.erase:
                entities = partial(_erase_entities, call=call, person=person)
                await self._erasing.at_once(entities, progress)
                find = partial(_linked, call=call, person=person)
                await self._erasing.all_of("forget_person", find, progress)
            archive = partial(withdraw.archive_one, reason="forgotten")
            await slices.run(self._db, archived, archive, lambda _done, _total: None, scoped=True)
            if deletes:
                record = partial(_erase_record, call=call, person=person, so_far=progress.so_far)
                await self._erasing.at_once(record, progress)
                await self._erasing.finish(progress)
        return await self._result(progress.so_far)

    async def _dry_run(
        self,
        call: Call,
        params: ForgetParams,
        person: int,
        about: list[int],
        so_far: SoFar,
        going: Mentions,
    ) -> ForgetResult:
        def count(tx: Tx) -> Counter[str]:
            selected = Selection(about if params.erase else [])
            if params.delete_person_record or params.erase:
                named = set(going.rows.get("entities", []))
                selected = replace(
                    selected,
                    people=[] if so_far.record_kept else merges.family(tx, person),
                    entities=[one for one in _entities(tx, call, person) if one not in named],
                )
            rows = engine.found(tx, selected)
            return rows + _of_mentions(tx, going) if going.rows else rows

        so_far.rows = dict(await self._db.read(count))
        so_far.archived = 0 if params.erase else len(about)
        return await self._result(so_far)

    async def _result(self, found: SoFar) -> ForgetResult:
        rows = Counter(found.rows)
        return ForgetResult(
            archived=found.archived,
            erased=rows["memories"],
            receipt=await self._erasing.receipt(rows),
            record_kept=found.record_kept,
            withdrawal_id=found.withdrawal_id,
            mentions=found.mentions,
            left=found.left,
        )

    async def _erase_mentions(
        self, call: Call, person: int, found: Mentions, progress: Resumable
    ) -> None:
        for _ in range(_LOOKS):
            if not found.rows:
                break
            await self._erasing.these("forget_person", _texts(found), progress)
            others = partial(mentions.erase_others, call=call, person=person, rows=found.rows)
            await self._erasing.at_once(others, progress)
            found = await self._mentions(call, person, [])

    async def _mentions(self, call: Call, person: int, linked: list[int]) -> Mentions:
        """Look through all texts of the scope, on a connection and a thread of its own."""

        def look() -> Mentions:
            with self._db.snapshot() as tx:
                return mentions.find(tx, call, person, linked)

        return await anyio.to_thread.run_sync(look)


def _about(
    tx: Tx, *, call: Call, params: ForgetParams, progress: Resumable
) -> tuple[int, list[int]]:
    """Return the person, and the memories about it that are to be archived or erased."""
    viewer = call.look(tx)
    person = directory.find(tx, viewer, params.person_id)
    if progress.so_far.person not in {None, people.by_id(tx, person).uuid}:
        raise _merged()
    return person, _of_person(tx, viewer, person, archived=params.erase)


def _linked(tx: Tx, *, call: Call, person: int) -> Selection:
    _require_unmerged(tx, person)
    return Selection(_of_person(tx, call.look(tx), person, archived=True))


def _require_unmerged(tx: Tx, person: int) -> None:
    """Refuse to go on with a person whose memories and names are another's by now.

    Raises:
        errors.Conflict
    """
    if people.final(tx, person) != person:
        raise _merged()


def _merged() -> errors.Conflict:
    return errors.Conflict(
        "The person was merged into another one during the call.",
        "What was done until then stays. See who the person is now (`person.get`), and call again"
        " with a new idempotency_key to forget that one.",
    )


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


def _begin(
    tx: Tx, *, call: Call, person: int, archived: list[int], erases: bool, progress: Resumable
) -> list[int]:
    """Record the call, and what is archived as one act; return what is left to archive."""
    _require_unmerged(tx, person)
    if not (found := people.by_ids(tx, [person])):
        raise errors.NotFound("No such person.")
    call.record(tx)
    if erases:
        traces.note_left(tx)
    progress.so_far.person = found[0].uuid
    return withdraw.begin(tx, archived, progress)


def _texts(found: Mentions) -> Selection:
    return Selection(found.rows.get("memories", []), found.rows.get("messages", []))


def _of_mentions(tx: Tx, found: Mentions) -> Counter[str]:
    """Count what erasing the mentions would remove."""
    others = Counter({kind: len(rows) for kind, rows in found.rows.items()})
    del others["memories"], others["messages"], others["summaries"]
    return others + engine.found(tx, _texts(found))


def _why_kept(tx: Tx, call: Call, person: int) -> str | None:
    if chats.accounts_of(tx, person):
        return "account"
    viewer = call.look(tx)
    alone = viewer.everything or edit.tells_alone(tx, viewer, person)
    return None if alone else "others"


def _entities(tx: Tx, call: Call, person: int) -> list[int]:
    """Return the entities of the graph that are the person."""
    family = merges.family(tx, person)
    keys = {normalise(name) for _, name in people_names.of(tx, family)}
    return people_erasure.entities_that_are(tx, call.look(tx), family, keys)


def _erase_entities(tx: Tx, *, call: Call, person: int) -> Counter[str]:
    _require_unmerged(tx, person)
    return texts.take(tx, "entity", _entities(tx, call, person), erase=True)


def _erase_record(tx: Tx, *, call: Call, person: int, so_far: SoFar) -> Counter[str]:
    """Erase the record, unless there is a reason to keep it, by now or when the call began."""
    counted = _erase_entities(tx, call=call, person=person)
    so_far.record_kept = so_far.record_kept or _why_kept(tx, call, person)
    if so_far.record_kept is None:
        counted += people_erasure.erase_record(tx, person)
    return counted
