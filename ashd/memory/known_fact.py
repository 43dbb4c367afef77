"""A fact that is stored already, in the same words or in others: what a repetition adds to it.

A repetition makes a memory as strict as it asks, where its caller may, and never more open.
"""

from collections.abc import Mapping

import msgspec

from ashd import limits
from ashd.access import disclosure, readers
from ashd.access.actor import Call
from ashd.clock import HOUR
from ashd.memory import ownership, protection, status_changes
from ashd.memory.incoming_facts import Prepared
from ashd.memory.verdicts import Verdicts
from ashd.store import memories
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


def find(
    tx: Tx, call: Call, viewer: Viewer, fact: Prepared, on_older: Verdicts, project: str | None
) -> Record | None:
    """Return the memory with the same words, made as strict as the new fact asks (A10).

    A speaker cannot change what somebody else said: then the stricter fact is stored. Told to
    another account, it is stored as well: each keeps its own when they are parted (B9). So is what
    was known in one project only, and what is now told to people who did not hear it before: they
    may read it only if it is stored as told to them.
    """
    for record, _ in on_older.same:
        is_wider = record.project not in {None, project} or _has_new_listeners(tx, viewer, record)
        if is_wider or (record.owner is not None and record.owner != viewer.account):
            on_older.repeats.append((record, "same_words"))
            continue
        changes = _stricter(tx.now, record, fact)
        if changes and not _may_tighten(call, viewer, record, changes):
            on_older.repeats.append((record, "same_words"))
            continue
        if changes:
            memories.change(tx, record.id, changes)
            status_changes.settle(tx, record.id)
        return record
    return None


def _has_new_listeners(tx: Tx, viewer: Viewer, record: Record) -> bool:
    """Return whether a group hears what was told elsewhere, or in its chat without some of them."""
    if not viewer.group:
        return False
    heard = readers.present(tx, record) if record.learned_in == viewer.chat else frozenset[int]()
    return not heard.issuperset(viewer.audience)


def keep_details(
    tx: Tx, call: Call, viewer: Viewer, same: Record, fact: Prepared
) -> tuple[Record, list[str]]:
    """Add a repeated fact's tags to the memory; return it, and the fields that stay (A10).

    A tag that makes the fact visible to fewer people is not added to a memory that more people see.
    """
    had, told = (msgspec.json.decode(one.tags, type=list[str]) for one in (same, fact))
    tags = list(dict.fromkeys([*had, *told]))
    is_closer = protection.is_stricter(same, fact.sensitivity, portable=True)
    may_add = _may_tighten(call, viewer, same, {}) and not is_closer
    add_tags = tags != had and may_add and len(tags) <= limits.TAGS_PER_FACT
    if add_tags:
        memories.change(tx, same.id, {"tags": msgspec.json.encode(tags).decode()})
    expires_at = fact.expires_by(tx.now)
    differ = {
        "tags": tags != had and not add_tags,
        "type": fact.memory_type not in {"knowledge", same.memory_type},
        "observed_at": fact.observed_at not in {None, same.observed_at},
        "metadata": _metadata(fact) not in (None, _metadata(same)),
        "valid_from": fact.valid_from not in {None, same.valid_from},
        "valid_until": fact.valid_until not in {None, same.valid_until},
        "expires_at": expires_at is not None and expires_at > same.ends_at + HOUR,
    }
    return memories.by_id(tx, same.id), [name for name, differs in differ.items() if differs]


def _metadata(one: Prepared | Record) -> object:
    """Return metadata whose keys may be in any order; None if there is none."""
    return msgspec.json.decode(one.metadata or "null") or None


def tighten(tx: Tx, call: Call, viewer: Viewer, older: Record, fact: Prepared) -> None:
    """Protect a memory that a fact repeats in other words as the fact asks, if it may."""
    label = fact.sensitivity if fact.labelled else None
    if _may_tighten(call, viewer, older, {}):
        protection.tighten(tx, older, label, portable=fact.portable)


def _may_tighten(call: Call, viewer: Viewer, record: Record, changes: Mapping[str, object]) -> bool:
    """Return whether a repetition may change the memory: it must be the caller's, in its own place.

    An earlier end counts as forgetting.
    """
    is_here = disclosure.may_change(viewer, record.learned_in, record.learned_type)
    may_end = "ends_at" not in changes or "forget" in call.actor.rights
    return ownership.is_own(viewer, record) and is_here and may_end


def _stricter(now: int, record: Record, fact: Prepared) -> dict[str, object]:
    """Return the columns in which a repeated fact asks for more protection than the memory has."""
    changes: dict[str, object] = {}
    wanted = disclosure.stricter(record.sensitivity, fact.sensitivity)
    if fact.labelled and wanted != record.sensitivity:
        changes["sensitivity"] = wanted
    if record.portable and not fact.portable:
        changes["portable"] = False
    expires_at = fact.expires_by(now)
    if expires_at is not None and expires_at < record.ends_at:
        changes |= {"expires_at": expires_at, "ends_at": expires_at}
    return changes
