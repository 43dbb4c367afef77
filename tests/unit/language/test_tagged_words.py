"""Words of a text: kinds, stems, one form of numbers."""

import pytest

from ashd.language.tagged_words import Kind, read


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two cats", "2 cats"),
        ("the 2nd floor", "the second floor"),
        ("at 5:20 pm", "at 17:20"),
        ("at 5pm", "at 17:00"),
        ("1,150 euros", "1150 euros"),
        ("80k", "80,000"),
        ("twenty-five", "25"),
        ("a dozen", "12"),
        ("eight hundred and forty-five", "845"),
        ("two thousand, one hundred and five", "2,105"),
        ("four and a half", "4.5"),
        ("2.1 million", "2100000"),
        ("half past eight", "8:30"),
        ("a quarter to ten pm", "21:45"),
        ("14%", "fourteen"),
    ],
)
def test_a_number_has_one_form(one: str, other: str) -> None:
    """Every form of a number, an ordinal or a time of day gives the same number."""
    assert read(one).sets[Kind.NUMBER] == read(other).sets[Kind.NUMBER] != frozenset()


def test_other_numbers_stay_apart() -> None:
    """A tenfold amount, or a time half a day apart, is another number."""
    assert read("at 5 am").sets[Kind.NUMBER] != read("at 5 pm").sets[Kind.NUMBER]
    assert read("100 km").sets[Kind.NUMBER] != read("10 km").sets[Kind.NUMBER]


@pytest.mark.parametrize("text", ["five to nine", "from 5 to 9", "rooms five and nine"])
def test_numbers_beside_each_other_stay_apart(text: str) -> None:
    """A range is no time of day, and two numbers are no sum."""
    assert read(text).by_kind[Kind.NUMBER] == ("5", "9")


@pytest.mark.parametrize(
    ("text", "time"),
    [("nine to five", None), ("nine minutes to five", "4:51"), ("ten to nine", "8:50")],
)
def test_hours_of_work_are_no_time_of_day(text: str, time: str | None) -> None:
    """A clock is read to five minutes, unless minutes are said."""
    assert read(text).by_kind[Kind.NUMBER] == ((time,) if time else ("9", "5"))


def test_kinds_follow_from_form_and_place() -> None:
    """A capital inside a sentence makes a name, one at its beginning only may."""
    found = read("Lunch with Ana and Dr. Weber is on Friday at 12")
    assert found.sets[Kind.NAME] == {"ana", "dr", "weber"}
    assert found.sets[Kind.TIME] == {"fri"}
    assert found.sets[Kind.NUMBER] == {"12"}
    assert found.initials == {"lunch"}


def test_oneself_is_named_in_order() -> None:
    """The speaker counts among the people named."""
    assert read("I owe Tom money").named == ("i", "tom")
    assert read("Tom owes me money").named == ("tom", "i")


def test_forms_of_a_word_share_a_stem() -> None:
    """Plural and tense make no other word."""
    assert read("she moved two boxes").by_kind[Kind.WORD] == read("she moves a box").by_kind[3]


@pytest.mark.parametrize(
    "text", ["", "...", "\N{ZERO WIDTH SPACE}", "x" * 5000, "'s 's '", "10:99pm"]
)
def test_any_text_is_read(text: str) -> None:
    """Any storable text is read without an error."""
    read(text)
