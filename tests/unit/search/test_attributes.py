"""What is asked for and the words that state it."""

from ashd.search import attributes


def test_every_form_of_a_word_asks() -> None:
    """ "Live", "lives", "living" and "lived" ask for the same, but for the word itself."""
    forms = [set(attributes.stated(word)) for word in ("live", "lives", "living", "lived")]

    assert all("moved" in stated for stated in forms)
    assert "live" not in forms[0]


def test_words_of_the_same_question_stand_for_each_other() -> None:
    """A job that is asked for may be stated as an occupation, and the other way round."""
    assert "occupation" in attributes.stated("job")
    assert "job" in attributes.stated("occupation")


def test_several_words_state_as_one() -> None:
    """ "Report to" is looked for as it stands, not as two words."""
    assert "report to" in attributes.stated("boss")


def test_words_in_a_row_ask_in_short_and_in_full() -> None:
    """ "What's" is "what is"; punctuation between words does not matter."""
    ((words, stated),) = attributes.stated_by_phrases("can i pick it, what can't i eat? not eat!")[
        :1
    ]

    assert words == {"not", "eat"}
    assert "allergic" in stated
    assert attributes.stated_by_phrases("who'm i") == attributes.stated_by_phrases("who am i") != []


def test_most_words_ask_for_nothing() -> None:
    """A name or a thing has no attribute behind it."""
    assert attributes.stated("rex") == ()
    assert attributes.stated_by_phrases("tell rex") == []
