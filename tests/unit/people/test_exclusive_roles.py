"""Relationships that one person has at a time, by their words."""

import pytest

from ashd.people.exclusive_relationships import role_of


@pytest.mark.parametrize(
    ("word", "role"),
    [
        ("boss", "boss"),
        ("new boss", "boss"),
        # "new" says that there was another one, unless people mostly have several
        ("new plumber", "plumber"),
        ("plumber", None),
        ("new friend", None),
        ("new aunt", None),
        ("friend", None),
        ("other boss", None),
        ("first wife", None),
        (None, None),
    ],
)
def test_a_word_says_whether_a_new_holder_replaces_the_former(
    word: str | None, role: str | None
) -> None:
    """The plumber and the new plumber are two; a new friend replaces nobody."""
    assert role_of(word) == role
