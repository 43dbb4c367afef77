"""What is asked for in other languages, and the words that state it."""

import re

import pytest

from ashd.search import attribute_tables, attribute_tables_east, attributes, attributes_abroad

_TABLES = attribute_tables.TABLES | attribute_tables_east.TABLES
_LINES = [
    (language, line)
    for language, text in _TABLES.items()
    for line in text.replace("\n  ", " ").strip().splitlines()
]


@pytest.mark.parametrize(("language", "line"), _LINES)
def test_every_line_has_its_english_word_and_is_found(language: str, line: str) -> None:
    """Else it would never be found, or not in notes taken in English."""
    asked, _, rest = line.partition(">")
    asking = [part.strip() for part in asked.split(",")]

    assert attributes.stated(rest.partition(":")[0].strip())
    assert "," not in rest
    if language in attributes_abroad.UNSPLIT:
        assert attributes_abroad.read_unsplit(language, asking[0])[1]
    else:
        assert attributes_abroad.stated(language, asking[0].rstrip("*")) or " " in asking[0]


def test_a_word_asks_in_its_language_alone() -> None:
    """ "Chat" is a cat in French and nothing in German."""
    assert "chaton" in attributes_abroad.stated("fr", "chat")
    assert attributes_abroad.stated("de", "chat") == ()
    assert attributes_abroad.stated("zh", "chat") == ()


def test_a_word_asks_as_it_is_folded() -> None:
    """With or without its accents."""
    assert "travail" in attributes_abroad.stated("fr", "métier")
    assert "travail" in attributes_abroad.stated("fr", "metier")


def test_words_in_a_row_ask() -> None:
    """ "Quelle ville" asks where one lives; what states it comes with the words that asked."""
    ((words, stated),) = attributes_abroad.stated_by_phrases("fr", "Quelle ville, donc ?")

    assert words == {"quelle", "ville"}
    assert {"demenage", "moved"} <= set(stated)


def test_a_word_asks_in_every_form_that_begins_alike() -> None:
    """Russian has many endings; what states it may be such a beginning, too."""
    assert "аллерги*" in attributes_abroad.stated("ru", "аллергией")
    assert attributes_abroad.stated("ru", "але") == ()


@pytest.mark.parametrize(
    ("language", "question", "asked", "left"),
    [
        ("zh", "我的妻子叫什么名字", ["叫什么名字", "妻子"], ""),
        ("ja", "私の仕事は何ですか", ["仕事"], ""),
        ("ko", "내 취미는 뭐야?", ["취미"], ""),
        ("zh", "大伟的工作", ["工作"], "大伟"),
        ("zh", "什么时候", [], ""),
    ],
)
def test_a_question_without_spaces_is_read_by_what_asks(
    language: str, question: str, asked: list[str], left: str
) -> None:
    """The longest that asks is taken first; what is left has no function words."""
    rest, read = attributes_abroad.read_unsplit(language, question)

    assert asked == [asking for asking, _ in read]
    assert left == "".join(re.findall(r"[^\W는]+", rest))
