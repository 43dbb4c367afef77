"""Fusion: one ranking of turns from the legs' signals, with the reason for each place (D3, D8).

Every signal has its own scale, so a total means the same in every search, and a fixed point on it
divides answers from the rest. A signal that a turn lacks, or whose premise is absent, adds nothing.
Memories are ranked by `relevance`.
"""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.search.candidates import Candidates, Floats, in_time
from ashd.search.query import Query
from ashd.search.recency_order import newest_first

Level = Literal["late", "foreign", "pooled", "static", "none"]
"""The kinds of evidence in an embedder's vectors.

"foreign": those of a late one, in a language it was not made for.
"""

RELEVANT_SCORE: Final = 0.3
"""The score from which a turn answers the question, with every embedder."""
_EQUAL: Final = 0.02
"""Totals that differ by no more than this count as equal."""

SIGNALS: Final = ("lexical", "cosine", "late", "speaker", "when", "asking", "in_time")
_SPEAKER, _WHEN, _ASKING, _IN_TIME = range(SIGNALS.index("speaker"), len(SIGNALS))


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each signal, for one level of embedder."""

    lexical: float
    cosine: float = 0.0
    late: float = 0.0
    speaker: float = 0.0
    """Added if the one speaker whom the question names said it."""
    when: float = 0.0
    """Added if the question asks for a time and the text speaks of one."""
    asking: float = 0.0
    """Subtracted for the share of a text that is questions."""
    in_time: float = 0.0
    session: float = 0.0
    """The weight of the best total in the same session."""
    relevant: float = 0.5
    """The total that gives `RELEVANT_SCORE` if no speaker is named."""

    def vector(self) -> Floats:
        """The weights in the order of `SIGNALS`, shape (7,)."""
        signs = {"asking": -1.0}
        return np.array([signs.get(name, 1.0) * getattr(self, name) for name in SIGNALS])

    def highest(self) -> float:
        """The total that gives score 1; hardly ever exceeded."""
        return float(self.vector().clip(min=0).sum()) * (1 + self.session)


class Ranked(NamedTuple):
    """An entry of the ranking."""

    rowid: int
    score: float
    relevant: bool
    signals: dict[str, float]
    """Each signal's share of the total, and the factors, for `explain`."""


# Found by `benchmarks/recall/tune.py`.
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


def level_for(level: Level, query: Query) -> Level:
    """Return the level for a question: the embedded models only know text in Latin letters.

    A late one was made for English; its similarities in other languages are often wrong.
    """
    if level in ("late", "static") and not query.latin:
        return "none"
    return "foreign" if level == "late" and query.languages else level


def weights_for(level: Level) -> Weights:
    """The measured weights for an embedder's level."""
    return _TURN[level]


def fuse(
    found: Candidates,
    query: Query,
    weights: Weights,
    *,
    explain: bool = False,
) -> list[Ranked]:
    """Rank turns, best first; newest first among equal ones.

    Scores are 0-1; ``relevant`` is a score of at least `RELEVANT_SCORE`. With ``explain`` each
    entry has its reasons.
    """
    if not len(found.rowid):
        return []
    values = signal_values(found, query)
    totals = combine(values, found.session, weights)
    order, equal = newest_first(totals, found.at, within=_EQUAL)
    scores = _scores(equal, weights, speaker_named=bool(values[:, _SPEAKER].any()))
    reasons = _reasons(values * weights.vector(), totals) if explain else None
    return [
        Ranked(rowid, score, score >= RELEVANT_SCORE, reasons[place] if reasons else {})
        for place, rowid, score in zip(
            order.tolist(), found.rowid[order].tolist(), scores.tolist(), strict=True
        )
    ]


def signal_values(found: Candidates, query: Query) -> Floats:
    """Return the unweighted signals of each candidate, in the order of `SIGNALS`: (c, 7)."""
    values = np.zeros((len(found.rowid), len(SIGNALS)))
    for leg, scores in enumerate((found.lexical, found.cosine, found.late)):
        if scores is not None:
            np.maximum(scores, 0.0, out=values[:, leg])
    speakers = {speaker for speaker in found.speaker.tolist() if speaker}
    # With only one speaker, or two who are both named, the speaker says nothing.
    named = set(query.speakers) & speakers
    if len(speakers) > 1 and len(named) == 1:
        values[:, _SPEAKER] = found.speaker == next(iter(named))
    if query.asks_when:
        values[:, _WHEN] = found.dated
    values[:, _ASKING] = found.asking
    values[:, _IN_TIME] = in_time(found, query)
    return values


def combine(values: Floats, sessions: NDArray[np.int64], weights: Weights) -> Floats:
    """Return the totals (c,) of signals (c, 7); ``sessions`` (c,) numbers sessions, -1 for none."""
    totals: Floats = values @ weights.vector()
    if weights.session and len(totals):
        best = np.zeros(int(sessions.max()) + 2)  # the last entry: no session, no prior
        np.maximum.at(best, sessions, totals)
        best[-1] = 0.0
        totals = totals + weights.session * best[sessions]
    return totals


def _scores(totals: Floats, weights: Weights, *, speaker_named: bool) -> Floats:
    """Return scores 0-1: two linear pieces that meet at the relevant total, `RELEVANT_SCORE`.

    The named speaker alone is no evidence, since half of all turns are theirs.
    """
    named = weights.speaker * (1 + weights.session) if speaker_named else 0.0
    cut = weights.relevant + named
    points = (0.0, cut, max(weights.highest(), cut + 1e-9))
    return np.interp(totals, points, (0.0, RELEVANT_SCORE, 1.0))


def _reasons(shares: Floats, totals: Floats) -> list[dict[str, float]]:
    """Return each signal's share of the score, and the session's."""
    names = (*SIGNALS, "session")
    rows = np.column_stack([shares, totals - shares.sum(axis=1)]).round(4)
    return [
        {name: value for name, value in zip(names, row, strict=True) if value}
        for row in rows.tolist()
    ]
