"""Check that a language model's findings were really said, and by whom. Pure.

A fact counts only with its evidence: its quote is in the turn that it names, or in exactly one
other, that turn is a person's, and no other speaker is named. So a text that forges a label, speaks
for somebody else or instructs the model changes nothing that its own speaker could not have said.
"""

import html
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import structs

from ashd.conversation import transcript
from ashd.extraction.answer import Answer, Fact, ProfileStatement, Relation
from ashd.language import normal_forms
from ashd.language.template_tokens import defuse
from ashd.store.transcripts import Said

_SPACES: Final = re.compile(r"\s+")
_SIGNS: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2039\u203a\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
_AROUND: Final = " \"'.,;:!?…*_"
_LEAST_QUOTE_CHARS: Final = 4
_GAP: Final = re.compile(r"[\[(]?(?:\u2026|\.{3,})[\])]?")
_LABEL: Final = re.compile(
    r"\s*(?:\[\d+\]\s*)?([^\n:,]{1,200})(?:,\s*\d{4}-\d\d-\d\dT\d\d:\d\d\S{0,9})?:\s"
)
"""The label of a turn, which a model copies with the words."""
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|\w{2,32});", re.IGNORECASE)
NO_EVIDENCE: Final = "no evidence"
ANOTHER_SPEAKER: Final = "another speaker"
LOW_CONFIDENCE: Final = "low confidence"
READ_BEFORE: Final = "read before"
REPEATED: Final = "repeated"
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
    shown = [_Shown.of(turn) for turn in turns]
    said = "\n".join(turn.spoken.content for turn in turns)
    repeated = set()
    for given in answer.facts:
        fact = _without_entities(given, said)
        if not plain(fact.quote):
            fact = structs.replace(fact, quote=fact.content)  # words of the turn prove themselves
        at = _located(fact.turn, fact.quote, shown)
        why = _refusal(fact, at, turns, least_confidence)
        key = (at, plain(fact.content))
        if why is None and key in repeated:
            why = REPEATED
        repeated.add(key)
        if why is None and at is not None:
            found.claims.append(Claim(at, fact))
        else:
            found.refused.append(why or NO_EVIDENCE)
    return found


def _refusal(
    fact: Fact, at: int | None, turns: Sequence[Turn], least_confidence: float
) -> str | None:
    """Return why a fact that is shown by the turn `at` does not count; None if it does."""
    if fact.confidence < least_confidence:
        return LOW_CONFIDENCE
    if at is None:
        return NO_EVIDENCE
    if not turns[at].is_source:
        return NO_EVIDENCE if turns[at].is_new else READ_BEFORE
    if _names_another(fact.speaker, at, turns):
        return ANOTHER_SPEAKER
    return None


class _Shown(NamedTuple):
    """The words of a turn as quotes are compared, and as the model was shown them."""

    said: str
    shown: str
    spoken: Said

    @classmethod
    def of(cls, turn: Turn) -> "_Shown":
        content = turn.spoken.content
        # The model was shown it without the tokens of chat templates.
        return cls(plain(content), plain(defuse(content)), turn.spoken)

    def has(self, quote: str, *, as_words: bool) -> bool:
        """Return whether the turn has a quote, or each part of one with gaps, as whole words."""
        label = _LABEL.match(quote)
        bare = quote[label.end() :] if label and is_speaker(label[1], self.spoken) else quote
        parts = [part for part in _GAP.split(bare) if plain(part)]
        return self._has(quote, as_words) or (
            bool(parts) and all(self._has(part, as_words) for part in parts)
        )

    def _has(self, quote: str, as_words: bool) -> bool:
        quote = plain(quote)
        if not quote or len(quote) < min(_LEAST_QUOTE_CHARS, len(self.said)):
            return False
        is_there = quote in self.said or quote in self.shown
        if not (is_there and as_words):
            return is_there
        words = re.compile(rf"(?<!\w){re.escape(quote)}(?!\w)")
        return any(map(words.search, (self.said, self.shown)))


def _located(turn: int | None, quote: str, turns: Sequence[_Shown]) -> int | None:
    """Return the turn that a finding names, if it has the quote, else the only one that has it.

    A part of a longer word counts only where no turn has the quote as whole words: models cut
    quotes off, and some scripts have no spaces.
    """
    for as_words in (True, False):
        holding = [at for at, one in enumerate(turns) if one.has(quote, as_words=as_words)]
        if turn is not None and turn - 1 in holding:
            return turn - 1
        if holding:
            return holding[0] if len(holding) == 1 else None
    return None


def turn_of(statement: ProfileStatement, turns: Sequence[Turn]) -> int | None:
    """Return the turn of a person that shows a statement for the profile; None if none does."""
    at = _located(statement.turn, statement.quote, [_Shown.of(turn) for turn in turns])
    return at if at is not None and turns[at].is_source else None


def _names_another(speaker: str, at: int, turns: Sequence[Turn]) -> bool:
    """Return whether a fact names another speaker than that of its turn.

    Where one person speaks, the turn decides, unless the name is that of somebody else in it.
    """
    name, spoken = plain(speaker).lstrip("@"), turns[at].spoken
    if not name or is_speaker(name, spoken) or plain(transcript.label(spoken)) in plain(speaker):
        return False
    people = {transcript.label(turn.spoken) for turn in turns if turn.spoken.role == "user"}
    return len(people) > 1 or any(name in names_of(turn.spoken) for turn in turns)


def _without_entities(fact: Fact, said: str) -> Fact:
    """Return a fact without the HTML entities that nobody said."""

    def plain_text(text: str) -> str:
        return _ENTITY.sub(lambda hit: hit[0] if hit[0] in said else html.unescape(hit[0]), text)

    return structs.replace(
        fact,
        content=plain_text(fact.content),
        quote=plain_text(fact.quote),
        subjects=[plain_text(one) for one in fact.subjects],
    )


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
        named = [bool(end) and end in said for end in map(plain, ends)]
        own = [is_speaker(end, turn.spoken) for end in ends]
        if any(named) and all(one or mine for one, mine in zip(named, own, strict=True)):
            found.append(number)
    return found


def plain(text: str) -> str:
    """Return a text as quotes are compared: without case, letter forms and outer punctuation."""
    folded = normal_forms.nfkc(text).translate(_SIGNS).casefold()
    return _SPACES.sub(" ", folded).strip(_AROUND)
