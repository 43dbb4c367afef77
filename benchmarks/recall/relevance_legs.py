"""Measures what the legs of search say of the facts of the lives, for `fit_relevance`.

Each question is asked of its own life, some questions of the other lives', and those in other
languages than English of small stores.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import Embedder
from ashd.search import calibration, query
from ashd.search.calibration import Adapter, Calibration
from benchmarks.recall import corpus
from benchmarks.recall.bench import Bench
from benchmarks.recall.lives_data import Lives
from benchmarks.recall.locomo import Conversation, Turn

Floats = NDArray[np.float64]

LEGS: Final = ("cosine", "late", "coverage", "coverage_squared")
CROSS_QUESTIONS: Final = 100
_NOW = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Asked:
    """A question against a store: what each fact of it measures, (facts, legs)."""

    kind: str
    """answer, near, far or cross"""
    half: str
    wording: str
    legs: Floats
    right: int
    """The row of the fact that answers; -1 where none does."""
    about_other: bool = False


class Store(Bench):
    """Facts as memories are searched: alone, without neighbours, speakers, sessions."""

    alone = True

    def __init__(self, facts: Sequence[str], embedder: Embedder | None) -> None:
        turns = [Turn(str(place), place, "", text, _NOW) for place, text in enumerate(facts)]
        super().__init__(Conversation("facts", turns, []), embedder)

    def legs(self, text: str, comparing: Calibration | None) -> Floats:
        """Return the measures of each leg for every fact, shaped (facts, legs)."""
        asked = query.analyse(text, facts=True, now=_NOW)
        words = self._words(asked)
        made = np.zeros((len(self.at), len(LEGS)))
        made[:, 2] = words.coverage
        made[:, 3] = words.coverage**2
        if self.embedder is None or comparing is None:
            return made
        question, mean = self.embedder.embed_query(text), comparing.mean
        adapted = comparing.adapted(question.pooled)
        cosines = calibration.centred(
            self.pooled @ adapted, self.pooled @ mean, float(adapted @ mean), float(mean @ mean)
        )
        made[:, 0] = cosines * words.known
        lates = self._late(np.arange(len(self.at)), question)
        if lates is not None:
            made[:, 1] = lates * words.known
        return made


def mean_of(texts: Iterable[str], embedder: Embedder) -> NDArray[np.float32]:
    """The mean vector of texts."""
    vectors = [one.pooled for one in embedder.embed(list(texts))]
    mean: NDArray[np.float32] = np.mean(vectors, axis=0).round(4).astype(np.float32)
    return mean


def compared(mean: NDArray[np.float32], adapter: Adapter | None = None) -> Calibration:
    """Return how vectors are compared before there are weights and cuts."""
    words = calibration.words()
    return Calibration(words.english, words.foreign, mean, adapter)


def measured(
    lives: Lives,
    halves: dict[str, str],
    embedder: Embedder | None,
    comparing: Calibration | None,
) -> list[Asked]:
    """Every question against its own life, and some of each against the other lives."""
    made = []
    for life in lives.names():
        own = lives.of(life)
        store = Store([fact.content for fact in own.facts], embedder)
        places = {fact.id: place for place, fact in enumerate(own.facts)}
        others = {fact.id: bool(fact.subjects) for fact in own.facts}
        for one in own.questions:
            right = places[one.facts[0]] if one.kind == "answer" else -1
            other = one.kind == "answer" and others[one.facts[0]]
            half = halves.get(one.topic, "A")
            legs = store.legs(one.text, comparing)
            made.append(Asked(one.kind, half, one.wording, legs, right, other))
        cross = [q for q in lives.questions if q.life != life and q.kind == "answer"]
        for one in cross[:: max(1, len(cross) // CROSS_QUESTIONS)]:
            half = halves.get(one.topic, "A")
            made.append(Asked("cross", half, one.wording, store.legs(one.text, comparing), -1))
    return made


def texts(lives: Lives) -> list[str]:
    """Return the texts that the mean vector is computed from."""
    return [fact.content for fact in lives.facts] + [one.text for one in lives.questions]


def foreign(
    half: corpus.Half, embedder: Embedder | None, comparing: Calibration | None
) -> list[Asked]:
    """Questions in other languages than English to small stores."""
    made = []
    for stored in corpus.languages(half):
        store = Store([fact.text for fact in stored.facts], embedder)
        places = {fact.name: place for place, fact in enumerate(stored.facts)}
        for one in stored.asked:
            if not query.analyse(one.text, facts=True, now=_NOW).languages:
                continue
            legs = store.legs(one.text, comparing)
            right = min((places[name] for name in one.right), default=-1)
            # A regression takes any right fact; more of them than one would be wrong ones.
            kept = [
                n for n in range(len(legs)) if n == right or stored.facts[n].name not in one.right
            ]
            kind = "answer" if one.right else "far" if one.far else "near"
            made.append(
                Asked(kind, "A", "natural", legs[kept], kept.index(right) if one.right else -1)
            )
    return made
