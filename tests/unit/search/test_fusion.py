"""Fusion of the legs into one ranking."""

import dataclasses
import datetime as dt
from typing import get_args

import numpy as np
import pytest
from candidates import Candidate, columns

from ashd import clock
from ashd.search import fusion, query
from ashd.search.fusion import Level, Weights

NOW = dt.datetime(2025, 6, 15, 12, tzinfo=dt.UTC)
WEIGHTS = fusion.weights_for("late")


def asked(text: str = "what does Ann eat", **known: object) -> query.Query:
    return query.analyse(text, now=NOW, **known)


def order(candidates: list[Candidate], question: query.Query | None = None) -> list[int]:
    ranked = fusion.fuse(columns(candidates), question or asked(), WEIGHTS)
    return [entry.rowid for entry in ranked]


def test_nothing_found_ranks_nothing() -> None:
    """No candidates, no results, no failure."""
    assert fusion.fuse(columns([]), asked(), WEIGHTS) == []


@pytest.mark.parametrize("signal", ["lexical", "cosine", "late"])
def test_each_leg_lifts(signal: str) -> None:
    """More evidence of any kind gives a higher score."""
    low = Candidate(1, **{signal: 0.2})
    high = Candidate(2, **{signal: 0.6})

    assert order([low, high]) == [2, 1]


def test_scores_do_not_depend_on_who_else_was_found() -> None:
    """A score means the same in every search (row D7)."""
    mine = Candidate(1, lexical=0.4, cosine=0.5, late=0.6)
    alone = fusion.fuse(columns([mine]), asked(), WEIGHTS)[0]
    among = fusion.fuse(columns([mine, Candidate(2, late=0.1), Candidate(3)]), asked(), WEIGHTS)[0]

    assert alone.score == pytest.approx(among.score)


@pytest.mark.parametrize("level", get_args(Level))
def test_scores_lie_between_0_and_1_and_tell_relevance(level: Level) -> None:
    """Scores are between 0 and 1 at every level, and one score says "answers"."""
    weights = fusion.weights_for(level)
    best = Candidate(1, lexical=1.8, cosine=1.0, late=1.0, session=1, dated=True)
    ranked = fusion.fuse(columns([best, Candidate(2, asking=1.0)]), asked(), weights)

    assert [entry.rowid for entry in ranked] == [1, 2]
    assert 1 >= ranked[0].score >= fusion.RELEVANT_SCORE > ranked[1].score >= 0
    assert (ranked[0].relevant, ranked[1].relevant) == (True, False)


def test_the_named_speaker_counts_among_several() -> None:
    """Between two equal turns, the named speaker's comes first."""
    question = asked("what does Ann eat", speaker_names=["Ann", "Bob"])
    turns = [Candidate(1, late=0.5, speaker="Bob"), Candidate(2, late=0.5, speaker="Ann")]

    assert order(turns, question) == [2, 1]


@pytest.mark.parametrize("text", ["what do Ann and Bob eat", "what is there to eat"])
def test_without_one_named_speaker_nobody_is_lifted(text: str) -> None:
    """The premise of the cue is one name; without it the evidence decides."""
    question = asked(text, speaker_names=["Ann", "Bob"])
    turns = [Candidate(1, late=0.5, speaker="Bob"), Candidate(2, late=0.4, speaker="Ann")]

    assert order(turns, question) == [1, 2]


def test_a_single_speaker_says_nothing() -> None:
    """With one speaker alone, being the speaker is no evidence."""
    question = asked("what does Ann eat", speaker_names=["Ann"])
    ranked = fusion.fuse(columns([Candidate(1, speaker="Ann")]), question, WEIGHTS)

    assert (ranked[0].score, ranked[0].relevant) == (0.0, False)


def test_to_be_the_named_speaker_is_no_relevance() -> None:
    """The named speaker said half of all turns, and they do not all answer."""
    question = asked("what does Ann eat", speaker_names=["Ann", "Bob"])
    turns = [Candidate(1, late=0.3, speaker="Ann", session=1), Candidate(2, speaker="Bob")]

    assert not any(entry.relevant for entry in fusion.fuse(columns(turns), question, WEIGHTS))


