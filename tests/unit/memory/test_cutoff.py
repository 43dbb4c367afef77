"""The cut of a ranking: strong memories, then weak ones, then those that a relation brings."""

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
    return items(choose(found, about or {}, min_score=None, limit=limit))


def items(made: Cut) -> tuple[list[int], list[int], list[int]]:
    parts = (made.chosen, made.below_threshold, made.over_limit)
    return tuple([entry.item for entry in part] for part in parts)  # type: ignore[return-value]


def test_strong_ones_come_first_and_three_weak_ones_follow() -> None:
    """Both kinds keep the order of the ranking; the rest is withheld, with the reason."""
    ranking = [weak(1), strong(2), unfit(3), weak(4), weak(5), weak(6), strong(7)]

    assert cut(ranking) == ([2, 7, 1, 4, 5], [3, 6], [])


def test_a_fact_about_a_named_person_is_shown_at_any_score() -> None:
    """A named person's memory takes no place of the weak ones."""
    ranking = [unfit(1), weak(2), weak(3), weak(4), weak(5), weak(6)]

    for third in (POSSESSOR, NAMED, OWN_WORD):
        assert cut(ranking, {1: NAMED, 3: third}) == ([1, 2, 3, 4, 5], [6], [])


def test_two_follow_for_a_relation() -> None:
    """The related results come after all others, and only if not already shown."""
    ranking = [unfit(1), weak(2), unfit(3), unfit(4), strong(5)]
    about = dict.fromkeys((1, 2, 3, 4, 5), RELATED)
    made = choose(ranking, about, min_score=None, limit=100)

    assert items(made) == ([5, 2, 1, 3], [4], [])
    assert made.by_relation == {1, 3}
    assert not choose([unfit(1)], {1: 0.0}, min_score=None, limit=100).chosen


def test_the_limit_cuts_what_is_shown() -> None:
    """Results over the limit are not counted as weak."""
    assert cut([strong(1), strong(2), weak(3), unfit(4)], limit=2) == ([1, 2], [4], [3])


def test_no_larger_limit_shows_a_fourth_weak_one() -> None:
    """Over the limit is what a larger limit shows; a weak one beyond the third fits too badly."""
    ranking = [weak(item) for item in range(1, 6)]

    assert cut(ranking, limit=2) == ([1, 2], [4, 5], [3])
    assert cut(ranking, limit=3) == ([1, 2, 3], [4, 5], [])


def test_a_score_of_the_callers_replaces_all_cuts() -> None:
    """The caller's minimum applies to scores as shown, with four digits."""
    ranking = [strong(1, 0.50004), strong(2, 0.5), strong(3, 0.49996), strong(4, 0.4999), weak(5)]
    made = choose(ranking, {5: NAMED}, min_score=0.5, limit=2)

    assert items(made) == ([1, 2], [4, 5], [3])
    assert not made.by_relation
