"""Try the language model on a conversation of our own, and say what it got wrong."""

from typing import Final, NamedTuple

import anyio

from ashd import errors
from ashd.clock import Clock
from ashd.conversation.extraction_jobs import KIND
from ashd.extraction import answer_reading, asking, evidence
from ashd.extraction.evidence import Turn
from ashd.extraction.writing import Outcomes
from ashd.providers.llm import LanguageModel
from ashd.store.transcripts import Said

MOST_SECONDS: Final = 120.0
"""The time of a trial, whose end somebody waits for; background work may wait longer."""
_SAID: Final = (
    ("user", "My sister Vera moved to Graz in March, and she teaches the cello there."),
    ("assistant", "How lovely! Does she like it?"),
    ("user", "She does. By the way, I am allergic to walnuts, so please no nut cakes."),
)


class Fault(NamedTuple):
    """A fault of the model, and what to do about it."""

    detail: str
    remedy: str


async def fault_of(
    model: LanguageModel,
    clock: Clock,
    least_confidence: float,
    *,
    most_seconds: float = MOST_SECONDS,
) -> Fault | None:
    """Let the model extract facts from three turns; return what is wrong, if anything is.

    It is asked once, with one repair. Nothing is stored.
    """
    with anyio.move_on_after(most_seconds):
        return await _fault_of(model, clock, least_confidence)
    return Fault(
        f"A trial of fact extraction with {model.model_of(KIND)} was ended after"
        f" {most_seconds:g} seconds, before the answer was complete.",
        "A model that is only slow still learns in the background, where it has [llm] timeout_s"
        " for each answer. If it hangs, check the endpoint, or name a faster model in [llm].",
    )


async def _fault_of(model: LanguageModel, clock: Clock, least_confidence: float) -> Fault | None:
    turns = [
        Turn(Said(at, role, None, "nora", "Nora Berg", text, clock.now(), 0), is_new=True)
        for at, (role, text) in enumerate(_SAID)
    ]
    wanted = asking.wanted_of(model.graph, in_group=False)[0]
    user = asking.question(turns, wanted.things)
    try:
        reading = await model.ask_for(
            KIND, wanted.system, user, wanted.schema, answer_reading.read, retries=False
        )
    except errors.LlmUnavailable as error:
        return Fault(f"A trial of fact extraction failed: {error.message}", error.hint)
    outcomes = Outcomes.none()
    outcomes.refuse_malformed(reading.malformed)
    checked = evidence.check(reading.answer, turns, least_confidence=least_confidence)
    for reason in checked.refused:
        outcomes.refuse_fact(reason)
    found, wrong = len(checked.claims), outcomes.facts_refused.total()
    if reading.is_cut:
        outcomes.refused["the answer was cut off"] += 1
    if found and not outcomes.refused:
        return None
    said = f"{found} of {found + wrong} facts had their evidence"
    reasons = outcomes.text() if outcomes.refused else "two were to be found"
    return Fault(
        f"A trial of fact extraction with {model.model_of(KIND)}: {said}; {reasons}.",
        "Wrong facts are never stored, but right ones are missed: name a larger model in [llm].",
    )
