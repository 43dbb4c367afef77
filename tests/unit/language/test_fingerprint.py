"""The same words in the same order: the only texts that are one fact."""

import pytest

from ashd.language.fingerprint import fingerprint


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
    ],
)
def test_signs_and_order_that_carry_meaning_are_kept(one: str, other: str) -> None:
    """C++ is not C, and who bites whom is told by the order alone."""
    assert fingerprint(one) != fingerprint(other)


def test_other_scripts_and_bare_punctuation_have_a_fingerprint() -> None:
    """A text in any language is compared; one of punctuation alone is itself."""
    assert fingerprint("我住在柏林。") == fingerprint("我住在柏林")
    assert fingerprint("?!") != fingerprint("...")
