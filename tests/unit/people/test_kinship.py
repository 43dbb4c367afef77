"""Relatives by way of others: who they certainly are, who they may be, who they cannot be."""

import pytest

from ashd.people.kinship import Family, is_kin
from ashd.store.people import Relationship

ME, ANN, BO, CY, DEE = 1, 2, 3, 4, 5


def family(*claims: tuple[int, str, int]) -> Family:
    """The family of (person, relationship, to person)."""
    return Family(
        Relationship(number, person, word, to, 1, 1, None, number, None, number)
        for number, (person, word, to) in enumerate(claims)
    )


@pytest.mark.parametrize(
    ("claims", "word", "to"),
    [
        ([(BO, "wife", ME), (ANN, "mother", BO)], "mother-in-law", ME),
        ([(BO, "husband", ME), (ANN, "mother-in-law", ME)], "mother", BO),
        ([(BO, "older sister", ME), (ANN, "husband", BO)], "brother-in-law", ME),
        ([(BO, "wife", ME), (ANN, "brother", BO)], "brother-in-law", ME),
        ([(BO, "father", ME), (ANN, "mother", BO)], "grandmother", ME),
        ([(BO, "sister", ME), (ANN, "son", BO)], "nephew", ME),
        ([(BO, "mother", ME), (CY, "sister", BO), (ANN, "husband", CY)], "uncle", ME),
        ([(BO, "mother", ME), (CY, "brother", BO), (ANN, "daughter", CY)], "cousin", ME),
        ([(BO, "daughter", ME), (ANN, "husband", BO)], "son-in-law", ME),
        ([(BO, "father", ME), (ANN, "wife", BO)], "stepmother", ME),
        ([(BO, "father", ANN)], "child", BO),
        ([(BO, "husband", ANN)], "wife", BO),
        ([(ANN, "spouse", BO)], "wife", BO),
    ],
)
def test_relatives_by_way_of_others(claims: list[tuple[int, str, int]], word: str, to: int) -> None:
    """A claim implies relatives in each of its directions."""
    assert {ANN} == family(*claims).related(word, to)


@pytest.mark.parametrize(
    ("claims", "word", "to"),
    [
        ([(BO, "sister", ME), (ANN, "brother-in-law", ME)], "husband", BO),
        ([(BO, "sister", ME), (ANN, "nephew", ME)], "son", BO),
        ([(BO, "father", ANN)], "son", BO),
        ([(BO, "wife", ME), (ANN, "daughter", ME)], "daughter", BO),
        ([(BO, "mother", ME), (ANN, "father", ME)], "husband", BO),
        ([(BO, "son", ME), (ANN, "wife", ME)], "mother", BO),
    ],
)
def test_possible_relatives(claims: list[tuple[int, str, int]], word: str, to: int) -> None:
    """An ambiguous word, or a child of unknown gender, gives only possible relatives."""
    made = family(*claims)

    assert set() == made.related(word, to)
    assert {ANN} == made.possible(word, to) - {ME}


@pytest.mark.parametrize(
    ("claims", "word", "to", "expected"),
    [
        ([(ANN, "daughter", ME)], "daughter", BO, True),
        ([(ANN, "daughter", ME), (BO, "ex-wife", ME)], "daughter", BO, False),
        ([(ANN, "wife", ME)], "wife", BO, True),
        ([(ANN, "wife", ME)], "sister", BO, False),
        ([(ANN, "aunt", ME)], "father", BO, True),
        ([(ANN, "mother", ME)], "mother", BO, False),
        ([(ANN, "friend", ME)], "daughter", BO, False),
        # Whoever is of one generation is not of another; a friend and a wife are of any.
        ([(ANN, "father", ME)], "grandson", ME, True),
        ([(ANN, "friend", ME)], "aunt", ME, False),
        ([(ANN, "wife", ME)], "aunt", ME, False),
        ([(ANN, "cousin", ME)], "sister", ME, False),
        ([(ANN, "uncle", ME)], "father", ME, False),
        ([(BO, "grandmother", ME)], "aunt", ME, False),
        # Whatever was said stays possible, and so is a marriage that ended.
        ([(ANN, "wife", ME), (ANN, "wife", CY)], "wife", ME, False),
        ([(ANN, "wife", CY)], "ex-wife", ME, False),
    ],
)
def test_impossible_relatives(
    claims: list[tuple[int, str, int]], word: str, to: int, *, expected: bool
) -> None:
    """Gender, other parents or another spouse exclude a relative."""
    assert family(*claims).contradicts(ANN, word, to) is expected


def test_a_nephew_by_way_of_a_sister_is_not_her_daughter() -> None:
    """The last step of a word counts, not only whom it leads over."""
    made = family((BO, "sister", ME), (ANN, "nephew", ME))

    assert set() == made.possible("daughter", BO)


def test_an_ended_claim_leads_nowhere() -> None:
    """The mother of a former wife is no mother-in-law by it."""
    ended = Relationship(1, BO, "wife", ME, 1, 1, None, 1, 2, 1)
    mother = Relationship(2, ANN, "mother", BO, 1, 1, None, 1, None, 1)

    assert set() == Family([ended, mother]).possible("mother-in-law", ME)


def test_kin_are_relatives_by_one_step_or_by_several() -> None:
    """A sister is kin by what was said of her, an aunt by way of others; a boss is none."""
    assert {word: is_kin(word) for word in ("sister", "aunt", "boss")} == {
        "sister": True,
        "aunt": True,
        "boss": False,
    }
