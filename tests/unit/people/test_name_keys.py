"""Keys by which names are looked up before they are compared: names that match share one."""

import pytest

from ashd.language.people.references import MatchKind
from ashd.people.reference_candidates import best_kind, name_ends


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Anna Maria van Dyke", {"anna", "maria", "dyke"}),
        ("Dr. Li", {"dr", "li"}),
        ("Jean-Luc Picard", {"jean", "luc", "picard"}),
        ("BO", {"bo"}),
        ("", set()),
    ],
)
def test_a_name_is_found_by_its_first_two_words_and_its_last(name: str, keys: set[str]) -> None:
    """Case, dots and hyphens make no difference."""
    assert name_ends(name) == keys


def test_the_best_of_somebodys_names_counts() -> None:
    """A whole name before a first name; without a match there is no kind."""
    assert best_kind("Anna", ["Anna Lee", "Anna"]) == best_kind("Anna", ["Anna"])
    assert best_kind("Anna", ["Anna Lee"]) is not None
    assert best_kind("Anna", ["Anna"]) != best_kind("Anna", ["Anna Lee"])
    assert best_kind("Anna", ["Bo", "Annabel"]) is None
    assert best_kind("Anna", []) is None
    assert isinstance(best_kind("Anna Lee", ["Anna"]), MatchKind)
