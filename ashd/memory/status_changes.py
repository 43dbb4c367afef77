"""Changes of a memory's status: superseded, archived, restored.

The invariant: `superseded_until` of a memory is the time until which a later memory of its chain is
active. Every change of a winner here keeps it true, so a read only compares two numbers, and when a
winner ends the loser is active again by itself (A12).
"""

from collections.abc import Collection

from ashd.clock import FOREVER
from ashd.memory import expiry
from ashd.store import (
    embeddings,
    joined_changes,
    meant,
    memories,
    memory_events,
    memory_links,
    passages,
    people,
    settled_pairs,
    subjects,
)
from ashd.store.database import Tx
from ashd.store.joined_changes import PAIR, SUBJECTS
from ashd.store.meant import Meant
from ashd.store.memories import Record


def supersede(tx: Tx, loser: Record, winner: int, reason: str) -> None:
    """Supersede `loser` by `winner`, with the reason for the history.

    If it is superseded already, by what the caller may not read, the winner comes after that one:
    each reader gets the latest that they may read.
    """
    last = _last_before(tx, loser.id, winner)
    memories.change(tx, last, {"superseded_at": tx.now, "superseded_by": winner})
    memory_events.add(tx, loser.id, "superseded", reason, newer=winner)
    settle(tx, winner)


def _last_before(tx: Tx, number: int, winner: int) -> int:
    """Return the last memory that supersedes a memory now and does not lead to `winner`."""
    later = {winner, *_above(tx, winner)}
    for one in _above(tx, number):
        if one in later or memories.by_id(tx, number).superseded_until <= tx.now:
            break
        number = one
    return number


def _above(tx: Tx, number: int) -> list[int]:
    """Return the later memories of a chain, nearest first."""
    found: list[int] = []
    above = memories.by_id(tx, number).superseded_by
    while above is not None and above not in found:
        found.append(above)
        above = memories.by_id(tx, above).superseded_by
    return found


def settle(tx: Tx, winner: int) -> None:
    """Hide the memories that this one superseded, as long as it or its own winner is active."""
    waiting = [winner]
    while waiting:
        record = memories.by_id(tx, waiting.pop())
        for loser in memories.losers(tx, record.id):
            was = memories.by_id(tx, loser)
            until = max(_hides_until(record, was), record.superseded_until)
            if was.superseded_until != until:
                memories.hide_until(tx, loser, until)
                waiting.append(loser)
                if until <= tx.now and was.archive_reason == "superseded":
                    unarchive(tx, was)


def leave_chain(tx: Tx, record: Record) -> None:
    """Take a memory out of its chain before it is erased.

    Its losers are then superseded by its own winner, or active again if it has none.
    """
    for loser in memories.losers(tx, record.id):
        if record.superseded_by is not None:
            memories.change(tx, loser, {"superseded_by": record.superseded_by})
            continue
        was = memories.by_id(tx, loser)
        release(tx, was)
        if record.archive_reason == "evicted" and _share_a_cap(record, was):
            archive(tx, memories.by_id(tx, loser), "evicted")
        elif was.archive_reason == "superseded":
            unarchive(tx, was)
    if record.superseded_by is not None:
        settle(tx, record.superseded_by)


def let_last(tx: Tx, record: Record) -> None:
    """Bring back an expired or faded memory: it gets no expiry, and a type that lasts."""
    kind = "knowledge" if record.memory_type in expiry.FADES_AFTER else record.memory_type
    values = {"expires_at": None, "ends_at": FOREVER, "memory_type": kind}
    memories.change(tx, record.id, values)
    settle(tx, record.id)


def release(tx: Tx, loser: Record) -> None:
    """Remove the winner of a memory, so that nothing supersedes the memory."""
    values = {"superseded_at": None, "superseded_by": None, "superseded_until": 0}
    memories.change(tx, loser.id, values)
    settle(tx, loser.id)


def part_accounts(tx: Tx, ones: Collection[int], others: Collection[int]) -> None:
    """Undo that a memory of an account is superseded by a memory that the account no longer sees.

    `ones` and `others` are the accounts of two people who were one. A later memory of the account
    itself, further up the chain, takes the winner's place; without such a memory the loser is
    active again.
    """
    _undo_changes(tx, ones, others)
    _undo_changes(tx, others, ones)
    parted = [
        (number, _winner_of(tx, number, own))
        for own, away in ((ones, others), (others, ones))
        for number in memories.superseded_by_others(tx, own, away)
    ]
    for number, winner in parted:
        if winner is not None:
            memories.change(tx, number, {"superseded_by": winner})
            settle(tx, winner)
            continue
        _bring_back(tx, memories.by_id(tx, number))


