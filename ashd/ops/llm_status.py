"""The state of the language model for `system.status`, and the warnings that follow from it."""

from typing import Final, Literal

import msgspec

from ashd.ops.llm_usage import LlmUsage
from ashd.providers.llm import LanguageModel
from ashd.store.health import Warned

_WARNINGS: Final = {
    "unauthorised": Warned(
        "llm_unauthorised",
        "The language model's endpoint refused the API key: nothing is asked of it.",
        "Put a valid key into [llm] api_key_file; the daemon tries again within a minute.",
    ),
    "ceiling": Warned(
        "llm_ceiling",
        "The language model used its tokens of the day: it is not asked before midnight UTC.",
        "Raise [llm] max_tokens_per_day, or wait.",
    ),
    "unreachable": Warned(
        "llm_unreachable",
        "The language model's endpoint failed several times in a row.",
        "Check [llm] base_url and model, and the endpoint; the daemon tries again by itself.",
    ),
}


class TaskUsage(msgspec.Struct, frozen=True):
    """Answered calls of a task, and the tokens sent and received."""

    task: str
    calls: int
    sent: int
    received: int


class LanguageModelStatus(msgspec.Struct, frozen=True):
    """State of the language model; `untried` until its endpoint answered once since the start.

    Its usage is for the control socket only.
    """

    state: Literal["not_configured", "untried", "ready", "unauthorised", "ceiling", "unreachable"]
    model: str | None = None
    tokens_today: int | None = None
    max_tokens_per_day: int | None = None
    today: list[TaskUsage] = []
    """Use since midnight (UTC)."""


def status(llm: LanguageModel | None, usage: LlmUsage, *, with_usage: bool) -> LanguageModelStatus:
    """Return the state, and the use of the day's tokens."""
    if llm is None:
        return LanguageModelStatus("not_configured")
    if not with_usage:
        return LanguageModelStatus(llm.state)
    return LanguageModelStatus(
        llm.state,
        llm.model,
        usage.tokens_today,
        llm.max_tokens_per_day,
        [TaskUsage(one.task, one.calls, one.sent, one.received) for one in usage.by_task],
    )


def warnings(llm: LanguageModel | None) -> list[Warned]:
    """Return a warning with the reason why the model is not asked, if there is one."""
    found = _WARNINGS.get(llm.state) if llm is not None else None
    return [found] if found is not None else []
