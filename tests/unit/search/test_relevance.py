"""Relevance of memories: a calibrated logit, its cuts and its score."""

import dataclasses
import datetime as dt
from typing import Any

import msgspec
import numpy as np
import pytest
from candidates import Candidate, columns

from ashd import clock
from ashd.search import calibration, query, relevance
from ashd.search.calibration import Weights
from ashd.search.candidates import POSSESSOR
from ashd.search.relevance import Scored

NOW = dt.datetime(2026, 6, 15, 12, tzinfo=dt.UTC)
WEIGHTS = Weights(
    bias=-7.0, cosine=16.0, late=1.5, coverage_squared=3.0, size=0.5, strong=-0.7, weak=-3.0
)


def asked(text: str = "what does Ann eat") -> query.Query:
    return query.analyse(text, facts=True, now=NOW)


def rank(
    candidates: list[Candidate],
    question: query.Query | None = None,
    weights: Weights = WEIGHTS,
    **more: Any,
) -> list[Scored]:
    return relevance.rank(columns(candidates), question or asked(), weights, **{"size": 70, **more})


def order(candidates: list[Candidate], question: query.Query | None = None) -> list[int]:
    return [candidates[one.place].rowid for one in rank(candidates, question)]


def scores(candidates: list[Candidate], **more: Any) -> dict[int, float]:
    return {candidates[one.place].rowid: one.score for one in rank(candidates, **more)}


def test_nothing_found_ranks_nothing() -> None:
    """No candidates, no results, no failure."""
    assert rank([]) == []


@pytest.mark.parametrize("signal", ["cosine", "late", "coverage"])
def test_each_leg_lifts(signal: str) -> None:
    """More evidence of any kind gives a higher score."""
    assert order([Candidate(1, **{signal: 0.2}), Candidate(2, **{signal: 0.6})]) == [2, 1]


@pytest.mark.parametrize("weights", [WEIGHTS, calibration.words().english])
def test_the_cuts_have_the_same_scores_with_every_calibration(weights: Weights) -> None:
    """The calibrated scores are a half at the strong cut and three tenths at the weak one (row
    D7)."""
    strong, weak = (
        relevance.rank(
            columns([Candidate(1)]),
            asked(),
            Weights(bias=logit, strong=weights.strong, weak=weights.weak),
            size=70,
        )[0]
        for logit in (weights.strong, weights.weak)
    )

    assert strong.score == pytest.approx(relevance.STRONG_SCORE)
    assert weak.score == pytest.approx(relevance.WEAK_SCORE)


def test_what_answers_what_may_and_what_does_not() -> None:
    """Strong, weak, neither."""
    found = rank([Candidate(1, cosine=0.6), Candidate(2, cosine=0.3), Candidate(3, cosine=0.1)])

    assert [(one.strong, one.weak) for one in found] == [
        (True, False),
        (False, True),
        (False, False),
    ]


def test_a_weak_answer_is_shown_sooner_beside_others_that_are_near() -> None:
    """The next best lower the weak cut, each by its part; far or missing ones do not."""
    weights = msgspec.structs.replace(WEIGHTS, support=0.8, support_from=-6.0)
    best = Candidate(1, cosine=0.2)
    near, far = ([Candidate(n, cosine=by) for n in range(2, 12)] for by in (0.19, 0.0))

    def score(*others: Candidate) -> float:
        return scores([best, *others], weights=weights)[1]

    assert score() == score(*far) < relevance.WEAK_SCORE <= score(*near) < relevance.STRONG_SCORE
    assert score() < score(near[0]) < score(*near[:5]) == score(*near)


def test_support_makes_nothing_strong_and_changes_no_order() -> None:
    """Evidence of its own alone makes a result strong."""
    weights = msgspec.structs.replace(WEIGHTS, support=50.0, support_from=-6.0)
    found = [Candidate(n, cosine=0.3 + n / 100) for n in range(14)]
    plain, supported = (rank(found, weights=one) for one in (WEIGHTS, weights))

    assert [(one.place, one.strong) for one in supported] == [(o.place, o.strong) for o in plain]
    assert [one.score for one in supported if one.strong] == [
        one.score for one in plain if one.strong
    ]
    assert all(one.strong or one.weak for one in supported)
    assert not any(one.strong for one in supported[-3:])


def test_the_support_is_among_the_signals_but_not_in_the_logit() -> None:
    """`explain` tells both."""
    weights = msgspec.structs.replace(WEIGHTS, support=0.8, support_from=-6.0)
    found = [Candidate(n, cosine=0.3) for n in range(1, 7)]
    told = rank(found, weights=weights, explain=True)[0].signals

    assert told["support"] == pytest.approx(0.8 * (-7.0 + 16.0 * 0.3 + 6.0))
    assert told["logit"] == pytest.approx(-7.0 + 16.0 * 0.3)


