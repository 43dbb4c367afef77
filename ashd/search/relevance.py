"""Relevance: whether a memory answers a question, as a calibrated logit of the legs' signals.

The logit is a weighted sum, with weights and cuts of the embedder's `Calibration`. Other memories
count in only three ways, which the viewer sees anyway: how many were searched, in all and of the
time that is asked for, since more of them hold more chance matches; whether any of them is from
that time; and how near to the question the next best are, since it is then about something that was
told, and what may answer is shown sooner. Scores are comparable between embedders: `STRONG_SCORE`
is at the strong cut, `WEAK_SCORE` at the weak one. Rows D3, D5, D6, D7 and A13.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.search.calibration import Weights
from ashd.search.candidates import POSSESSOR, Candidates, Floats, in_time
from ashd.search.query import Query
from ashd.search.recency_order import newest_first

STRONG_SCORE: Final = 0.5
WEAK_SCORE: Final = 0.3
LOGIT_BETWEEN: Final = math.log(STRONG_SCORE / (1 - STRONG_SCORE)) - math.log(
    WEAK_SCORE / (1 - WEAK_SCORE)
)
"""The distance between the two scores as logits."""

# Set by hand: for questions without a name, any value up to 2 works as well.
_NAMED: Final = 2.0
"""Added if the memory is about a person whom the question names; this and the next order, and carry
nothing over the strong cut (row D2)."""
_OWN_WORD: Final = 1.0
"""Added if the named person said it."""
_POSSESSOR: Final = 2.5
"""Subtracted from what is about Kurt in a question for his sister; it is never withheld."""
_SAME_THING: Final = 1.0
"""Hearsay about a person that fits better than their own word by less than this is about the same.
"""
_OUT_OF_TIME: Final = 3.0
"""Subtracted from a memory of another time than asked for, if one of that time may answer.

It is more than memories about the same thing differ by, so those of that time come first, and one
that fits far better is still before them. By itself it withholds nothing.
"""
_FARTHER: Final = 1.5
"""Subtracted besides from a memory of a very distant time."""
_OTHER_WEEKDAY: Final = 1.5
"""Subtracted from a text that names another day of the week, unless it is of the time asked for; it
withholds nothing."""
_OF_TIME: Final = 0.5
"""Notes of the time asked for, or naming it, are beyond the strong cut by this, if nothing else is
asked for: whatever its text says, it answers."""
_NOT_VALID: Final = 3.0
"""Subtracted from what does not hold now, unless a time is asked for; it withholds nothing."""
_AGE: Final = 0.5
"""Subtracted from a very old memory of a fading type."""
HALF_LIFE_DAYS: Final = 30.0
_USUAL_SIZE: Final = 70
"""The number of an owner's memories in the data that the cuts were chosen on."""
_LEAST_SIZE: Final = 10
NEXT: Final = 5
"""The memories after the best one that tell whether the question is about what was told."""
_UNKNOWN: Final = 0.9
"""The trust of a memory whose speaker is unknown; less is hearsay."""
_EQUAL: Final = 0.02
"""Logits that differ by no more than this count as equal."""


class Scored(NamedTuple):
    """A candidate's place in the ranking."""

    place: int
    """The candidate's index."""
    score: float
    strong: bool
    weak: bool
    """Whether it is not strong, but may answer."""
    signals: dict[str, float]
    """The logit and its terms, for `explain`."""


def rank(
    candidates: Candidates,
    query: Query,
    weights: Weights,
    *,
    without_vectors: tuple[NDArray[np.bool_], Weights] | None = None,
    size: int,
    of_time: int | None = None,
    half_life_days: float = HALF_LIFE_DAYS,
    explain: bool = False,
) -> list[Scored]:
    """Rank candidates, best first; among equal ones own words before hearsay, then the newest.

    ``size`` is the number of memories searched, ``of_time`` that of those which are of the time
    asked for. ``half_life_days`` is that of the influence of age. ``without_vectors`` says which
    candidates have no vectors, and the weights of words alone for them.
    """
    if not len(candidates.rowid):
        return []
    terms = _terms(candidates, query, weights, size, of_time, half_life_days)
    logits = _scaled(sum(terms.values()), weights)
    by_people_alone = terms["by_people_alone"] * _scale(weights)
    if without_vectors is not None:
        missing, by_words = without_vectors
        others = _terms(candidates, query, by_words, size, of_time, half_life_days)
        logits = np.where(missing, _scaled(sum(others.values()), by_words), logits)
        worded = others["by_people_alone"] * _scale(by_words)
        by_people_alone = np.where(missing, worded, by_people_alone)
        for name in terms.keys() | others.keys():
            zero = np.zeros(len(logits))
            terms[name] = np.where(missing, others.get(name, zero), terms.get(name, zero))
    order, equal = newest_first(
        _below_own_words(logits, by_people_alone, candidates, _SAME_THING * _scale(weights)),
        candidates.at,
        candidates.trust,
        within=_EQUAL * _scale(weights),
    )
    lower = support(equal / _scale(weights) + weights.strong, weights)
    scores = 1 / (1 + np.exp(-_supported(equal, lower, weights)))
    return [
        Scored(
            place,
            score,
            score >= STRONG_SCORE,
            WEAK_SCORE <= score < STRONG_SCORE,
            _signals(terms, place, lower) if explain else {},
        )
        for place, score in zip(order.tolist(), scores.tolist(), strict=True)
    ]


def size_term(weights: Weights, size: int) -> float:
    """Return the term added to every logit for a scope of this size; it changes no order."""
    return -weights.size * math.log(max(size, _LEAST_SIZE) / _USUAL_SIZE)


