"""Store one fact in a transaction: its people, its index, its effect on earlier facts (A1).

The opinions on earlier facts were formed before the transaction (`opinions`); the verdicts are
decided in it (`verdicts`). Used by `memory.add` and by extraction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import msgspec

from ashd import errors, limits
from ashd.access import disclosure
from ashd.access.actor import Call
from ashd.clock import HOUR
from ashd.memory import (
    conflict_jobs,
    entry_limit,
    expiry,
    fact_people,
    model,
    ownership,
    protection,
    status_changes,
    verdicts,
)
from ashd.memory.add_result import Added, added
from ashd.memory.fact_people import FactPeople
from ashd.memory.incoming_facts import Prepared
from ashd.memory.judge import Opinion
from ashd.memory.opinions import Opinions
from ashd.memory.statements import statement
from ashd.memory.supersede import Newer, may_confirm, to_supersede
from ashd.memory.verdicts import IMPORTED, Scope, Verdicts
from ashd.people import resolve
from ashd.people.joining import Join
from ashd.search import indexing
from ashd.search.indexing import TextVectors
from ashd.store import memories, memory_events, memory_links, passages, people
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer


@dataclass(frozen=True, slots=True)
class Storing:
    """The account on whose behalf facts are stored, and the vectors of their texts."""

    call: Call
    vectors: TextVectors
    waits_for_vectors: bool
    """Whether facts without vectors will get them later, and are judged then."""
    judged_by_model: bool = False
    """Whether a language model judges what the rule leaves open."""
    is_quoted: bool = False
    """Whether somebody without an account said the fact, so that its speaker is unknown."""
    max_entries: int | None = None
    """The largest number of memories of the owner, or of the chat."""
    said_at: int | None = None
    """The time of the turn in which the fact was said; None for a caller's own statement."""

    def speaker(self, tx: Tx, viewer: Viewer) -> Account | None:
        """Return the account that states the fact, if known."""
        return None if self.is_quoted else self.call.speaker(tx, viewer)

    def time_of(self, tx: Tx, fact: Prepared) -> int:
        """Return when the fact was said, by which the presence of others is decided.

        A sandbox does not choose this time, and the time is never in the future: somebody who joins
        until then was not present.
        """
        said_at = self.said_at
        if said_at is None and self.call.actor.kind == "operator":
            said_at = fact.observed_at
        return tx.now if said_at is None else min(said_at, tx.now)


class Stored(NamedTuple):
    """The entry of a fact, its memory's row number and id, and the two people that it merged."""

    entry: Added
    number: int
    id: str
    joined: Join | None


def by_memory(opinions: Opinions, stored: Sequence[int | None]) -> dict[int, Opinion]:
    """Return the opinions by memory; earlier facts of the call are named by their rows."""
    of_call = ((stored[position], opinion) for position, opinion in opinions.of_call.items())
    return opinions.of_stored | {row: opinion for row, opinion in of_call if row is not None}


