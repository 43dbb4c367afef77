"""Plan the search from the last messages of a conversation: the task `plan_search` (D10).

"And what is she called?" says nothing to a search. A language model, where there is one, rewrites
it and may add two look-ups. Without one, a short message is also looked up together with the one
before it. What must always hold: without a model, with a slow one or a failing one the context is
made all the same, at most `DEADLINE_SECONDS` later; the answer is used as a question in the
caller's own scope and for nothing else.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import anyio
import msgspec

from ashd import errors, limits
from ashd.access.text_cleaning import clean
from ashd.language.word_patterns import LETTERS
from ashd.memory.search_results import Result
from ashd.providers import prompts
from ashd.providers.breaker import Breaker
from ashd.providers.llm import LanguageModel
from ashd.search.fusion import RELEVANT_SCORE

DEADLINE_SECONDS: Final = 3.0
MOST_LOOKUPS: Final = 2
FOLLOW_UP_WORDS: Final = 8
"""A message of at most so many words may depend on the one before it."""
_TASK: Final = "plan_search"
_PROMPT_VERSION: Final = 1
_RECENT: Final = 6
_MESSAGE_CHARS: Final = 1_000
"""Characters from the end of each message that are sent."""
_CACHED: Final = 256
_SLOW_CALLS: Final = 2
_PAUSE_SECONDS: Final = 60.0


class PlanAnswer(msgspec.Struct, frozen=True):
    """The answer of the task."""

    query: str
    lookups: list[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """The queries of a search; `degraded` if the model should have planned them and did not."""

    query: str
    lookups: tuple[str, ...] = ()
    degraded: bool = False


class Planner:
    """Plans with a language model, and caches its plans."""

    def __init__(
        self,
        llm: LanguageModel | None,
        *,
        breaker: Breaker | None = None,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._llm = llm
        # The model's own breaker does not count calls that were too slow for a question.
        self._breaker = breaker or Breaker(_SLOW_CALLS, _PAUSE_SECONDS)
        self._deadline_seconds = deadline_seconds
        self._plans: OrderedDict[str, Plan] = OrderedDict()

    async def plan(self, message: str, recent: Sequence[tuple[str, str]]) -> Plan:
        """The plan for a message after recent ones, as (role, content)."""
        said = _said_before(message, recent)
        if self._llm is None or not said or not message:
            return unaided(message, recent)
        asked = _conversation([*said[-_RECENT:], ("user", message)])
        plan = self._plans.get(asked)
        if plan is None:
            plan = await self._ask(self._llm, message, asked)
            if plan is None:
                return replace(unaided(message, recent), degraded=True)
        self._plans[asked] = plan
        self._plans.move_to_end(asked)
        while len(self._plans) > _CACHED:
            self._plans.popitem(last=False)
        return plan

    def forget(self) -> None:
        """Forget the plans, with the messages that they were made for."""
        self._plans.clear()

    async def _ask(self, llm: LanguageModel, message: str, asked: str) -> Plan | None:
        """Return the model's plan; None if it failed or was too slow."""
        if not self._breaker.admits():
            return None
        system = prompts.load(_TASK, _PROMPT_VERSION)
        with anyio.move_on_after(self._deadline_seconds):
            try:
                answer = await llm.ask(_TASK, system, asked, PlanAnswer, retries=False)
            except errors.LlmUnavailable:
                return None
            self._breaker.succeeded()
            return Plan(_question(answer.query) or message, _lookups(answer, message))
        self._breaker.failed()
        return None


def unaided(message: str, recent: Sequence[tuple[str, str]]) -> Plan:
    """Plan without a model: look a short message up with the person's last one before it, too."""
    said = [text for role, text in _said_before(message, recent) if role == "user"]
    if not said or not message or len(LETTERS.findall(message)) > FOLLOW_UP_WORDS:
        return Plan(message)
    together = f"{clean(said[-1])} {message}"
    return Plan(message, (together[-limits.QUERY_CHARS :],))


def _said_before(message: str, recent: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    said = [(role, text) for role, text in recent if role in {"user", "assistant"} and text]
    if said and said[-1] == ("user", message):
        said.pop()  # a host may list the message among the recent ones
    return said


def merged(found: Sequence[Result], further: Sequence[Result]) -> list[Result]:
    """Merge a question's results with those of a look-up that answer it, by their better scores."""
    scores = {result.memory.id: result.score for result in found}
    said = {other for result in found for other in result.repeats}
    results = list(found)
    for result in further:
        answers = not result.weak and result.score >= RELEVANT_SCORE
        if not answers or result.memory.id in said:
            continue
        if result.score <= scores.get(result.memory.id, 0.0):
            continue
        results = [one for one in results if one.memory.id != result.memory.id]
        at = next((n for n, one in enumerate(results) if one.score < result.score), len(results))
        results.insert(at, result)
    return results


def _conversation(turns: Sequence[tuple[str, str]]) -> str:
    """Return the turns as numbered groups of lines; no text can begin a turn."""
    return "\n".join(
        f"[{number}] {role if role == 'assistant' else '@user'}: {_indented(text)}"
        for number, (role, text) in enumerate(turns, 1)
    )


def _indented(text: str) -> str:
    return "\n  ".join(clean(text)[-_MESSAGE_CHARS:].splitlines())


def _question(text: str) -> str:
    return clean(text).strip()[: limits.QUERY_CHARS]


def _lookups(answer: PlanAnswer, message: str) -> tuple[str, ...]:
    asked = {_question(answer.query).casefold(), message.casefold(), ""}
    texts = dict.fromkeys(map(_question, answer.lookups))
    return tuple(text for text in texts if text.casefold() not in asked)[:MOST_LOOKUPS]
