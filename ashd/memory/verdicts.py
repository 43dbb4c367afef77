"""Verdicts on a new fact and the active memories of its scope, inside the writer's transaction.

The opinions were formed on a snapshot; subjects, states and guards are read now, so that a memory
that changed in between is never replaced because of its former state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from ashd.access import disclosure
from ashd.language import tagged_words
from ashd.language.tagged_words import Words
from ashd.memory import protection, same_words, status_changes
from ashd.memory.judge import NO_OPINION, Opinion, Outcome, believed, decide
from ashd.memory.judge.statement import Statement
from ashd.memory.judge.verdict import LINKED_FROM, OFFERED_FROM
from ashd.memory.statements import statement_of
from ashd.store import memories, memory_events, memory_links
from ashd.store.database import Tx
from ashd.store.memories import Record, is_active
from ashd.store.visibility import Viewer

_RULES: Final = frozenset({"hearsay", "fades", "observed_earlier", "other_time"})
"""Reasons of verdicts that keep both although the words conflict."""
IMPORTED: Final = "import"
"""The source of memories that came from another system."""
_PRELIMINARY: Final = {
    Outcome.REPLACES: Outcome.MAY_REPLACE,
    Outcome.REPEATS: Outcome.KEEP,
}
"""Outcomes by the opinion of a weaker model."""
_ACROSS: Final = {Outcome.REPLACES: Outcome.MAY_REPLACE, Outcome.SAME: Outcome.REPEATS}
"""Outcomes where one memory is a group's and the other its member's own: neither is dropped."""
MOST_LINKED: Final = 3
"""The number of earlier memories that one memory is linked to as likely conflicts."""


class Linked(NamedTuple):
    """A likely conflict: the earlier memory, the reason, and the likelihood that it is replaced."""

    record: Record
    reason: str
    likelihood: float


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The effects of a new fact on earlier memories, with reasons.

    Nearest first, but for `conflicts`: likeliest first.
    """

    same: list[tuple[Record, str]] = field(default_factory=list)
    replaces: list[tuple[Record, str]] = field(default_factory=list)
    conflicts: list[Linked] = field(default_factory=list)
    repeats: list[tuple[Record, str]] = field(default_factory=list)
    keeps: list[tuple[Record, str]] = field(default_factory=list)
    """The memories that a rule kept although the words conflict."""
    replaced_by: list[tuple[Record, str]] = field(default_factory=list)
    """The memories said later, although stored before, that replace the new fact."""
    may_be_replaced_by: list[Linked] = field(default_factory=list)
    """The memories said later that probably replace the new fact."""

    def only_replacing(self, named: Record) -> "Verdicts":
        """Return the verdicts if the caller names the replaced memory: no other is replaced."""
        return Verdicts(
            same=[entry for entry in self.same if entry[0].id != named.id],
            replaces=[(named, "supersedes")],
            repeats=[entry for entry in self.repeats if entry[0].id != named.id],
            keeps=self.keeps,
        )

    def to_ask(self) -> Linked | None:
        """Return the conflict to ask the caller about: the likeliest, if likelier than not."""
        likely = [one for one in self.conflicts if one.likelihood > OFFERED_FROM]
        return likely[0] if likely else None

    def replacing_nothing(self) -> "Verdicts":
        """Return the verdicts for an imported fact: it replaces nothing, as in its source."""
        return replace(self, replaces=[])


