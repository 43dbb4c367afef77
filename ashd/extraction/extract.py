"""Read a part of a conversation for facts: questions to the language model, one transaction.

The handler of `extract_facts` jobs. There is one question, and one more wherever somebody joined or
left between the turns. The model's answer is checked against the turns that it was
shown (`evidence`), prepared (`facts`) and judged like any fact; the transaction that stores it ends
the job.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from ashd import errors
from ashd.access import disclosure, sensitivity
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import one_line
from ashd.config import Memory
from ashd.conversation import profile_text
from ashd.conversation.extraction_jobs import Range
from ashd.extraction import asking, evidence, facts, graph, handed, sources
from ashd.extraction.answer import Answer
from ashd.extraction.asking import Asks, Part
from ashd.extraction.facts import Ready
from ashd.extraction.sources import Source
from ashd.extraction.writing import STORED, Learned, Outcomes, Rest, Statement, write
from ashd.graph.audience import Spoken
from ashd.jobs.work import Unfinished, Work, nothing
from ashd.language.instructions import instructs
from ashd.memory import opinions
from ashd.memory.add import AddMemory
from ashd.memory.add_result import Added
from ashd.memory.candidates import Near
from ashd.memory.incoming_facts import Prepared, is_of_the_person
from ashd.memory.store_fact import Storing
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.indexing import TextVectors
from ashd.store import transcripts
from ashd.store.database import Database, Tx
from ashd.store.jobs import Job

INSTRUCTION: Final = "an instruction"
NOTHING: Final = "nothing to store"
NO_ACCOUNT: Final = "nothing to store: nobody who spoke has an account"
_REMEMBERED: Final = 64
"""Number of recent jobs whose stored facts are cached, for callers who wait for them."""


class Extraction:
    """Does the jobs that read conversations for facts."""

    def __init__(
        self,
        db: Database,
        embeddings: CurrentEmbedder,
        remember: AddMemory,
        model: Asks,
        settings: Memory,
        stated: Callable[[Tx, int], None],
    ) -> None:
        """Calls `stated` with each account that has a new statement, in the transaction."""
        self._stated = stated
        self._db = db
        self._embeddings = embeddings
        self._remember = remember
        self._model = model
        self._found: dict[int, list[Added]] = {}
        self._max_entries = settings.max_entries
        self._least_confidence = settings.extraction_confidence_threshold

    async def run(self, job: Job) -> Work:
        """Work out what to store of a part of a conversation.

        Nothing is stored if turns of it are deleted meanwhile: the rest is read again.

        Raises:
            errors.LlmUnavailable: the language model gave no usable answer.
        """
        try:
            read = await self._db.read(lambda tx: _sources(tx, job))
        except (errors.GrantRevoked, errors.Denied) as error:
            return nothing(f"refused: {error.kind}")
        work = await self._learn(job, read)

        def store(tx: Tx) -> str | Unfinished:
            _require_unchanged(tx, job, read)
            return work.write(tx)

        return work._replace(write=store)

    def found(self, number: int) -> list[Added]:
        """Return the facts that a recent job stored, by the job's row number."""
        return self._found.get(number, [])

    def _keep(self, number: int, entries: list[Added]) -> None:
        self._found[number] = entries
        while len(self._found) > _REMEMBERED:
            del self._found[next(iter(self._found))]

    async def _learn(self, job: Job, read: Sequence[Source]) -> Work:
        if not any(source.speaks for source in read):
            spoke = any(source.turn.is_source for source in read)
            return nothing(NO_ACCOUNT if spoke else NOTHING)
        outcomes = Outcomes.after(job.payload.get(STORED, {}))
        parts, unread = await asking.asked(
            self._model, read, outcomes, in_halves=STORED in job.payload
        )
        claims = [claim for part in parts for claim in self._claims(part, outcomes)]
        ready = await self._db.compute(_prepare, claims, read, outcomes)
        stack = AsyncExitStack()
        async with stack:
            vectors = await self._vectors(read, ready)
            said = [_Said(one.source, facts.labelled(one.ready, vectors)) for one in ready]
            learned = await self._judged(stack, read, said, vectors)
            ties, names, statements = [], [], []
            spoken = []
            if any(part.answer.relations or part.answer.entities for part in parts):
                spoken = await self._db.compute(_as_spoken, read, said)
            for first, heard, answer in parts:
                of_part = spoken[first : first + len(heard)]
                ties += await self._db.compute(
                    graph.ties, answer, heard, of_part, self._least_confidence, outcomes
                )
                names += await self._db.compute(graph.names, answer, heard, of_part, outcomes)
                statements += _statements(answer, heard, self._least_confidence, outcomes)
            entries: list[Added] = []
            self._keep(job.id, entries)
            stack.callback(self._embeddings.wake)
            return Work(
                partial(
                    write,
                    learned=learned,
                    ties=ties,
                    names=names,
                    statements=statements,
                    before=outcomes,
                    rest=_rest(job.payload, read, unread),
                    entries=entries,
                    stated=self._stated,
                ),
                scoped=True,
                held=stack.pop_all(),
            )
        raise AssertionError("the stack lets no error pass")

    def _claims(self, part: Part, outcomes: Outcomes) -> list[evidence.Claim]:
        """Return the facts that have evidence, by the index of the turn among all; count others."""
        turns = [source.turn for source in part.heard]
        checked = evidence.check(part.answer, turns, least_confidence=self._least_confidence)
        for reason in checked.refused:
            outcomes.refuse_fact(reason)
        return [claim._replace(turn=part.first + claim.turn) for claim in checked.claims]

    async def _vectors(self, read: Sequence[Source], ready: "Sequence[_Claimed]") -> TextVectors:
        if not ready:
            return TextVectors()
        call = read[ready[0].source].call
        assert call is not None
        texts = [piece.text for one in ready for piece in one.ready.fact.pieces]
        return await self._embeddings.of_texts(call, texts)

    async def _judged(
        self,
        stack: AsyncExitStack,
        read: Sequence[Source],
        said: "Sequence[_Said]",
        vectors: TextVectors,
    ) -> list[Learned]:
        """Return the facts with opinions on near memories, by speaker.

        The scope stays locked until they are stored: all turns of a conversation have one.
        """
        if not said:
            return []
        call = read[said[0].source].call
        assert call is not None
        await stack.enter_async_context(self._remember.locks.of(call))
        waits = self._embeddings.state != "off"
        await opinions.load(vectors.embedder)
        learned = []
        for source, claims in _by_speaker(read, said):
            assert source.call is not None
            labelled = [one.fact for one in claims]
            given: list[Prepared | None] = [*labelled]
            found = await self._db.read(
                partial(
                    opinions.of_facts,
                    call=source.call,
                    facts=given,
                    vectors=vectors,
                    near=Near.of(self._embeddings),
                )
            )
            by = [
                Storing(
                    *(read[one.source].call or source.call, vectors, waits),
                    judged_by_model=True,
                    is_quoted=source.is_quoted,
                    max_entries=self._max_entries,
                    said_at=read[one.source].said_at,
                )
                for one in claims
            ]
            learned.append(Learned(by, labelled, found))
        return learned


