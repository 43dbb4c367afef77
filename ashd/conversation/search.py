"""Find turns: `conversation.search`, ranked, with their neighbours."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.clock import from_micros
from ashd.conversation import model
from ashd.conversation.model import ConversationId, MessageView
from ashd.search import indexing, long_questions
from ashd.search import query as queries
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.search.spec import Found, Mode, Spec
from ashd.store import conversations, passages
from ashd.store.conversations import Message
from ashd.store.database import Database, Tx
from ashd.store.filters import ConversationFilter
from ashd.store.visibility import Viewer
from ashd.wire_times import When, micros


class SearchParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question; `window` neighbours on each side come with every message that answers."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.QUERY_CHARS)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 10
    conversation_id: ConversationId | None = None
    since: When | None = None
    until: When | None = None
    window: Annotated[int, msgspec.Meta(ge=0, le=limits.MESSAGES_AROUND)] = 0
    mode: Mode = "hybrid"
    explain: bool = False


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message that answers, its score, and the messages around it."""

    message: MessageView
    score: float
    window: list[MessageView]
    passage: str | msgspec.UnsetType = msgspec.UNSET
    """The passage that was found, if the message has several."""
    signals: dict[str, float] | msgspec.UnsetType = msgspec.UNSET


class SearchResult(msgspec.Struct, frozen=True):
    """The results of a search, best first."""

    results: list[Result]
    degraded: list[str]


class SearchConversations:
    """Answers questions from what was said."""

    def __init__(self, db: Database, embeddings: CurrentEmbedder, engine: Engine) -> None:
        self._db = db
        self._embeddings = embeddings
        self._engine = engine

    async def search(self, call: Call, params: SearchParams) -> SearchResult:
        """Find the messages that best answer a question.

        Raises:
            errors.EmbeddingUnavailable: `mode` is vector and no vector can be had.
        """
        text = await long_questions.asked(self._db, params.query)
        if not text:
            raise errors.InvalidParams("The query is empty.", "Say what to look for.")
        # The embedded text depends on the speakers: "Anna's dog" is "my dog" to Anna.
        is_embedded = params.mode != "lexical" and self._embeddings.state != "off"

        def read(tx: Tx) -> Spec | tuple[list[Result], bool]:
            spec = self._spec(tx, call, params, text)
            return spec if is_embedded or params.mode == "vector" else self._find(tx, spec, params)

        vectors, found = None, await self._db.read(read)
        if isinstance(found, Spec):
            spec = found
            vectors = await self._embeddings.of_query(call, spec.query.embed_text)
            if vectors is None and params.mode == "vector":
                raise errors.EmbeddingUnavailable("No embedder answers.")
            put = replace(spec, vectors=vectors)
            found = await self._db.read(lambda tx: self._find(tx, put, params))
        results, lacks_vectors = found
        degraded = params.mode != "lexical" and self._embeddings.state != "off"
        lost = degraded and (vectors is None or lacks_vectors)
        lacking = ["index"] if self._db.health.lacks_index else []
        return SearchResult(results, [*lacking, "embedder"] if lost else lacking)

    def _find(self, tx: Tx, spec: Spec, params: SearchParams) -> tuple[list[Result], bool]:
        """Return the messages found, and whether some lack vectors."""
        ranking = self._engine.messages(tx, spec)
        found = _results(tx, spec.viewer, ranking.found[: params.limit], params)
        return found, ranking.lacks_vectors

    def _spec(self, tx: Tx, call: Call, params: SearchParams, text: str) -> Spec:
        viewer = call.look(tx)
        now = from_micros(tx.now)
        spec = Spec(
            viewer=viewer,
            query=queries.analyse(text, now=now, zone=call.scope.zone),
            filter=ConversationFilter(params.conversation_id),
            vectors=None,
            since=micros(params.since, "since"),
            until=micros(params.until, "until", end_of_day=True),
            mode=params.mode,
            explain=params.explain,
        )
        account = call.speaker(tx, viewer)
        asker = (account.display_name or account.username) if account else None
        return replace(
            spec,
            query=queries.analyse(
                text,
                speaker_names=self._engine.speakers(tx, spec),
                asker=asker or "user",
                assistant="assistant",
                now=now,
                zone=call.scope.zone,
            ),
        )


def _results(tx: Tx, viewer: Viewer, ranked: list[Found], params: SearchParams) -> list[Result]:
    numbers = [entry.item for entry in ranked]
    found = {message.id: message for message in conversations.by_ids(tx, viewer, numbers)}
    shown = [entry for entry in ranked if entry.item in found]
    long = [one.passage for one in shown if indexing.is_long(found[one.item].content)]
    texts = passages.texts(tx, long)
    windows = _windows(tx, viewer, [found[entry.item] for entry in shown], params.window)
    said = [found[entry.item] for entry in shown] + [one for window in windows for one in window]
    index = conversations.indexes(tx, viewer, said)
    return [
        Result(
            message=model.message(found[entry.item], index[entry.item]),
            score=round(min(max(entry.score, 0.0), 1.0), 4),
            window=[model.message(other, index[other.id]) for other in window],
            passage=texts.get(entry.passage, msgspec.UNSET),
            signals=entry.signals if params.explain else msgspec.UNSET,
        )
        for entry, window in zip(shown, windows, strict=True)
    ]


def _windows(
    tx: Tx, viewer: Viewer, messages: Sequence[Message], width: int
) -> list[list[Message]]:
    """Return the neighbours of each message."""
    if not width or not messages:
        return [[] for _ in messages]
    return [
        [
            other
            for other in around
            if other.id != message.id
            and other.role != "system"  # a host's instructions, which nobody said
        ]
        for message, around in zip(
            messages, conversations.around(tx, viewer, messages, width), strict=True
        )
    ]
