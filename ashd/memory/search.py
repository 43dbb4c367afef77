"""Search memories: `memory.search`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.clock import from_micros
from ashd.memory import cutoff, filters, marks, model, wire
from ashd.memory.access_counts import AccessCounts
from ashd.memory.conflicts import newer_of
from ashd.memory.cutoff import Cut
from ashd.memory.filters import Filters, Notice
from ashd.memory.result_folding import Folded, fold, with_newer
from ashd.memory.search_results import (
    ConflictRef,
    Result,
    SearchResult,
    Withheld,
    WithheldResult,
)
from ashd.people import model as people_model
from ashd.people import query_people
from ashd.search import indexing, long_questions
from ashd.search import query as queries
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.search.spec import Classifier, Found, Mode, Ranking, Spec, Vectors
from ashd.store import memories, memory_links, passages
from ashd.store.database import Database, Tx
from ashd.wire_times import When, micros


class SearchParams(Filters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question, and filters."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.QUERY_CHARS)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 10
    as_of: When | None = None
    since: When | None = None
    until: When | None = None
    min_score: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    mode: Mode = "hybrid"
    explain: bool = False


MOST_EXPLAINED: Final = 20
"""Withheld candidates that `explain` shows, best first."""


class _Asked(NamedTuple):
    """A question ready for the engine, and the people it names."""

    spec: Spec
    about: query_people.About


class _Answer(NamedTuple):
    """The memories found, the row numbers of those that count as accessed, and the marked ones."""

    result: SearchResult
    accessed: list[int]
    marked: Sequence[Result] = ()


_Find: TypeAlias = Callable[[Tx, query_people.About, Vectors | None], _Answer]


class SearchMemory:
    """Searches memories for answers."""

    def __init__(
        self, db: Database, embeddings: CurrentEmbedder, engine: Engine, accesses: AccessCounts
    ) -> None:
        self._db = db
        self._embeddings = embeddings
        self._engine = engine
        self._accesses = accesses

    async def search(self, call: Call, params: SearchParams) -> SearchResult:
        """Find the memories that answer a question.

        Raises:
            errors.EmbeddingUnavailable: `mode` is vector and no vector can be had.
        """
        text = await long_questions.asked(self._db, params.query)
        if not text:
            raise errors.InvalidParams("The query is empty.", "Say what to look for.")
        vectors = None
        if params.mode != "lexical":
            asked = await long_questions.without_time(self._db, text)
            vectors = await self._embeddings.of_query(call, asked)
            if vectors is None and params.mode == "vector":
                raise errors.EmbeddingUnavailable("No embedder answers.")

        def find(tx: Tx, about: query_people.About, vectors: Vectors | None) -> _Answer:
            asked, notices = self._asked(tx, call, params, text, about, vectors)
            return self._search(tx, asked, params, notices)

        return (await self._read(call, text, vectors, find)).result

    async def ranked(
        self, call: Call, question: str, most: int, newest: int, marked: int = 0
    ) -> tuple[SearchResult, Sequence[Result]]:
        """Return memories for a prompt: `most` by rank of the question, whatever their score.

        The newest fill them up to `newest`, and come alone if there is no question. The second
        result are so many that a person marked as standing, newest first.
        """
        question = await long_questions.asked(self._db, question)
        asked = await long_questions.without_time(self._db, question)
        vectors = await self._embeddings.of_query(call, asked) if question else None
        params = SearchParams(query=question or "-", mode="hybrid" if question else "lexical")

        def find(tx: Tx, about: query_people.About, vectors: Vectors | None) -> _Answer:
            asked, notices = self._asked(tx, call, params, question, about, vectors)
            ranking = self._engine.memories(tx, asked.spec)
            folded = _folded(tx, asked, ranking)
            chosen = folded.found[:most] if asked.spec.query.says_something else []
            taken = {entry.item for entry in chosen}.union(*folded.repeats.values())
            if len(chosen) < newest:
                fill = self._engine.newest(tx, asked.spec, newest + len(taken))
                others = [Found.unranked(item) for item in fill if item not in taken]
                chosen += others[: newest - len(chosen)]
            shown = _with_newer(tx, chosen, folded.found)
            results = _results(*(tx, asked, shown, folded.repeats), explain=False, in_block=True)
            degraded = self._degraded(params, vectors, ranking)
            answer = SearchResult(results, Withheld(0, 0), degraded, notices)
            accessed = [one.item for one in chosen if one.relevant or one.weak]
            return _Answer(answer, accessed, self._marked(tx, call, question, marked))

        answer = await self._read(call, question, vectors, find)
        return answer.result, answer.marked

    async def vectors_of(self, call: Call, message: str) -> Vectors | None:
        """Return the vectors of a whole message, if there is an embedder."""
        return await self._embeddings.of_query(call, message) if message else None

    async def bearing(
        self,
        call: Call,
        message: str,
        vectors: Vectors,
        classifiers: Mapping[str, Classifier],
        most: int,
        others: Classifier,
    ) -> dict[str, list[Result]]:
        """Return the memories that each classifier takes, likeliest first, whatever was asked.

        Their signals tell those that `others` takes for memories about somebody else.
        """
        params = SearchParams(query=message)

        def find(tx: Tx) -> dict[str, list[Result]]:
            nobody = query_people.About({}, {})
            asked, _ = self._asked(tx, call, params, message, nobody, vectors)
            found = self._engine.bearing(tx, asked.spec, classifiers, most, others)
            return {
                name: _results(
                    *(tx, asked, _with_newer(tx, taken, taken), {}), explain=True, in_block=True
                )
                for name, taken in found.items()
            }

        return await self._db.read(find)

    def _marked(self, tx: Tx, call: Call, message: str, most: int) -> list[Result]:
        """Return the memories that a person marked as standing, newest first."""
        if not most:
            return []
        params = SearchParams(query=message or "-", tags=[marks.STANDING])
        asked, _ = self._asked(tx, call, params, message, query_people.About({}, {}), None)
        found = map(Found.unranked, self._engine.newest(tx, asked.spec, most))
        return _results(tx, asked, list(found), {}, explain=False, in_block=True)

    async def _read(self, call: Call, text: str, vectors: Vectors | None, find: _Find) -> _Answer:
        """Find the people whom the question names and its answers, in one read if possible."""

        def read(tx: Tx) -> _Answer | query_people.About:
            viewer = call.look(tx)
            speaker = call.speaker(tx, viewer)
            about = query_people.about(tx, viewer, query_people.Names(tx), speaker, text)
            if vectors is not None and about.speakers:
                return about  # the question is embedded as it is put to them
            return find(tx, about, vectors)

        answer = await self._db.read(read)
        if isinstance(answer, query_people.About):
            assert vectors is not None
            about, put = answer, await self._to_speakers(call, text, answer, vectors)
            answer = await self._db.read(lambda tx: find(tx, about, put))
        self._accesses.note(call, answer.accessed)
        return answer

    async def _to_speakers(
        self, call: Call, text: str, about: query_people.About, vectors: Vectors
    ) -> Vectors:
        """Return the question with a version that is put to the people it names, if they speak."""
        asked = queries.to_speakers(
            await long_questions.without_time(self._db, text), about.speakers
        )
        put = await self._embeddings.of_query(call, asked)
        if put is None or put.index != vectors.index:  # the embedder may have changed meanwhile
            return vectors
        return replace(vectors, to_speaker=put.question)

    def _asked(
        self,
        tx: Tx,
        call: Call,
        params: SearchParams,
        text: str,
        about: query_people.About,
        vectors: Vectors | None,
    ) -> tuple[_Asked, list[Notice]]:
        viewer = call.look(tx)
        wanted, notices = filters.resolved(
            tx, call, viewer, params, if_nobody="nothing was filtered"
        )
        names = query_people.Names(tx)
        spec = Spec(
            viewer=viewer,
            query=queries.analyse(text, facts=True, now=from_micros(tx.now), zone=call.scope.zone),
            filter=replace(wanted, known_at=filters.known_at(params.as_of)),
            vectors=vectors,
            since=micros(params.since, "since"),
            until=micros(params.until, "until", end_of_day=True),
            mode=params.mode,
            explain=params.explain,
            include_superseded=params.include_superseded or params.as_of is not None,
            # What has faded is gone from every read of a sandbox, even of the past (A2).
            include_expired=params.include_expired
            or (params.as_of is not None and call.actor.kind != "sandbox"),
            called=partial(query_people.called, tx, viewer, names, about.described),
            about=about.weights,
        )
        return _Asked(spec, about), notices

    def _search(
        self, tx: Tx, asked: _Asked, params: SearchParams, notices: list[Notice]
    ) -> _Answer:
        ranking = self._engine.memories(tx, asked.spec)
        found, repeats = _folded(tx, asked, ranking)
        cut = cutoff.choose(
            *(found, asked.about.weights, ranking.vectors),
            min_score=params.min_score,
            limit=params.limit,
        )
        results = _results(
            *(tx, asked, _with_newer(tx, cut.chosen, found), repeats),
            explain=params.explain,
            related=cut.by_relation,
        )
        withheld = _withheld(tx, asked, cut, explain=params.explain)
        degraded = self._degraded(params, asked.spec.vectors, ranking)
        answer = SearchResult(results, withheld, degraded, notices)
        return _Answer(answer, [entry.item for entry in cut.chosen])

    def _degraded(
        self, params: SearchParams, vectors: Vectors | None, ranking: Ranking
    ) -> list[str]:
        """List what the search lacked: a part of the index, or vectors of question or texts."""
        lacking = ["index"] if self._db.health.lacks_index else []
        if params.mode == "lexical" or self._embeddings.state == "off":
            return lacking
        return [*lacking, "embedder"] if vectors is None or ranking.lacks_vectors else lacking


def _withheld(tx: Tx, asked: _Asked, cut: Cut, *, explain: bool) -> Withheld:
    counted = Withheld(len(cut.below_threshold), len(cut.over_limit))
    if not explain:
        return counted
    over = cut.over_limit[:MOST_EXPLAINED]
    below = cut.below_threshold[: MOST_EXPLAINED - len(over)]
    best = [
        *(WithheldResult("over_limit", one) for one in _results(tx, asked, over, {}, explain=True)),
        *(
            WithheldResult("below_threshold", one)
            for one in _results(tx, asked, below, {}, explain=True)
        ),
    ]
    return msgspec.structs.replace(counted, best=best)


def _way(asked: _Asked, item: int, related: Collection[int]) -> str | msgspec.UnsetType:
    """Return the relation that brought a memory, or by which the question names its person."""
    about = asked.about
    if item in related or about.weights.get(item, 0.0) >= query_people.NAMED:
        return about.via.get(item, msgspec.UNSET)
    return msgspec.UNSET


def _folded(tx: Tx, asked: _Asked, ranking: Ranking) -> Folded:
    links = memory_links.among(tx, [entry.item for entry in ranking.found])
    return fold(ranking.found, links, reorders=asked.spec.query.time is None)


def _with_newer(tx: Tx, chosen: Sequence[Found], ranked: Sequence[Found]) -> list[Found]:
    """Add what perhaps replaces the chosen memories; what the viewer may not see goes later."""
    return with_newer(chosen, newer_of(tx, [entry.item for entry in chosen]), ranked)


def _results(
    tx: Tx,
    asked: _Asked,
    chosen: Sequence[Found],
    repeats: Mapping[int, Sequence[int]],
    *,
    explain: bool,
    related: Collection[int] = (),
    in_block: bool = False,
) -> list[Result]:
    viewer = asked.spec.viewer
    folded = [item for entry in chosen for item in repeats.get(entry.item, ())]
    records = memories.by_ids(tx, viewer, [*(entry.item for entry in chosen), *folded])
    chosen = [entry for entry in chosen if entry.item in records]
    people = model.others if in_block else model.people
    about = {entry.item: people(records[entry.item]) for entry in chosen}
    names = people_model.names_for(tx, viewer, {one for each in about.values() for one in each})
    long = [one.passage for one in chosen if indexing.is_long(records[one.item].content)]
    texts = passages.texts(tx, long)
    return [
        Result(
            memory=memory,
            score=round(min(max(entry.score, 0.0), 1.0), 4),
            weak=not entry.relevant,
            newest=entry.is_unranked,
            about=[names[number] for number in about[entry.item]],
            repeats=[records[item].uuid for item in repeats.get(entry.item, ()) if item in records],
            conflicts=[
                ConflictRef(one.id, one.relation, one.likelihood) for one in memory.conflicts
            ],
            trust=model.trust(records[entry.item]),
            via=_way(asked, entry.item, related),
            passage=texts.get(entry.passage, msgspec.UNSET),
            signals=(
                {name: round(value, 4) for name, value in entry.signals.items()}
                if explain
                else msgspec.UNSET
            ),
        )
        for entry, memory in zip(
            chosen,
            wire.memories(tx, viewer, [records[entry.item] for entry in chosen]),
            strict=True,
        )
    ]
