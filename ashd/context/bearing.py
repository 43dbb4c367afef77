"""Tell how much a memory bears on a message, however badly their words agree. Pure.

A request to plan a dinner is hardly similar to "Owen is allergic to nuts", yet must not be answered
without it. `needs` knows some kinds of such messages; this is for all. The likelihood is a logistic
function, fitted by `benchmarks/context/fit_bearing.py` on messages and the memories that a good
assistant would want to know for them:

    logit = m' P n + a·m + b·n + c·signals + bias

with the vectors of message `m` and memory `n` by MiniLM. For one message it is linear in `n`, so
that all memories of an owner are read at once.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.language.date_spans import WEEKDAYS
from ashd.language.people import vocabulary
from ashd.language.word_patterns import LETTERS
from ashd.providers.embedder import FloatVector
from ashd.search.spec import Classifier

WEIGHTS: Final = Path(__file__).with_name("bearing.npz")
LEAST: Final = -3.5
"""The logit from which a memory bears on a message: one that is left out does more harm than
several that cost a line each."""


class Signals(NamedTuple):
    """Facts about a memory and a message beside their vectors; all are 0 to 1."""

    score: float = 0.0
    """The score of a memory that the search found."""
    nearness: float = 0.0
    """1 for the first result of the search, 1/2 for the second, and so on; 0 for others."""
    is_named: float = 0.0
    """Whether the message names somebody whom the memory is about or speaks of."""
    is_elsewhere: float = 0.0
    """Whether the memory is about somebody whom the message does not concern."""
    on_another_day: float = 0.0
    """Whether the memory names days of the week, and none of those that the message names."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The fitted function: `pairs` (d, d), `message` and `memory` (d,), `signals` (5,)."""

    pairs: NDArray[np.float32]
    message: FloatVector
    memory: FloatVector
    signals: FloatVector
    bias: float

    def for_message(self, vector: FloatVector) -> Classifier:
        """Return the classifier of memories for a message's vector, without their signals.

        It takes what may bear on the message if it is named. What the search found is shown by its
        rank if it answers, so that a better place alone need not bring it here.
        """
        bias = self.bias + float(self.message @ vector)
        named = self.of_signals(Signals(is_named=1.0))
        return Classifier(vector @ self.pairs + self.memory, bias, LEAST - named)

    def of_signals(self, signals: Signals) -> float:
        """Return what is added to the classifier's logit."""
        return float(self.signals @ np.array(signals, np.float32))


@cache
def weights(model: str) -> Weights | None:
    """Return the function for a model's vectors, if it was fitted on them."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        if str(stored["model"]) != model:
            return None
        pairs, message, memory, signals = (
            stored[name].astype(np.float32) for name in ("pairs", "message", "memory", "signals")
        )
        return Weights(pairs, message, memory, signals, float(stored["bias"]))


class Said(NamedTuple):
    """The words of a message, and of those before it, that tell whom and which days it is about."""

    words: AbstractSet[str]
    """In small letters."""
    roles: AbstractSet[str]
    """The relationships that are named."""
    days: AbstractSet[str] = frozenset()
    """The weekdays that the message names."""
    is_for_all: bool = False
    """Whether it speaks of "us", or of a group of people."""

    @classmethod
    def of(cls, message: str, *before: str) -> "Said":
        """Read a message, and the texts before it."""
        text = " ".join((message, *before))
        words, roles = set(LETTERS.findall(text.lower())), vocabulary.relationships_in(text)
        for_all = words & vocabulary.FIRST_PERSON_PLURAL or roles & vocabulary.GROUPS
        return cls(words, roles, _weekdays(message), bool(for_all))

    def names(self, content: str, about: str = "") -> bool:
        """Return whether somebody is named whom a memory speaks of, or is `about`."""
        roles = vocabulary.relationships_in(content)
        return not self.words.isdisjoint(_names(content, about)) or not self.roles.isdisjoint(roles)

    def is_on_another_day(self, content: str) -> bool:
        """Return whether a memory speaks of other weekdays alone."""
        days = _weekdays(content) if self.days else set()
        return bool(days) and self.days.isdisjoint(days)


def _names(content: str, about: str) -> set[str]:
    """Return the words that may be names in a memory, and the names of those it is about."""
    names = {word.lower() for word in LETTERS.findall(content) if word[0].isupper()}
    names -= vocabulary.NOT_NAMES | vocabulary.ARTICLES
    names.update(LETTERS.findall(about.lower()))
    return names - {"s"}  # of "Kurt's sister"


def _weekdays(text: str) -> set[str]:
    words = (word.removesuffix("s") for word in LETTERS.findall(text.lower()))
    return set(WEEKDAYS).intersection(words)
