"""Names in texts, for forgetting: surely the person's, or perhaps another's."""

import pytest

from ashd.language.people.name_traces import NameTraces, Trace, keys_of

PETRA = NameTraces(["Petra Koch", "Peti", "my boss"], ["Jonas Koch", "Anna Berg"])


@pytest.mark.parametrize(
    ("text", "trace"),
    [
        ("Petra Koch moves to Bern", Trace.NAMES),
        ("I saw PETRA KOCH's car", Trace.NAMES),
        ("ask petra koch about it", Trace.NAMES),
        ("Pétra Koch is here", Trace.NAMES),
        ("Petra is late", Trace.NAMES),
        ("Coffee with Peti.", Trace.NAMES),
        ("Petra Schmidt is somebody else", Trace.PERHAPS),
        ("The Koch family", Trace.PERHAPS),
        ("Jonas Koch plays chess", Trace.PERHAPS),
        ("Jonas Koch and Petra Koch", Trace.NAMES),
        ("Anna Berg plays chess", Trace.NONE),
        ("The petrified forest", Trace.NONE),
        ("My boss is kind", Trace.NONE),
        ("", Trace.NONE),
    ],
)
def test_a_name_is_a_whole_word(text: str, trace: Trace) -> None:
    """Case, accents and possessives do not count; parts of other words are no names."""
    assert PETRA.in_text(text) is trace


@pytest.mark.parametrize(
    ("text", "trace"),
    [
        ("Petra is late", Trace.PERHAPS),
        ("Petra Koch is late", Trace.NAMES),
        ("Petra Lang is late", Trace.PERHAPS),
    ],
)
def test_a_first_name_that_another_bears_is_not_sure(text: str, trace: Trace) -> None:
    """Only the whole name tells the two apart."""
    assert NameTraces(["Petra Koch"], ["Petra Lang"]).in_text(text) is trace


def test_a_name_that_is_a_word_needs_a_capital() -> None:
    """A person called May is not every month and every permission."""
    may = NameTraces(["May"])

    assert may.in_text("you may go") is Trace.NONE
    assert may.in_text("Tell May that I come") is Trace.NAMES


@pytest.mark.parametrize("text", ["田中さんは東京に住んでいます", "昨日、田中花子に会った"])
def test_scripts_without_spaces(text: str) -> None:
    """A name is found between characters of other words."""
    assert NameTraces(["田中"]).in_text(text) is Trace.NAMES


def test_relationships_are_no_names() -> None:
    """Nothing is found by the word for a role."""
    assert keys_of("my boss") == ()
    assert keys_of("Dr. Petra Koch") == ("petra", "koch")
    assert PETRA.shares("Jonas Koch")
    assert not PETRA.shares("Anna Berg")


@pytest.mark.parametrize(
    ("name", "text", "trace"),
    [
        ("Elif", "Elif'in evi uzak", Trace.NAMES),
        ("Elif", "Elif\u2019e sordum", Trace.NAMES),
        ("Anna", "Anna'll be late", Trace.NAMES),
        ("Jean-Luc", "Jean Luc came", Trace.NAMES),
        ("Jean Luc", "Jean-Luc came", Trace.NAMES),
        ("Jean", "Jean-Luc came", Trace.NONE),
        ("Jean-Luc Picard", "Jean Luc came", Trace.NAMES),
        ("Jean-Luc Picard", "Jean came", Trace.NONE),
        ("Timo", "Timos Rad ist rot", Trace.PERHAPS),
        ("Timo", "three timos", Trace.NONE),
        ("梅", "梅酒が好き", Trace.PERHAPS),
    ],
)
def test_a_name_has_other_forms(name: str, text: str, trace: Trace) -> None:
    """Endings, hyphens and signs that are a part of many words."""
    assert NameTraces([name]).in_text(text) is trace


def test_somebody_may_bear_the_name_with_a_hyphen() -> None:
    """ "Jean-Luc" and "Jean Luc" are one name, which then is of neither alone."""
    assert NameTraces(["Jean-Luc"], ["Jean Luc"]).in_text("Jean-Luc came") is Trace.PERHAPS
