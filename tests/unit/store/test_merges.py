"""Merging people moves every edge, splitting puts every edge back. Budget: 10 s."""

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ashd.clock import SystemClock
from ashd.store import chats, memories, merges, people
from ashd.store.database import Database, Tx

PEOPLE = 4
numbers = st.integers(0, PEOPLE - 1)


class _Undo(Exception):
    """Carries what was found out of the transaction, which it undoes."""

    def __init__(self, found: Any) -> None:
        super().__init__()
        self.found = found


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A real database; every world is undone."""
    path: Path = tmp_path_factory.mktemp("merges") / "ash.db"
    db = Database.open(path, SystemClock())
    yield db
    db.close()


def in_database(db: Database, work: Any) -> Any:
    """Run in a write transaction, undo it, and return what was found."""

    def undone(tx: Tx) -> None:
        raise _Undo(work(tx))

    try:
        asyncio.run(db.write(undone))
    except _Undo as done:
        return done.found
    raise AssertionError


def remember(tx: Tx, subjects: list[int]) -> int:
    """A memory about these people."""
    values: dict[str, Any] = dict.fromkeys(memories.WRITTEN)
    values |= {"uuid": tx.new_id(), "version": 1, "revision": 1, "content": "x", "content_key": "x"}
    values |= {"memory_type": "knowledge", "created_at": 1, "said_at": 1, "source": "rpc"}
    values |= {"portable": True, "ends_at": 2**62, "tags": "[]"}
    return memories.insert(
        tx, values | {"superseded_until": 0, "access_count": 0}, subjects, are_read=False
    )


def make_people(tx: Tx) -> list[int]:
    """People, each with an account, an alias and claims among them."""
    made = []
    for n in range(PEOPLE):
        person = people.insert(
            tx, name=f"p{n}", named=True, created_by=None, learned_in=None, said_at=0
        )
        account = chats.insert_account(tx, "t", f"u{n}", None, f"p{n}", person).id
        people.add_alias(tx, person, f"a{n}", f"a{n}", added_by=account, learned_in=None, said_at=0)
        made.append(person)
    stranger = people.insert(tx, name="x", named=True, created_by=None, learned_in=None, said_at=0)
    for person in made:
        people.relate(tx, person, "friend", stranger, stated_by=None, learned_in=None, said_at=0)
        people.relate(tx, stranger, "boss", person, stated_by=None, learned_in=None, said_at=0)
    return made


def edges(tx: Tx) -> dict[str, Any]:
    """Every edge that a merge may move."""
    return {
        "aliases": tx.all("select id, person, value from person_aliases order by id"),
        "claims": tx.all("select id, person, to_person from person_relationships order by id"),
        "accounts": tx.all("select id, person from accounts order by id"),
        "subjects": tx.all("select memory, person, position from memory_subjects order by 1, 3, 2"),
        "redirects": tx.all("select id, merged_into from people order by id"),
    }


def merge(tx: Tx, loser: int, winner: int) -> bool:
    """Merge whom two people stand for, if they are two."""
    loser, winner = people.final(tx, loser), people.final(tx, winner)
    if loser == winner:
        return False
    name = people.by_id(tx, loser).name
    merges.merge(tx, people.by_id(tx, loser), people.by_id(tx, winner), name)
    return True


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    about=st.lists(st.sets(numbers, min_size=1, max_size=3), min_size=1, max_size=4),
    pairs=st.lists(st.tuples(numbers, numbers), max_size=5),
    order=st.permutations(range(PEOPLE)),
)
def test_splits_in_any_order_undo_merges(
    database: Database,
    about: list[set[int]],
    pairs: list[tuple[int, int]],
    order: list[int],
) -> None:
    """After all people are split again, every edge is where it was."""

    def there_and_back(tx: Tx) -> tuple[Any, Any]:
        made = make_people(tx)
        for subjects in about:
            remember(tx, [made[n] for n in sorted(subjects)])
        before = edges(tx)
        for one, other in pairs:
            merge(tx, made[one], made[other])
        for n in order:
            merged = merges.of_loser(tx, made[n])
            if merged is not None:
                merges.split(tx, merged)
        return before, edges(tx)

    before, after = in_database(database, there_and_back)

    assert before == after


def test_a_merge_moves_every_edge(database: Database) -> None:
    """Afterwards nothing but the redirect speaks of the person that was merged."""

    def merged(tx: Tx) -> tuple[Any, list[list[int]], int]:
        made = make_people(tx)
        only = remember(tx, [made[0]])
        both = remember(tx, [made[0], made[1]])
        merge(tx, made[0], made[1])
        found = edges(tx)
        left = [
            *(row for row in found["aliases"] if row[1] == made[0]),
            *(row for row in found["claims"] if made[0] in row[1:]),
            *(row for row in found["accounts"] if row[1] == made[0]),
            *(row for row in found["subjects"] if row[1] == made[0]),
        ]
        about = [[p for m, p, _ in found["subjects"] if m == memory] for memory in (only, both)]
        return left, about, made[1]

    left, about, winner = in_database(database, merged)

    assert left == []
    assert [[winner], [winner]] == about


def test_what_comes_after_a_merge_stays_with_who_stands(database: Database) -> None:
    """A split gives back what was moved, and takes nothing that was told since."""

    def split(tx: Tx) -> tuple[list[int], int]:
        made = make_people(tx)
        merge(tx, made[0], made[1])
        later = remember(tx, [made[1]])
        merged = merges.of_loser(tx, made[0])
        assert merged is not None
        merges.split(tx, merged)
        return [p for m, p, _ in edges(tx)["subjects"] if m == later], made[1]

    about, winner = in_database(database, split)

    assert [winner] == about


def test_a_person_without_a_name_still_is_somebody(database: Database) -> None:
    """Erasing a person leaves no word of him, and the memory about somebody."""

    def erased(tx: Tx) -> tuple[list[Any], list[Any], list[Any]]:
        made = make_people(tx)
        tx.run("update person_aliases set added_by = null")
        tx.run("delete from accounts")
        memory = remember(tx, [made[1]])
        merge(tx, made[0], made[1])
        merges.erase(tx, made[1])
        return (
            tx.all("select p.name, p.named from memory_subjects s join people p on p.id = s.person"
                   " where s.memory = ?", memory),
            tx.all("select value from person_aliases where value in ('a0', 'a1', 'p0')"),
            tx.all("select id from people where id = ?", made[0]),
        )  # fmt: skip

    subjects, aliases, merged = in_database(database, erased)

    assert [("someone", 0)] == subjects
    assert aliases == []
    assert merged == []


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=8))
def test_stays_are_what_was_told_in_any_order(
    database: Database, told: list[tuple[bool, int]]
) -> None:
    """Joins and leaves told twice, in order of time, give the same intervals as told once."""

    def stays(tx: Tx, events: list[tuple[int, bool]]) -> list[tuple[int, int | None]]:
        tx.now = 20
        person = people.insert(
            tx, name="p", named=True, created_by=None, learned_in=None, said_at=0
        )
        account = chats.insert_account(tx, "t", "u", None, None, person).id
        chat = chats.ensure_group(tx, "t", "g").id
        for at, joins in events:
            (chats.join if joins else chats.leave)(tx, chat, account, at)
        return [(stay.joined_at, stay.left_at) for stay in chats.stays_in(tx, chat)]

    # One event a moment: which of two came first would be anybody's guess.
    events = sorted({at: joins for joins, at in told}.items())
    once = in_database(database, lambda tx: stays(tx, events))
    twice = in_database(database, lambda tx: stays(tx, [*events, *events]))

    assert once == twice
    for (_, left), (joined, _) in itertools.pairwise(once):
        assert left is not None
        assert left <= joined


@pytest.mark.parametrize(
    ("told", "intervals"),
    [
        ([(True, 5)], [(5, None)]),
        ([(True, 5), (True, 7)], [(5, None)]),
        ([(True, 5), (True, 3)], [(3, None)]),
        ([(True, 5), (False, 8)], [(5, 8)]),
        ([(True, 5), (False, 8), (False, 9)], [(5, 8)]),
        ([(True, 5), (False, 8), (False, 6)], [(5, 6)]),
        ([(True, 5), (False, 8), (True, 9)], [(5, 8), (9, None)]),
        ([(True, 5), (False, 8), (True, 9), (True, 5)], [(5, 8), (9, None)]),
        ([(True, 5), (False, 8), (True, 9), (False, 8)], [(5, 8), (9, None)]),
        ([(True, 5), (False, 3)], [(5, None)]),
        ([(False, 3)], []),
    ],
)
def test_joins_and_leaves_make_intervals(
    database: Database, told: list[tuple[bool, int]], intervals: list[tuple[int, int | None]]
) -> None:
    """A time within a stay is known, one before it moves its beginning, a leave ends it."""

    def stays(tx: Tx) -> list[tuple[int, int | None]]:
        tx.now = 20
        person = people.insert(
            tx, name="p", named=True, created_by=None, learned_in=None, said_at=0
        )
        account = chats.insert_account(tx, "t", "u", None, None, person).id
        chat = chats.ensure_group(tx, "t", "g").id
        for joins, at in told:
            (chats.join if joins else chats.leave)(tx, chat, account, at)
        return [(stay.joined_at, stay.left_at) for stay in chats.stays_in(tx, chat)]

    assert intervals == in_database(database, stays)
