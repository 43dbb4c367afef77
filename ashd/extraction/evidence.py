"""Check that a language model's findings were really said, and by whom. Pure.

A fact counts only with its evidence: the turn that it names is a person's, the speaker that it
names is that turn's, and its quote is in that turn. So a text that forges a label, speaks for
somebody else or instructs the model changes nothing that its own speaker could not have said.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ashd.conversation import transcript
from ashd.extraction.answer import Answer, Fact, Relation
from ashd.language import normal_forms
from ashd.language.template_tokens import defuse
from ashd.store.transcripts import Said

_SPACES: Final = re.compile(r"\s+")
_QUOTES: Final = str.maketrans("\u2018\u2019\u02bc\u201c\u201d\u00ab\u00bb", '\'\'\'""""')
_AROUND: Final = " \"'.,;:!?…"
_LEAST_QUOTE_CHARS: Final = 4
_OWN: Final = frozenset({"i", "me", "myself", "user", "the user", "speaker", "the speaker", "self"})


class Turn(NamedTuple):
    """A turn that was shown to the model; facts may be taken from it if `is_new`."""

    spoken: Said
    is_new: bool

    @property
    def is_source(self) -> bool:
        """Return whether a fact may be based on it."""
        return self.is_new and self.spoken.role == "user"


class Claim(NamedTuple):
    """A fact, and the index of the turn that it was said in."""

    turn: int
    fact: Fact


class Checked(NamedTuple):
    """The claims that have their evidence, and the reasons why the rest were refused."""

    claims: list[Claim]
    refused: list[str]


def check(answer: Answer, turns: Sequence[Turn], *, least_confidence: float) -> Checked:
    """Return the facts of an answer that have evidence, and a reason for each other one."""
    found = Checked([], [])
    for fact in answer.facts:
        why = _refusal(fact, turns, least_confidence)
        if why is None:
            found.claims.append(Claim(fact.turn - 1, fact))
        else:
            found.refused.append(why)
    return found


def _refusal(fact: Fact, turns: Sequence[Turn], least_confidence: float) -> str | None:
    if not 0 <= fact.confidence <= 1 or fact.confidence < least_confidence:
        return "low confidence"
    if not 1 <= fact.turn <= len(turns):
        return "no evidence"
    if not turns[fact.turn - 1].is_source:
        return "no evidence" if turns[fact.turn - 1].is_new else "read before"
    spoken = turns[fact.turn - 1].spoken
    if plain(fact.speaker).lstrip("@") not in names_of(spoken):
        return "another speaker"
    quote = plain(fact.quote)
    said = plain(spoken.content)
    # The model was shown it without the tokens of chat templates.
    shown = plain(defuse(spoken.content))
    if len(quote) < min(_LEAST_QUOTE_CHARS, len(said)) or (
        quote not in said and quote not in shown
    ):
        return "no evidence"
    return None


def names_of(spoken: Said) -> frozenset[str]:
    """Return the names that the labels use for a speaker, folded."""
    label = transcript.label(spoken)
    handle, _, name = label.partition(" (")
    names = (spoken.handle, spoken.speaker, spoken.display_name)
    called = (label, handle, name.rstrip(")"), *(one or "" for one in names))
    return frozenset(folded for one in called if (folded := plain(one).lstrip("@")))


def is_speaker(reference: str, spoken: Said) -> bool:
    """Return whether a reference in a fact means the speaker: by a whole name, or as "I"."""
    folded = plain(reference).lstrip("@")
    return folded in _OWN or folded in names_of(spoken)


def turns_of_relation(relation: Relation, turns: Sequence[Turn]) -> list[int]:
    """Return the turns whose speaker names both ends, or one besides themselves, oldest first.

    Any of them may be the one that states it, also one that is no source.
    """
    ends = (relation.subject, relation.object)
    found = []
    for number, turn in enumerate(turns):
        said = plain(turn.spoken.content)
        named = [plain(end) in said for end in ends]
        own = [is_speaker(end, turn.spoken) for end in ends]
        if any(named) and all(one or mine for one, mine in zip(named, own, strict=True)):
            found.append(number)
    return found


def plain(text: str) -> str:
    """Return a text as quotes are compared: without case, letter forms and outer punctuation."""
    folded = normal_forms.nfkc(text).translate(_QUOTES).casefold()
    return _SPACES.sub(" ", folded).strip(_AROUND)