def test_in_a_larger_store_the_same_evidence_is_worth_less() -> None:
    """More memories hold more chance matches; the order stays."""
    found = [Candidate(1, cosine=0.5), Candidate(2, cosine=0.3)]

    assert scores(found, size=10)[1] > scores(found, size=70)[1] > scores(found, size=1000)[1]
    assert [one.place for one in rank(found, size=5000)] == [0, 1]


def test_what_has_no_vectors_is_judged_by_its_words() -> None:
    """The weights of words alone give the same scale."""
    words = Weights(bias=-5.0, coverage=7.0, strong=-2.0, weak=-4.0)
    found = [Candidate(1, cosine=0.6), Candidate(2, coverage=1.0)]
    mixed = scores(found, without_vectors=(np.array([False, True]), words))

    assert mixed[2] == pytest.approx(scores([Candidate(2, coverage=1.0)], weights=words)[2])
    assert mixed[1] == pytest.approx(scores(found)[1])


def test_a_named_person_lifts_what_is_about_him() -> None:
    """His own word before what others say of the same (D2, A13)."""
    found = [
        Candidate(1, cosine=0.3),
        Candidate(2, cosine=0.3, about=1.0, trust=0.8, person=7),
        Candidate(3, cosine=0.3, about=2.0, person=7),
    ]

    assert order(found) == [3, 2, 1]


def test_a_named_person_makes_nothing_strong() -> None:
    """People order what does not answer by itself, and lift what does (row D2)."""
    cosines = (0.1, 0.2, 0.3, 0.35, 0.39, 0.5)
    plain = [Candidate(at, cosine=one) for at, one in enumerate(cosines)]
    named = [dataclasses.replace(one, about=2.0) for one in plain]
    alone, lifted = scores(plain), scores(named)

    assert all(lifted[at] > alone[at] for at in alone)
    strong = [at for at, score in alone.items() if score >= relevance.STRONG_SCORE]
    assert strong == [5]
    assert [at for at, score in lifted.items() if score >= relevance.STRONG_SCORE] == strong
    assert order(named) == order(plain)


def test_a_memory_that_is_not_valid_now_comes_after_one_that_is() -> None:
    """It stays shown, and a question for a time is about that time (row D9)."""
    found = [Candidate(1, cosine=0.6, valid=False), Candidate(2, cosine=0.45)]
    ranked = rank(found)

    assert [found[one.place].rowid for one in ranked] == [2, 1]
    assert all(one.strong or one.weak for one in ranked)
    assert order(found, asked("what did Ann eat in 2019")) == [1, 2]


def test_a_person_named_for_a_relation_comes_after_the_relation() -> None:
    """A question for Kurt's sister is not about Kurt, though he is named (row D2)."""
    found = [Candidate(1, cosine=0.5, about=POSSESSOR), Candidate(2, cosine=0.3, about=1.0)]

    assert order(found) == [2, 1]
    assert order([Candidate(1, cosine=0.5), found[1]]) == [1, 2]


def test_hearsay_only_breaks_ties() -> None:
    """Hearsay ranks first if it fits better, and second if it fits as well."""
    assert order([Candidate(1, cosine=0.5, trust=0.8), Candidate(2, cosine=0.5)]) == [2, 1]
    assert order([Candidate(1, cosine=0.52, trust=0.8), Candidate(2, cosine=0.5)]) == [1, 2]


def test_ones_own_word_comes_before_hearsay_that_fits_about_as_well() -> None:
    """About the same person only; what fits far better is about something else (A13)."""
    own = Candidate(1, cosine=0.20, person=7)
    found = [own, Candidate(2, cosine=0.23, trust=0.8, person=7)]

    assert scores([own])[1] < relevance.STRONG_SCORE
    assert order(found) == [1, 2]
    assert order([own, Candidate(2, cosine=0.23, trust=0.8, person=8)]) == [2, 1]
    assert order([own, Candidate(2, cosine=0.40, trust=0.8, person=7)]) == [2, 1]


def test_hearsay_never_comes_before_an_own_word_that_answers() -> None:
    """Better fit and repetition do not help hearsay; other people's own words do not count."""
    own = Candidate(1, cosine=0.8, person=7)
    loud = [Candidate(n, cosine=1.0, trust=0.8, person=7) for n in range(2, 12)]
    assert scores([own])[1] >= relevance.STRONG_SCORE
    assert order([own, *loud])[0] == 1
    assert order([Candidate(1, cosine=0.8, person=8), *loud])[-1] == 1