@dataclass(frozen=True, slots=True)
class Scope:
    """The memories that may be changed: those of these owners, or of the chat itself."""

    owners: tuple[int, ...]
    chat: int | None
    group: int | None = None
    """The group in which the new fact is stated."""
    speaker: int | None = None
    """The account that states the new fact."""
    project: str | None = None
    """The project of the new fact: it changes nothing of another's."""

    @classmethod
    def of(cls, record: Record, accounts: tuple[int, ...]) -> "Scope":
        """Return the scope of a stored memory; `accounts` are the joined accounts of its owner."""
        return cls(
            () if record.owner is None else accounts,
            record.chat,
            group=record.learned_in if record.learned_type == "group" else None,
            speaker=record.stated_by,
            project=record.project,
        )

    def holds(self, record: Record) -> bool:
        """Return whether a memory belongs to the scope."""
        if self._is_of_another_project(record):
            return False
        if self.owners:
            return record.owner in self.owners
        return record.owner is None and record.chat == self.chat

    def borders(self, record: Record) -> bool:
        """Return whether one of the two is the group's and the other the speaker's in that group.

        The same people see both the memory and the new fact.
        """
        if self.group is None or record.learned_in != self.group:
            return False
        if self._is_of_another_project(record):
            return False
        if self.owners:
            return record.owner is None
        return record.owner is not None and record.owner == self.speaker

    def is_as_wide(self, record: Record) -> bool:
        """Return whether the new fact is read in every project where a memory is read."""
        return self.project in {None, record.project}

    def _is_of_another_project(self, record: Record) -> bool:
        """Return whether nobody may read both without asking for all projects."""
        return None not in {self.project, record.project} and self.project != record.project

    def with_words(self, tx: Tx, viewer: Viewer, content: str, key: str) -> list[Record]:
        """Return the memories with the words of a text that it holds or borders."""
        found = same_words.find(tx, viewer, content, key, owners=self.owners, chat=self.chat)
        if self.group is None:
            return found
        if self.owners:
            others = same_words.find(tx, viewer, content, key, owners=(), chat=self.group)
        elif self.speaker is not None:
            others = same_words.find(tx, viewer, content, key, owners=(self.speaker,), chat=None)
        else:
            return found
        return found + [record for record in others if self.borders(record)]


