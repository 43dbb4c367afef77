"""The block for the prompt, put together: `context.get` (F1 to F4).

Everything is looked up as the caller may see it in this chat; `budget` decides what fits, `render`
writes it. The order of the sections is their priority.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar, get_args

import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.access.scope import Scope
from ashd.access.text_cleaning import clean
from ashd.clock import SECOND, Clock
from ashd.config import Memory as Settings
from ashd.context import chosen_memories, lasting_parts, render
from ashd.context import sections as made
from ashd.context.budget import Filled, Reason, Why, budgets_of, fill
from ashd.context.chosen_memories import Chosen
from ashd.context.given_lines import GivenLines
from ashd.context.planner import Plan, Planner, unaided
from ashd.context.sections import SectionName
from ashd.conversation import search as turns
from ashd.conversation.model import MessageView
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import FoundSummary, Summaries, SummaryView
from ashd.conversation.summaries import SearchParams as SummarySearch
from ashd.conversation.summary_text import as_text
from ashd.language.fingerprint import fingerprint
from ashd.memory.filters import Notice
from ashd.memory.model import Memory
from ashd.memory.search import SearchMemory
from ashd.people.directory import PeopleDirectory
from ashd.people.model import PersonView
from ashd.search.fusion import RELEVANT_SCORE
from ashd.store import memories
from ashd.store.change_tracker import Key
from ashd.store.database import Database
from ashd.token_estimate import estimate

_S = TypeVar("_S", bound=SummaryView)
CACHE_SECONDS: Final = 10
_CACHED: Final = 256
_CACHED_CHARS: Final = 32_000
"""A larger block is not cached, since all callers share one cache."""
_SEARCHED: Final = frozenset({"memories", "excerpts", "relevant_summaries"})
_CHOSEN: Final = _SEARCHED | {"people", "summaries", "relationships"}
"""The sections that a message which asks for nothing does without."""
_NEIGHBOURS: Final = 1
"""Number of turns before and after an excerpt that are added if they fit."""


class Recent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message of the current conversation, which the host has in the prompt already."""

    role: str
    content: Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)]


class ContextParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The message that the model is to answer, and the limits of the context for it."""

    message: Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)]
    recent: Annotated[list[Recent], msgspec.Meta(max_length=limits.RESULTS_PER_CALL)] = []
    max_tokens: Annotated[int, msgspec.Meta(ge=50, le=limits.CONTEXT_TOKENS)] = 2_000
    max_memories: Annotated[int, msgspec.Meta(ge=0, le=limits.RESULTS_PER_CALL)] | None = None
    """By default ten by rank, and those that bear on the message anyway; a number bounds both."""
    max_messages: Annotated[int, msgspec.Meta(ge=0, le=limits.RESULTS_PER_CALL)] = 5
    min_message_similarity: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.3
    sections: list[SectionName] | None = None
    explain: bool = False


class SectionView(msgspec.Struct, frozen=True):
    """A section of the block: its tokens and how many items it has."""

    name: str
    heading: str
    tokens: int
    items: int


class Explained(msgspec.Struct, frozen=True):
    """A line that was considered for the block, and its tokens.

    `why` is `in` if the block has the line, else the rule that left the line out (`twice`,
    `over_section`, `over_total`, `below_similarity`, `echo`). `reason` says why the line was
    considered.
    """

    section: str
    item: str
    why: Why
    score: float | None
    reason: Reason
    text: str
    tokens: int


class ContextResult(msgspec.Struct, frozen=True, kw_only=True):
    """The block, its size, and what is in it."""

    text: str
    token_count: int
    sections: list[SectionView]
    memories: list[Memory]
    messages: list[MessageView]
    summaries: list[SummaryView]
    people: list[PersonView]
    degraded: list[str]
    notices: list[Notice]
    explained: list[Explained] | msgspec.UnsetType = msgspec.UNSET


SWITCHED_OFF: Final = ContextResult(
    text="",
    token_count=0,
    sections=[],
    memories=[],
    messages=[],
    summaries=[],
    people=[],
    degraded=[],
    notices=[Notice("memory_off", "Memory is switched off: nothing goes into the prompt.")],
)


@dataclass(frozen=True, slots=True)
class _Cached:
    until: int
    generation: int
    keys: frozenset[Key]
    """The chats, accounts and people whose changes may change the block."""
    result: ContextResult

    def is_fresh(self, now: int) -> bool:
        """Return whether the block was made lately; before it was made the clock was set back."""
        return now < self.until <= now + CACHE_SECONDS * SECOND


def _chars(result: ContextResult) -> int:
    """Return the total length of a result's texts, in characters."""
    contents = [memory.content for memory in result.memories]
    contents += [message.content for message in result.messages]
    contents += [summary.overall for summary in result.summaries]
    return len(result.text) + sum(map(len, contents))


