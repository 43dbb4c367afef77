"""The names of a person's accounts, as far as a viewer may know that they are one person's."""

from dataclasses import replace
from pathlib import Path

import pytest
from services import house

from ashd.people import model
from ashd.people.met_accounts import Met
from ashd.store import people
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.people import Person
from ashd.store.visibility import Viewer

TOM, OTHER = 1, 2
"""Two people, joined into the first."""
PRIVATE = Viewer(
    everything=False,
    account=9,
    accounts=(9,),
    persons=(90,),
    chat=100,
    group=False,
    audience=(9,),
    audience_persons=(90,),
    audience_known=True,
)


def account(number: int, own_person: int, shown_as: str) -> Account:
    return Account(number, "p", f"u{number}", None, shown_as, TOM, own_person)


OWN, SECOND, THIRD = account(1, TOM, "tom"), account(2, OTHER, "tommy"), account(3, 3, "thomas")


def tom(name: str = "Tom", learned_in: int | None = None) -> Person:
    row = (TOM, "id", name, True, None, learned_in, 5, None, None, None, 7, 0, 0)
    return Person(*row, 0)


@pytest.mark.parametrize(
    ("viewer", "person", "met", "knows_name", "names"),
    [
        # The own name is an account's: in private no second one shows that they are joined.
        (PRIVATE, tom(), [OWN, SECOND], True, []),
        (PRIVATE, tom(), [OWN, SECOND], False, ["tom"]),
        (PRIVATE, tom(), [SECOND, THIRD], False, ["tommy"]),
        # The name was said by somebody: one account's name may stand beside it.
        (PRIVATE, tom(learned_in=100), [OWN, SECOND], True, ["tom"]),
        (PRIVATE, tom(learned_in=100), [], True, []),
        # The user, the operator and a group see those that they have met.
        (replace(PRIVATE, persons=(TOM,)), tom(), [OWN, SECOND, THIRD], True, ["tommy", "thomas"]),
        (replace(PRIVATE, everything=True), tom(), [OWN, SECOND], True, ["tommy"]),
        (replace(PRIVATE, group=True), tom(), [OWN, SECOND], True, ["tommy"]),
        (replace(PRIVATE, group=True), tom(), [OWN, SECOND], False, ["tom", "tommy"]),
        # Nothing is said twice.
        (replace(PRIVATE, group=True), tom("tommy"), [OWN, SECOND], True, []),
        (replace(PRIVATE, group=True), tom("tommy", 100), [SECOND], True, ["tommy"]),
        (replace(PRIVATE, group=True), tom(), [SECOND, SECOND], True, ["tommy"]),
    ],
)
def test_no_name_shows_that_accounts_are_joined(
    viewer: Viewer, person: Person, met: list[Account], names: list[str], *, knows_name: bool
) -> None:
    """Only its user, the operator and those who met both learn a second name."""
    found = model._account_names(viewer, person, Met(met, met, met), knows_name=knows_name)

    assert [alias.value for alias in found] == names
    assert {(one.person, one.created_at, one.learned_in) for one in found} <= {(TOM, 7, None)}


async def test_a_name_that_was_said_in_no_chat_is_known_to_nobody(tmp_path: Path) -> None:
    """A person who was joined may have had it from another account."""
    async with house(tmp_path) as at:
        call = at.call("person.get")

        def named(tx: Tx) -> list[str]:
            viewer = call.enter(tx)
            number = people.insert(
                *(tx,),
                name="Kurt",
                named=True,
                created_by=viewer.account,
                learned_in=viewer.chat,
                said_at=tx.now,
            )
            for name, chat in (("Kurti", viewer.chat), ("kurt77", None)):
                people.add_alias(
                    *(tx, number, name, name),
                    added_by=viewer.account,
                    learned_in=chat,
                    said_at=tx.now,
                )
            return [alias.value for alias in model.load(tx, viewer, {number})[number].aliases]

        assert await at.db.write(named) == ["Kurti"]
