"""Word scores from postings: BM25 over a text and its neighbours, by the scope's own statistics.

The full-text index only says which rows of a scope hold a term; the score is computed here, so that
other owners' texts change no score and no order (rows C3, D4). A neighbour's word counts for less,
so that an answer is found by the words of its question ("any pets?", "two cats"). So does a
substitute for one of the question's words: a concept counts once.

Rows are places in the scope's own order: conversations one after the other, turns in sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

NEIGHBOURS: Final = ((-1, 0.4), (1, 0.3), (-2, 0.2), (2, 0.1))
"""The distances of neighbours, and the weights of their words."""
_QUESTION_BEFORE: Final = 0.9
"""The weight of the previous turn's words if it is a question, which this turn answers."""
_SATURATION: Final = 0.8
"""BM25's k1. A term counts once a text, so this only dampens the neighbours."""
_LONG_WORDS: Final = 80
"""Longer texts score less, by the root of the excess; shorter ones are treated alike."""
_FREQUENT_SHARE: Final = 0.25
_FREQUENT_ROWS: Final = 5
"""A concept in more rows than this and more than the share is ignored if there is a rarer one."""
_UNSEEN_ROWS: Final = 20
"""Rows added to a scope's own in the statistics: three memories do not show what is rare."""


@dataclass(frozen=True, slots=True)
class Lexical:
    """Word scores of every row of a scope, shape (n,) each."""

    scores: Floats
    """1 if the own text holds every word, up to 1.8 with neighbours, 0 if nothing matches."""
    coverage: Floats
    """The share of the question's words, by weight, in the own text: 0-1."""
    known: Floats
    """A factor for vectors: 1, less the weight of identifiers in the question that no row holds,
    twice that in rows that hold a similar one.
    """


def bm25(
    postings: Sequence[Places],
    size: int,
    *,
    worth: Sequence[float] | None = None,
    concepts: Sequence[int] | None = None,
    rivals: Sequence[Places | None] | None = None,
    sessions: NDArray[np.int64] | None = None,
    ends_asking: NDArray[np.bool_] | None = None,
    words: NDArray[np.int64] | None = None,
    dated: Floats | None = None,
) -> Lexical:
    """Score the ``size`` rows of a scope by a question's terms.

    ``postings`` has for each term the places of the rows that hold it. ``concepts`` says which
    terms look for the same thing, each for itself by default; a row holds of it the best that it
    has of the ``worth`` of these terms, 1 for a word of the question and less for a
    substitute. ``rivals`` has for each term that is an identifier the places of it and of others
    like it, else None. ``sessions`` (n,) says which rows are neighbours of one conversation;
    without it rows have no neighbours, as memories. ``ends_asking`` (n,) says which end with a
    question, so that the next one counts as its answer. ``words`` (n,) is how long each
    text is. ``dated`` (n,) is 1 where a text names the day asked for; it counts like
    one more concept there, and nothing elsewhere. Concepts that no row holds count against scores
    and coverage.
    """
    worth = [1.0] * len(postings) if worth is None else worth
    concepts = range(len(postings)) if concepts is None else concepts
    scores, covered = np.zeros(size, np.float32), np.zeros(size, np.float32)
    long = None if words is None else np.sqrt(np.maximum(words / _LONG_WORDS, 1)).astype(np.float32)
    sought = _concepts(list(zip(postings, worth, concepts, strict=True)), size)
    known = size + _UNSEEN_ROWS
    rarest = min((rows for _, rows in sought if rows), default=0)
    frequent = max(_FREQUENT_SHARE * size, _FREQUENT_ROWS)
    total = 0.0
    for held, rows in sought:
        idf = _idf(rows, known)
        total += idf
        covered += idf * held
        if not rows or rows > max(frequent, rarest):
            continue
        spread = held if long is None else held / long
        if sessions is not None:
            spread = _with_neighbours(spread, sessions, ends_asking)
        scores += idf * spread * (_SATURATION + 1) / (_SATURATION + spread)
    total = total or 1.0
    totals: Floats | np.float32 = np.float32(total)
    if dated is not None:
        worth_of_day = _idf(int(np.count_nonzero(dated == 1)), known) * dated
        covered += worth_of_day
        scores += worth_of_day
        totals = totals + worth_of_day
    sure = np.ones(size, np.float32)
    asked_for = [
        (places, like)
        for places, like in zip(postings, rivals or [None] * len(postings), strict=True)
        if like is not None
    ]
    absent = sum(_idf(0, known) for places, _ in asked_for if not len(places))
    unknown = np.float32(max(1 - absent / total, 0))
    for places, like in asked_for:
        # If one identifier is asked for, a similar one is no answer.
        left = max(1 - _idf(len(places), known) / total, 0) if len(places) else unknown
        sure[np.setdiff1d(like, places)] *= np.float32(left)
    scores, covered = scores * sure, covered * sure * unknown
    return Lexical(scores / totals, covered / totals, sure * unknown)


def _idf(rows: int, known: int) -> float:
    return float(np.log1p((known - rows + 0.5) / (rows + 0.5)))


def _concepts(terms: Sequence[tuple[Places, float, int]], size: int) -> list[tuple[Floats, int]]:
    """Return for each concept its score in every row, shape (n,), and its document frequency.

    The frequency is that of the question's own word, if any: there are many substitutes.
    """
    found: dict[int, Floats] = {}
    own: dict[int, int] = {}
    for places, value, concept in terms:
        held = found.setdefault(concept, np.zeros(size, np.float32))
        held[places] = np.maximum(held[places], np.float32(value))
        if value == 1:
            own[concept] = own.get(concept, 0) + len(places)
    return [
        (held, own.get(concept) or int(np.count_nonzero(held))) for concept, held in found.items()
    ]


def _with_neighbours(
    held: Floats, sessions: NDArray[np.int64], ends_asking: NDArray[np.bool_] | None
) -> Floats:
    spread = held.copy()
    for step, weight in NEIGHBOURS:
        before, after = slice(None, -abs(step)), slice(abs(step), None)
        target, source = (after, before) if step < 0 else (before, after)
        worth: Floats | np.float32 = np.float32(weight)
        if step == -1 and ends_asking is not None:
            worth = np.where(ends_asking[source], np.float32(_QUESTION_BEFORE), np.float32(weight))
        spread[target] += worth * held[source] * (sessions[target] == sessions[source])
    return spread
