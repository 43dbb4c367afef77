"""A line of a list replaces no other line; a correction is no line."""

import pytest

from ashd.language.tagged_words import read
from ashd.memory.judge import lines_beside


def beside(newer: str, *olders: str) -> list[bool]:
    return lines_beside(read(newer), [read(older) for older in olders])


@pytest.mark.parametrize(
    ("newer", "olders"),
    [
        ("Fact 3-5 of the stream", ["Fact 3-4 of the stream", "Fact 3-1 of the stream"]),
        ("Row 7 is Riesling", ["Row 6 is Riesling", "Row 5 is Riesling"]),
        ("I like cocoa", ["I like tea", "I like coffee"]),
    ],
)
def test_two_older_lines_make_a_list(newer: str, olders: list[str]) -> None:
    """Numbers, names or any other words tell the lines apart; other texts are none of them."""
    assert beside(newer, *olders, "The cellar is cold") == [True, True, False]


def test_one_text_alone_is_no_list() -> None:
    """However often it was told; what differs from it may be a correction."""
    olders = ["My rent is 900 euros", "my rent is 900 euros."]
    assert beside("My rent is 950 euros", *olders) == [False, False]


@pytest.mark.parametrize(
    ("newer", "older", "is_line"),
    [
        ("Crate 3 holds lamps", "Crate 2 holds lamps", True),
        ("Turn 2, fact 1", "Turn 2, fact 0", True),
        ("Crate 2 holds lamps", "Crate 3 holds lamps", False),
        ("Crate 5 holds lamps", "Crate 3 holds lamps", False),
        ("Crate 3 holds lamps", "Crate red holds lamps", False),
        ("Crate red holds lamps", "Crate 2 holds lamps", False),
        ("My rent is 901 euros", "My rent is 900 euros", False),
        ("Crate 3 holds 5 lamps", "Crate 2 holds 4 lamps", False),
        ("3 lamps are broken", "2 lamps are broken", False),
    ],
)
def test_the_next_number_after_a_noun_goes_on_with_a_list(
    newer: str, older: str, *, is_line: bool
) -> None:
    """One older line is enough; another number, a word, or a number after "is" may correct."""
    assert beside(newer, older) == [is_line]


@pytest.mark.parametrize(
    ("newer", "older", "is_line"),
    [
        ("My sister is called Lea", "My sister is called Ana", True),
        ("My sister's name is Lea", "My sister's name is Ana", True),
        ("My sister is now called Lea", "My sister was first called Ana", False),
        ("My sister is called Lea now", "My sister is called Ana now", False),
        ("My boss is Lea", "My boss is Ana", False),
        ("The paint is called red", "The paint is called blue", False),
    ],
)
def test_another_name_may_be_of_another_one(newer: str, older: str, *, is_line: bool) -> None:
    """One older line is enough where both say what somebody is called, and nothing changed."""
    assert beside(newer, older) == [is_line]


def test_a_line_of_a_list_may_be_corrected() -> None:
    """The other lines differ from the correction in more than it corrects."""
    olders = ["Row 5 is booked by Al", "Row 6 is booked by Bo", "Row 7 is booked by Di"]
    assert beside("Row 6 is booked by Cy", *olders) == [True, False, True]


@pytest.mark.parametrize(
    "older", ["I live in Graz now", "I live in Linz", "We moved to Rome", "Cats purr in June"]
)
def test_a_line_differs_in_few_words(older: str) -> None:
    """Neither the same words, nor more words, nor mostly others."""
    assert beside("I live in Linz", "I live in Bonn", older) == [False, False]
