"""Texts that are compared, with their speaker in one form."""

import pytest

from ashd.memory.statements import told_alike


@pytest.mark.parametrize(
    ("texts", "alike"),
    [
        (["User likes tea", "I like cocoa"], ["I like tea", "I like cocoa"]),
        (["User likes tea", "User likes cocoa"], ["User likes tea", "User likes cocoa"]),
        (["I like tea", "Bo likes cocoa"], ["I like tea", "Bo likes cocoa"]),
        (["The hall is cold", "I like cocoa"], ["The hall is cold", "I like cocoa"]),
    ],
)
def test_one_who_speaks_makes_all_notes_own_words(texts: list[str], alike: list[str]) -> None:
    """Notes alone stay as they are, and so does what is told of others."""
    assert told_alike(texts) == alike
