"""The measures of `benchmarks/recall`, on rankings whose figures are known beforehand."""

import datetime as dt
import math

import numpy as np
import pytest

from benchmarks.recall import locomo, report_measures
from benchmarks.recall.corpus import Asked, Fact, Store
from benchmarks.recall.locomo import Conversation, Question, Turn

AT = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)


def conversation(*questions: Question, letters: int = 400) -> Conversation:
    """Turns D1:1 to D1:9, each of so many letters."""
    turns = [Turn(f"D1:{place}", 1, "Ann", "x" * letters, AT) for place in range(1, 10)]
    return Conversation("ann", turns, list(questions))


def asked(*evidence: str, code: int = 4) -> Question:
    return Question("Who?", code, frozenset(evidence))


@pytest.mark.parametrize(
    ("share", "depth"),
    [(0.0, 0), (0.0, 1), (0.5, 2), (0.5, 3), (1.0, 4), (1.0, 100)],
)
def test_recall_is_the_share_of_the_evidence_among_the_first(share: float, depth: int) -> None:
    """Two of four turns are evidence, the second and the fourth."""
    assert share == locomo.recall_at(["a", "b", "c", "d"], frozenset("bd"), depth)


def test_what_is_found_twice_counts_once() -> None:
    """A ranking that repeats a turn has found no more of the evidence."""
    assert 0.5 == locomo.recall_at(["b", "b"], frozenset("bd"), 2)


def test_ndcg_is_one_when_all_evidence_stands_first() -> None:
    """The measure is one in any order, and with more evidence than places."""
    assert pytest.approx(1) == locomo.ndcg_at(["b", "a", "c"], frozenset("ab"), 10)
    assert pytest.approx(1) == locomo.ndcg_at(["a", "b"], frozenset("abc"), 2)


def test_ndcg_falls_with_the_place() -> None:
    """A single relevant turn at place three is worth a half, 1 / log2(4)."""
    assert pytest.approx(0.5) == locomo.ndcg_at(["x", "y", "a"], frozenset("a"), 10)
    assert 0 == locomo.ndcg_at(["x", "y", "a"], frozenset("a"), 2)


def test_whole_turns_are_taken_while_they_fit() -> None:
    """Turns of 100 tokens: five in 500, ten in 1,000; the one that does not fit ends it."""
    many = {f"D1:{place}": 100.0 for place in range(40)}
    assert [5, 10, 20, 30] == report_measures._fits(list(many), many)
    long = {"a": 400.0, "b": 200.0, "c": 1.0}
    assert 1 == report_measures._fits(["a", "b", "c"], long)[0]
    assert [0, 0, 0, 0] == report_measures._fits([], long)


def test_a_table_has_a_row_for_each_question_of_each_conversation() -> None:
    """Rankings are matched to questions in the order of conversations."""
    ranking = [f"D1:{place}" for place in range(1, 10)]
    conversations = [conversation(asked("D1:1"), asked("D1:6")), conversation(asked("D1:9"))]
    rows = report_measures.table(conversations, [ranking] * 3)
    by_name = dict(zip(report_measures.COLUMNS, rows.T.tolist(), strict=True))
    assert [1, 0, 0] == by_name["R@5"]
    assert [1, 1, 1] == by_name["R@10"]
    assert [1, 0, 0] == by_name["500 tokens"]
    assert [1, 1, 1] == by_name["1000 tokens"]


def test_the_headline_leaves_code_five_out() -> None:
    """Code 5 asks about the wrong person, so it has a row of its own."""
    one = conversation(asked("D1:1"), asked("D1:9", code=5))
    rows = report_measures.table([one], [["D1:1"], []])
    summary = report_measures.summary(rows, report_measures.codes([one]))
    assert 1 == summary["questions"]
    assert 1 == summary["headline"]["R@10"]["mean"]
    assert {"4": 1, "5": 0} == {code: row["R@10"] for code, row in summary["codes"].items()}


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    """Ten times the questions, a third of the width; the same questions give the same interval."""
    few, many = (np.tile([[0.0], [1.0]], (half, 1)) for half in (50, 500))
    (low, high), (lower, higher) = map(report_measures.interval, (few, many))
    assert low[0] < 0.5 < high[0]
    assert pytest.approx((high - low)[0] / math.sqrt(10), rel=0.2) == (higher - lower)[0]
    assert low == report_measures.interval(few)[0]


def test_where_all_are_alike_there_is_no_doubt() -> None:
    """An interval without width."""
    low, high = report_measures.interval(np.ones((20, 2)))
    assert [1, 1] == low.tolist() == high.tolist()


def test_a_difference_is_taken_question_by_question() -> None:
    """A constant difference is certain, however much the questions vary; code 5 is left out."""
    theirs = np.linspace(0, 0.9, 10)[:, None] * np.ones(len(report_measures.COLUMNS))
    ours = theirs + 0.1
    ours[9] = 0
    categories = np.array([4] * 9 + [5])
    difference = report_measures.difference(ours, theirs, categories)
    assert {"mean": 0.1, "low": 0.1, "high": 0.1} == difference


def test_a_block_is_measured_by_the_evidence_it_shows() -> None:
    """Codes 1 to 4 count for every budget; the order within a block does not."""
    one = conversation(asked("D1:1"), asked("D1:2", code=5), asked("D1:3", "D1:4"))
    shown = {500: [["D1:2", "D1:1"], ["D1:9"]], 1_000: [["D1:1"], ["D1:4", "D1:5"]]}
    summary = report_measures.context_summary([one], shown)
    assert {"500": 0.5, "1000": 0.75} == {b: value["mean"] for b, value in summary.items()}
    assert 0 == summary["500"]["low"]
    assert 1 == summary["500"]["high"]


def test_a_block_for_every_question_or_none() -> None:
    """Blocks that do not match the questions are no figure."""
    with pytest.raises(ValueError, match="zip"):
        report_measures.context_summary([conversation(asked("D1:1"), asked("D1:2"))], {500: [[]]})


def test_facts_are_found_lost_or_shown_though_nothing_answers() -> None:
    """Shares of the answered questions, and of the near and far ones that nothing answers."""
    wife, dog = frozenset({"wife"}), frozenset({"dog"})
    nothing: frozenset[str] = frozenset()
    asked = [
        Asked("Who is she?", wife, far=False),
        Asked("Who barks?", dog, far=False),
        Asked("Who sings?", wife, far=False),
        Asked("Where does she live?", nothing, far=False),
        Asked("What is a quark?", nothing, far=True),
    ]
    stores = [Store([Fact("wife", "Ann"), Fact("dog", "Rex")], asked)]
    found = [["wife", "dog"], ["wife", "dog"], [], ["wife"], []]
    assert {
        "first": {"share": 0.3333, "of": 3},
        "ten": {"share": 0.6667, "of": 3},
        "lost": {"share": 0.3333, "of": 3},
        "near": {"share": 1, "of": 1},
        "far": {"share": 0, "of": 1},
    } == report_measures.facts_summary(stores, found)