def store(
    tx: Tx,
    by: Storing,
    viewer: Viewer,
    fact: Prepared,
    opinions: dict[int, Opinion],
    *,
    may_join: bool,
    is_read_later: bool = False,
    may_ask: bool = False,
) -> Stored:
    """Store a fact, unless it exists already; it joins two people at most, and only if it may.

    If `is_read_later`, earlier facts are still to be read beside it, once it is stored. If
    `may_ask`, the reply asks about the likeliest conflict.

    Raises:
        errors.AshError: it is refused, and the transaction is to be rolled back to before it.
    """
    if fact.shared and not viewer.group:
        raise errors.InvalidParams(
            "shared belongs to a group.", "Leave it out in a private chat: the fact is yours."
        )
    account = by.speaker(tx, viewer)
    said_at = by.time_of(tx, fact)
    speaker = resolve.speaker_of(tx, viewer, account, fact.sensitivity, said_at)
    read = fact.read_subjects if by.call.actor.source != IMPORTED else ()
    about = fact_people.resolve(
        *(tx, speaker, fact.content, fact.subjects, read), may_join=may_join
    )
    created = {one.person for one in about.told if one.found.created}
    may_be = {one.person: one.found.may_be for one in about.told}
    # A group grant reads and writes as the chat, so its memories belong to the chat.
    is_chats = fact.shared or viewer.account is None
    scope = Scope(
        () if is_chats else viewer.accounts,
        viewer.chat if is_chats else None,
        group=viewer.chat if viewer.group else None,
        speaker=account.id if account else None,
    )
    as_told = partial(
        statement,
        fact.content,
        subjects=about.given,
        stater=people.final(tx, account.person) if account else None,
        in_first_person=fact.first_person,
        fades=not fact.lasts,
        is_event=fact.memory_type == "event",
        stated_at=tx.now,
        observed_at=fact.observed_at,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
    )
    newer = as_told(of_group=is_chats)
    waits = by.waits_for_vectors and not all(piece in by.vectors for piece in fact.pieces)
    as_newer = Newer(
        scope=scope,
        statement=newer,
        subjects=frozenset(about.given),
        memory_type=fact.memory_type,
        learned_in=viewer.chat,
        sensitivity=fact.sensitivity,
        portable=fact.portable,
    )
    on_older = verdicts.judge(
        tx,
        viewer,
        newer,
        to_group=as_told(of_group=True),
        key=fact.content_key,
        scope=scope,
        stated_by=account.id if account else None,
        sensitivity=fact.sensitivity,
        portable=fact.portable,
        opinions=opinions,
        may_confirm=partial(may_confirm, tx, viewer, as_newer),
        is_preliminary=waits,
    )
    if by.call.actor.source == IMPORTED:
        on_older = on_older.replacing_nothing()
    if fact.supersedes is not None:
        named = to_supersede(tx, viewer, fact.supersedes, as_newer)
        if named.id in {record.id for record, _ in on_older.same}:
            raise errors.InvalidParams(
                "A memory cannot supersede itself, and the words are the same.",
                "Leave supersedes out: the fact is stored already.",
            )
        on_older = on_older.only_replacing(named)
    if (same := _same(tx, by.call, viewer, fact, on_older)) is not None:
        memory_events.add(tx, same.id, "duplicate", "same_words", said_in=viewer.chat)
        superseded = _supersede(tx, on_older, same.id) if fact.supersedes else []
        same, not_kept = _keep_details(tx, by.call, viewer, memories.by_id(tx, same.id), fact)
        entry = msgspec.structs.replace(
            added(tx, viewer, "duplicate", same, superseded, created, may_be), not_kept=not_kept
        )
        return Stored(entry, same.id, same.uuid, about.joined)
    number = _insert(
        *(tx, by.call, viewer, account, fact, about), is_chats=is_chats, said_at=said_at
    )
    if about.told:
        fact_people.write(tx, number, about)
    assert viewer.chat is not None
    indexing.index(
        tx,
        kind=passages.MEMORY,
        item=number,
        chat=viewer.chat,
        pieces=fact.pieces,
        at=fact.observed_at or tx.now,
        vectors=by.vectors,
    )
    if is_read_later or (fact.is_statement and waits):
        memory_links.judge_later(tx, number)
    superseded = _supersede(tx, on_older, number)
    verdicts.record_links(tx, number, on_older)
    for older, _ in on_older.repeats:
        _tighten(tx, by.call, viewer, older, fact)
    record = memories.by_id(tx, number)
    entry_limit.archive_surplus(tx, record, by.max_entries)
    asked = on_older.to_ask() if may_ask else None
    entry = added(tx, viewer, "added", record, superseded, created, may_be, asked)
    if by.judged_by_model and (job := conflict_jobs.put(tx, record)) is not None:
        entry = msgspec.structs.replace(entry, job_id=job)
    return Stored(entry, number, record.uuid, about.joined)


