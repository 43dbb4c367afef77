"""The order of what is equally relevant."""

import numpy as np

from ashd.search.recency_order import newest_first


def order(totals: list[float], at: list[int], trust: list[float] | None = None) -> list[int]:
    places, _ = newest_first(
        np.array(totals), np.array(at), None if trust is None else np.array(trust), within=0.02
    )
    return places.tolist()


def test_the_best_come_first() -> None:
    """The best results come first, however old they are."""
    assert order([0.2, 0.9, 0.5], at=[9, 1, 5]) == [1, 2, 0]


def test_of_equal_ones_the_newest_comes_first() -> None:
    """Differences below the noise count as equal (row D5)."""
    assert order([0.500, 0.505, 0.495, 0.3], at=[3, 1, 2, 9]) == [0, 2, 1, 3]


def test_equality_does_not_spread() -> None:
    """A chain of small steps is not one group: it ends as far from its best as two may be apart."""
    assert order([0.50, 0.485, 0.47], at=[1, 2, 3]) == [1, 0, 2]


def test_of_equal_ones_the_more_trusted_come_before_the_newest() -> None:
    """Hearsay that is newer stays behind a person's own word (row A13)."""
    assert order([0.5, 0.5, 0.5], at=[3, 1, 2], trust=[0.8, 1.0, 1.0]) == [2, 1, 0]


def test_equal_ones_count_the_same() -> None:
    """Equal scores stay equal, so that scores fall from the first to the last."""
    _, counted = newest_first(np.array([0.50, 0.51, 0.2]), np.array([2, 1, 3]), within=0.02)

    assert counted.tolist() == [0.51, 0.51, 0.2]
