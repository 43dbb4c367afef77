"""Memories come back: `memory.search`."""

from functools import partial
from typing import Annotated, Any

import msgspec

from ashd import errors, limits
from ashd.access.call import Call
from ashd.access.text import clean
from ashd.clock import from_micros
from ashd.memory import filters, model
from ashd.memory.access import Accesses
from ashd.memory.filters import Filters, Notice
from ashd.memory.model import Memory, Trust
from ashd.moments import When, micros
from ashd.people import model as people_model
from ashd.people import naming
from ashd.search import query as queries
from ashd.search.embeddings import Embeddings
from ashd.search.engine import Engine, Found, Mode, Spec, Vectors
from ashd.store import memories
from ashd.store.database import Database, Tx
from ashd.store.visibility import Viewer


class SearchParams(Filters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question, and what to leave out."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.QUERY_CHARS)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 10
    as_of: When | None = None
    since: When | None = None
    until: When | None = None
    min_score: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    mode: Mode = "hybrid"
    explain: bool = False


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory that answers, how well, whom it is about and how far to trust it."""

    memory: Memory
    score: float
    about: list[str]
    trust: Trust
    signals: dict[str, float] | msgspec.UnsetType = msgspec.UNSET


class Withheld(msgspec.Struct, frozen=True):
    """How many candidates were not shown, and why."""

    below_threshold: int
    over_limit: int


class SearchResult(msgspec.Struct, frozen=True):
    """What was found, best first."""

    results: list[Result]
    withheld: Withheld
    degraded: list[str]
    notices: list[Notice]


class Recall:
    """Answers questions from memories."""

    def __init__(
        self, db: Database, embeddings: Embeddings, engine: Engine, accesses: Accesses
    ) -> None:
        self._db = db
        self._embeddings = embeddings
        self._engine = engine
        self._accesses = accesses

    async def search(self, call: Call, params: SearchParams) -> SearchResult:
        """The memories that answer a question; none when none is relevant (D7).

        Raises:
            errors.EmbeddingUnavailable: `mode` is vector and no vector can be had.
        """
        text = clean(params.query)
        if not text:
            raise errors.InvalidParams("The query is empty.", "Say what to look for.")
        vectors = None
        if params.mode != "lexical":
            vectors = await self._embeddings.of_query(call, text)
            if vectors is None and params.mode == "vector":
                raise errors.EmbeddingUnavailable("No embedder answers.")

        def read(tx: Tx) -> tuple[SearchResult, list[int]]:
            spec, notices = self._spec(tx, call, params, text, vectors)
            return self._search(tx, spec, params, notices)

        result, shown = await self._db.read(read)
        self._accesses.note(shown)
        return result

    async def first(self, call: Call, question: str, top: int, more: int) -> SearchResult:
        """The memories for a prompt: up to `more` that answer; the newest fill them up to `top`."""
        vectors = await self._embeddings.of_query(call, question) if question else None
        params = SearchParams(query=question or "-", limit=min(more, limits.RESULTS_PER_CALL))

        def read(tx: Tx) -> tuple[SearchResult, list[int]]:
            spec, notices = self._spec(tx, call, params, question, vectors)
            found, shown = self._search(tx, spec, params, notices)
            if len(shown) >= top:
                return found, shown
            newest = self._engine.newest(tx, spec, top + len(shown))
            fill = [number for number in newest if number not in shown][: top - len(shown)]
            records = memories.by_ids(tx, spec.viewer, fill)
            rest = [Found(n, 0.0, relevant=False, signals={}) for n in fill if n in records]
            filled = found.results + _results(tx, spec.viewer, rest, records, explain=False)
            return msgspec.structs.replace(found, results=filled), shown

        result, shown = await self._db.read(read)
        self._accesses.note(shown)
        return result

    def _spec(
        self, tx: Tx, call: Call, params: SearchParams, text: str, vectors: Vectors | None
    ) -> tuple[Spec, list[Notice]]:
        viewer = call.look(tx)
        where, values, notices = filters.condition(tx, call, viewer, params)
        when, more = filters.known_at(params.as_of)
        names = naming.Names(tx)
        spec = Spec(
            viewer=viewer,
            query=queries.analyse(text, facts=True, now=from_micros(tx.now), zone=call.scope.zone),
            where=f"{where} and {when}",
            params={**values, **more},
            vectors=vectors,
            since=micros(params.since, "since"),
            until=micros(params.until, "until", end_of_day=True),
            mode=params.mode,
            explain=params.explain,
            include_superseded=params.include_superseded or params.as_of is not None,
            # What has faded is gone from every read of a sandbox, of the past as well (A2).
            include_expired=params.include_expired
            or (params.as_of is not None and call.actor.kind != "sandbox"),
            called=partial(naming.called, tx, viewer, names),
            about=naming.about(tx, viewer, names, call.speaker(tx, viewer), text),
        )
        return spec, notices

    def _search(
        self, tx: Tx, spec: Spec, params: SearchParams, notices: list[Notice]
    ) -> tuple[SearchResult, list[int]]:
        found = self._engine.memories(tx, spec)
        kept = [entry for entry in found if _passes(entry, params.min_score)]
        records = memories.by_ids(tx, spec.viewer, [entry.item for entry in kept[: params.limit]])
        shown = [entry for entry in kept[: params.limit] if entry.item in records]
        results = _results(tx, spec.viewer, shown, records, explain=params.explain)
        degraded = (
            ["embedder"]
            if params.mode == "hybrid" and spec.vectors is None and self._embeddings.state != "off"
            else []
        )
        answer = SearchResult(
            results,
            Withheld(len(found) - len(kept), max(len(kept) - params.limit, 0)),
            degraded,
            notices,
        )
        return answer, [entry.item for entry in shown]


def _passes(entry: Found, min_score: float | None) -> bool:
    """Whether a candidate is shown: by its evidence, or by the score that the caller set."""
    return entry.relevant if min_score is None else round(entry.score, 4) >= min_score


def _results(
    tx: Tx, viewer: Viewer, shown: list[Found], records: dict[int, Any], *, explain: bool
) -> list[Result]:
    about = {entry.item: model.subjects(records[entry.item]) for entry in shown}
    names = people_model.names_for(
        tx, viewer, {number for pairs in about.values() for number, _ in pairs}
    )
    return [
        Result(
            memory=model.to_wire(records[entry.item], now=tx.now),
            score=round(min(max(entry.score, 0.0), 1.0), 4),
            about=[names[number] for number, _ in about[entry.item]],
            trust=model.trust(records[entry.item]),
            signals=(
                {name: round(value, 4) for name, value in entry.signals.items()}
                if explain
                else msgspec.UNSET
            ),
        )
        for entry in shown
    ]
