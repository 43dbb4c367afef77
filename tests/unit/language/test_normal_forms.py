"""Normal forms of any text: Unicode's own for texts of people, bounded for all others."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ashd.language import normal_forms

LONG_FORM = "\ufdfa"
"""A ligature that is written out as eighteen characters."""
MARKS = "\u0301\u0316\u0327\u0323\u0345\u0344\u0f73\uff9e"


@given(st.text(max_size=60))
@example("Ⅷ ㍿ ½ ﬃ Å é")
@example("김치를 좋아해요")
def test_a_short_text_has_the_forms_of_unicode(text: str) -> None:
    """Nothing is cut from a text without many compatibility characters."""
    assert unicodedata.normalize("NFC", text) == normal_forms.nfc(text)
    assert unicodedata.normalize("NFD", text) == normal_forms.nfd(text)
    written = unicodedata.normalize("NFKC", text)
    if len(written) <= normal_forms.longest(len(text)):
        assert written == normal_forms.nfkc(text)


@given(st.lists(st.sampled_from([*MARKS, "a", LONG_FORM, "㍿", "日", "가"]), max_size=400))
@example([LONG_FORM] * 3_000)
@example(["㍿"] * 3_000)
def test_no_form_is_much_longer_than_its_text(parts: list[str]) -> None:
    """The end of a text stays as it is once its beginning has taken the space."""
    text = "".join(parts)
    written = normal_forms.nfkc(text)

    assert len(written) <= normal_forms.longest(len(text))
    assert not parts or text[-1] != LONG_FORM or written


@given(st.lists(st.sampled_from([*MARKS, "a", "ệ", "가"]), max_size=300))
def test_canonical_forms_stay_as_they_are(parts: list[str]) -> None:
    """A second normalisation changes nothing, and cuts no run of marks again."""
    text = "".join(parts)

    assert normal_forms.nfc(normal_forms.nfc(text)) == normal_forms.nfc(text)
    assert normal_forms.nfd(normal_forms.nfd(text)) == normal_forms.nfd(text)


@pytest.mark.parametrize("mark", MARKS)
def test_a_long_run_of_marks_is_cut(mark: str) -> None:
    """Sorting thousands of them would take seconds; no script has more than a handful."""
    few, many = "a" + mark * 20 + "b", "a" + mark * 5_000 + "b"

    assert few == normal_forms.without_surplus_marks(few)
    assert "a" + mark * 30 + "b" == normal_forms.without_surplus_marks(many)


@pytest.mark.parametrize("before", range(normal_forms.MOST_MARKS))
def test_the_shortest_long_run_is_found_wherever_it_begins(before: int) -> None:
    """Only some of the characters are looked at: such a run holds one of them."""
    run = "\u0301" * (normal_forms.MOST_MARKS + 1)
    start = "b" * before

    assert start + run[:30] + "b" * 90 == normal_forms.without_surplus_marks(start + run + "b" * 90)


def test_every_mark_is_known_as_one() -> None:
    """A letter whose decomposition begins with a mark makes runs of marks too."""
    for number in range(0x110000):
        char = chr(number)
        if unicodedata.combining(unicodedata.normalize("NFKD", char)[0]):
            assert normal_forms._is_mark(char), hex(number)


def test_only_the_known_ligatures_are_that_long() -> None:
    """Every other compatibility character is written out as six at most."""
    forms = {chr(n): len(unicodedata.normalize("NFKC", chr(n))) for n in range(0x110000)}

    assert normal_forms._LONGEST == {char: size for char, size in forms.items() if size > 6}
