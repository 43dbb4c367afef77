"""The same words in the same order: the only texts that are one fact."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd.language.fingerprint import content_key, fingerprint


@pytest.mark.parametrize(
    "other",
    [
        "It's Anna's dream job.",
        "it\N{RIGHT SINGLE QUOTATION MARK}s anna\N{RIGHT SINGLE QUOTATION MARK}s dream job",
        "  IT'S   Anna's dream job!! ",
        "It's Anna's “dream job”…",
    ],
)
def test_case_spacing_punctuation_and_typography_are_set_aside(other: str) -> None:
    """Equal texts but for case, spacing, punctuation and typography are one fact."""
    assert fingerprint("It's Anna's dream job.") == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes C++", "Likes C"),
        ("It is -5 degrees", "It is 5 degrees"),
        ("Use v1.2", "Use v12"),
        ("Dog bites man", "Man bites dog"),
        ("2 of A and 1 of B", "1 of A and 2 of B"),
        ("The lawn is 5² metres", "The lawn is 52 metres"),
        ("Take 1½ tablets", "Take 11\N{FRACTION SLASH}2 tablets"),
        ("Add .5 litres", "Add 5 litres"),
        ("It's 5'", "It's 5\""),
        ("It's 5\N{PRIME}", "It's 5\N{DOUBLE PRIME}"),
        ("A hotel with 5*", "A hotel with 5"),
        ("Er trinkt in Maßen", "Er trinkt in Massen"),
        ("Use US keyboards", "Use us keyboards"),
        ("The shop is open.", "The shop is open?"),
        ("Saturday: [ ] mend the fence", "Saturday: mend the fence"),
    ],
)
def test_signs_and_order_that_carry_meaning_are_kept(one: str, other: str) -> None:
    """C++ is not C, and who bites whom is told by the order alone."""
    assert fingerprint(one) != fingerprint(other)


def test_other_scripts_and_bare_punctuation_have_a_fingerprint() -> None:
    """A text in any language is compared; one of punctuation alone is itself."""
    assert fingerprint("我住在柏林。") == fingerprint("我住在柏林")
    assert fingerprint("?!") != fingerprint("...")


def test_a_text_in_capitals_is_the_same_words() -> None:
    """Capitals tell an abbreviation only where other words are written otherwise."""
    assert fingerprint("I LIVE IN BERLIN") == fingerprint("I live in Berlin.")


@given(
    st.text("aAß²2½\u2044.,:!?'\"()[]*_ -İiﬁ\uff21　。「…\u200d\u00ad\u0301é", max_size=12),
    st.data(),
)
def test_texts_with_equal_fingerprints_have_equal_keys(text: str, data: st.DataObject) -> None:
    """The stored key finds every text with the same words."""
    forms = [
        text.lower(),
        f" {text}.",
        f'"{text}"',
        text.replace(" ", "  "),
        unicodedata.normalize("NFC", text),
        unicodedata.normalize("NFD", text),
        fingerprint(text),
    ]
    other = data.draw(st.sampled_from(forms))

    if any(map(str.isalnum, text)) and fingerprint(text) == fingerprint(other):
        assert content_key(text) == content_key(other)


def test_keys_are_those_of_earlier_versions() -> None:
    """Keys are stored: a new version finds what an older one has stored."""
    assert content_key("The lawn is 5² metres.") == content_key("the lawn is 52 metres")
    assert content_key("It\u2019s  Anna's “dream job”…") == "b50c40af3030b11789d1fc239ce9abe6"
