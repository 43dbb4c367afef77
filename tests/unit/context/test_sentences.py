"""The sentences of a text that answer a question."""

from ashd.context.sentences import around

TEXT = "The fence was painted. Plots were dug. The hatch lies under a stone. Fees are due. Thanks."


def test_the_sentence_with_most_words_of_the_question_is_found() -> None:
    """First with its neighbours, then alone; words count in any form, function words do not."""
    assert around(TEXT, "where are the hatches?") == [
        "Plots were dug. The hatch lies under a stone. Fees are due.",
        "The hatch lies under a stone.",
    ]


def test_the_first_sentence_has_one_neighbour() -> None:
    assert around(TEXT, "was the fence painted?") == [
        "The fence was painted. Plots were dug.",
        "The fence was painted.",
    ]


def test_without_a_word_of_the_question_nothing_is_cut_out() -> None:
    """Neither is a text of one sentence."""
    assert around(TEXT, "who is the mayor") == []
    assert around("The hatch lies under a stone.", "where is the hatch") == []