def _same(tx: Tx, call: Call, viewer: Viewer, fact: Prepared, on_older: Verdicts) -> Record | None:
    """Return the memory with the same words, made as strict as the new fact asks (A10).

    A speaker cannot change what somebody else said: then the stricter fact is stored. Told to
    another account, it is stored as well: each keeps its own when they are parted (B9).
    """
    for record, _ in on_older.same:
        if record.owner is not None and record.owner != viewer.account:
            on_older.repeats.append((record, "same_words"))
            continue
        changes = _stricter(tx, record, fact)
        if changes and not _may_tighten(call, viewer, record, changes):
            on_older.repeats.append((record, "same_words"))
            continue
        if changes:
            memories.change(tx, record.id, changes)
            status_changes.settle(tx, record.id)
        return record
    return None


def _keep_details(
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
    expires_at = _expires_at(tx, fact)
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


def _tighten(tx: Tx, call: Call, viewer: Viewer, older: Record, fact: Prepared) -> None:
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


def _stricter(tx: Tx, record: Record, fact: Prepared) -> dict[str, object]:
    """Return the columns in which a repeated fact asks for more protection than the memory has."""
    changes: dict[str, object] = {}
    wanted = disclosure.stricter(record.sensitivity, fact.sensitivity)
    if fact.labelled and wanted != record.sensitivity:
        changes["sensitivity"] = wanted
    if record.portable and not fact.portable:
        changes["portable"] = False
    expires_at = _expires_at(tx, fact)
    if expires_at is not None and expires_at < record.ends_at:
        changes |= {"expires_at": expires_at, "ends_at": expires_at}
    return changes


def _supersede(tx: Tx, on_older: Verdicts, winner: int) -> list[str]:
    """Supersede the memories that a memory replaces; return their ids."""
    if not on_older.replaces:
        return []
    for record, reason in on_older.replaces:
        status_changes.supersede(tx, record, winner, reason)
        protection.inherit(tx, winner, record)
    losers = memories.losers(tx, winner)
    return [record.uuid for record, _ in on_older.replaces if record.id in losers]


def _expires_at(tx: Tx, fact: Prepared) -> int | None:
    expires_at = fact.expires_at if fact.expires_in is None else tx.now + fact.expires_in
    if expires_at is not None and expires_at <= tx.now:
        raise errors.InvalidParams("expires_at is in the past.", "Give a time to come.")
    return expires_at


def _insert(
    tx: Tx,
    call: Call,
    viewer: Viewer,
    account: Account | None,
    fact: Prepared,
    about: FactPeople,
    *,
    is_chats: bool,
    said_at: int,
) -> int:
    """Insert the row of a new memory; return its number."""
    expires_at = _expires_at(tx, fact)
    return memories.insert(
        tx,
        {
            "uuid": tx.new_id(),
            "version": model.SCHEMA_VERSION,
            "revision": 1,
            "content": fact.content,
            "content_key": fact.content_key,
            "first_person": fact.first_person,
            "memory_type": fact.memory_type,
            "created_at": tx.now,
            "observed_at": fact.observed_at,
            "said_at": said_at,
            "owner": None if is_chats else viewer.account,
            "chat": viewer.chat if is_chats else None,
            "learned_in": viewer.chat,
            "learned_type": "group" if viewer.group else "private",
            "stated_by": account.id if account else None,
            "source": call.actor.source,
            "source_username": account.username if account else None,
            "source_display_name": account.display_name if account else None,
            "source_session_id": call.session_id,
            "source_message_id": call.message_id,
            "grant_id": call.actor.grant_id,
            "extraction_confidence": fact.confidence,
            "sensitivity": fact.sensitivity,
            "portable": fact.portable,
            "expires_at": expires_at,
            "ends_at": expiry.ends_at(
                *(fact.memory_type, expires_at, fact.observed_at, tx.now),
                valid_from=fact.valid_from,
                valid_until=fact.valid_until,
            ),
            "valid_from": fact.valid_from,
            "valid_until": fact.valid_until,
            "tags": fact.tags,
            "metadata": fact.metadata,
            "superseded_at": None,
            "superseded_by": None,
            "superseded_until": 0,
            "archived_at": None,
            "archive_reason": None,
            "last_accessed_at": None,
            "access_count": 0,
        },
        about.persons,
        are_read=about.are_read,
    )