def support(logits: Floats, weights: Weights) -> float:
    """Return by how much the weak cut is lower, since memories after the best are near too.

    In a store of a few memories the missing ones add nothing.
    """
    following = np.sort(logits)[::-1][1 : 1 + NEXT]
    return weights.support * float(np.maximum(following - weights.support_from, 0).sum()) / NEXT


def _terms(
    candidates: Candidates,
    query: Query,
    weights: Weights,
    size: int,
    of_time: int | None,
    half_life_days: float,
) -> dict[str, Floats]:
    """Return the terms of the logit by name, (c,) each."""
    zero: Floats = np.zeros(len(candidates.rowid))
    cosine: Floats = zero if candidates.cosine is None else candidates.cosine
    late: Floats = zero if candidates.late is None else candidates.late
    coverage: Floats = zero if candidates.coverage is None else candidates.coverage
    named = candidates.about >= 1
    nearness = in_time(candidates, query)
    age = np.where(candidates.fades, np.maximum(candidates.age_days, 0), 0)
    terms: dict[str, Floats] = {
        "bias": zero + weights.bias,
        "size": zero + size_term(weights, size),
        "cosine": weights.cosine * cosine,
        "late": weights.late * late,
        "words": weights.coverage * coverage + weights.coverage_squared * coverage**2,
        "named": zero + _NAMED * named,
        "own_word": zero + _OWN_WORD * (candidates.about > 1),
        "possessor": zero - _POSSESSOR * ((candidates.about >= POSSESSOR) & ~named),
        "age": _AGE * (np.exp2(-age / half_life_days) - 1),
    }
    is_of_time = candidates.names_day | ((nearness == 1) & query.looks_back)
    if query.time_alone:
        # However much is stored, what is from then is no chance match.
        lift = weights.strong + _OF_TIME - weights.bias
        terms["of_time"] = (lift - np.minimum(terms["size"], 0)) * is_of_time
    elif query.time is not None and of_time is not None:
        # What is from then competes with nothing else.
        terms["of_time"] = (size_term(weights, of_time) - terms["size"]) * is_of_time
    # People order and make nothing strong: towards the strong cut they count for less and less.
    by_people = terms["named"] + terms["own_word"]
    lacking = np.maximum(weights.strong - (sum(terms.values()) - by_people), 0)
    by_people_alone = np.zeros_like(lacking)
    np.divide(-(by_people**2), by_people + lacking, out=by_people_alone, where=lacking > 0)
    terms["by_people_alone"] = by_people_alone
    beyond_weak = np.maximum(sum(terms.values()) - weights.weak, 0)
    if candidates.of_another.any():
        # Where Ben lives is no answer to where I live, but may matter: such memories stay in their
        # order, between the two cuts.
        weaker = -(beyond_weak**2) / (beyond_weak + weights.strong - weights.weak)
        terms["of_another"] = weaker * candidates.of_another
        beyond_weak += terms["of_another"]
    terms["other_weekday"] = -np.minimum(
        _OTHER_WEEKDAY * (candidates.other_weekday & ~is_of_time), beyond_weak
    )
    beyond_weak += terms["other_weekday"]
    if query.time is None:
        terms["not_valid"] = -np.minimum(_NOT_VALID * ~candidates.valid, beyond_weak)
        return terms
    nearest = nearness.max(initial=0.0, where=beyond_weak > 0)
    away = _FARTHER * np.maximum(nearest - nearness, 0)
    if nearest == 1:
        away += _OUT_OF_TIME * (nearness < 1)
    terms["out_of_time"] = np.asarray(-np.minimum(away, beyond_weak), dtype=np.float64)
    return terms


def _below_own_words(
    logits: Floats, by_people_alone: Floats, candidates: Candidates, within: float
) -> Floats:
    """Return the logits, with hearsay lowered to the person's own word on the same thing.

    Own words on the same thing are those that, with all that people add, fit about as well or
    answer the question themselves. Among equal ones the own word comes first, so hearsay follows it
    (A13), however well it fits and however often it is said.
    """
    lowered, fit = logits.copy(), logits - by_people_alone
    for place in np.flatnonzero((candidates.trust < _UNKNOWN) & (candidates.person >= 0)).tolist():
        own = (candidates.person == candidates.person[place]) & (candidates.trust == 1)
        near = logits[own & ((np.abs(fit - fit[place]) <= within) | (fit >= 0))]
        lowered[place] = min(logits[place], near.max(initial=-np.inf) if len(near) else math.inf)
    return lowered


def _scale(weights: Weights) -> float:
    return LOGIT_BETWEEN / (weights.strong - weights.weak)


def _scaled(logits: Any, weights: Weights) -> Floats:
    """Return logits of the score: 0 at the strong cut, and a fixed distance to the weak one."""
    scaled: Floats = (logits - weights.strong) * _scale(weights)
    return scaled


def _supported(scaled: Floats, lower: float, weights: Weights) -> Floats:
    """Return scaled logits for a weak cut that is so much lower; those of strong ones as before."""
    between = weights.strong - weights.weak
    return np.where(scaled < 0, scaled * (between / (between + lower)), scaled)


def _signals(terms: dict[str, Floats], place: int, lower: float) -> dict[str, float]:
    """Return the terms of one candidate that are not zero, their sum, and the support."""
    values = {name: float(values[place]) for name, values in terms.items()}
    return {"logit": sum(values.values())} | {
        name: value for name, value in {**values, "support": lower}.items() if value
    }
