"""Search memories, messages and summaries in one ranking: `search.all`.

Memories (`search.relevance`), messages and summaries (`search.fusion`) are scored on one scale, on
which `RELEVANT_SCORE` divides answers from the rest, so they are merged by score.
"""

from typing import Annotated, Literal

import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.conversation import search as turns
from ashd.conversation.model import MessageView
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import SearchParams as SummarySearch
from ashd.conversation.summaries import Summaries, SummaryView
from ashd.memory import search as memories
from ashd.memory.judge.statement import Trust
from ashd.memory.model import Memory
from ashd.memory.search import SearchMemory
from ashd.memory.search_results import Withheld
from ashd.search.fusion import RELEVANT_SCORE


class SearchAllParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to everything."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.QUERY_CHARS)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 10


class Hit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory, message or summary that answers, under the name of its kind."""

    source_type: Literal["memory", "message", "summary"]
    score: float
    memory: Memory | msgspec.UnsetType = msgspec.UNSET
    weak: bool | msgspec.UnsetType = msgspec.UNSET
    about: list[str] | msgspec.UnsetType = msgspec.UNSET
    via: str | msgspec.UnsetType = msgspec.UNSET
    trust: Trust | msgspec.UnsetType = msgspec.UNSET
    message: MessageView | msgspec.UnsetType = msgspec.UNSET
    summary: SummaryView | msgspec.UnsetType = msgspec.UNSET
    passage: str | msgspec.UnsetType = msgspec.UNSET


class SearchAllResult(msgspec.Struct, frozen=True):
    """The results of a search, best first."""

    results: list[Hit]
    withheld: Withheld
    degraded: list[str]


class SearchAll:
    """Asks memories, turns and summaries together."""

    def __init__(
        self, recall: SearchMemory, turn_recall: SearchConversations, summaries: Summaries
    ) -> None:
        self._recall = recall
        self._turns = turn_recall
        self._summaries = summaries

    async def search(self, call: Call, params: SearchAllParams) -> SearchAllResult:
        """Search memories, messages and summaries together."""
        found = await self._recall.search(
            call, memories.SearchParams(query=params.query, limit=params.limit)
        )
        said = await self._turns.search(
            call, turns.SearchParams(query=params.query, limit=params.limit)
        )
        summarised = await self._summaries.search(
            call, SummarySearch(query=params.query, limit=params.limit)
        )
        hits = [
            Hit(
                source_type="memory",
                score=result.score,
                memory=result.memory,
                weak=result.weak,
                about=result.about,
                via=result.via,
                trust=result.trust,
                passage=result.passage,
            )
            for result in found.results
        ]
        relevant = [result for result in said.results if result.score >= RELEVANT_SCORE]
        hits += [
            Hit(
                source_type="message",
                score=result.score,
                message=result.message,
                passage=result.passage,
            )
            for result in relevant
        ]
        fitting = [summary for summary in summarised.summaries if summary.score >= RELEVANT_SCORE]
        hits += [
            Hit(
                source_type="summary",
                score=summary.score,
                summary=summary.unranked(),
                passage=summary.passage,
            )
            for summary in fitting
        ]
        hits.sort(key=lambda hit: -hit.score)
        unfit = found.withheld.below_threshold + len(said.results) - len(relevant)
        unfit += len(summarised.summaries) - len(fitting)
        beyond = found.withheld.over_limit + max(len(hits) - params.limit, 0)
        degraded = list(dict.fromkeys([*found.degraded, *said.degraded, *summarised.degraded]))
        return SearchAllResult(hits[: params.limit], Withheld(unfit, beyond), degraded)
