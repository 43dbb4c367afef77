"""Memories for the wire, with as much of people and chats in them as the viewer may know.

A memory shown outside the chat where it was learned names neither that chat nor a speaker whom the
viewer never met, and its people have the ids by which they are known here.
"""

import json
from collections.abc import Sequence

from ashd.memory import model
from ashd.memory.model import Memory
from ashd.people import met_accounts
from ashd.people import model as people_model
from ashd.store import memories as stored
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


def memories(
    tx: Tx, viewer: Viewer, records: Sequence[Record], *, shown: frozenset[str] | None = None
) -> list[Memory]:
    """Return the memories as the viewer gets them; `shown` as of `model.to_wire`."""
    seen = stored.as_seen(tx, viewer, list(records))
    return [model.to_wire(one, now=tx.now, shown=shown) for one in _known(tx, viewer, seen)]


def memory(tx: Tx, viewer: Viewer, record: Record) -> Memory:
    """Return one memory as the viewer gets it."""
    return memories(tx, viewer, [record])[0]


def _known(tx: Tx, viewer: Viewer, records: Sequence[Record]) -> list[Record]:
    if viewer.everything:
        return list(records)
    met = met_accounts.among(tx, viewer, {n for one in records for n in (one.owner, one.stated_by)})
    places: set[int | None] = {viewer.chat}
    # The usual memory is one's own, learned in private: then it does not matter who met whom.
    if any(one.learned_type != "private" for one in records):
        places = set(met_accounts.places(tx, viewer))
    ids: dict[int, str] = {}
    if viewer.group:
        persons = {number for one in records for number, _ in model.subjects(one)}
        ids = people_model.ids_for(tx, viewer, persons)
    return [_masked(one, ids, met, is_here=one.learned_in in places) for one in records]


def _masked(record: Record, ids: dict[int, str], met: set[int], *, is_here: bool) -> Record:
    if ids:
        subjects = [(number, ids.get(number, uuid)) for number, uuid in model.subjects(record)]
        record = record._replace(subjects=json.dumps(subjects))
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
