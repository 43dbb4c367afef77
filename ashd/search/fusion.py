"""Fusion: one ranking from what the legs found, with the reason for each place (rows D3, D7, D8).

Every signal has a scale of its own that does not depend on the other candidates, so a total means
the same in every search, and one point on it can say "this does not answer the question".
A signal that a candidate does not have, or whose premise is absent, adds nothing.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.clock import FOREVER
from ashd.search.query import Query

Kind = Literal["memory", "turn"]
Level = Literal["late", "foreign", "pooled", "static", "none"]
"""What an embedder's vectors tell; "foreign": of a late one, of a language it was not made for."""
Floats = NDArray[np.float64]

RELEVANT_SCORE: Final = 0.3
"""A score from here on says that the candidate answers the question, with every embedder."""
HALF_LIFE_DAYS: Final = 30.0
_RECENCY_SHARE: Final = 0.3
"""The share of its score that a memory of a fading type loses with age."""
_NEAR_DAYS: Final = 7.0
"""How fast the worth of a time falls off outside the span that the question names."""
_TAKEN_APART: Final = 2.0
"""So many pieces of a model a word: no English question has, a word of another language does."""
_EXACT: Final = 0.999
"""The coverage of a text that holds every word of the question itself."""

SIGNALS: Final = ("lexical", "cosine", "late", "speaker", "when", "asking", "in_time", "about")
_SPEAKER, _WHEN, _ASKING, _IN_TIME, _ABOUT = range(SIGNALS.index("speaker"), len(SIGNALS))


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the legs know of one memory or turn; None where a leg did not see it."""

    rowid: int
    lexical: float | None = None
    """`lexical.bm25`: 1 where the own text holds every word, more with neighbours."""
    cosine: float | None = None
    late: float | None = None
    """`late.window_maxsim`, 0-1."""
    coverage: float | None = None
    """Share of the question's words, by weight, in the own text: 0-1."""
    speaker: str | None = None
    """Who said it, as named in `Query.speakers`; None for memories."""
    dated: bool = False
    """The text speaks of a time (`cues.read_cues`)."""
    asking: float = 0.0
    """Share of the text that is questions: 0-1."""
    session: Hashable = None
    """The conversation's session; None for memories."""
    about: float = 0.0
    """1 about a person named in the question, less for people related to one, else 0."""
    at: int | None = None
    """When it was said or observed, microseconds UTC."""
    age_days: float | None = None
    fades: bool = False
    """Its type fades, so recency counts."""
    trust: float = 1.0
    """1.0 fact, 0.9 unknown, 0.8 hearsay."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The same of all candidates of a search, as arrays of one length (c,); None: a leg saw none.

    There are hundreds, and one by one they would cost more than to find them.
    """

    rowid: NDArray[np.int64]
    lexical: Floats | None
    cosine: Floats | None
    late: Floats | None
    coverage: Floats | None
    speaker: NDArray[np.object_]
    dated: NDArray[np.bool_]
    asking: Floats
    session: NDArray[np.int64]
    """-1 for none."""
    about: Floats
    at: NDArray[np.int64]
    age_days: Floats
    fades: NDArray[np.bool_]
    trust: Floats

    @classmethod
    def of(cls, candidates: "Candidates | Sequence[Candidate]") -> "Candidates":
        """Candidates in this form."""
        if isinstance(candidates, Candidates):
            return candidates
        sessions: dict[Hashable, int] = {None: -1}
        for one in candidates:
            sessions.setdefault(one.session, len(sessions) - 1)

        def column(values: Sequence[Any], kind: type[Any]) -> NDArray[Any]:
            return np.array(values, dtype=kind)

        return cls(
            rowid=column([one.rowid for one in candidates], np.int64),
            lexical=column([one.lexical or 0.0 for one in candidates], np.float64),
            cosine=column([one.cosine or 0.0 for one in candidates], np.float64),
            late=column([one.late or 0.0 for one in candidates], np.float64),
            coverage=column([one.coverage or 0.0 for one in candidates], np.float64),
            speaker=column([one.speaker for one in candidates], np.object_),
            dated=column([one.dated for one in candidates], np.bool_),
            asking=column([one.asking for one in candidates], np.float64),
            session=column([sessions[one.session] for one in candidates], np.int64),
            about=column([one.about for one in candidates], np.float64),
            # What has no time is near none.
            at=column([FOREVER if one.at is None else one.at for one in candidates], np.int64),
            age_days=column([one.age_days or 0.0 for one in candidates], np.float64),
            fades=column([one.fades for one in candidates], np.bool_),
            trust=column([one.trust for one in candidates], np.float64),
        )


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal is worth, for one kind of row and one level of embedder."""

    lexical: float
    cosine: float = 0.0
    late: float = 0.0
    speaker: float = 0.0
    """It was said by the one speaker whom the question names."""
    when: float = 0.0
    """The question asks for a time, the text speaks of one."""
    asking: float = 0.0
    """Taken off for the share of a text that is questions."""
    in_time: float = 0.0
    about: float = 0.0
    session: float = 0.0
    """Of the best total in the same session."""
    relevant: float = 0.5
    """The total that makes `RELEVANT_SCORE` where no speaker is named."""

    def vector(self) -> Floats:
        """The weights in the order of `SIGNALS`, shape (8,)."""
        signs = {"asking": -1.0}
        return np.array([signs.get(name, 1.0) * getattr(self, name) for name in SIGNALS])

    def highest(self) -> float:
        """A total that is all but never passed: score 1."""
        return float(self.vector().clip(min=0).sum()) * (1 + self.session)


class Ranked(NamedTuple):
    """One place in the ranking."""

    rowid: int
    score: float
    relevant: bool
    signals: dict[str, float]
    """What each signal added to the total, and the factors, for `explain`."""


# Found by `benchmarks/recall/tune.py`; what is relevant, and a memory's weights, by `cut.py` there.
_TURN: Final[dict[Level, Weights]] = {
    "late": Weights(
        relevant=1.75,
        lexical=0.9,
        cosine=0.7,
        late=2.2,
        speaker=0.65,
        when=0.3,
        asking=0.42,
        in_time=0.6,
        session=0.4,
    ),
    "foreign": Weights(
        relevant=1.3,
        lexical=0.9,
        cosine=0.35,
        late=1.1,
        speaker=0.65,
        when=0.3,
        asking=0.42,
        in_time=0.6,
        session=0.4,
    ),
    "pooled": Weights(
        relevant=0.8,
        lexical=0.9,
        cosine=1.5,
        speaker=0.6,
        when=0.3,
        asking=0.35,
        in_time=0.6,
        session=0.4,
    ),
    "static": Weights(
        relevant=1.2,
        lexical=1.2,
        cosine=0.75,
        late=1.1,
        speaker=0.65,
        when=0.4,
        asking=0.35,
        in_time=0.45,
        session=0.4,
    ),
    "none": Weights(
        relevant=0.4,
        lexical=1.2,
        speaker=0.4,
        when=0.4,
        asking=0.3,
        in_time=0.35,
        session=0.4,
    ),
}
_MEMORY: Final[dict[Level, Weights]] = {
    "late": Weights(
        relevant=1.0, lexical=1.0, cosine=2.0, late=0.5, when=0.12, in_time=0.18, about=0.4
    ),
    "foreign": Weights(
        relevant=0.8, lexical=1.0, cosine=1.0, late=0.25, when=0.12, in_time=0.18, about=0.4
    ),
    "pooled": Weights(relevant=0.85, lexical=1.0, cosine=2.0, when=0.15, in_time=0.25, about=0.4),
    "static": Weights(
        relevant=0.5, lexical=1.0, cosine=0.8, late=0.15, when=0.12, in_time=0.18, about=0.3
    ),
    "none": Weights(relevant=0.34, lexical=1.0, when=0.17, in_time=0.25, about=0.42),
}


def level_for(level: Level, query: Query) -> Level:
    """The level that holds for a question: the embedded models know text in Latin letters only.

    A late one was made for English; what it takes for alike in other languages is often not.
    """
    if level in ("late", "static") and not query.latin:
        return "none"
    return "foreign" if level == "late" and query.languages else level


def level_given(
    level: Level, candidates: Candidates | Sequence[Candidate], pieces_a_word: float
) -> Level:
    """The level that holds once it is known what a question finds.

    A model that takes a question's words apart does not know them. Where all of them are found in
    a text as they stand, that text is not to be outranked by what the pieces look like.
    """
    if level == "late" and pieces_a_word >= _TAKEN_APART:
        coverage = Candidates.of(candidates).coverage
        return "foreign" if coverage is not None and (coverage > _EXACT).any() else level
    return level


def weights_for(kind: Kind, level: Level) -> Weights:
    """The measured weights for a kind of row and an embedder's level."""
    return (_MEMORY if kind == "memory" else _TURN)[level]


