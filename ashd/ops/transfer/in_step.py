"""Keep memories in step with the notes that they came from.

A passage is recognised by its file and its words. A new passage replaces a passage that is gone
from under the same heading; the memories of all other gone passages are archived. They come back
with `ash memory restore`, or when the note has the words again.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from ashd.access.actor import Call
from ashd.memory import ownership, status_changes
from ashd.ops.transfer.formats.items import FactItem, SourceItem
from ashd.store import memories
from ashd.store.transaction import Tx
from ashd.store.transfer import ImportedPassage

REMOVED: Final = "source_removed"
"""The reason in the archive of memories whose passages are gone."""


class Plan(NamedTuple):
    """The changes that bring memories in step with their notes."""

    new: list[FactItem]
    known: int
    """The number of passages that are stored already."""
    gone: list[int]
    """The memories whose passages are gone, earlier ones first."""


def plan(
    facts: Sequence[FactItem],
    stored: Sequence[ImportedPassage],
    sources: Iterable[SourceItem],
    root: str,
) -> Plan:
    """Compare the passages of the notes that were read with those stored."""
    by_file = {source.file: source.is_whole for source in sources}
    unread = [file for file, is_whole in by_file.items() if not is_whole]
    present = {fact.identifier for fact in facts}
    by_number = {one.memory: one for one in stored}
    known = {one.identifier for one in stored if _is_known(one, by_number)}
    gone: dict[tuple[str, str], list[ImportedPassage]] = defaultdict(list)
    for one in stored:
        is_inside = _is_below(one.file, root) and not any(_is_below(one.file, up) for up in unread)
        if is_inside and one.identifier not in present:
            gone[one.file, one.heading].append(one)
    new: list[FactItem] = []
    for fact in facts:
        if fact.identifier in known:
            continue
        known.add(fact.identifier)
        older = gone.get(_place(fact), [])
        replaced = next((one for one in older if one.is_active), None)
        if replaced is None:
            new.append(fact)
        else:
            older.remove(replaced)
            new.append(fact._replace(supersedes=replaced.uuid))
    left = [one for at_place in gone.values() for one in at_place if _can_go(one, at_place)]
    return Plan(new, len(facts) - len(new), sorted(one.memory for one in left))


def _place(fact: FactItem) -> tuple[str, str]:
    metadata = fact.metadata or {}
    return metadata.get("file", ""), metadata.get("heading", "")


def _is_below(file: str, folder: str) -> bool:
    return file == folder or file.startswith(folder.rstrip("/") + "/")


def _is_known(one: ImportedPassage, by_number: dict[int, ImportedPassage]) -> bool:
    """Return whether a passage needs no storing: it is active, or somebody deleted its memory.

    A passage that was archived because it was gone, or was replaced by a later version of its own
    note, is stored again if its words are back.
    """
    if one.archive_reason not in {None, "superseded"}:
        return one.archive_reason != REMOVED
    later = by_number.get(one.superseded_by or 0)
    return one.is_active or later is None or later.file != one.file


def _can_go(one: ImportedPassage, at_place: Collection[ImportedPassage]) -> bool:
    """Return whether a memory is archived: it is active, or would be once its successor is."""
    if one.archive_reason not in {None, "superseded"}:
        return False
    return one.is_active or any(other.is_active for other in at_place)


def archive(tx: Tx, call: Call, numbers: Sequence[int]) -> int:
    """Archive memories whose passages are gone, as far as the caller may; return their number."""
    viewer = call.enter(tx)
    found = memories.by_ids(tx, viewer, numbers)
    done = 0
    for number in numbers:
        record = found.get(number)
        if record is not None and ownership.may_change(viewer, record):
            done += memories.is_active(record, tx.now)
            status_changes.archive(tx, record, REMOVED)
    if done:
        call.record(tx)
    return done