def test_of_equal_ones_the_newest_comes_first() -> None:
    """Row D5."""
    told = [Candidate(year, cosine=0.5, at=year) for year in (2024, 2023, 2026)]

    assert order(told) == [2026, 2024, 2023]


def test_a_time_that_is_asked_for_puts_what_is_from_then_first() -> None:
    """The named time outweighs a slightly better match of words (row D6)."""

    def told(rowid: int, days: int, cosine: float) -> Candidate:
        return Candidate(rowid, cosine=cosine, at=clock.to_micros(NOW - dt.timedelta(days=days)))

    visits = [told(1, 400, 0.5), told(2, 2, 0.45), told(3, 90, 0.48)]

    assert order(visits, asked("which museum did we see two days ago"))[0] == 2
    assert order(visits, asked("which museum did we see"))[0] == 1


def told(rowid: int, days: int, cosine: float) -> Candidate:
    return Candidate(rowid, cosine=cosine, at=clock.to_micros(NOW - dt.timedelta(days=days)))


@pytest.mark.parametrize(("words", "first"), [("today", 0), ("yesterday", 1), ("3 days ago", 3)])
def test_the_asked_day_comes_before_its_neighbours_about_the_same_thing(
    words: str, first: int
) -> None:
    """Memories about one thing differ in fit by more than days do in nearness (row D6)."""
    worse = [told(day, day, 0.5 + (0.15 if day != first else 0.0)) for day in range(5)]
    ranked = rank(worse, asked(f"which museum did we see {words}"))

    assert worse[ranked[0].place].rowid == first
    assert all(one.strong or one.weak for one in ranked)


def test_a_text_that_names_the_asked_day_is_of_that_day() -> None:
    """A text may speak of another day than that it is from."""
    at = clock.to_micros(NOW - dt.timedelta(days=90))
    named = Candidate(2, cosine=0.5, at=at, names_day=True)

    found = [Candidate(1, cosine=0.55, at=at), named]

    assert order(found, asked("which museum did we see on 2026-06-13"))[0] == 2


def test_another_day_that_fits_far_better_comes_before_the_asked_one() -> None:
    """An event may have been told on another day."""
    found = [told(1, 0, 0.9), told(2, 2, 0.35), told(3, 2, 0.1)]

    assert order(found, asked("which museum did we see two days ago")) == [1, 2, 3]


def test_a_question_for_a_time_alone_is_answered_by_memories_of_that_time() -> None:
    """A memory from then answers it, or one that names it; for a time to come only the latter."""
    irrelevant = [told(1, 0, 0.1), told(2, 1, 0.1), told(3, 9, 0.1)]
    named = dataclasses.replace(told(4, 40, 0.1), names_day=True)

    assert order([*irrelevant, named], asked("what did I do yesterday"))[:2] == [2, 4]
    assert order([*irrelevant, named], asked("what is on today"))[0] == 4
    shown = scores([*irrelevant, named], question=asked("what did I do yesterday"))
    assert min(shown[2], shown[4]) > relevance.WEAK_SCORE > max(shown[1], shown[3])
    assert max(scores(irrelevant, question=asked("who called yesterday")).values()) < 0.3


def test_an_irrelevant_memory_makes_no_other_less_relevant_for_its_time() -> None:
    """Only an answer of the asked time puts others after it."""
    found = [told(1, 0, 0.6), told(2, 2, 0.1)]
    then = rank(found, asked("which museum did we see two days ago"))

    assert [one.score for one in then] == pytest.approx([one.score for one in rank(found)])


def test_another_weekday_comes_after_the_one_that_is_named() -> None:
    """What fits far better is still first, and nothing is withheld for its day."""
    near, far = 0.45, 0.6

    for cosine, first in ((near, 1), (far, 0)):
        found = rank([Candidate(1, cosine=cosine, other_weekday=True), Candidate(2, cosine=0.42)])
        assert found[0].place == first
        assert all(one.strong or one.weak for one in found)


def test_what_is_from_the_asked_time_competes_with_nothing_else() -> None:
    """Among few memories of that time a match is less by chance than among all."""
    found = [told(1, 0, 0.3), told(2, 2, 0.25), told(3, 2, 0.1)]
    question = asked("which museum did we see two days ago")

    among_all = rank(found, question, size=5000, of_time=5000)
    among_few = rank(found, question, size=5000, of_time=3)

    assert not any(one.strong or one.weak for one in among_all if one.place)
    assert [(one.place, one.strong or one.weak) for one in among_few[:2]] == [(1, True), (0, False)]


