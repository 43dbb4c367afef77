"""Memories for the wire, with only the people and chats that the viewer may know.

A memory shown outside the chat where it was learned names neither that chat nor a speaker whom the
viewer never met, and its people have the ids by which they are known here.
"""

from collections.abc import Sequence

from ashd.clock import to_text
from ashd.memory import model
from ashd.memory.model import Conflict, Memory, Relation
from ashd.people import met_accounts
from ashd.people import model as people_model
from ashd.store import memories as stored
from ashd.store import memory_links
from ashd.store.database import Tx
from ashd.store.memories import Record, is_active
from ashd.store.visibility import Viewer


def memories(
    tx: Tx, viewer: Viewer, records: Sequence[Record], *, shown: frozenset[str] | None = None
) -> list[Memory]:
    """Return the memories as the viewer gets them; `shown` as in `model.to_wire`."""
    seen = stored.as_seen(tx, viewer, list(records))
    conflicts = _conflicts(tx, viewer, seen)
    return [
        model.to_wire(one, now=tx.now, shown=shown, conflicts=conflicts.get(one.id, ()))
        for one in _known(tx, viewer, seen)
    ]


def memory(tx: Tx, viewer: Viewer, record: Record) -> Memory:
    """Return one memory as the viewer gets it."""
    return memories(tx, viewer, [record])[0]


def names(
    tx: Tx, viewer: Viewer, records: Sequence[Record], shown: Sequence[Memory]
) -> dict[str, str]:
    """Return the names of the people that memories are about, by their ids on the wire.

    `shown` are the records as the viewer gets them.
    """
    about = [number for record in records for number, _ in model.subjects(record)]
    ids = [one for memory in shown for one in memory.subject_person_ids]
    known = people_model.names_for(tx, viewer, set(about))
    return {one: known[number] for one, number in zip(ids, about, strict=True)}


def _conflicts(tx: Tx, viewer: Viewer, records: Sequence[Record]) -> dict[int, list[Conflict]]:
    """Return the conflicts of active memories with others that the viewer may see."""
    numbers = {record.id for record in records if is_active(record, tx.now)}
    links = memory_links.conflicts_of(tx, numbers)
    if not links:
        return {}
    ends = {number for link in links for number in (link.newer, link.older)}
    others = stored.by_ids(tx, viewer, list(ends))
    found: dict[int, list[Conflict]] = {}
    for link in links:
        pairs: tuple[tuple[int, int, Relation], ...] = (
            (link.older, link.newer, "newer"),
            (link.newer, link.older, "older"),
        )
        for number, other, relation in pairs:
            if number in numbers and (one := others.get(other)) is not None:
                at = to_text(one.observed_at or one.created_at) or ""
                chance = round(link.chance, 2)
                entry = Conflict(one.uuid, relation, chance, at, one.content)
                found.setdefault(number, []).append(entry)
    return found


def _known(tx: Tx, viewer: Viewer, records: Sequence[Record]) -> list[Record]:
    if viewer.everything:
        return list(records)
    met = met_accounts.among(tx, viewer, {n for one in records for n in (one.owner, one.stated_by)})
    places: set[int | None] = {viewer.chat}
    # Most memories are the viewer's own, learned in private: then it does not matter who met whom.
    if any(one.learned_type != "private" for one in records):
        places = set(met_accounts.places(tx, viewer))
    ids: dict[int, str] = {}
    if viewer.group:
        persons = {number for one in records for number, _ in model.subjects(one)}
        ids = people_model.ids_for(tx, viewer, persons)
    return [_masked(one, ids, met, is_here=one.learned_in in places) for one in records]


def _masked(record: Record, ids: dict[int, str], met: set[int], *, is_here: bool) -> Record:
    if ids:
        record = model.with_subject_ids(record, ids)
    if record.owner is not None and record.owner not in met:
        record = record._replace(owner_user_id=None, provider=None)
    if record.stated_by not in met:
        record = record._replace(source_username=None, source_display_name=None)
    if is_here or record.learned_type == "private":
        return record
    provider = record.provider if record.owner is not None else None
    return record._replace(
        chat_id=None, source_session_id=None, source_message_id=None, provider=provider
    )
