"""Spellings of a word with and without letters that not every keyboard has."""

import pytest

from ashd.language import letter_spellings
from ashd.language.folding import fold


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("Iş\u0131l", "isil"),
        ("Sørensen", "sorensen"),
        ("sœur", "soeur"),
        ("Đặng", "dang"),
        ("Þórður", "thordur"),
        ("Wien", "wien"),
    ],
)
def test_folded_words_have_plain_letters(word: str, plain: str) -> None:
    """Accents are folded before; these letters are none with an accent."""
    assert letter_spellings.plain(fold(word)) == plain


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("Müller", ["mueller"]),
        ("mueller", [fold("Müller")]),
        ("Götz", ["goetz"]),
        ("shoe", []),
        ("Wien", []),
    ],
)
def test_umlauts_may_be_two_letters(word: str, others: list[str]) -> None:
    """As on a keyboard without them; in a short word, two letters are no umlaut."""
    assert letter_spellings.other_umlauts(word) == others
