"""Names, relations and periods of the graph."""

import pytest

from ashd.graph.model import (
    EndView,
    Period,
    RelationView,
    key,
    kind_of,
    line,
    relation_key,
    settle,
)

NOW = 1_000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme Corp", "the ACME corp."),
        ("Zürich", "zurich"),
        ("O\u2019Reilly", "o'reilly"),
        ("  Nova \n Project ", "nova project"),
        ("東京タワー", "東京タワー"),
        ("Ｎｏｖａ", "nova"),  # noqa: RUF001  full-width letters
    ],
)
def test_ways_to_write_a_name_have_one_key(one: str, other: str) -> None:
    """Case, accents, article, punctuation and width do not count."""
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), [("C", "C#"), ("C", "C++"), ("Acme", "Acme Corp")])
def test_different_names_have_different_keys(one: str, other: str) -> None:
    """A sign can be all that tells two things apart."""
    assert key(one) != key(other)


def test_a_name_of_signs_alone_has_a_key() -> None:
    """A name made of signs never compares as empty."""
    assert key("!?") == "!?"
    assert key("The") == "the"


def test_a_relation_is_its_words() -> None:
    """Every spelling of a relation by a program is the same relation."""
    assert relation_key("WORKS_AT") == relation_key("works  at") == "works at"


def test_what_has_one_value_at_a_time_is_known() -> None:
    """People live in one place and know many others; of an unknown relation many values stay."""
    assert kind_of("lives in").single
    assert not kind_of("knows").single
    assert not kind_of("sings with").single


@pytest.mark.parametrize(
    ("older", "newer", "settled"),
    [
        # without dates the former ends now
        ((None, None), (None, None), ((None, NOW), (None, None))),
        # with a date, the former ends at that date
        ((100, None), (700, None), ((100, 700), (700, None))),
        # also in time to come
        ((100, None), (2_000, None), ((100, 2_000), (2_000, None))),
        # an end that was earlier stays
        ((100, 300), (700, None), ((100, 300), (700, None))),
        # what is told of the past ends where the present value begins
        ((700, None), (100, None), ((700, None), (100, 700))),
        # a past value ends nothing, nor does one that ends now
        ((700, None), (100, 300), ((700, None), (100, 300))),
        ((None, None), (100, NOW), ((None, None), (100, NOW))),
    ],
)
def test_of_two_values_the_earlier_ends(
    older: tuple[int | None, int | None],
    newer: tuple[int | None, int | None],
    settled: tuple[tuple[int | None, int | None], tuple[int | None, int | None]],
) -> None:
    """The earlier value ends where the later one begins."""
    assert settled == settle(Period(*older), Period(*newer), NOW)


@pytest.mark.parametrize(
    ("valid", "said"),
    [
        ((None, None), "(said 2026-02-09)"),
        (("2024-01-05T00:00:00Z", None), "(since 2024-01-05)"),
        (("2024-01-05T00:00:00Z", "2025-01-01T00:00:00Z"), "(since 2024-01-05, until 2025-01-01)"),
    ],
)
def test_a_relation_is_told_with_its_dates(valid: tuple[str | None, str | None], said: str) -> None:
    """A relation shows its period, else the date when it was said."""
    sarah, acme = EndView("s", "person", "Sarah"), EndView("a", "company", "Acme")
    at = "2026-02-09T10:00:00Z"

    told = RelationView("r", sarah, "works at", acme, 1.0, *valid, None, at, at, at)

    assert line(told) == f"Sarah works at Acme {said}"
