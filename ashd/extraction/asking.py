"""Ask the language model about turns, and about the rest in halves where its answer was cut.

Whatever part of a conversation gets no usable answer is counted: it is never lost in silence.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from ashd import errors
from ashd.conversation import transcript
from ashd.conversation.extraction_jobs import KIND
from ashd.extraction import answer_reading, evidence, sources
from ashd.extraction.answer import Answer
from ashd.extraction.answer_reading import Reading
from ashd.extraction.sources import KNOWN_MESSAGES, Source
from ashd.extraction.writing import UNREAD, Outcomes
from ashd.providers import prompts
from ashd.providers.structured import Written

PROMPT_VERSION: Final = 1
T = TypeVar("T")


class Asks(Protocol):
    """The part of a language model that is needed here."""

    async def ask_for(
        self,
        task: str,
        system: str,
        user: str,
        form: type[msgspec.Struct],
        read: Callable[[Written], T],
    ) -> T:
        """Return what `read` finds in the model's answer to one question."""
        ...


class Part(NamedTuple):
    """Turns that the same people heard, the index of the first among all, and what is in them."""

    first: int
    heard: list[Source]
    answer: Answer


async def asked(model: Asks, read: Sequence[Source], outcomes: Outcomes) -> list[Part]:
    """Return what the model finds; it is asked about turns together that were heard alike.

    Raises:
        errors.LlmUnavailable: there is no answer.
    """
    found = []
    for first, heard in sources.heard_alike(read):
        if any(source.speaks for source in heard):
            found += await _asked(model, Part(first, heard, _NOTHING), outcomes)
    return found


async def _asked(
    model: Asks, part: Part, outcomes: Outcomes, *, is_half: bool = False
) -> list[Part]:
    """Return what the model finds in turns, with the halves of what a cut answer left."""
    system = prompts.load(KIND, PROMPT_VERSION)
    turns = [source.turn for source in part.heard]
    try:
        reading: Reading = await model.ask_for(
            KIND, system, question(turns), Answer, answer_reading.read
        )
    except errors.MalformedAnswer:
        outcomes.refused[UNREAD] += 1
        return []
    outcomes.refuse_malformed(reading.malformed)
    found = [part._replace(answer=reading.answer)]
    if not reading.is_cut:
        return found
    # An answer without a single fact has run on: shorter questions may help once.
    halves = [] if is_half and not reading.answer.facts else _halves(part, reading.answer)
    if not halves:
        outcomes.refused[UNREAD] += 1
    for half in halves:
        found += await _asked(model, half, outcomes, is_half=True)
    return found


def _halves(part: Part, answer: Answer) -> list[Part]:
    """Return the turns from the last that a whole fact was found in, as two parts."""
    new = [at for at, source in enumerate(part.heard) if source.turn.is_source]
    named = [fact.turn - 1 for fact in answer.facts if fact.turn is not None]
    last = max((at for at in named if at in new), default=new[0])
    rest = [at for at in new if at >= last]
    if len(rest) == 1:
        return [_from(part, last, len(part.heard))] if len(new) > 1 else []
    middle = rest[len(rest) // 2]
    return [
        _from(part, rest[0], middle),
        _from(part, middle, len(part.heard)),
    ]


def _from(part: Part, first: int, end: int) -> Part:
    """Return a part of turns, after some earlier ones that are context."""
    begin = max(first - KNOWN_MESSAGES, 0)
    heard = [
        source._replace(turn=source.turn._replace(is_new=source.turn.is_new and at >= first))
        for at, source in enumerate(part.heard[begin:end], start=begin)
    ]
    return Part(part.first + begin, heard, _NOTHING)


def question(turns: Sequence[evidence.Turn]) -> str:
    """Return the conversation as data; earlier turns are marked as known."""
    known = sum(not turn.is_new for turn in turns)
    heading = "Turns of a conversation."
    if known:
        heading += f" Turns 1 to {known} are known already: context, not a source."
    return f"{heading}\n\n{transcript.render([turn.spoken for turn in turns])}"


_NOTHING: Final = Answer([])