def fuse(
    candidates: Candidates | Sequence[Candidate],
    query: Query,
    weights: Weights,
    *,
    explain: bool = False,
) -> list[Ranked]:
    """Rank candidates, best first; equal scores keep the order they came in.

    Scores are 0-1. ``relevant`` is a score of at least `RELEVANT_SCORE` before trust and age; a
    caller that wants no least-bad results drops the others (row D7). With ``explain`` each place
    says what made it.
    """
    found = Candidates.of(candidates)
    if not len(found.rowid):
        return []
    values = signal_values(found, query)
    totals = combine(values, found.session, weights)
    scores = _scores(totals, weights, speaker_named=bool(values[:, _SPEAKER].any()))
    factors = found.trust * _recency(found)
    final = scores * factors
    order = np.argsort(-final, kind="stable")
    reasons = _reasons(values * weights.vector(), totals, factors) if explain else None
    return [
        Ranked(rowid, score, relevant, reasons[place] if reasons else {})
        for place, rowid, score, relevant in zip(
            order.tolist(),
            found.rowid[order].tolist(),
            final[order].tolist(),
            (scores[order] >= RELEVANT_SCORE).tolist(),
            strict=True,
        )
    ]


def signal_values(candidates: Candidates | Sequence[Candidate], query: Query) -> Floats:
    """The signals of each candidate before weighting, in the order of `SIGNALS`: (c, 8)."""
    found = Candidates.of(candidates)
    values = np.zeros((len(found.rowid), len(SIGNALS)))
    for leg, scores in enumerate((found.lexical, found.cosine, found.late)):
        if scores is not None:
            np.maximum(scores, 0.0, out=values[:, leg])
    speakers = {speaker for speaker in found.speaker.tolist() if speaker}
    # With one speaker only, or two who are both named, it says nothing who spoke.
    named = set(query.speakers) & speakers
    if len(speakers) > 1 and len(named) == 1:
        values[:, _SPEAKER] = found.speaker == next(iter(named))
    if query.asks_when:
        values[:, _WHEN] = found.dated
    values[:, _ASKING] = found.asking
    if query.time is not None:
        distances = [query.time.distance_days(at) for at in found.at.tolist()]
        values[:, _IN_TIME] = [math.exp(-distance / _NEAR_DAYS) for distance in distances]
    values[:, _ABOUT] = found.about
    return values


