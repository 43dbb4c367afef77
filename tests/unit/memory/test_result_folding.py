"""Rankings folded by the links between memories."""

import pytest

from ashd.memory.result_folding import asks_for, fold
from ashd.search.spec import Found
from ashd.store.memory_links import Link


def found(item: int, score: float) -> Found:
    return Found(item, score, relevant=score >= 0.5, weak=False, passage=0, signals={})


RANKING = [found(1, 0.9), found(2, 0.6), found(3, 0.5), found(4, 0.45)]


def items(links: list[Link]) -> tuple[list[int], dict[int, list[int]]]:
    folded = fold(RANKING, links)
    return [entry.item for entry in folded.found], folded.repeats


def test_without_links_a_ranking_is_as_it_was() -> None:
    """Links to memories that are not in the ranking count for nothing."""
    assert fold(RANKING, []).found == RANKING
    assert items([Link(9, 1, "repeats"), Link(4, 9, "may_replace")]) == ([1, 2, 3, 4], {})


def test_repetitions_are_one_result() -> None:
    """The best of them, whichever is newer, and over several steps."""
    assert items([Link(3, 1, "repeats")]) == ([1, 2, 4], {1: [3]})
    assert items([Link(1, 3, "repeats"), Link(4, 3, "repeats")]) == ([1, 2], {1: [3, 4]})


def test_what_may_replace_another_comes_before_it() -> None:
    """The newer memory takes the older one's place and score; those ranked before stay."""
    folded = fold(RANKING, [Link(4, 2, "may_replace")])

    assert [(entry.item, entry.score, entry.relevant) for entry in folded.found] == [
        (1, 0.9, True),
        (4, 0.6, True),
        (2, 0.6, True),
        (3, 0.5, True),
    ]
    assert items([Link(1, 4, "may_replace")]) == ([1, 2, 3, 4], {})


def test_a_much_worse_answer_stays_where_it_is() -> None:
    """A weak match is not lifted, as the question does not ask for it."""
    assert items([Link(4, 1, "may_replace")]) == ([1, 2, 3, 4], {})
    for better, worse, order in (
        *((0.99, 0.978, [2, 1]), (0.99, 0.976, [1, 2])),
        *((0.6, 0.392, [2, 1]), (0.6, 0.389, [1, 2])),
        *((1.0, 1.0, [2, 1]), (1.0, 0.99, [1, 2]), (0.0, 0.0, [2, 1])),
    ):
        folded = fold([found(1, better), found(2, worse)], [Link(2, 1, "may_replace")])
        assert [entry.item for entry in folded.found] == order


def test_a_repetition_of_a_correction_speaks_for_it() -> None:
    """The shown one of those that say the same is put before what it may replace."""
    links = [Link(4, 3, "repeats"), Link(4, 2, "may_replace")]

    assert items(links) == ([1, 3, 2], {3: [4]})


def test_the_older_one_stays_first_if_it_is_asked_for() -> None:
    """A correction of it comes where it was ranked; others that it may replace follow it."""
    links = [Link(3, 1, "may_replace"), Link(3, 2, "may_replace")]

    def is_asked_for(older: int, newer: int) -> bool:
        return (older, newer) == (2, 3)

    assert [entry.item for entry in fold(RANKING[1:], links, is_asked_for).found] == [2, 3, 4]
    assert [entry.item for entry in fold(RANKING[1:], links).found] == [3, 2, 4]


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("row 3 of the vineyard", "Row 3 of the vineyard is Riesling", "Row 4 is Silvaner"),
        ("row 4, seat 1", "Row 4, seat 1 is sold", "Row 1, seat 4 is sold"),
        ("is seat 3b taken", "Seat 3B is taken", "Seat 3D is taken"),
        ("who has duty on monday", "Monday's duty is Ole's", "Friday's duty is Ole's"),
        ("does Ivo have the key", "Ivo has the key", "The key is with somebody else now"),
        ("so user likes tea in the evening?", "User likes tea", "User likes cocoa in the evening"),
    ],
)
def test_a_question_with_its_number_or_name_is_for_a_memory(
    question: str, older: str, newer: str
) -> None:
    """Its number, name or time, or all of its words, which the other one does not have."""
    assert asks_for(question, older, newer)
    assert not asks_for(question, newer, older)


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("how much rent do we pay", "Rent is 940 a month", "We pay 1,015 a month in rent"),
        ("who leads the rollout in Ghent", "Yara leads the rollout in Ghent", "Bram has Ghent now"),
        ("Rome or Bari?", "I live in Rome", "I live in Bari"),
        ("is it 5 pm or 6 pm?", "Tea is at 5 pm", "Tea is at 6 pm"),
        ("...", "...", "?"),
    ],
)
def test_a_question_for_the_value_is_for_both(question: str, older: str, newer: str) -> None:
    """A name or number that both have, or neither, or one each, decides nothing."""
    assert not asks_for(question, older, newer)
    assert not asks_for(question, newer, older)
