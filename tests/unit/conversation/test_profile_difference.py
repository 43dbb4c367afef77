"""The comparison of two versions of a profile."""

from ashd.conversation.profile_text import difference

NAMES = ("version 1", "version 2")


def test_one_sentence_changed_shows_that_sentence() -> None:
    """The rest of the sentence's paragraph is unchanged."""
    older = "Alice is a nurse. She lives in Rome. She has a cat."
    newer = "Alice is a doctor. She lives in Rome. She has a cat."

    lines = difference(older, newer, NAMES).splitlines()

    assert lines[:2] == ["--- version 1", "+++ version 2"]
    changed = [line for line in lines[2:] if line[0] in "+-"]
    assert changed == ["-Alice is a nurse.", "+Alice is a doctor."]


def test_sentences_without_spaces_between_are_told_apart() -> None:
    """Japanese sentences are separated without spaces."""
    lines = difference("猫が好き。東京に住む。", "犬が好き。東京に住む。", NAMES).splitlines()

    assert [line for line in lines[2:] if line[0] in "+-"] == ["-猫が好き。", "+犬が好き。"]


def test_nothing_changed_shows_nothing() -> None:
    """The same text, the same version."""
    assert difference("She lives in Rome.", "She lives in Rome.", NAMES) == ""