def combine(values: Floats, sessions: NDArray[np.int64], weights: Weights) -> Floats:
    """The totals (c,) of signal values (c, 8); ``sessions`` (c,) numbers sessions, -1 for none."""
    totals: Floats = values @ weights.vector()
    if weights.session and len(totals):
        best = np.zeros(int(sessions.max()) + 2)  # the last one: no session, no prior
        np.maximum.at(best, sessions, totals)
        best[-1] = 0.0
        totals = totals + weights.session * best[sessions]
    return totals


def _scores(totals: Floats, weights: Weights, *, speaker_named: bool) -> Floats:
    """0-1, in two straight pieces that meet where the total is relevant, at `RELEVANT_SCORE`.

    To have been said by the one who is named is no evidence by itself: half of all turns were.
    """
    named = weights.speaker * (1 + weights.session) if speaker_named else 0.0
    cut = weights.relevant + named
    points = (0.0, cut, max(weights.highest(), cut + 1e-9))
    return np.interp(totals, points, (0.0, RELEVANT_SCORE, 1.0))


def _reasons(shares: Floats, totals: Floats, factors: Floats) -> list[dict[str, float]]:
    """What each signal added, what the session did, and what trust and age left of it."""
    names = (*SIGNALS, "session", "factor")
    rows = np.column_stack([shares, totals - shares.sum(axis=1), factors]).round(4)
    neutral = dict.fromkeys(names, 0.0) | {"factor": 1.0}
    return [
        {name: value for name, value in zip(names, row, strict=True) if value != neutral[name]}
        for row in rows.tolist()
    ]


def _recency(candidates: Candidates) -> Floats:
    """What age leaves of each, (c,): 1 for what does not fade."""
    left = np.ones(len(candidates.rowid))
    for place in np.flatnonzero(candidates.fades).tolist():
        fresh = math.exp2(-max(float(candidates.age_days[place]), 0.0) / HALF_LIFE_DAYS)
        left[place] = 1 - _RECENCY_SHARE * (1 - fresh)
    return left