def _undo_changes(tx: Tx, owners: Collection[int], accounts: Collection[int]) -> None:
    """Undo what some accounts changed of the memories of others, unless these changed it since."""
    for change in joined_changes.between(tx, owners, accounts):
        record = memories.by_id(tx, change.memory)
        now = record._asdict() | {SUBJECTS: subjects.of(tx, record.id)}
        if PAIR in change.was:
            now[PAIR] = settled_pairs.state(tx, change.was[PAIR]["newer"], record.id)
        values = {name: was for name, was in change.was.items() if now[name] == change.became[name]}
        before = values.pop(SUBJECTS, None)
        if before is not None:
            rows = [row for row, _ in before["meant"] if row] or before["people"]
            persons = [people.final(tx, row) for row in rows]
            subjects.replace(tx, record.id, persons, read=before.get("read", False))
            named = {int(person): words for person, words in before["named"].items()}
            subjects.set_references(tx, record.id, named)
            meant.set_subjects(tx, record.id, [Meant(*row) for row in before["meant"]])
        pair = values.pop(PAIR, None)
        if pair is not None:
            settled_pairs.restore(tx, pair, record.id)
            _restore_winner(tx, record, *pair["winner"])
        if not values:
            continue
        is_archived = values.pop("archived_at", record.archived_at) is not None
        reason = values.pop("archive_reason", record.archive_reason)
        memories.change(tx, record.id, values)
        record = memories.by_id(tx, record.id)
        if is_archived and record.archived_at is None:
            archive(tx, record, reason)
        elif not is_archived and record.archived_at is not None:
            unarchive(tx, record)
        settle(tx, record.id)
    joined_changes.forget(tx, owners, accounts)
    memory_links.part(tx, owners, accounts)


def _bring_back(tx: Tx, was: Record) -> None:
    release(tx, was)
    if was.archive_reason == "superseded":
        unarchive(tx, memories.by_id(tx, was.id))


def _restore_winner(tx: Tx, record: Record, winner: int | None, at: int | None) -> None:
    if winner == record.superseded_by:
        return
    if winner is None:
        _bring_back(tx, record)
    else:
        memories.change(tx, record.id, {"superseded_at": at, "superseded_by": winner})
        settle(tx, winner)


def _winner_of(tx: Tx, number: int, owners: Collection[int]) -> int | None:
    """Return the next memory of these owners in the chain that superseded a memory."""
    winner = memories.by_id(tx, number).superseded_by
    while winner is not None:
        record = memories.by_id(tx, winner)
        if record.owner in owners:
            break
        winner = record.superseded_by
    return winner


def _hides_until(winner: Record, loser: Record) -> int:
    """Return the time until which the winner itself hides the loser: its end, or 0 if archived."""
    # A winner that the cap archived still supersedes its loser, but no cap of a member's takes
    # away what is the group's.
    still_hides = {"superseded", *(["evicted"] if _share_a_cap(winner, loser) else [])}
    if winner.archived_at is not None and winner.archive_reason not in still_hides:
        return 0
    return min(winner.ends_at, FOREVER)


def _share_a_cap(one: Record, other: Record) -> bool:
    """Return whether both belong to one chat, or both to people."""
    return one.chat == other.chat


def archive(tx: Tx, record: Record, reason: str) -> None:
    """Archive the memory: no default read shows it, and its vectors leave the index."""
    memories.change(tx, record.id, {"archived_at": tx.now, "archive_reason": reason})
    embeddings.drop_vectors(tx, passages.of_item(tx, passages.MEMORY, record.id))
    settle(tx, record.id)


def unarchive(tx: Tx, record: Record) -> None:
    """Undo `archive`; the vectors are computed again."""
    memories.change(tx, record.id, {"archived_at": None, "archive_reason": None})
    for passage in passages.of_item(tx, passages.MEMORY, record.id):
        embeddings.enqueue(tx, passage)
    settle(tx, record.id)
