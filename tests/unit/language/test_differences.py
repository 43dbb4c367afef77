"""Word differences between two versions of a text. Budget: 2 s."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd.language.differences import Part, differences

_WORDS = st.lists(st.sampled_from(["home", "is", "Köln", "的", "柏林", ".", "\n", " ", "हिन्दी"]))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("I live in Köln.", "I live in Köln now.", "I live in Köln[+ now+]."),
        ("我住在柏林 喜欢猫", "我住在巴黎 喜欢猫", "我住在[-柏林-][+巴黎+] 喜欢猫"),
        ("one\ntwo\nthree", "one\n2\nthree", "one\n[-two-][+2+]\nthree"),
        ("gone", "", "[-gone-]"),
        ("", "new", "[+new+]"),
        ("a b c d", "a X c Y", "a[- b-][+ X+] c[- d-][+ Y+]"),
    ],
)
def test_only_changed_words_differ(old: str, new: str, expected: str) -> None:
    """The white space before a word changes with it; a character is a word in Chinese."""
    marks = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}

    text = "".join(marks[part.kind].format(part.text) for part in differences(old, new))

    assert text == expected


@given(_WORDS, _WORDS)
def test_parts_make_up_both_versions(old: list[str], new: list[str]) -> None:
    """Nothing is lost or invented, and neighbours are of different kinds."""
    before, after = " ".join(old), " ".join(new)

    parts = differences(before, after)

    assert "".join(part.text for part in parts if part.kind != "added") == before
    assert "".join(part.text for part in parts if part.kind != "removed") == after
    assert all(part.text for part in parts)
    assert all(one.kind != two.kind for one, two in pairwise(parts))


def test_a_long_text_of_one_frequent_word_is_replaced_whole() -> None:
    """Comparing millions of equal pairs would hold up whoever looks."""
    old, new = "的" * 5_000, "是" + "的" * 4_999 + "是"

    assert differences(old, new) == [Part("removed", old), Part("added", new)]