def test_questions_for_a_time_lift_texts_with_one() -> None:
    """ "When" prefers what speaks of a time; other questions do not care."""
    turns = [Candidate(1, late=0.5), Candidate(2, late=0.5, dated=True)]

    assert order(turns, asked("when did we eat")) == [2, 1]
    assert order(turns, asked("what did we eat")) == [1, 2]


def test_time_words_lift_what_was_said_then() -> None:
    """ "Last week" prefers last week, and what is nearer to it (row D6)."""

    def said(rowid: int, days: int) -> Candidate:
        return Candidate(rowid, late=0.5, at=clock.to_micros(NOW - dt.timedelta(days=days)))

    turns = [said(1, 200), said(2, 9), said(3, 20)]

    assert order(turns, asked("what did we eat last week")) == [2, 3, 1]


def test_the_session_of_the_best_lifts_its_turns() -> None:
    """Between two equal turns, the one next to the best comes first; memories have no session."""
    turns = [
        Candidate(1, late=0.9, session="a"),
        Candidate(2, late=0.4, session="b"),
        Candidate(3, late=0.4, session="a"),
    ]

    assert order(turns) == [1, 3, 2]
    assert order([dataclasses.replace(turn, session=None) for turn in turns]) == [1, 2, 3]


def test_explain_says_what_made_the_total() -> None:
    """The signals add up to the total that was scored (row D8); without it none are made."""
    turns = [
        Candidate(1, lexical=0.5, cosine=0.3, late=0.6, session=1),
        Candidate(2, late=0.2, asking=1.0, session=1),
    ]
    first, second = fusion.fuse(columns(turns), asked(), WEIGHTS, explain=True)

    assert {"lexical", "cosine", "late", "session"} == set(first.signals)
    assert first.signals["lexical"] == pytest.approx(0.5 * WEIGHTS.lexical)
    assert second.signals["asking"] == pytest.approx(-WEIGHTS.asking)
    assert fusion.fuse(columns(turns), asked(), WEIGHTS)[0].signals == {}


def test_equal_candidates_keep_their_order() -> None:
    """The ranking is stable."""
    assert order([Candidate(number, late=0.5) for number in (3, 1, 2)]) == [3, 1, 2]


def test_other_alphabets_leave_the_embedded_models_out() -> None:
    """Embedded models' vectors say nothing of such text; an endpoint's do."""
    assert fusion.level_for("late", asked("猫はどこ")) == "none"
    assert fusion.level_for("static", asked("где кот")) == "none"
    assert fusion.level_for("pooled", asked("где кот")) == "pooled"
    assert fusion.level_for("static", asked("wo ist die Katze")) == "static"


def test_another_language_in_latin_letters_is_foreign_to_a_late_model_alone() -> None:
    """The late model was made for English; an endpoint's may know every language."""
    assert fusion.level_for("late", asked("wo ist die Katze")) == "foreign"
    assert fusion.level_for("pooled", asked("wo ist die Katze")) == "pooled"
    assert fusion.level_for("late", asked("where is the Katze")) == "late"


def test_weights_are_in_the_order_of_the_signals() -> None:
    """The vector takes off what stands against a text, and adds the rest."""
    vector = Weights(lexical=1.0, asking=0.5).vector()

    assert vector.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, -0.5, 0.0]


def test_turns_without_a_session_lift_nobody() -> None:
    """The best turn without a session does not make others its session."""
    weights = fusion.weights_for("none")
    values = np.zeros((3, len(fusion.SIGNALS)))
    values[:, 0] = (0.9, 0.2, 0.2)
    apart = fusion.combine(values, np.array([-1, -1, 0]), weights)
    together = fusion.combine(values, np.array([0, 0, -1]), weights)

    assert apart[0] == pytest.approx(0.9 * weights.lexical)
    assert apart[1] == pytest.approx(0.2 * weights.lexical)
    assert together[1] > apart[1]