class Context:
    """Puts the block together."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        recall: SearchMemory,
        turn_recall: SearchConversations,
        summaries: Summaries,
        directory: PeopleDirectory,
        planner: Planner,
        given: GivenLines,
        settings: Settings,
    ) -> None:
        self._db = db
        self._clock = clock
        self._recall = recall
        self._turns = turn_recall
        self._summaries = summaries
        self._directory = directory
        self._planner = planner
        self._given = given
        self._settings = settings
        self._cache: OrderedDict[bytes, _Cached] = OrderedDict()

    async def get(self, call: Call, params: ContextParams) -> ContextResult:
        """Compose the block of text that a model reads before it answers a message.

        The same request for the same audience gets the same block for 10 s, unless a text that the
        audience may see changes.
        """
        if not call.memory_on:
            return SWITCHED_OFF
        generation = self._db.generation
        # Ask the policy first: a cached block is for the audience that it was made for.
        viewer = await self._db.read(call.look)
        speaks = call.turn and call.turn.user_id
        asked = (call.scope, speaks, viewer, params)
        self._drop_expired()
        key = hashlib.blake2b(msgspec.json.encode(asked), digest_size=32).digest()
        kept = self._cache.get(key)
        now = self._clock.now()
        if kept is not None and kept.is_fresh(now) and self._is_same(kept):
            # Time passing is no change, but what has expired since must not be shown (A2).
            shown = [memory.id for memory in kept.result.memories]
            if await self._db.read(lambda tx: memories.all_active(tx, shown)):
                return kept.result
        result, keys = await self._assemble(call, params)
        self._given.note(viewer.chat, result.text)
        # A block made without some part is not cached: the part may be back soon.
        if _chars(result) <= _CACHED_CHARS and not result.degraded:
            self._cache[key] = _Cached(now + CACHE_SECONDS * SECOND, generation, keys, result)
            self._cache.move_to_end(key)
        while len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return result

    def forget(self) -> None:
        """Forget the blocks that were made."""
        self._cache.clear()

    def _drop_expired(self) -> None:
        """Drop the blocks that are too old to be given again; the oldest come first."""
        now = self._clock.now()
        while self._cache and next(iter(self._cache.values())).until <= now:
            self._cache.popitem(last=False)

    def _is_same(self, kept: _Cached) -> bool:
        """Return whether nothing that the block may show has changed since."""
        return self._db.since(kept.keys, kept.generation) == "same"

    async def _assemble(
        self, call: Call, params: ContextParams
    ) -> tuple[ContextResult, frozenset[Key]]:
        """Return the block, and the keys of the changes that may change it."""
        wanted = frozenset(get_args(SectionName) if params.sections is None else params.sections)
        plan = await self._plan(call, params, wanted)
        question = plan.query
        degraded = ["planner"] if plan.degraded else []
        said = [(one.role, one.content) for one in params.recent]
        read = None
        if wanted & _CHOSEN:
            read = await chosen_memories.kinds_of(self._recall, call, plan, said)
        if read is not None and read[0].is_quiet:
            wanted -= _CHOSEN
        known_by = self._summaries, self._directory
        lasting = await self._db.read(
            lambda tx: lasting_parts.read(tx, call, *known_by, wanted, question)
        )
        known = lasting.people
        chosen = Chosen([], [])
        if "memories" in wanted:
            texts = [question, *(text for _, text in said)]
            chosen = await chosen_memories.choose(
                *(self._db, self._recall, call, plan, params.max_memories, read, texts),
                household=chosen_memories.household_of(known),
            )
            degraded += chosen.degraded
        hits: list[turns.Result] = []
        left_out: list[tuple[turns.Result, Why]] = []
        if "excerpts" in wanted and params.max_messages and question:
            hits, left_out, lost = await self._excerpts(call, params, question)
            degraded = list(dict.fromkeys([*degraded, *lost]))
        latest = _distinct(lasting.summaries, [])
        relevant, lost = await self._relevant(call, question, latest, wanted)
        degraded = list(dict.fromkeys([*degraded, *lost]))
        if read is not None and "memories" in wanted:
            known = chosen_memories.concerned(known, question, chosen.results)
        sections = [
            made.date(self._clock.now(), call.scope.zone),
            made.overrides(lasting.pinned),
            made.profile(lasting.profile),
            made.people(known),
            made.memories(
                chosen.results, question, standing=chosen.standing, asker=_asker(call.scope)
            ),
            made.summaries(latest),
            made.relationships(lasting.relations),
            made.excerpts(hits, left_out),
            made.relevant_summaries(relevant),
        ]
        sections = [section for section in sections if section.name in wanted]
        total = max(params.max_tokens - render.OVERHEAD_TOKENS, 0)
        filled = fill(sections, total, budgets_of(self._settings, total))
        text = render.block([section for section in filled if section.items])
        shown = {item.key: item.value for section in filled for item in section.items}
        result = ContextResult(
            text=text,
            token_count=estimate(text),
            sections=[
                SectionView(section.name, section.heading, section.tokens, len(section.items))
                for section in filled
                if section.items
            ],
            memories=[value for value in shown.values() if isinstance(value, Memory)],
            messages=[value for value in shown.values() if isinstance(value, MessageView)],
            summaries=[value for value in shown.values() if isinstance(value, SummaryView)],
            people=[value for value in shown.values() if isinstance(value, PersonView)],
            degraded=degraded,
            notices=_notices(filled),
            explained=_explained(filled) if params.explain else msgspec.UNSET,
        )
        return result, lasting.keys

    async def _relevant(
        self, call: Call, question: str, latest: list[SummaryView], wanted: frozenset[str]
    ) -> tuple[list[FoundSummary], list[str]]:
        """Return the summaries that answer, without the latest ones, and the parts that failed."""
        if "relevant_summaries" not in wanted or not question:
            return [], []
        found = await self._summaries.search(call, SummarySearch(query=question))
        relevant = [one for one in found.summaries if one.score >= RELEVANT_SCORE]
        return _distinct(relevant, latest), found.degraded

    async def _plan(self, call: Call, params: ContextParams, wanted: frozenset[str]) -> Plan:
        """Plan the search; a model plans for an operator only, since that costs tokens."""
        message = clean(params.message)[: limits.QUERY_CHARS]
        said = [(one.role, one.content) for one in params.recent]
        if call.actor.kind != "operator" or not wanted & _SEARCHED:
            return unaided(message, said)
        return await self._planner.plan(message, said)

    async def _excerpts(
        self, call: Call, params: ContextParams, question: str
    ) -> tuple[list[turns.Result], list[tuple[turns.Result, Why]], list[str]]:
        """Search messages: return the hits, the turns left out with reasons, and degraded parts."""
        # Messages that the host has in the prompt already do not count against the limit.
        most = min(params.max_messages + len(params.recent), limits.RESULTS_PER_CALL)
        asked = turns.SearchParams(query=question, limit=most, window=_NEIGHBOURS)
        said = await self._turns.search(call, asked)
        echoes = {fingerprint(message.content) for message in params.recent}
        hits: list[turns.Result] = []
        left_out: list[tuple[turns.Result, Why]] = []
        for turn in said.results:
            if fingerprint(turn.message.content) in echoes:
                left_out.append((turn, "echo"))
            elif turn.score < params.min_message_similarity:
                left_out.append((turn, "below_similarity"))
            else:
                around = [
                    message for message in turn.window if fingerprint(message.content) not in echoes
                ]
                hits.append(msgspec.structs.replace(turn, window=around))
        return hits[: params.max_messages], left_out, said.degraded


def _asker(scope: Scope) -> made.Asker | None:
    """Return whose private chat the block is for; None in a chat of several."""
    is_private = scope.chat_id is None or scope.chat_type == "private"
    return (scope.provider, scope.user_id) if scope.user_id and is_private else None


def _distinct(summaries: Sequence[_S], others: Sequence[SummaryView]) -> list[_S]:
    """Return the summaries whose text differs from earlier ones and from the others."""
    texts = {as_text(one) for one in others}
    kept: list[_S] = []
    for one in summaries:
        if (text := as_text(one)) not in texts:
            texts.add(text)
            kept.append(one)
    return kept


def _notices(filled: list[Filled]) -> list[Notice]:
    """Return a notice for the host if pinned facts did not fit."""
    pinned = next((section for section in filled if section.name == "overrides"), None)
    left_out = sum(why == "over_total" for _, why in pinned.decisions) if pinned else 0
    if not left_out:
        return []
    return [
        Notice(
            "overrides_left_out",
            f"{left_out} pinned did not fit: raise max_tokens, or pin less and in fewer words.",
        )
    ]


def _explained(filled: list[Filled]) -> list[Explained]:
    return [
        Explained(
            section=section.name,
            item=item.key,
            why=why,
            score=item.score,
            reason=item.reason,
            text=item.text,
            tokens=item.tokens,
        )
        for section in filled
        for item, why in section.decisions
    ]
