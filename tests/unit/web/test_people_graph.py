"""The picture of people: the same each time, readable, and bounded."""

from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ashd.web.people_graph import MOST_PEOPLE, Picture, draw


def person(number: int, *related: tuple[int, str], name: str = "") -> dict[str, Any]:
    """A person as `person.list` gives it, with relationships to others by number."""
    return {
        "id": f"{number:04}",
        "name": name or f"Person {number}",
        "relationships": [
            {"to": f"{to:04}", "to_name": "", "relationship": word, "ended_at": None}
            for to, word in related
        ],
    }


def a_ring(count: int) -> list[dict[str, Any]]:
    """People each of whom is a friend of the next, and of the first."""
    return [person(n, ((n + 1) % count, "friend"), (0, "colleague")) for n in range(count)]


def overlapping(picture: Picture) -> list[tuple[str, str]]:
    """The pairs of names whose boxes cover each other."""
    return [
        (one.name, other.name)
        for one, other in combinations(picture.nodes, 2)
        if abs(one.x - other.x) < (one.width + other.width) / 2
        and abs(one.y - other.y) < (one.height + other.height) / 2
    ]


def test_picture_does_not_depend_on_the_order_of_people() -> None:
    """The same people give the same picture, whoever was mentioned last."""
    people = a_ring(12)

    assert draw(people) == draw(people[::-1]) == draw(people)


@pytest.mark.parametrize("count", [2, 3, 12, MOST_PEOPLE])
def test_names_do_not_cover_each_other(count: int) -> None:
    """Every box is inside the picture, and apart from every other."""
    picture = draw(a_ring(count))

    assert len(picture.nodes) == count
    assert overlapping(picture) == []
    for node in picture.nodes:
        assert node.width / 2 <= node.x <= picture.width - node.width / 2
        assert node.height / 2 <= node.y <= picture.height - node.height / 2


@pytest.mark.parametrize("count", [6, 20, 40])
def test_words_beside_lines_cover_nothing(count: int) -> None:
    """Words for which there is no free place are left out; some are there."""
    people = [person(0), *(person(n, (n // 3, "great-grandmother")) for n in range(1, count))]
    picture = draw(people)
    names = [(one.x, one.y, one.width, one.height) for one in picture.nodes]
    written = [
        ((one.x1 + one.x2) / 2, (one.y1 + one.y2) / 2, len(one.words) * 7.0, 14.0)
        for one in picture.edges
        if one.words
    ]

    covered = [
        (one, other)
        for one, other in combinations([*names, *written], 2)
        if abs(one[0] - other[0]) < (one[2] + other[2]) / 2
        and abs(one[1] - other[1]) < (one[3] + other[3]) / 2
    ]

    assert written
    assert covered == []


@given(st.integers(2, MOST_PEOPLE), st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_names_cover_each_other_in_no_net(count: int, random: Random) -> None:
    """Whoever is related to whom, and however long their names are."""
    people = [
        person(n, (random.randrange(count), "friend"), name="N" * random.randint(1, 18))
        for n in range(count)
    ]

    assert overlapping(draw(people)) == []


def test_most_connected_people_are_drawn_and_no_more() -> None:
    """People past the first sixty are left out, with their relationships."""
    picture = draw(a_ring(MOST_PEOPLE + 40))

    assert len(picture.nodes) == MOST_PEOPLE
    assert {int(node.id) for node in picture.nodes} == set(range(MOST_PEOPLE))


def test_people_without_a_current_relationship_are_not_drawn() -> None:
    """An ended claim, one to oneself and one to somebody unknown draw nothing."""
    ended = person(1, (2, "wife"))
    ended["relationships"][0]["ended_at"] = "2026-01-01T00:00:00Z"

    assert draw([ended, person(2), person(3, (3, "self")), person(4, (99, "boss"))]).nodes == []
    assert draw([]).nodes == []


def test_everything_that_two_are_to_each_other_is_one_line() -> None:
    """Claims in both directions, and the same by two people, are told once each."""
    people = [
        person(1, (2, "wife"), (2, "colleague"), (2, "wife"), name="Ana"),
        person(2, (1, "boss"), name="Бо"),
    ]

    picture = draw(people)

    assert ["Ana: colleague of Бо; Ana: wife of Бо; Бо: boss of Ana"] == [
        edge.title for edge in picture.edges
    ]
    assert ["colleague, wife,…"] == [edge.words for edge in picture.edges]


def test_long_and_wide_names_fit_their_box() -> None:
    """A name is cut to one line, and a character of East Asia takes two places."""
    names = ("Ann\n" * 20, "田中太郎", "Anna")
    people = [person(n, (n % 3 + 1, "aunt"), name=name) for n, name in enumerate(names, 1)]

    long, wide, narrow = draw(people).nodes

    assert ("…", False) == (long.label[-1], "\n" in long.label)
    assert wide.width > narrow.width
