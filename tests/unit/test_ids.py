"""Ids by a prefix: a grant's own letters, and what several begin with."""

import pytest

from ashd import errors, ids

GRANTS = ["gabcdefg2x", "gabcdefh3y", "gzzzzzzzz9"]


def lookup(prefix: str) -> list[tuple[str, str]]:
    return [(grant, grant) for grant in GRANTS if grant.startswith(prefix)]


def test_a_grant_is_found_by_what_only_it_begins_with() -> None:
    """Whole, or from six characters on."""
    assert ids.find_grant("gzzzzz", lookup) == "gzzzzzzzz9"
    assert ids.find_grant("gabcdefg2x", lookup) == "gabcdefg2x"


def test_several_grants_are_ambiguous() -> None:
    """The error names the grants, so that the next try can choose."""
    with pytest.raises(errors.Ambiguous) as raised:
        ids.find_grant("gabcdef", lookup)

    assert raised.value.data["candidates"] == [{"id": grant} for grant in GRANTS[:2]]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("gyyyyy", errors.NotFound),
        ("gabcd", errors.InvalidParams),
        ("abcdef", errors.InvalidParams),
        ("gabc%ef", errors.InvalidParams),
    ],
)
def test_what_names_no_grant(text: str, error: type[errors.AshError]) -> None:
    """Unknown, too short, or no grant's id at all."""
    with pytest.raises(error):
        ids.find_grant(text, lookup)
