"""The transaction that stores what was learned from a conversation, and its outcome in words."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec import structs

from ashd import errors
from ashd.access import disclosure
from ashd.access.actor import Call
from ashd.extraction import evidence
from ashd.extraction.sources import SOURCE
from ashd.graph import edit as entities
from ashd.graph import store_relation as graph
from ashd.graph.audience import Spoken, heard_in_all
from ashd.jobs.work import Unfinished
from ashd.memory import same_words
from ashd.memory.add_result import Added, added, refused
from ashd.memory.incoming_facts import Prepared
from ashd.memory.judge import Opinion
from ashd.memory.opinions import Opinions
from ashd.memory.store_fact import Stored, Storing, by_memory, store
from ashd.people.joining import Join
from ashd.store import audit, profile_statements
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

WRONG_FORM: Final = "wrong form"
UNREAD: Final = "no usable answer"
STORED: Final = "stored"
"""The field of a job's payload that says what its earlier runs stored."""
_REASONS = {"content_refused": "secret", "invalid_params": WRONG_FORM}
_FAULTS = {WRONG_FORM, evidence.NO_EVIDENCE, evidence.ANOTHER_SPEAKER}
"""Reasons that are the model's faults; others are rules that hold for its next answer, too."""
_REPETITIONS = (evidence.READ_BEFORE, evidence.REPEATED)
"""Reasons to leave a fact out that refuse nothing."""
_LEFT_OUT = {*_REPETITIONS, evidence.LOW_CONFIDENCE}
"""Reasons that a good answer has, too: a model is asked for its doubts about a joke."""


class Rest(NamedTuple):
    """The payload of another run, if one is needed, and whether it has fewer turns."""

    payload: Mapping[str, Any]
    is_smaller: bool = False

    def after(self, stored: Mapping[str, int]) -> dict[str, Any]:
        """Return the payload with what was stored before."""
        return {**self.payload, STORED: dict(stored)}


class Outcomes(NamedTuple):
    """Counts of the facts, relations and statements that were stored, and of those refused."""

    stored: Counter[str]
    refused: Counter[str]
    facts_refused: Counter[str]

    @classmethod
    def none(cls) -> "Outcomes":
        """Return counts of nothing."""
        return cls.after({})

    @classmethod
    def after(cls, stored: Mapping[str, int]) -> "Outcomes":
        """Return counts to begin with, by what earlier runs of a job stored."""
        return cls(Counter(stored), Counter(), Counter())

    def copy(self) -> "Outcomes":
        """Return counts to go on with."""
        return Outcomes(*(counter.copy() for counter in self))

    def refuse(self, error: errors.AshError) -> None:
        """Count a refusal by its kind; the reason has no content."""
        self.refused[_REASONS.get(error.kind, error.kind)] += 1

    def refuse_fact(self, reason: str) -> None:
        """Count a refused fact."""
        self.refused[reason] += 1
        self.facts_refused[reason] += 1

    def refuse_malformed(self, counts: Counter[str]) -> None:
        """Count items of a wrong form, by the name of their list in the answer."""
        if total := counts.total():
            self.refused[WRONG_FORM] += total
        if facts := counts["facts"]:
            self.facts_refused[WRONG_FORM] += facts

    def refuse_fact_for(self, error: errors.AshError) -> None:
        """Count a refused fact by the kind of its error."""
        self.refuse_fact(_REASONS.get(error.kind, error.kind))

    def ended(self, rest: Rest) -> str | Unfinished:
        """Return the outcome; not done is a job with unread turns, or of which all was refused."""
        reasons = self.facts_refused.keys() - _LEFT_OUT
        is_unread = self.refused[UNREAD] > 0
        if not is_unread and (self.stored.total() or not reasons):
            return self.text()
        return Unfinished(
            self.text(),
            rest.after(self.stored),
            did_some=rest.is_smaller,
            ask_again=is_unread or bool(reasons & _FAULTS),
        )

    def text(self) -> str:
        """Return the outcome, such as `stored 3, 1 known already; refused: secret`."""
        refused = self.refused.copy()
        parts = [f"stored {self.stored['added']}"] if self.stored["added"] else []
        if known := self.stored["duplicate"]:
            parts.append(f"{known} known already")
        repeated = [(reason, refused.pop(reason, 0)) for reason in _REPETITIONS]
        parts += [f"{count} {reason}" for reason, count in repeated if count]
        if ties := self.stored["relation"]:
            parts.append(f"{ties} relation{'s' * (ties > 1)}")
        if names := self.stored["entity"]:
            parts.append(f"{names} {'entity' if names == 1 else 'entities'}")
        if statements := self.stored["statement"]:
            parts.append(f"{statements} for the profile")
        said = ", ".join(parts) or ("" if refused else "nothing to store")
        reasons = ", ".join(
            reason if count == 1 else f"{reason} ({count})"
            for reason, count in sorted(refused.items())
        )
        return "; ".join(part for part in (said, f"refused: {reasons}" if reasons else "") if part)


class Learned(NamedTuple):
    """One speaker's facts in order, each with the call that stores it and the opinions on it."""

    by: list[Storing]
    facts: list[Prepared]
    opinions: list[Opinions]


class Tie(NamedTuple):
    """A relation that somebody stated, as each speaker may have done it, the latest first."""

    stated: list[tuple[Call, graph.Stated]]
    naming: list[Spoken]
    """The turns that name both ends: one of them states it."""


class Named(NamedTuple):
    """An entity that somebody named."""

    call: Call
    entity: entities.Stated
    spoken: Spoken


class Statement(NamedTuple):
    """A lasting statement of somebody about themselves."""

    account: int
    text: str
    confidence: float
    message: int | None
    said_at: int