def test_a_time_that_nothing_is_from_changes_nothing() -> None:
    """A past event was often told later."""
    old = clock.to_micros(NOW - dt.timedelta(days=4000))
    told = [Candidate(1, cosine=0.5, at=old), Candidate(2, cosine=0.3, at=old)]
    then = relevance.rank(columns(told), asked("what did we eat last week"), WEIGHTS, size=70)

    assert [one.score for one in then] == pytest.approx([one.score for one in rank(told)])


def test_what_fades_falls_with_age() -> None:
    """A fading type loses half of its greatest loss in thirty days; lasting types do not age (row
    D3)."""
    told = [
        Candidate(1, cosine=0.5, fades=True, age_days=0),
        Candidate(2, cosine=0.5, fades=True, age_days=30),
        Candidate(3, cosine=0.5, fades=True, age_days=60),
        Candidate(4, cosine=0.5, fades=True, age_days=3000),
        Candidate(5, cosine=0.5, age_days=3000),
    ]
    ranked = rank(told, explain=True)
    lost = {told[one.place].rowid: -one.signals.get("age", 0.0) for one in ranked}
    found = scores(told)

    assert lost[2] == pytest.approx(lost[4] / 2)
    assert found[1] == pytest.approx(found[5])
    assert found[1] > found[2] > found[3] > found[4]


def test_explain_says_what_made_the_logit() -> None:
    """The terms add up to the logit (row D8); without it none are made."""
    (one,) = rank([Candidate(1, cosine=0.5, coverage=0.5, about=1.0)], explain=True)
    terms = {name: value for name, value in one.signals.items() if name != "logit"}

    assert set(terms) == {"bias", "cosine", "words", "named"}
    assert one.signals["logit"] == pytest.approx(sum(terms.values()))
    assert rank([Candidate(1, cosine=0.5)])[0].signals == {}


def test_centred_cosines_are_those_of_vectors_without_the_mean() -> None:
    """Dot products alone give the cosines; a text without words is similar to nothing."""
    draw = np.random.default_rng(7)
    rows = draw.normal(size=(4, 8)).astype(np.float32) + 1
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[3] = 0
    question, mean = rows[0], rows[:3].mean(axis=0)
    expected = [
        float((row - mean) @ (question - mean))
        / float(np.linalg.norm(row - mean) * np.linalg.norm(question - mean))
        for row in rows[:3]
    ]
    words = calibration.words().english
    adapted = calibration.Calibration(words, words, mean).adapted(question)
    found = calibration.centred(
        rows @ adapted, rows @ mean, float(adapted @ mean), float(mean @ mean)
    )

    assert found[:3].tolist() == pytest.approx(expected, abs=1e-4)
    assert found[3] == 0


def test_an_adapter_moves_a_question_towards_its_answers() -> None:
    """The adapter moves the question nearer to its answer than to similar text."""
    words = calibration.words().english
    question, answer = np.eye(3, dtype=np.float32)[:2]
    adapter = calibration.Adapter(question[:, None], 2 * answer[None])
    adapted = calibration.Calibration(words, words, np.zeros(3, np.float32), adapter).adapted(
        question
    )

    assert adapted @ answer > adapted @ question > 0
    assert float(np.linalg.norm(adapted)) == pytest.approx(1.0)


def test_a_fading_memory_loses_half_a_logit_at_most() -> None:
    """A half-life costs half of that; a lasting memory loses nothing (row D3)."""

    def age(days: float, *, fades: bool = True) -> float:
        found = Candidate(1, cosine=0.9, age_days=days, fades=fades)
        (one,) = rank([found], explain=True)
        return one.signals.get("age", 0.0)

    assert age(100_000) == pytest.approx(-0.5)
    assert age(relevance.HALF_LIFE_DAYS) == pytest.approx(-0.25)
    assert age(100_000, fades=False) == pytest.approx(0.0)


def test_the_own_word_of_another_is_weak_in_its_order() -> None:
    """It is neither strong nor withheld for it, and what would be withheld stays so."""
    cosines = (0.1, 0.2, 0.3, 0.5, 0.8)
    as_asked = rank([Candidate(at, cosine=one) for at, one in enumerate(cosines)])
    of_another = rank(
        [Candidate(at, cosine=one, of_another=True) for at, one in enumerate(cosines)]
    )

    assert [one.place for one in of_another] == [one.place for one in as_asked]
    assert any(one.strong for one in as_asked)
    assert not any(one.strong for one in of_another)
    assert [one.weak for one in of_another] == [one.strong or one.weak for one in as_asked]


def test_ones_own_word_comes_before_anothers() -> None:
    """However much better the other one fits."""
    own, other = Candidate(1, cosine=0.41), Candidate(2, cosine=0.8, of_another=True)
    assert order([other, own]) == [1, 2]
