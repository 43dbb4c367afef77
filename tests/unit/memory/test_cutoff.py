"""The cut of a ranking: strong memories, then weak ones, then those that a relation brings."""

import numpy as np
import pytest

from ashd.memory.cutoff import Cut, choose
from ashd.people.query_people import NAMED, OWN_WORD, RELATED
from ashd.search.candidates import POSSESSOR
from ashd.search.spec import Found


def strong(item: int, score: float = 0.9) -> Found:
    return Found(item, score, relevant=True, weak=False, passage=1, signals={})


def weak(item: int) -> Found:
    return Found(item, 0.4, relevant=False, weak=True, passage=1, signals={})


def unfit(item: int) -> Found:
    return Found(item, 0.1, relevant=False, weak=False, passage=1, signals={})


def cut(
    found: list[Found], about: dict[int, float] | None = None, limit: int = 100
) -> tuple[list[int], list[int], list[int]]:
    """The items that are shown, those that are unfit, and those over a limit."""
    return items(choose(found, about or {}, {}, min_score=None, limit=limit))


def items(made: Cut) -> tuple[list[int], list[int], list[int]]:
    parts = (made.chosen, made.below_threshold, made.over_limit)
    return tuple([entry.item for entry in part] for part in parts)  # type: ignore[return-value]


def test_strong_ones_come_first_and_the_next_best_follow() -> None:
    """Both kinds keep the order of the ranking; the rest is withheld, with the reason."""
    ranking = [weak(1), strong(2), weak(3), unfit(4), unfit(5), unfit(6), strong(7), unfit(8)]

    made = choose(ranking, {}, {}, min_score=None, limit=100)

    assert items(made) == ([2, 7, 1, 3, 4, 5, 6], [8], [])
    assert [entry.weak for entry in made.chosen] == [False] * 2 + [True] * 5


@pytest.mark.parametrize("ranking", [[], [unfit(1)], [unfit(1), unfit(2)]])
def test_nothing_is_shown_if_nothing_answers(ranking: list[Found]) -> None:
    """A named person's memories do not bring others with them."""
    assert cut(ranking)[0] == []
    assert cut(ranking, {1: NAMED})[0] == [entry.item for entry in ranking[:1]]


def test_all_that_answer_are_shown() -> None:
    """More than the number that is filled to."""
    assert cut([*map(strong, range(1, 10)), weak(10)]) == ([*range(1, 10)], [10], [])


def test_a_fact_about_a_named_person_is_shown_at_any_score() -> None:
    """However many there are, and in the order of the ranking."""
    ranking = [weak(1), *map(unfit, range(2, 10))]

    for other in (POSSESSOR, NAMED, OWN_WORD):
        named = {8: NAMED, 9: other}
        assert cut(ranking, named) == ([1, 2, 3, 4, 5, 8, 9], [6, 7], [])


def test_two_follow_for_a_relation() -> None:
    """The related results come after all others, and only if not already shown."""
    ranking = [*map(strong, range(1, 8)), *map(unfit, range(8, 12))]
    about = dict.fromkeys((7, 8, 10, 11), RELATED)
    made = choose(ranking, about, {}, min_score=None, limit=100)

    assert items(made) == ([*range(1, 8), 8, 10], [9, 11], [])
    assert made.by_relation == {8, 10, 11}
    assert not choose([unfit(1)], {1: 0.0}, {}, min_score=None, limit=100).chosen


def test_the_limit_cuts_what_is_shown() -> None:
    """Over the limit is what a larger limit shows."""
    ranking = [strong(1), strong(2), weak(3), *map(unfit, range(4, 9))]

    assert cut(ranking, limit=2) == ([1, 2], [8], [3, 4, 5, 6, 7])


def test_a_score_of_the_callers_replaces_all_cuts() -> None:
    """The caller's minimum applies to scores as shown, with four digits."""
    ranking = [strong(1, 0.50004), strong(2, 0.5), strong(3, 0.49996), strong(4, 0.4999), weak(5)]
    made = choose(ranking, {5: NAMED}, {}, min_score=0.5, limit=2)

    assert items(made) == ([1, 2], [4, 5], [3])
    assert not made.by_relation


def test_where_room_is_short_what_is_like_two_others_leaves_it() -> None:
    """Two of four breakfasts with apples are shown before one at the bakery is left out (D5)."""
    apples, bakery = [strong(item) for item in (1, 2, 3, 4)], unfit(5)
    ranking = [found._replace(passage=found.item) for found in [*apples, bakery]]
    alike = {1: [1.0, 0.0], 2: [0.9, 0.436], 3: [0.95, 0.312], 4: [1.0, 0.0], 5: [0.0, 1.0]}
    vectors = {item: np.array(one, np.float32) for item, one in alike.items()}

    def shown(limit: int) -> list[int]:
        return items(choose(ranking, {}, vectors, min_score=None, limit=limit))[0]

    assert shown(4) == [1, 2, 3, 5]
    assert shown(3) == [1, 2, 5]
    assert shown(2) == [1, 2]
    assert shown(5) == [1, 2, 3, 4, 5]


def test_the_list_is_filled_with_what_is_unlike_the_answers() -> None:
    """A memory like two answers is withheld for another that fits nearly as well."""
    ranking = [
        found._replace(passage=found.item)
        for found in [*map(strong, range(1, 7)), *map(unfit, range(7, 10))]
    ]
    vectors = {item: np.eye(4, dtype=np.float32)[int(item == 9)] for item in range(1, 10)}

    made = choose(ranking, {}, vectors, min_score=None, limit=100)

    assert items(made)[0] == [1, 2, 3, 4, 5, 6, 9]
    assert cut(ranking)[0] == [1, 2, 3, 4, 5, 6, 7]
