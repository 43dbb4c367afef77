"""Relations that are stated again or in place of others, by the order and the audience of turns."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from services import NOON, FixedClock, call_of

from ashd.graph.audience import Spoken
from ashd.graph.store_relation import RelateParams, RelateResult, read_relation, relate
from ashd.store.database import Database

ME = call_of("u")
TURN = Spoken(NOON, None, portable=True)
PROTECTED = TURN._replace(sensitivity="sensitive")
EARLIER = TURN._replace(said_at=NOON - 1_000)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new database."""
    opened = Database.open(tmp_path / "ash.db", FixedClock())
    yield opened
    opened.close()


def lives_in(db: Database, home: str, spoken: Spoken | None = None, **more: Any) -> RelateResult:
    """State where Vega lives."""
    params = RelateParams(source="Vega", relation="lives in", target=home, **more)
    stated = read_relation(params)
    return asyncio.run(
        db.write(lambda tx: relate(tx, ME, ME.enter(tx), stated, spoken), scoped=True)
    )


def homes(db: Database) -> list[tuple[Any, ...]]:
    """Return each home as it is stored: its name, label, portability and end."""
    select = (
        "select target_name, sensitivity, portable, valid_until from relations"
        " where removed_at is null order by id"
    )
    return [tuple(row) for row in asyncio.run(db.read(lambda tx: tx.all(select)))]


@pytest.mark.parametrize(
    ("closer", "label", "portable"),
    [({"portable": False}, None, 0), ({"sensitivity": "sensitive"}, "sensitive", 1)],
)
def test_a_label_that_is_given_later_holds_the_relation_closer(
    db: Database, closer: dict[str, Any], label: str | None, portable: int
) -> None:
    """The open statement does not stay beside it."""
    lives_in(db, "Oslo")

    assert lives_in(db, "Oslo", **closer).outcome == "added"

    assert homes(db) == [("Oslo", label, portable, None)]


def test_a_repetition_in_a_protected_turn_adds_nothing(db: Database) -> None:
    """Whoever reads that turn reads the open statement, which stays open."""
    first = lives_in(db, "Oslo")

    again = lives_in(db, "Oslo", PROTECTED)

    assert (again.outcome, again.relation.id) == ("known", first.relation.id)
    assert homes(db) == [("Oslo", None, 1, None)]


def test_a_date_in_a_protected_turn_is_stored_for_its_readers(db: Database) -> None:
    """The open statement stays without it."""
    first = lives_in(db, "Oslo")

    dated = lives_in(db, "Oslo", PROTECTED, valid_from="2020-01-01")

    assert dated.outcome == "added"
    assert (first.relation.valid_from, dated.relation.valid_from) == (None, "2020-01-01T00:00:00Z")
    assert homes(db) == [("Oslo", None, 1, None), ("Oslo", "sensitive", 1, None)]


@pytest.mark.parametrize(
    ("given", "has_other_hearers", "label"),
    [
        ("personal", False, "personal"),
        ("personal", True, "sensitive"),
        ("public", True, "public"),
        (None, True, None),
    ],
)
def test_a_label_is_stricter_where_others_heard_the_turn(
    db: Database, given: Any, has_other_hearers: bool, label: str | None
) -> None:
    """Then a personal relation is for its speaker alone; a public one stays public."""
    lives_in(db, "Oslo", TURN._replace(has_other_hearers=has_other_hearers), sensitivity=given)

    assert homes(db) == [("Oslo", label, 1, None)]


def test_last_of_two_values_of_one_moment_holds(db: Database) -> None:
    """A turn that says both, or two in the same moment, leaves one value, not none."""
    oslo = lives_in(db, "Oslo", TURN)
    porto = lives_in(db, "Porto", TURN)

    assert porto.ended == [oslo.relation.id]
    assert homes(db) == [("Oslo", None, 1, NOON), ("Porto", None, 1, None)]


def test_a_later_value_that_fewer_may_see_does_not_end_one_that_is_read_late(db: Database) -> None:
    """Its end would show everybody that something else was said."""
    lives_in(db, "Oslo", PROTECTED)

    lives_in(db, "Porto", EARLIER)

    assert homes(db) == [("Oslo", "sensitive", 1, None), ("Porto", None, 1, None)]
