"""Rankings folded by the links between memories."""

from ashd.memory.result_folding import fold, with_newer
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


def test_a_far_worse_answer_stays_where_it_is() -> None:
    """A weak match is not lifted, as the question does not ask for it."""
    for better, worse, order in (
        *((0.9, 0.43, [2, 1]), (0.9, 0.42, [1, 2])),
        *((0.6, 0.11, [2, 1]), (0.6, 0.10, [1, 2])),
        *((1.0, 1.0, [2, 1]), (1.0, 0.99, [1, 2]), (0.0, 0.0, [2, 1])),
    ):
        folded = fold([found(1, better), found(2, worse)], [Link(2, 1, "may_replace")])
        assert [entry.item for entry in folded.found] == order


def test_a_surer_replacement_reaches_further() -> None:
    """A sure replacement stands before a memory at a fit at which a doubtful one does not."""
    for likelihood, order in ((0.2, [1, 2]), (None, [2, 1]), (0.9, [2, 1]), (1.0, [2, 1])):
        links = [Link(2, 1, "may_replace", likelihood)]
        folded = fold([found(1, 0.9), found(2, 0.45)], links)
        assert [entry.item for entry in folded.found] == order
    folded = fold([found(1, 0.9), found(2, 0.3)], [Link(2, 1, "may_replace", 0.9)])
    assert [entry.item for entry in folded.found] == [2, 1]


def test_the_best_of_several_newer_ones_is_the_first() -> None:
    """Whichever was linked first: a wrong link puts nothing before a better answer."""
    for links in (
        [Link(3, 1, "may_replace"), Link(2, 1, "may_replace")],
        [Link(2, 1, "may_replace"), Link(3, 1, "may_replace")],
    ):
        folded = fold([found(1, 0.9), found(2, 0.8), found(3, 0.6)], links)
        assert [entry.item for entry in folded.found] == [2, 3, 1]


def test_a_repetition_of_a_correction_speaks_for_it() -> None:
    """The shown one of those that say the same is put before what it may replace."""
    links = [Link(4, 3, "repeats"), Link(4, 2, "may_replace")]

    assert items(links) == ([1, 3, 2], {3: [4]})


def test_the_ranking_decides_where_a_time_is_asked_for() -> None:
    """What held then is not the newest."""
    links = [Link(3, 2, "may_replace"), Link(4, 3, "repeats")]
    folded = fold(RANKING, links, reorders=False)
    assert ([entry.item for entry in folded.found], folded.repeats) == ([1, 2, 3], {3: [4]})


def test_the_newer_one_of_a_conflict_is_added_after_the_older() -> None:
    """Once, as it is ranked or not at all, and as relevant as what it perhaps replaces."""
    chosen, ranked = RANKING[:2], RANKING
    found = with_newer(chosen, {1: [4, 2], 2: [9, 4]}, ranked)
    assert [(entry.item, entry.relevant) for entry in found] == [
        (1, True),
        (4, True),
        (2, True),
        (9, True),
    ]
    assert [entry.is_unranked for entry in found] == [True] * 4
    assert with_newer(chosen, {}, ranked) == chosen