def write(
    tx: Tx,
    *,
    learned: Sequence[Learned],
    ties: Sequence[Tie],
    names: Sequence[Named],
    statements: Sequence[Statement],
    before: Outcomes,
    rest: Rest,
    entries: list[Added],
    stated: Callable[[Tx, int], None],
) -> str | Unfinished:
    """Store all of it, each part in a savepoint of its own; return the outcome.

    The outcome of each fact is appended to `entries`; `stated` is called with each account that has
    a new statement.
    """
    entries.clear()
    joined: list[Join] = []
    outcomes = before.copy()
    for one in learned:
        entries += _store(tx, one, outcomes, joined)
    for tie in ties:
        try:
            with tx.savepoint():
                result = _relate(tx, tie)
        except errors.StorageError:
            raise
        except errors.AshError as error:
            outcomes.refuse(error)
        else:
            if result is None:
                outcomes.refused["no evidence"] += 1
            else:
                outcomes.stored["relation"] += result.outcome != "known"
    for name in names:
        with tx.savepoint():
            viewer = name.call.look(tx)
            entity = entities.store_entity(tx, name.call, viewer, name.entity, name.spoken)
        outcomes.stored["entity"] += entity.outcome == "added"
    new = [statement.account for statement in statements if _add_statement(tx, statement)]
    outcomes.stored["statement"] += len(new)
    for account in dict.fromkeys(new):
        stated(tx, account)
    return outcomes.ended(rest)


def _relate(tx: Tx, tie: Tie) -> graph.RelateResult | None:
    """Store a relation for those who heard all turns that may state it.

    Nothing is stored if none of its speakers did, unless it is public.
    """
    for call, stated in tie.stated:
        viewer = call.look(tx)
        spoken, hearers = heard_in_all(tx, viewer, tie.naming)
        speaker = call.speaker(tx, viewer)
        heard_all = speaker is not None and speaker.id in hearers
        if not viewer.group or heard_all or _is_public(spoken, stated):
            return graph.relate(tx, call, viewer, stated, spoken)
    return None


def _is_public(spoken: Spoken, stated: graph.Stated) -> bool:
    return disclosure.stricter(spoken.sensitivity, stated.label) in {None, "public"}


def _add_statement(tx: Tx, statement: Statement) -> bool:
    return profile_statements.add(
        tx,
        account=statement.account,
        statement=statement.text,
        confidence=statement.confidence,
        message=statement.message,
        said_at=statement.said_at,
    )


def _store(tx: Tx, learned: Learned, outcomes: Outcomes, joined: list[Join]) -> list[Added]:
    """Store facts; they join no people if `joined` has two already, as with `memory.add`."""
    stored: list[int | None] = []
    entries: list[Added] = []
    for by, fact, on_fact in zip(learned.by, learned.facts, learned.opinions, strict=True):
        stored.append(None)
        try:
            with tx.savepoint():
                viewer = by.call.look(tx)
                if (known := _stored_by_tool(tx, by.call, viewer, fact)) is not None:
                    entry, stored[-1] = added(tx, viewer, "duplicate", known, [], set()), known.id
                else:
                    on_older = by_memory(on_fact, stored)
                    made = _store_fact(tx, by, viewer, fact, on_older, may_join=not joined)
                    entry, stored[-1] = made.entry, made.number
                    if made.joined is not None:
                        _record(tx, by.call, "person.merge", made.joined, made.id)
                        joined.append(made.joined)
        except errors.StorageError:
            raise
        except errors.AshError as error:
            outcomes.refuse_fact_for(error)
            entries.append(refused(error))
        else:
            outcomes.stored[entry.outcome] += 1
            entries.append(entry)
    if any(number is not None for number in stored):
        call = learned.by[0].call
        _record(tx, call, call.method)
    return entries


def _store_fact(
    tx: Tx,
    by: Storing,
    viewer: Viewer,
    fact: Prepared,
    on_older: dict[int, Opinion],
    *,
    may_join: bool,
) -> Stored:
    """Store a fact; without its subjects if one of them could mean several people, or nobody.

    A model cannot be asked whom it means as a caller can, and the words are true all the same.
    """
    try:
        with tx.savepoint():
            return store(tx, by, viewer, fact, on_older, may_join=may_join)
    except (errors.InvalidParams, errors.Ambiguous):
        if not fact.subjects:
            raise
    bare = structs.replace(fact, subjects=())
    return store(tx, by, viewer, bare, on_older, may_join=may_join)


def _stored_by_tool(tx: Tx, call: Call, viewer: Viewer, fact: Prepared) -> Record | None:
    """Return a memory of the same words that was stored while the conversation went on.

    An agent's tool may have stored the sentence already, with other subjects than the model names.
    """
    is_chats = fact.shared or viewer.account is None
    owners, chat = ((), viewer.chat) if is_chats else (viewer.accounts, None)
    words, key = fact.content, fact.content_key
    for known in same_words.find(tx, viewer, words, key, owners=owners, chat=chat):
        session = known.source_session_id
        if session is not None and session == call.scope.session_id and known.source != SOURCE:
            return known
    return None


def _record(
    tx: Tx, call: Call, method: str, people: Sequence[str] = (), memory: str | None = None
) -> None:
    """Write an audit row: the daemon acted, on somebody's behalf."""
    audit.insert(
        tx,
        actor="daemon",
        grant_id=call.actor.grant_id,
        method=method,
        outcome="ok",
        digest=call.digest,
        peer_pid=None,
        peer_uid=None,
        provider=call.scope.provider,
        user_id=call.scope.user_id,
        people=people,
        memory=memory,
    )
