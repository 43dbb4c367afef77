"""Fusion: one ranking from what the legs found, with the reason for each place (rows D3, D7, D8).

Pure functions. A signal that a candidate does not have, or whose premise is absent, adds nothing.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ashd.search.query import Query

Kind = Literal["memory", "turn"]
Level = Literal["late", "pooled", "static", "none"]

RRF_K: Final = 60
HALF_LIFE_DAYS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the legs know of one memory or turn; None where a leg did not see it."""

    rowid: int
    lexical: float | None = None
    """BM25 with its sign turned: higher is better."""
    cosine: float | None = None
    late: float | None = None
    """Window MaxSim, 0–1."""
    coverage: float | None = None
    """Share of the question's terms, by weight, that the own text holds, 0–1."""
    speaker: str | None = None
    """Who said it; with ``about`` empty this is the structural cue of a conversation."""
    dated: bool = False
    """The text speaks of a time (`times.has_time_expression`, stored at write)."""
    asks: bool = False
    """The text is a question itself."""
    session: Hashable = None
    about: float = 0.0
    """1 about a person named in the question, less for people related to one, else 0."""
    at: int | None = None
    """When it was said or observed, microseconds UTC."""
    age_days: float | None = None
    fades: bool = False
    """Its type fades, so recency counts."""
    trust: float = 1.0
    """1.0 fact, 0.9 unknown, 0.8 hearsay."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal is worth, for one kind of row and one level of embedder."""

    lexical: float = 1.0
    cosine: float = 0.0
    late: float = 0.0
    speaker: float = 0.5
    when: float = 0.3
    asks: float = 0.2
    session: float = 0.3
    in_time: float = 0.3
    about: float = 0.5
    recency: float = 0.1
    min_cosine: float = 1.0
    """Above it, meaning alone is evidence; calibrated per embedder."""
    min_coverage: float = 0.5
    """From it on, words alone are evidence."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One place in the ranking."""

    rowid: int
    score: float
    relevant: bool
    signals: dict[str, float] = field(default_factory=dict)


_TURN: Final[dict[Level, Weights]] = {
    "late": Weights(cosine=0.5, late=1.5, min_cosine=0.35),
    "pooled": Weights(cosine=0.8, min_cosine=0.35),
    "static": Weights(cosine=0.5, min_cosine=0.35),
    "none": Weights(),
}
_MEMORY: Final[dict[Level, Weights]] = {
    "late": Weights(cosine=0.5, late=1.5, session=0.0, min_cosine=0.35),
    "pooled": Weights(cosine=0.8, session=0.0, min_cosine=0.35),
    "static": Weights(cosine=0.5, session=0.0, min_cosine=0.35),
    "none": Weights(session=0.0),
}


def weights_for(kind: Kind, level: Level) -> Weights:
    """The measured weights (`benchmarks/recall/tune.py`) for a kind of row and an embedder's level."""
    return (_MEMORY if kind == "memory" else _TURN)[level]


def fuse(candidates: Sequence[Candidate], query: Query, weights: Weights) -> list[Ranked]:
    """Rank candidates, best first; equal scores keep the order they came in.

    Scores are 0–1. ``relevant`` says whether the candidate has evidence of its own that it
    answers the question; a caller that wants no least-bad results drops the others.
    """
    if not candidates:
        return []
    top = {
        name: max(
            (value for c in candidates if (value := getattr(c, name)) is not None), default=0.0
        )
        for name in ("lexical", "cosine", "late")
    }
    speakers = {c.speaker for c in candidates if c.speaker}
    named = set(query.speakers) & speakers if len(speakers) > 1 else set()
    only = next(iter(named)) if len(named) == 1 else None
    signals = [_signals(c, query, weights, top, only) for c in candidates]
    sums = [sum(parts.values()) for parts in signals]
    low, high = min(0.0, *sums), max(sums)
    spread = (high - low) or 1.0
    scores = [(value - low) / spread for value in sums]
    best_in: dict[Hashable, float] = {}
    for c, score in zip(candidates, scores, strict=True):
        best_in[c.session] = max(best_in.get(c.session, 0.0), score)
    ranked = []
    for c, score, parts in zip(candidates, scores, signals, strict=True):
        prior = best_in[c.session] if c.session is not None else 0.0
        total = (score + weights.session * prior) / (1.0 + weights.session)
        ranked.append(Ranked(c.rowid, total * c.trust, _is_relevant(c, weights), parts))
    return sorted(ranked, key=lambda r: -r.score)


def _signals(
    c: Candidate, query: Query, weights: Weights, top: dict[str, float], only: str | None
) -> dict[str, float]:
    parts = {
        name: getattr(weights, name) * max(value, 0.0) / top[name]
        for name in ("lexical", "cosine", "late")
        if (value := getattr(c, name)) is not None and top[name] > 0
    }
    if only is not None and c.speaker == only:
        parts["speaker"] = weights.speaker
    if query.asks_when and c.dated:
        parts["when"] = weights.when
    if c.asks:
        parts["asks"] = -weights.asks
    if c.about:
        parts["about"] = weights.about * c.about
    if query.time is not None and c.at is not None:
        parts["in_time"] = weights.in_time * math.exp(-query.time.distance_days(c.at) / 7)
    if c.fades and c.age_days is not None:
        parts["recency"] = weights.recency * 0.5 ** (max(c.age_days, 0.0) / HALF_LIFE_DAYS)
    return {name: value for name, value in parts.items() if value}


def _is_relevant(c: Candidate, weights: Weights) -> bool:
    return (c.cosine is not None and c.cosine >= weights.min_cosine) or (
        c.coverage is not None and c.coverage >= weights.min_coverage
    )


def reciprocal_rank(legs: Sequence[Sequence[int]], *, k: int = RRF_K) -> list[tuple[int, float]]:
    """Rank by the sum of 1 / (k + place) over the legs, best first: the fall-back without scores."""
    sums: dict[int, float] = {}
    for leg in legs:
        for place, rowid in enumerate(leg, start=1):
            sums[rowid] = sums.get(rowid, 0.0) + 1.0 / (k + place)
    return sorted(sums.items(), key=lambda item: -item[1])
