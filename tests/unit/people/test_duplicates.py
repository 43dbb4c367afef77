"""All people whose names may be alike are compared, and few others."""

from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from known_people import account, alias, claim, known
from services import call_of, house

from ashd.language.people import name_similarity, references
from ashd.people import duplicates, joining
from ashd.people.duplicates import _Compared
from ashd.people.edit import CreateParams, EditPeople
from ashd.people.model import Known
from ashd.store import people
from ashd.store.database import Tx

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


ANN, BO = 2, 3


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (known(ANN, "Tom Lang"), known(BO, "Tom Lang"), "the same name"),
        (known(ANN, "Tom Lang"), known(BO, "Tom"), "one name is part of the other"),
        (known(ANN, "Sarah Lang"), known(BO, "Sara Lang"), "two spellings of one name"),
        (known(ANN, "Lizzie"), known(BO, "Elizabeth"), "one name is a short form of the other"),
        (known(ANN, "Tom"), known(BO, "Kim", aliases=[alias(BO, "Tom")]), "the same name"),
        (
            known(ANN, "Tom", claim(ANN, "boss")),
            known(BO, "boss", claim(BO, "boss"), named=False),
            "one stands for the other's relationship",
        ),
        (
            known(ANN, "Sarah", claim(ANN, "boss")),
            known(BO, "Sara", claim(BO, "boss")),
            "two spellings of one name",
        ),
        # One of them may have an account; the names of both must have been told by one user.
        (known(ANN, "Tom", accounts=[account(7, "t")]), known(BO, "Tom"), "the same name"),
        (known(ANN, "Tom", by=8), known(BO, "Tom", claim(BO, "friend", by=8)), "the same name"),
        (
            known(ANN, "Tom", by=8),
            known(BO, "Tom", aliases=[alias(BO, "Thomas", by=8)]),
            "the same name",
        ),
    ],
)
def test_the_best_evidence_is_named(one: Known, other: Known, why: str) -> None:
    """A name in common says more than a spelling of it, and that more than a role."""
    for both in ((one, other), (other, one)):
        rank = duplicates._suggested(*map(duplicates._compared, both))
        assert rank is not None
        assert duplicates.WHY[rank] == why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (known(ANN, "Tom"), known(BO, "Kim")),
        (known(ANN, "Tom", by=8), known(BO, "Tom", by=9)),
        (known(ANN, "Tom", by=None), known(BO, "Tom", by=None)),
        (
            known(ANN, "Tom", accounts=[account(7, "t")]),
            known(BO, "Tom", accounts=[account(8, "u")]),
        ),
        (known(ANN, "Tom", claim(ANN, "father", BO)), known(BO, "Tom")),
        (known(ANN, "Ina", claim(ANN, "boss")), known(BO, "Kim", claim(BO, "boss", ended=True))),
        (known(ANN, "Ina", claim(ANN, "boss")), known(BO, "Kim", claim(BO, "boss", 9))),
        (known(ANN, "Ina", claim(ANN, "friend")), known(BO, "Kim", claim(BO, "friend"))),
        # Neither a name that the viewer may not know nor a word in place of one is compared.
        (known(ANN, "Tom"), known(BO, "Tom", knows_name=False)),
        (known(ANN, "Gardener"), known(BO, "Gardener", named=False)),
    ],
)
def test_others_are_not_suggested(one: Known, other: Known) -> None:
    """Two users tell of two people; so does whoever says how one is related to the other."""
    for both in ((one, other), (other, one)):
        assert duplicates._suggested(*map(duplicates._compared, both)) is None


async def test_the_likeliest_pairs_come_first(tmp_path: Path) -> None:
    """As many as are asked for; two who were said to be two people are not among them."""
    call = call_of("u")
    async with house(tmp_path) as at:
        edit, ask = EditPeople(at.db), duplicates.Duplicates(at.db)
        await at.db.write(call.enter, scoped=True)
        for name in ("Sarah Lang", "Sara Lang", "Kim Reed", "Kim Reed", "Uma", "Uma Berg"):
            await edit.create(call, CreateParams(name=name))

        async def pairs(**limit: int) -> list[tuple[set[str], str]]:
            found = await ask.suggest(call, duplicates.DuplicatesParams(**limit))
            return [({one.name for one in pair.people}, pair.why) for pair in found.pairs]

        every = await pairs()
        assert every == [
            ({"Kim Reed"}, "the same name"),
            ({"Uma", "Uma Berg"}, "one name is part of the other"),
            ({"Sara Lang", "Sarah Lang"}, "two spellings of one name"),
        ]
        assert await pairs(limit=2) == every[:2]
        assert await at.db.read(duplicates.count) == 3
        pair = (await ask.suggest(call, duplicates.DuplicatesParams())).pairs[0].people

        def said_apart(tx: Tx) -> None:
            rows = [people.by_prefix(tx, one.id)[0][1] for one in pair]
            joining.set_apart(tx, *rows, call.look(tx).account)

        await at.db.write(said_apart)
        assert await pairs() == every[1:]
        assert await at.db.read(duplicates.count) == 2


def test_a_word_of_very_many_names_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family's name would make pairs of everybody who has it."""
    monkeypatch.setattr(duplicates, "_MOST_ALIKE", 3)
    compared = [duplicates._compared(known(number, "Olga Bernstein")) for number in (2, 3, 4)]

    assert len(duplicates._alike(compared)) == 3
    assert duplicates._alike([*compared, duplicates._compared(known(5, "Olga Bernstein"))]) == []
