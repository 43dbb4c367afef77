"""A split parts what was told during a merge, also of merges that listed what they moved. 10 s."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_merges import in_database, make_people, merge, remember

from ashd.clock import SystemClock
from ashd.store import (
    account_joins,
    chats,
    ended_claims,
    meant,
    merges,
    parting,
    people,
    subjects,
)
from ashd.store.database import Database, Tx
from ashd.store.meant import AMONG_JOINED, AMONG_MERGED, Meant
from ashd.store.merges import NotParted


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A real database; every world is undone."""
    path: Path = tmp_path_factory.mktemp("parted") / "ash.db"
    db = Database.open(path, SystemClock())
    yield db
    db.close()


def told(tx: Tx, means: Meant, person: int) -> int:
    """A memory that was told now about a merged person."""
    number = remember(tx, [person])
    tx.run("update memories set created_at = ? where id = ?", tx.now, number)
    meant.set_subjects(tx, number, [means])
    return number


def split(tx: Tx, loser: int) -> NotParted:
    """Split a person; what could not be parted."""
    merged = merges.of_loser(tx, loser)
    assert merged is not None
    return merges.split(tx, merged)


@pytest.mark.parametrize("unsure", [AMONG_MERGED, AMONG_JOINED])
def test_what_means_either_is_about_a_third_person(database: Database, unsure: int) -> None:
    """Memories, names and claims that fit both are with neither, and are named in the reply."""

    def parted(tx: Tx) -> None:
        one, other, *_ = make_people(tx)
        tx.run("update person_aliases set added_by = null")
        tx.run("delete from accounts")
        merge(tx, one, other)
        sure = told(tx, Meant(one), other)
        either = told(tx, Meant(other, unsure), other)
        number = people.add_alias(tx, other, "Em", "em", added_by=None, learned_in=None, said_at=0)
        tx.run("update person_aliases set unsure = ? where id = ?", unsure, number)

        left = split(tx, one)

        assert subjects.of(tx, sure) == [one]
        assert subjects.of(tx, either) == [left.person]
        assert left.person not in {one, other, None}
        assert (left.memories, left.names, left.unrecorded) == ([either], ["Em"], 0)
        (alias,) = [a for a in people.aliases(tx, [left.person or 0]) if a.value == "Em"]
        assert alias.person == left.person

    in_database(database, parted)


def test_a_subject_that_stays_keeps_whom_it_means(database: Database) -> None:
    """The new one is added as it is meant; a subject without a record means itself."""

    def renewed(tx: Tx) -> None:
        one, other, third, *_ = make_people(tx)
        number = told(tx, Meant(one, AMONG_MERGED), one)

        meant.renew(tx, number, [one, third, other], {other: Meant(other, AMONG_JOINED)})

        assert meant.of_memory(tx, number) == [
            Meant(one, AMONG_MERGED),
            Meant(third),
            Meant(other, AMONG_JOINED),
        ]

    in_database(database, renewed)


def test_claims_that_accounts_ended_for_one_another_hold_again(database: Database) -> None:
    """Once they are no longer joined; what an account ended by itself stays ended."""

    def parted(tx: Tx) -> None:
        one, other, *_ = make_people(tx)
        mine, yours = (
            chats.insert_account(tx, "t", name, None, name, one).id for name in ("mine", "yours")
        )
        for number, by in enumerate((mine, yours, mine)):
            people.relate(
                tx, one, f"boss {by} {number}", other, stated_by=by, learned_in=None, said_at=0
            )
        rows = tx.all("select id, stated_by from person_relationships where stated_by is not null")
        (first, _), (second, _), (third, _) = sorted(rows)
        for claim, by in ((first, yours), (second, mine), (third, mine)):
            ended_claims.end(tx, [claim], by)

        account_joins.end(tx, [mine], [yours], 0)

        held = (
            "select id from person_relationships where stated_by is not null and ended_at is null"
        )
        assert sorted(tx.all(held)) == [(first,), (second,)]

    in_database(database, parted)


def test_a_merge_of_an_earlier_version_is_undone_by_its_lists(database: Database) -> None:
    """Edges that it listed go back; memories told since then stay, and are counted."""

    def parted(tx: Tx) -> None:
        one, other, *_ = make_people(tx)
        tx.run("update person_aliases set added_by = null")
        tx.run("delete from accounts")
        only, both = remember(tx, [one]), remember(tx, [other, one])
        merge(tx, one, other)
        moved = {
            "aliases": [
                row[0] for row in tx.all("select id from person_aliases where meant = ?", one)
            ],
            "claims": [],
            "claims_to": [],
            "accounts": [],
            "subjects": [[only, 0, 0], [both, 1, 1]],
            "added_alias": None,
        }
        tx.run("update person_merges set moved = ?", json.dumps(moved))
        tx.run("delete from meant_subjects")
        tx.run("update person_aliases set meant = null")
        later = remember(tx, [other])
        tx.run("update memories set created_at = ? where id = ?", tx.now, later)

        left = split(tx, one)

        assert subjects.of(tx, only) == [one]
        assert subjects.of(tx, both) == [other, one]
        assert subjects.of(tx, later) == [other]
        assert [a.value for a in people.aliases(tx, [one])] == ["a0"]
        assert (left.person, left.unrecorded) == (None, 1)

    in_database(database, parted)


def test_a_stand_in_for_an_erased_person_stays_a_subject(database: Database) -> None:
    """The row of somebody erased does not say whom it meant; those of others do."""

    def parted(tx: Tx) -> None:
        one, other, *_ = make_people(tx)
        number = remember(tx, [one, other])
        meant.set_subjects(tx, number, [Meant(one), Meant(other)])
        tx.run("update meant_subjects set person = null where person = ?", other)

        changed = meant.part_subjects(tx, [number], {}, nobody={}, third=None)

        assert changed == 0
        assert subjects.of(tx, number) == [one, other]

    in_database(database, parted)


def test_a_memory_stored_while_people_are_parted_is_of_the_one_who_was_meant(
    database: Database,
) -> None:
    """Afterwards the person who stands for both has it, and a split gives it back."""

    def parted(tx: Tx) -> None:
        one, other, third, *_ = make_people(tx)
        merge(tx, one, other)
        merged = merges.of_loser(tx, one)
        assert merged is not None

        with parting.without(tx, [merged]):
            assert people.final(tx, one) == one
            name = people.add_alias(tx, one, "Em", "em", added_by=None, learned_in=None, said_at=0)
            people.relate(tx, one, "uncle", third, stated_by=None, learned_in=None, said_at=0)

        assert people.final(tx, one) == other
        names = "select person, meant from person_aliases where id = ?"
        assert tx.one(names, name) == (other, one)
        claims = "select person, meant from person_relationships where relationship = 'uncle'"
        assert tx.one(claims) == (other, one)

    in_database(database, parted)
