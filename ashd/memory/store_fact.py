"""Store one fact in a transaction: its people, its index, its effect on earlier facts (A1).

The opinions on earlier facts were formed before the transaction (`opinions`); the verdicts are
decided in it (`verdicts`). Used by `memory.add` and by extraction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import msgspec

from ashd import errors
from ashd.access.actor import Call
from ashd.access.scope import Project
from ashd.memory import (
    conflict_jobs,
    expiry,
    fact_people,
    known_fact,
    model,
    protection,
    status_changes,
    validation,
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
from ashd.store import cleanup, memories, memory_events, memory_links, passages
from ashd.store.chats import Account
from ashd.store.cleanup import Places
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
    """Return opinions by the row of the memory; earlier facts of the same call have rows by now."""
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
    begun: int | None = None,
) -> Stored:
    """Store a fact, unless it exists already; it joins two people at most, and only if it may.

    If `is_read_later`, earlier facts are still to be read beside it, once it is stored. If
    `may_ask`, the reply asks about the likeliest conflict. Those of a call that has `begun` in an
    earlier transaction share a question about their conflicts.

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
    project = _project(tx, by.call, viewer, fact)
    scope = Scope(
        () if is_chats else viewer.accounts,
        viewer.chat if is_chats else None,
        group=viewer.chat if viewer.group else None,
        speaker=account.id if account else None,
        project=project.id if project else None,
    )
    as_told = partial(
        statement,
        fact.content,
        subjects=about.given,
        stater=account.person if account else None,
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
    if (same := known_fact.find(tx, by.call, viewer, fact, on_older, scope.project)) is not None:
        memory_events.add(tx, same.id, "duplicate", "same_words", said_in=viewer.chat)
        superseded = _supersede(tx, on_older, same.id) if fact.supersedes else []
        now = memories.by_id(tx, same.id)
        same, not_kept = known_fact.keep_details(tx, by.call, viewer, now, fact)
        entry = msgspec.structs.replace(
            added(tx, viewer, "duplicate", same, superseded, created, may_be), not_kept=not_kept
        )
        return Stored(entry, same.id, same.uuid, about.joined)
    number = _insert(
        *(tx, by.call, viewer, account, fact, about),
        is_chats=is_chats,
        said_at=said_at,
        project=project,
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
        known_fact.tighten(tx, by.call, viewer, older, fact)
    record = memories.by_id(tx, number)
    _archive_surplus(tx, record, by.max_entries)
    if on_older == Verdicts():
        memory_links.know_none(tx, number)
    asked = on_older.to_ask() if may_ask else None
    entry = added(tx, viewer, "added", record, superseded, created, may_be, asked)
    if by.judged_by_model and (job := conflict_jobs.put(tx, record, since=begun)) is not None:
        entry = msgspec.structs.replace(entry, job_id=job)
    return Stored(entry, number, record.uuid, about.joined)


def _project(tx: Tx, call: Call, viewer: Viewer, fact: Prepared) -> Project | None:
    """Return the project of a new memory: none for what supersedes a memory of none."""
    told_in = call.scope.told_in
    if told_in is None or fact.everywhere:
        return None
    if fact.everywhere is None and fact.supersedes is not None:
        return model.project_of(validation.find(tx, viewer, fact.supersedes)) and told_in
    return told_in


def _supersede(tx: Tx, on_older: Verdicts, winner: int) -> list[str]:
    """Supersede the memories that a memory replaces; return their ids."""
    if not on_older.replaces:
        return []
    for record, reason in on_older.replaces:
        status_changes.supersede(tx, record, winner, reason)
        protection.inherit(tx, winner, record)
    losers = memories.losers(tx, winner)
    return [record.uuid for record, _ in on_older.replaces if record.id in losers]


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
    project: Project | None,
) -> int:
    """Insert the row of a new memory; return its number."""
    expires_at = fact.expires_by(tx.now)
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
            "project": project.id if project else None,
            "project_name": project.name if project else None,
        },
        about.persons,
        are_read=about.are_read,
    )


def _archive_surplus(tx: Tx, record: Record, most: int | None) -> None:
    """Archive the least valuable memories beyond the limit of the owner or chat; never this one."""
    if most is None:
        return
    place = Places(record.owner, record.chat)
    for number in cleanup.least_valuable(tx, place, most, but=record.id):
        old = memories.by_id(tx, number)
        is_hidden = old.superseded_until > tx.now
        status_changes.archive(tx, old, "superseded" if is_hidden else "evicted")