def judge(
    tx: Tx,
    viewer: Viewer,
    newer: Statement,
    *,
    to_group: Statement,
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
    What holds everywhere is not hidden by what was told in one project.
    In a group, even a certain replacement is only offered if it would take away what another member
    said, or what members may read who may not read the new fact, or if only one of the two is the
    group's: they are compared as what the group was told, `to_group`. Nothing is offered that
    nobody `may_confirm`.
    """
    same: list[Record] = []
    if key is not None:
        same = scope.with_words(tx, viewer, newer.text, key)
    # Equal words are found by key; an opinion on other words counts only if it changes something.
    looked_at = (
        number
        for number, opinion in opinions.items()
        if key is None or believed(opinion).outcome is not Outcome.KEEP
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
        Outcome.REPEATS: found.repeats,
    }
    for number in numbers:
        record = records.get(number)
        if record is None or not is_active(record, tx.now):
            continue
        opinion = opinions.get(number, NO_OPINION)
        if scope.holds(record):
            verdict = decide(statement_of(record), newer, opinion)
            outcome = verdict.outcome
        elif scope.borders(record):
            verdict = decide(statement_of(record, to_group=True), to_group, opinion)
            outcome = _ACROSS.get(verdict.outcome, verdict.outcome)
        else:
            continue
        if is_preliminary and number not in by_words:
            outcome = _PRELIMINARY.get(outcome, outcome)
        is_belief = record.stated_by != stated_by or is_delicate(record.sensitivity, sensitivity)
        if verdict.reason == "plain_correction" and is_belief:
            outcome = Outcome.MAY_REPLACE
        if outcome is Outcome.REPLACES and not scope.is_as_wide(record):
            outcome = Outcome.MAY_REPLACE
        if outcome is Outcome.REPLACES and viewer.group:
            of_another = record.owner is None and record.stated_by != stated_by
            if (of_another and verdict.reason != "own_word") or protection.is_stricter(
                record, sensitivity, portable=portable
            ):
                outcome = Outcome.MAY_REPLACE
        if outcome is Outcome.MAY_REPLACE:
            if may_confirm(record):
                likelihood = max(opinion.replaces, LINKED_FROM)
                found.conflicts.append(Linked(record, verdict.reason, likelihood))
        elif outcome in lists:
            lists[outcome].append((record, verdict.reason))
        elif (
            verdict.reason == "observed_earlier"
            and (record.stated_by == stated_by or not _is_own_word(newer))
            and _is_replaceable_by(record, viewer, scope, sensitivity, portable=portable)
        ):
            _judge_backwards(found, record, newer, opinion, hides=not (is_preliminary or is_belief))
        elif verdict.reason in _RULES:
            found.keeps.append((record, verdict.reason))
    found.conflicts.sort(key=lambda one: one.likelihood, reverse=True)
    if found.repeats:
        found.repeats[:] = _undoubted(tx, newer.text, found.repeats)
    return found


def _judge_backwards(
    found: Verdicts, record: Record, newer: Statement, opinion: Opinion, *, hides: bool
) -> None:
    """Add the effect of a stored memory on a new fact that was said before the memory."""
    verdict = decide(newer, statement_of(record), opinion)
    if verdict.outcome is Outcome.REPLACES and hides:
        found.replaced_by.append((record, verdict.reason))
    elif verdict.outcome in {Outcome.REPLACES, Outcome.MAY_REPLACE}:
        likelihood = max(opinion.replaces, LINKED_FROM)
        found.may_be_replaced_by.append(Linked(record, verdict.reason, likelihood))


def _is_replaceable_by(
    record: Record, viewer: Viewer, scope: Scope, sensitivity: str | None, *, portable: bool
) -> bool:
    """Return whether a memory may replace a fact that was said before it and is stored after it.

    Both must have the same owner, so that parting accounts undoes nothing. In a group it must have
    been said there, and both be shown to everybody there.
    """
    owner = viewer.account if scope.owners else None
    if not scope.holds(record) or record.owner != owner:
        return False
    if record.project not in {None, scope.project}:
        return False
    if not viewer.group:
        return True
    strictness = disclosure.STRICTNESS[disclosure.stricter(sensitivity, record.sensitivity)]
    is_shown = not strictness and (bool(record.portable) or not portable)
    return record.learned_in == viewer.chat and is_shown


def _is_own_word(statement: Statement) -> bool:
    """Return whether the speaker speaks of themselves, which others may not replace."""
    return statement.first_person == "fact" or bool(statement.may_be_about)


def record_links(tx: Tx, number: int, found: Verdicts) -> None:
    """Store which memories it repeats and may replace, with the reasons, for the history.

    It is as protected as what it probably replaces, and is superseded itself by a memory that was
    said later.
    """
    for record, reason in found.repeats:
        memory_links.add(tx, number, record.id, "repeats")
        protection.inherit(tx, number, record)
        memory_events.add(tx, record.id, "repeated", reason, newer=number)
    for record, reason, likelihood in found.conflicts:
        memory_links.add(tx, number, record.id, "may_replace", likelihood)
        memory_events.add(tx, record.id, "may_be_replaced", reason, newer=number)
        if likelihood > OFFERED_FROM:
            protection.inherit(tx, number, record)
    if found.conflicts:
        memory_links.keep_likeliest(tx, number, MOST_LINKED)
    for record, reason in found.keeps:
        memory_events.add(tx, record.id, "kept", reason, newer=number)
    for record, reason, likelihood in found.may_be_replaced_by:
        memory_links.add(tx, record.id, number, "may_replace", likelihood)
        memory_events.add(tx, number, "may_be_replaced", reason, newer=record.id)
        memory_links.keep_likeliest(tx, record.id, MOST_LINKED)
    for record, reason in found.replaced_by[:1]:
        said_before = memories.by_id(tx, number)
        memory_links.remove(tx, record.id, number)
        status_changes.supersede(tx, said_before, record.id, reason)
        protection.inherit(tx, record.id, said_before)


def is_delicate(*labels: str | None) -> bool:
    """Return whether a text has a label, as on health: no belief of a model hides it."""
    return any(label not in {None, "public"} for label in labels)


def _undoubted(
    tx: Tx, newer: str, repeats: Sequence[tuple[Record, str]]
) -> list[tuple[Record, str]]:
    """Return the memories that a text repeats and that may be folded with it.

    A small model cannot tell which of "the chef praised the waiter" and "the waiter praised the
    chef" a third text repeats (A10). So this returns none if two texts would be folded that differ
    in the order of their words, unless one was found to repeat the other.
    """
    groups = {record.id: memory_links.repetitions_of(tx, record.id) for record, _ in repeats}
    texts = memories.texts(tx, set().union(*groups.values()))
    words = {number: tagged_words.read(text) for number, text in texts.items()}
    own = tagged_words.read(newer)

    def is_doubtful(number: int) -> bool:
        group = groups[number]
        others = words.keys() - group
        return any(_is_reordered(words[one], own) for one in group - groups.keys()) or any(
            _is_reordered(words[one], words[other]) for one in group for other in others
        )

    return [(record, reason) for record, reason in repeats if not is_doubtful(record.id)]


def _is_reordered(one: Words, other: Words) -> bool:
    return one.stems != other.stems and sorted(one.stems) == sorted(other.stems)
