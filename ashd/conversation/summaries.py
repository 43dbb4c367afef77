"""Summaries of conversations, to list, to read and to search: `summary.*`.

A summary shows no more than its turns: whoever may not see one of them sees none of it, and in a
group nobody sees summaries of other chats (features.md, section C).
"""

import builtins
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.clock import from_micros, to_text
from ashd.conversation import summary_text
from ashd.conversation.model import ConversationId
from ashd.conversation.summary_text import KeyDate, SummaryText, as_text
from ashd.ids import RowId, find_one
from ashd.search import indexing, long_questions
from ashd.search import query as queries
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.search.spec import Found, Spec, Vectors
from ashd.store import passages, summaries
from ashd.store.database import Database, Tx
from ashd.store.filters import ConversationFilter
from ashd.store.summaries import Summary
from ashd.wire_times import When, micros


class SummaryView(SummaryText, frozen=True, kw_only=True):
    """A summary of what was said in a conversation from `began_at` to `at`."""

    id: str
    conversation_id: str
    title: str | None
    """The title given to the conversation, else its first topic."""
    began_at: str
    at: str
    messages: int


class FoundSummary(SummaryView, frozen=True, kw_only=True, omit_defaults=True):
    """A summary that answers a question, its score, and its passage if it is long."""

    score: float
    passage: str | msgspec.UnsetType = msgspec.UNSET

    def unranked(self) -> SummaryView:
        """Return the summary without its score."""
        fields = SummaryView.__struct_fields__
        return SummaryView(**{name: getattr(self, name) for name in fields})


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of summaries to list, and their conversation; without one, all conversations."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20
    conversation_id: ConversationId | None = None


class ListResult(msgspec.Struct, frozen=True):
    """Summaries, latest conversations first."""

    summaries: list[SummaryView]


class GetParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One summary, by its id or a prefix that fits only one."""

    id: RowId


class GetResult(msgspec.Struct, frozen=True):
    """The summary."""

    summary: SummaryView


class SearchParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question; `since` and `until` bound when the conversation ended."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.QUERY_CHARS)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 10
    since: When | None = None
    until: When | None = None


class SearchResult(msgspec.Struct, frozen=True):
    """The summaries that best answer, best first."""

    summaries: list[FoundSummary]
    degraded: list[str]


class Summaries:
    """Shows summaries."""

    def __init__(self, db: Database, embeddings: CurrentEmbedder, engine: Engine) -> None:
        self._db = db
        self._embeddings = embeddings
        self._engine = engine

    async def latest(
        self, call: Call, most: int, conversation_id: str | None = None
    ) -> list[SummaryView]:
        """Return the summaries of the latest conversations, latest first."""
        return await self._db.read(lambda tx: self.latest_in(tx, call, most, conversation_id))

    def latest_in(
        self, tx: Tx, call: Call, most: int, conversation_id: str | None = None
    ) -> "builtins.list[SummaryView]":
        """Return in a transaction what `latest` returns."""
        wanted = ConversationFilter(conversation_id)
        spec = _spec(tx, call, SearchParams(query="-"), "", None, wanted)
        numbers = self._engine.latest_summaries(tx, spec, most)
        found = {one.id: one for one in summaries.by_ids(tx, spec.viewer, numbers)}
        return [view(found[number]) for number in numbers if number in found]

    async def list(self, call: Call, params: ListParams) -> ListResult:
        """List summaries of conversations, latest conversations first."""
        return ListResult(await self.latest(call, params.limit, params.conversation_id))

    async def get(self, call: Call, params: GetParams) -> GetResult:
        """Show one summary.

        Raises:
            errors.NotFound: none that the caller may see has this id.
        """

        def read(tx: Tx) -> SummaryView:
            viewer = call.look(tx)
            return view(
                find_one(
                    *(params.id, "summary"),
                    lambda prefix: summaries.with_prefix(tx, viewer, prefix),
                )
            )

        return GetResult(await self._db.read(read))

    async def search(self, call: Call, params: SearchParams) -> SearchResult:
        """Find the summaries of conversations that best answer a question."""
        text = await long_questions.asked(self._db, params.query)
        if not text:
            raise errors.InvalidParams("The query is empty.", "Say what to look for.")
        vectors = await self._embeddings.of_query(call, text)

        def read(tx: Tx) -> tuple[list[FoundSummary], bool]:
            spec = _spec(tx, call, params, text, vectors, ConversationFilter())
            ranking = self._engine.summaries(tx, spec)
            return _found(tx, spec, ranking.found[: params.limit]), ranking.lacks_vectors

        found, lacks_vectors = await self._db.read(read)
        lost = self._embeddings.state != "off" and (vectors is None or lacks_vectors)
        return SearchResult(found, ["embedder"] if lost else [])


def view(found: Summary) -> SummaryView:
    """Return the summary as the wire shows it."""
    return SummaryView(**_fields(found))


def _fields(found: Summary) -> dict[str, Any]:
    topics = msgspec.json.decode(found.topics, type=list[str])
    return {
        "id": found.uuid,
        "conversation_id": found.conversation_id,
        "title": found.title or (summary_text.title(topics) or None),
        "began_at": to_text(found.said_from) or "",
        "at": to_text(found.said_until) or "",
        "messages": found.messages,
        "overall": found.overall,
        "topics": topics,
        "decisions": msgspec.json.decode(found.decisions, type=list[str]),
        "key_dates": msgspec.json.decode(found.key_dates, type=list[KeyDate]),
        "action_items": msgspec.json.decode(found.action_items, type=list[str]),
    }


def _spec(
    tx: Tx,
    call: Call,
    params: SearchParams,
    text: str,
    vectors: Vectors | None,
    wanted: ConversationFilter,
) -> Spec:
    return Spec(
        viewer=call.look(tx),
        query=queries.analyse(text, now=from_micros(tx.now), zone=call.scope.zone),
        filter=wanted,
        vectors=vectors,
        since=micros(params.since, "since"),
        until=micros(params.until, "until", end_of_day=True),
    )


def _found(tx: Tx, spec: Spec, ranked: Sequence[Found]) -> list[FoundSummary]:
    rows = {one.id: one for one in summaries.by_ids(tx, spec.viewer, [one.item for one in ranked])}
    shown = [entry for entry in ranked if entry.item in rows]
    long = [one.passage for one in shown if indexing.is_long(as_text(view(rows[one.item])))]
    texts = passages.texts(tx, long)
    return [
        FoundSummary(
            **_fields(rows[entry.item]),
            score=round(min(max(entry.score, 0.0), 1.0), 4),
            passage=texts.get(entry.passage, msgspec.UNSET),
        )
        for entry in shown
    ]
