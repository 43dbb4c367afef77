"""Notes about the user, turned into the user's own words."""

import pytest

from ashd.language.own_words import in_first_person, speaks
from ashd.language.tagged_words import read


@pytest.mark.parametrize(
    ("noted", "said"),
    [
        ("User lives in Ghent", "I live in Ghent"),
        ("The user's birthday is 3 May", "My birthday is 3 May"),
        ("User is married to the user's boss", "I am married to my boss"),
        ("User has two cats", "I have two cats"),
        ("User doesn't eat meat", "I don't eat meat"),
        ("User was ill", "I was ill"),
        ("User carries a pen and watches birds", "I carry a pen and watches birds"),
        ("User watches birds", "I watch birds"),
        ("User no longer passes by", "I no longer pass by"),
        ("User usually dies in that game", "I usually die in that game"),
        ("User moved to Porto", "I moved to Porto"),
        ("the user\u2019s cat is the user's joy", "My cat is my joy"),
    ],
)
def test_a_note_about_the_user_is_turned_into_the_first_person(noted: str, said: str) -> None:
    """Its first verb follows; what comes after it is left alone."""
    assert in_first_person(noted) == said


@pytest.mark.parametrize(
    "text",
    [
        "",
        "User",
        "User's",
        "Users are many",
        "User ID is 42",
        "User, a nurse",
        "Anna's user is blocked",
        "I am here",
    ],
)
def test_any_other_text_stays(text: str) -> None:
    """Only a text that begins with the user is about them for certain."""
    assert in_first_person(text) == text


@pytest.mark.parametrize(
    ("text", "does"),
    [("I'm tired", True), ("That is MY cat", True), ("User is tired", False), ("Mya sings", False)],
)
def test_the_first_person_is_heard(text: str, *, does: bool) -> None:
    """The word "user" stands for the same person, but in the third."""
    assert speaks(read(text)) is does