def _sources(tx: Tx, job: Job) -> list[Source]:
    if "conversation" in job.payload:
        return sources.of_conversation(tx, msgspec.convert(job.payload, Range))
    return handed.sources_of(tx, msgspec.convert(job.payload, handed.Handed), job.created_at)


def _require_unchanged(tx: Tx, job: Job, read: Sequence[Source]) -> None:
    """Require that all turns that were read are still there.

    Messages that were handed over are in the job itself: it is erased with them.

    Raises:
        errors.Conflict: turns were deleted meanwhile.
    """
    if "conversation" not in job.payload or not read:
        return
    shown = [source.turn.spoken for source in read]
    first, count = shown[0].position, len(shown)
    said = transcripts.said(tx, job.payload["conversation"], first=first, limit=count)
    if [(one.position, one.content) for one in said] != [
        (one.position, one.content) for one in shown
    ]:
        raise errors.Conflict("The conversation changed meanwhile.")


def _rest(payload: Mapping[str, Any], read: Sequence[Source], unread: Collection[int]) -> Rest:
    """Return the payload of a run for the turns from the first to the last that is unread."""
    new = [source.turn.spoken.position for source in read if source.turn.is_new]
    left = [read[at].turn.spoken.position for at in unread]
    first, last = min(left, default=new[0]), max(left, default=new[-1])
    if (first, last) == (new[0], new[-1]):
        return Rest(payload)
    if "conversation" in payload:
        return Rest({**payload, "first": first, "last": last}, is_smaller=True)
    return Rest({**payload, **handed.narrowed(payload, first, last)}, is_smaller=True)


