"""What is asked for in other languages, and the words that state it."""

import pytest

from ashd.search import attribute_tables, attributes
from ashd.search.languages import plain

_LINES = [
    (language, line)
    for language, text in attribute_tables.TABLES.items()
    for line in text.replace("\n  ", " ").strip().splitlines()
]


@pytest.mark.parametrize(("language", "line"), _LINES)
def test_every_line_has_its_english_word_and_is_folded(language: str, line: str) -> None:
    """Else it would never be found, or not in notes taken in English."""
    asked, _, rest = line.partition(">")
    english = rest.partition(":")[0].strip()

    assert attributes.stated(english), english
    assert "," not in rest
    assert all(part.strip() == plain(part.strip()) for part in asked.split(","))
    first = asked.split(",")[0].strip()
    assert attribute_tables.stated(language, first) or " " in first


def test_a_word_asks_in_its_language_alone() -> None:
    """ "Chat" is a cat in French and nothing in German."""
    assert "chaton" in attribute_tables.stated("fr", "chat")
    assert attribute_tables.stated("de", "chat") == ()
    assert attribute_tables.stated("zh", "chat") == ()


def test_a_word_asks_as_it_is_folded() -> None:
    """With or without its accents."""
    assert "travail" in attribute_tables.stated("fr", "métier")
    assert "travail" in attribute_tables.stated("fr", "metier")


def test_words_in_a_row_ask() -> None:
    """ "Quelle ville" asks where one lives; what states it comes with the words that asked."""
    ((words, stated),) = attribute_tables.stated_by_phrases("fr", "Quelle ville, donc ?")

    assert words == {"quelle", "ville"}
    assert {"demenage", "moved"} <= set(stated)
