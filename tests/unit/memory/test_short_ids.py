"""Short ids: as long as it takes to tell a memory from the others."""

from ashd.memory.short_ids import shortest

ONE = "abcdef01-0000-4000-8000-000000000001"


def test_six_characters_are_enough_if_no_other_id_begins_so() -> None:
    """Its own id among the others changes nothing."""
    assert shortest(ONE, [ONE, "abcdee01-0000-4000-8000-000000000001"]) == "abcdef"


def test_an_id_that_begins_alike_lengthens_it() -> None:
    """It has one character more than they have in common."""
    assert shortest(ONE, ["abcdef02-0000-4000-8000-000000000001"]) == "abcdef01"
    assert shortest(ONE, ["abcdeff2-0000-4000-8000-000000000001", ONE]) == "abcdef0"