class _Claimed(NamedTuple):
    """A fact that is ready, and the index of the source that it was said in."""

    source: int
    ready: Ready


class _Said(NamedTuple):
    """A fact with its label, and the index of the source that it was said in."""

    source: int
    fact: Prepared


def _prepare(
    claims: Sequence[evidence.Claim], read: Sequence[Source], outcomes: Outcomes
) -> list[_Claimed]:
    """Return the facts that can be stored; count the reasons for the others. For a thread."""
    ready = []
    for claim in claims:
        source = read[claim.turn]
        if source.call is None:
            outcomes.refuse_fact("a speaker without an account")
            continue
        try:
            fact = facts.prepare(
                claim.fact,
                source.turn.spoken,
                in_group=source.call.scope.is_group,
                is_quoted=source.is_quoted,
            )
        except errors.AshError as error:
            outcomes.refuse_fact_for(error)
        else:
            ready.append(_Claimed(claim.turn, fact))
    return ready


def _as_spoken(read: Sequence[Source], said: Sequence[_Said]) -> list[Spoken]:
    """Return each turn's time, its label, and whether it is portable. For a thread.

    The label is the strictest of the turn's own words and of the facts that were said in it.
    """
    found = []
    for place, source in enumerate(read):
        of_turn = [one.fact for one in said if one.source == place]
        label = disclosure.stricter(
            sensitivity.label([sensitivity.read(source.turn.spoken.content)]),
            *(fact.sensitivity for fact in of_turn),
        )
        portable = all(fact.portable for fact in of_turn)
        found.append(Spoken(source.said_at, label, portable, source.account))
    return found


def _by_speaker(read: Sequence[Source], said: Sequence[_Said]) -> list[tuple[Source, list[_Said]]]:
    """Return the facts of each speaker, in the order in which they were said."""
    found: dict[tuple[str | None, bool], tuple[Source, list[_Said]]] = {}
    for one in sorted(said, key=lambda one: one.source):
        source = read[one.source]
        assert source.call is not None
        key = (source.call.scope.user_id, source.is_quoted)
        found.setdefault(key, (source, []))[1].append(one)
    return list(found.values())


def _statements(
    answer: Answer, read: Sequence[Source], least_confidence: float, outcomes: Outcomes
) -> list[Statement]:
    """Return the profile statements that a turn shows, if one person speaks.

    With several the subject is unknown.
    """
    speaking = [source for source in read if source.turn.is_source]
    accounts = {source.account for source in speaking}
    account = accounts.pop() if len(accounts) == 1 else None
    if account is None:
        return []
    made = []
    turns = [source.turn for source in read]
    for one in answer.profile:
        text = one_line(one.statement)
        at = evidence.turn_of(one, turns)
        if at is None:
            outcomes.refused[evidence.NO_EVIDENCE] += 1
            continue
        # A longer quote shows other things as well.
        of_one = profile_text.sentences(one.quote)[:2]
        if instructs(text) or (len(of_one) == 1 and instructs(of_one[0])):
            outcomes.refused[INSTRUCTION] += 1
            continue
        try:
            require_no_secret(text, "statement")
        except errors.AshError as error:
            outcomes.refuse(error)
            continue
        said = read[at]
        if said.project is not None and not is_of_the_person(one.quote):
            continue  # a profile is read in every project
        if text and len(text) <= facts.STATEMENT_CHARS and least_confidence <= one.confidence <= 1:
            made.append(Statement(account, text, one.confidence, said.message, said.said_at))
    return made
