"""The form of a text."""

import pytest

from ashd.language.text_form import read_cues


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Where do you live?", 1.0),
        ("I live here.", 0.0),
        ("I live here. And you?", 0.4),
        ("你住在哪里\N{FULLWIDTH QUESTION MARK}", 1.0),
        ("Is 3.5 enough?", 1.0),
        ("Did you really?!", 1.0),
        ("", 0.0),
        ("?!", 0.0),
    ],
)
def test_the_share_of_questions_is_by_words(text: str, share: float) -> None:
    """A statement with a question behind it is mostly a statement."""
    assert share == pytest.approx(read_cues(text).asking)


def test_a_caption_behind_a_question_does_not_hide_it() -> None:
    """The speech ends with the question; the note in brackets is no answer."""
    assert read_cues("Do you like it? [shares a photo of a dog]").ends_asking
    assert not read_cues("Do you like it? I do.").ends_asking
    assert read_cues("Did you really?!").ends_asking


def test_words_are_counted_in_every_script() -> None:
    """Two characters without spaces stand for a word."""
    assert (read_cues("this has four words").words, read_cues("我每天游泳和跑").words + 1) == (4, 4)


def test_times_are_noticed() -> None:
    """The ranking uses the same test."""
    assert (read_cues("We met last week").dated, read_cues("We met").dated) == (True, False)
