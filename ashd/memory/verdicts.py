"""Verdicts on a new fact and the active memories of its scope, inside the writer's transaction.

The opinions were formed on a snapshot; subjects, states and guards are read now, so that a memory
that changed in between is never replaced for what it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ashd.memory import protection, repetitions, same_words
from ashd.memory.judge import NO_OPINION, Opinion, Outcome, by_cuts, decide
from ashd.memory.judge.statement import Statement
from ashd.memory.statements import statement_of
from ashd.store import memories, memory_links
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_RULES: Final = frozenset({"hearsay", "fades", "observed_earlier", "other_time"})
"""Reasons of verdicts that keep both although the words conflict."""
IMPORTED: Final = "import"
"""The source of memories that came from another system."""
_PRELIMINARY: Final = {
    Outcome.REPLACES: Outcome.MAY_REPLACE,
    Outcome.REPEATS: Outcome.KEEP,
}
OFFERED: Final = 3
"""The number of earlier memories that a reply offers for confirmation."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The effects of a new fact on earlier memories, with reasons.

    Nearest first, but for `may_replace`: likeliest first.
    """

    same: list[tuple[Record, str]] = field(default_factory=list)
    replaces: list[tuple[Record, str]] = field(default_factory=list)
    may_replace: list[tuple[Record, str]] = field(default_factory=list)
    repeats: list[tuple[Record, str]] = field(default_factory=list)
    keeps: list[tuple[Record, str]] = field(default_factory=list)
    """The memories that a rule kept although the words conflict."""

    def only_replacing(self, named: Record) -> "Verdicts":
        """Return the verdicts if the caller names what is replaced: nothing else is."""
        replaces = [(named, "supersedes")]
        return Verdicts(
            same=[entry for entry in self.same if entry[0].id != named.id],
            replaces=replaces,
            repeats=[entry for entry in self.repeats if entry[0].id != named.id],
            keeps=self.keeps,
        )

    def replacing_nothing(self) -> "Verdicts":
        """Return the verdicts for an imported fact: its source kept the earlier ones too."""
        return Verdicts(same=self.same, repeats=self.repeats, keeps=self.keeps)


@dataclass(frozen=True, slots=True)
class Scope:
    """The memories that may be changed: those of these owners, or of the chat itself."""

    owners: tuple[int, ...]
    chat: int | None

    def holds(self, record: Record) -> bool:
        """Return whether a memory belongs to the scope."""
        if self.owners:
            return record.owner in self.owners
        return record.owner is None and record.chat == self.chat


def judge(
    tx: Tx,
    viewer: Viewer,
    newer: Statement,
    *,
    key: str | None,
    scope: Scope,
    stated_by: int | None,
    sensitivity: str | None,
    portable: bool,
    opinions: Mapping[int, Opinion],
    may_confirm: Callable[[Record], bool],
    is_preliminary: bool = False,
) -> Verdicts:
    """Decide on the memories with the same words (`key`, if given) and on those with an opinion.

    If `is_preliminary`, the opinions are those of a lesser model, since the embedder is away: what
    they find likely is only offered, until the memory is judged again.
    In a group, even a certain replacement is only offered if it would take away what another member
    said, or what members may read who may not read the new fact. Nothing is offered that nobody
    `may_confirm`.
    """
    same: list[Record] = []
    if key is not None:
        same = same_words.find(tx, newer.text, key, owners=scope.owners, chat=scope.chat)
    # Equal words are found by key; an opinion on other words counts only if it changes something.
    looked_at = (
        number
        for number, opinion in opinions.items()
        if key is None or by_cuts(opinion).outcome is not Outcome.KEEP
    )
    by_words = {record.id for record in same}
    numbers = dict.fromkeys([*(record.id for record in same), *looked_at])
    found = Verdicts()
    if not numbers:
        return found
    records = memories.by_ids(tx, viewer, list(numbers))
    lists = {
        Outcome.SAME: found.same,
        Outcome.REPLACES: found.replaces,
        Outcome.MAY_REPLACE: found.may_replace,
        Outcome.REPEATS: found.repeats,
    }
    for number in numbers:
        record = records.get(number)
        if record is None or not scope.holds(record) or not is_active(record, tx.now):
            continue
        verdict = decide(statement_of(record), newer, opinions.get(number, NO_OPINION))
        outcome = verdict.outcome
        if is_preliminary and number not in by_words:
            outcome = _PRELIMINARY.get(outcome, outcome)
        if outcome is Outcome.REPLACES and viewer.group:
            of_another = record.owner is None and record.stated_by != stated_by
            if (of_another and verdict.reason != "own_word") or protection.is_stricter(
                record, sensitivity, portable=portable
            ):
                outcome = Outcome.MAY_REPLACE
        if outcome is Outcome.MAY_REPLACE and not may_confirm(record):
            outcome = Outcome.KEEP
        if outcome in lists:
            lists[outcome].append((record, verdict.reason))
        elif verdict.reason in _RULES:
            found.keeps.append((record, verdict.reason))
    found.may_replace.sort(
        key=lambda one: opinions.get(one[0].id, NO_OPINION).replaces, reverse=True
    )
    del found.may_replace[OFFERED:]
    if found.repeats:
        found.repeats[:] = repetitions.undoubted(tx, newer.text, found.repeats)
    return found


def record_links(tx: Tx, number: int, found: Verdicts) -> None:
    """Store which memories it repeats and may replace, with the reasons, for the history."""
    for record, reason in found.repeats:
        memory_links.add(tx, number, record.id, "repeats")
        protection.inherit(tx, number, record)
        memories.add_event(tx, record.id, "repeated", reason)
    for record, reason in found.may_replace:
        memory_links.add(tx, number, record.id, "may_replace")
        memories.add_event(tx, record.id, "may_be_replaced", reason)
    for record, reason in found.keeps:
        memories.add_event(tx, record.id, "kept", reason)


def is_active(record: Record, now: int) -> bool:
    """Return whether a memory is neither archived, superseded nor at its end."""
    return record.archived_at is None and record.superseded_until <= now and record.ends_at > now
