"""Names that are whole, and names that are not. Budget: 1 s."""

import pytest

from ashd.language.people.name_similarity import is_whole


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ruth Baker", True),
        ("Dr. Ruth Baker", True),
        ("Jean-Luc", True),
        ("Ruth", False),
        ("Dr. Baker", False),
        ("Dr.", False),
        ("", False),
    ],
)
def test_a_whole_name_has_more_than_one_word_besides_its_title(
    name: str, *, expected: bool
) -> None:
    """A first name and a titled surname may mean several people."""
    assert is_whole(name) is expected
