"""All people whose names may be alike are compared, and few others."""

from typing import Any, cast

from hypothesis import example, given
from hypothesis import strategies as st

from ashd.language.people import name_similarity, references
from ashd.people import duplicates
from ashd.people.duplicates import _Compared

_WORDS = [
    *["Anna", "Anne", "Anne-Marie", "Marie", "Sara", "Sarah", "Tom", "Thomas", "Beth", "Lizzie"],
    *["Elizabeth", "Bob", "Robert", "Müller", "Mueller", "Miller", "Mohamed", "Muhammad", "A"],
    *["Alexandrina", "Alexandra", "Sasha", "Dr.", "Prof.", "Mrs.", "Lang", "-", "--", "陈", "伟"],
]
NAMES = st.one_of(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3).map(" ".join), st.text(max_size=8)
)


@example("Dr. Lang", "Dr. Mia Lang")
@example("Lizzie", "Elizabeth")
@example("Bob Lang", "Robert Lang")
@example("Mohamed", "Muhammad")
@example("Anne-Marie", "Anne Marie")
@example("--", "-")
@example("--", "-- Anna")
@given(NAMES, NAMES)
def test_names_that_are_alike_are_compared(one: str, other: str) -> None:
    """Duplicates are suggested whatever letters their names begin with."""
    if references.matches(one, other) is None and not name_similarity.variant(one, other):
        return
    assert duplicates._openings([one]) & duplicates._openings([other])


def test_a_part_of_a_surname_alone_is_no_reason_to_compare() -> None:
    """Parts of surnames in common are not enough: only names that begin alike are compared."""
    names = [*(f"{first} Bernstein" for first in ("Olga", "Ivan", "Carlos", "Yuki")), "Olga B."]
    people = [_Compared(cast("Any", None), [name], {1}, set(), set()) for name in names]

    pairs = [(one.names, other.names) for one, other in duplicates._alike(people)]

    assert [(["Olga Bernstein"], ["Olga B."])] == pairs
