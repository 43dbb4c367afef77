"""Texts that are compared, with their speaker in one form."""

import pytest

from ashd.memory.statements import told_alike


@pytest.mark.parametrize(
    ("texts", "alike"),
    [
        (["User likes tea", "I like cocoa"], ["I like tea", "I like cocoa"]),
        (["I like tea", "Ann likes cocoa"], ["I like tea", "I like cocoa"]),
        (["User likes tea", "User likes cocoa"], ["User likes tea", "User likes cocoa"]),
        (["Ann likes tea", "Bo likes cocoa"], ["User likes tea", "Bo likes cocoa"]),
        (["The hall is cold", "I like cocoa"], ["The hall is cold", "I like cocoa"]),
    ],
)
def test_one_who_speaks_makes_all_notes_own_words(texts: list[str], alike: list[str]) -> None:
    """Ann is who tells them; notes alone stay as they are."""
    assert told_alike(texts, {"Ann"}) == alike
