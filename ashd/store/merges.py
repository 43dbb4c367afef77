"""Merges of two people, and splits: every moved edge is recorded by its row number."""

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from ashd.store import people
from ashd.store.database import Tx
from ashd.store.people import Person


class Merge(NamedTuple):
    """A row of `person_merges`; `moved` (JSON) is what `Moved` has."""

    id: int
    loser: int
    winner: int
    moved: str
    split_at: int | None


class Moved(NamedTuple):
    """The rows that a merge moved, by number: it holds no words, so erasing a person can skip it.

    `subjects` are [memory, position, whether the winner was a subject already].
    """

    aliases: list[int]
    claims: list[int]
    claims_to: list[int]
    accounts: list[int]
    subjects: list[list[int]]
    added_alias: int | None


_MERGE: Final = "select id, loser, winner, moved, split_at from person_merges"


def merge(tx: Tx, loser: Person, winner: Person, alias_key: str) -> None:
    """Move every edge of the loser to the winner; the loser's id means the winner from now on.

    The loser's name becomes an alias of the winner (`alias_key` is how names compare), with the
    time of the original statement. The name of an account stays the account's.
    """
    subjects = [
        [memory, position, int(_is_about(tx, memory, winner.id))]
        for memory, position in tx.all(
            "select memory, position from memory_subjects where person = ?", loser.id
        )
    ]
    moved = Moved(
        aliases=_numbers(tx, "select id from person_aliases where person = ?", loser.id),
        claims=_numbers(tx, "select id from person_relationships where person = ?", loser.id),
        claims_to=_numbers(tx, "select id from person_relationships where to_person = ?", loser.id),
        accounts=_numbers(tx, "select id from accounts where person = ?", loser.id),
        subjects=subjects,
        added_alias=None,
    )
    tx.run("update person_aliases set person = ? where person = ?", winner.id, loser.id)
    tx.run("update person_relationships set person = ? where person = ?", winner.id, loser.id)
    tx.run("update person_relationships set to_person = ? where to_person = ?", winner.id, loser.id)
    tx.run("update accounts set person = ? where person = ?", winner.id, loser.id)
    tx.run("update or ignore memory_subjects set person = ? where person = ?", winner.id, loser.id)
    tx.run("delete from memory_subjects where person = ?", loser.id)
    if loser.named and loser.learned_in is not None:
        added = people.add_alias(
            *(tx, winner.id, loser.name, alias_key),
            added_by=loser.created_by,
            learned_in=loser.learned_in,
            sensitivity=loser.sensitivity,
            at=loser.named_at,
        )
        moved = moved._replace(added_alias=added)
    tx.run(
        "insert into person_merges (loser, winner, moved, merged_at) values (?, ?, ?, ?)",
        *(loser.id, winner.id, encode(moved), tx.now),
    )
    _redirect(tx, loser.id, winner.id)


def encode(moved: Moved) -> str:
    """Return a merge's moved rows in stored form."""
    return json.dumps(moved._asdict())


def split(tx: Tx, merged: Merge) -> None:
    """Give the loser back its edges, wherever later merges have moved them."""
    loser = merged.loser
    holder = people.final(tx, loser)
    moved = Moved(**json.loads(merged.moved))
    for table, column, numbers in (
        ("person_aliases", "person", moved.aliases),
        ("person_relationships", "person", moved.claims),
        ("person_relationships", "to_person", moved.claims_to),
        ("accounts", "person", moved.accounts),
    ):
        # Later changes by hand stay.
        tx.run(
            f"update {table} set {column} = ? where {column} = ?"
            " and id in (select value from json_each(?))",
            *(loser, holder, json.dumps(numbers)),
        )
    tx.run("update person_merges set split_at = ? where id = ?", tx.now, merged.id)
    for memory, position, _ in moved.subjects:
        if not _is_about(tx, memory, holder):
            continue  # its subjects were changed since, or it is gone
        if not _keeps(tx, holder, memory):
            tx.run("delete from memory_subjects where memory = ? and person = ?", memory, holder)
        if _keeps(tx, loser, memory):
            tx.run(
                "insert or ignore into memory_subjects (memory, person, position) values (?, ?, ?)",
                *(memory, loser, position),
            )
    if moved.added_alias is not None:
        people.remove_alias(tx, moved.added_alias)
    _redirect(tx, loser, None)


def _keeps(tx: Tx, person: int, memory: int) -> bool:
    """Return whether a memory is about the person, or about one still merged into it."""
    rows = tx.all(f"{_MERGE} where winner = ?1 or loser = ?1 order by id", person)
    listing = [
        (entry, bool(was_there))
        for entry in (Merge(*row) for row in rows)
        for number, _, was_there in json.loads(entry.moved)["subjects"]
        if number == memory
    ]
    into = [(entry, was_there) for entry, was_there in listing if entry.winner == person]
    # Before any merge into it; a memory that no merge brought was its own.
    is_own = into[0][1] if into else True
    return is_own or any(
        _keeps(tx, entry.loser, memory) for entry, _ in into if entry.split_at is None
    )


def of_loser(tx: Tx, loser: int) -> Merge | None:
    """Return the merge in effect by which this person was merged into another."""
    row = tx.one(f"{_MERGE} where loser = ? and split_at is null order by id desc limit 1", loser)
    return Merge(*row) if row else None


def latest_into(tx: Tx, winner: int) -> Merge | None:
    """Return the latest merge in effect by which another was merged into this person."""
    row = tx.one(f"{_MERGE} where winner = ? and split_at is null order by id desc limit 1", winner)
    return Merge(*row) if row else None


def moved_accounts(merged: Merge) -> bool:
    """Return whether the merge joined accounts."""
    return bool(json.loads(merged.moved)["accounts"])


def family(tx: Tx, winner: int) -> list[int]:
    """Return the person, and all who were merged into it."""
    return _numbers(
        tx,
        "with recursive one (id) as (select ?1 union"
        " select p.id from people p join one on p.merged_into = one.id) select id from one",
        winner,
    )


def one_with(tx: Tx, numbers: Iterable[int]) -> list[int]:
    """Return every row of the same people as these rows, whichever was merged into which."""
    winners = {people.final(tx, number) for number in numbers}
    return sorted({row for winner in winners for row in family(tx, winner)})


def erase(tx: Tx, winner: int) -> int:
    """Erase everything known of the person, and of those merged into it.

    A memory about the person stays about somebody without a name: without the edge, hearsay would
    appear as a fact without a subject. Returns the number of records removed.
    """
    members = json.dumps(family(tx, winner))
    among = "in (select value from json_each(?1))"
    tx.run(f"delete from person_merges where loser {among} or winner {among}", members)
    tx.run(f"delete from person_aliases where person {among}", members)
    tx.run(f"delete from person_relationships where person {among} or to_person {among}", members)
    tx.run(f"delete from not_identified where person {among}", members)
    tx.run(f"update memory_subjects set reference = null where person {among}", members)
    tx.run(
        "update people set name = 'someone', named = 0, created_by = null, learned_in = null,"
        f" sensitivity = null, metadata = null, merged_into = null where id {among}",
        members,
    )
    return tx.run(
        f"delete from people where id {among} and not exists (select 1 from memory_subjects s"
        " where s.person = people.id) and not exists (select 1 from accounts a"
        " where a.own_person = people.id)",
        members,
    )


def _is_about(tx: Tx, memory: int, person: int) -> bool:
    row = tx.one("select 1 from memory_subjects where memory = ? and person = ?", memory, person)
    return row is not None


def _redirect(tx: Tx, loser: int, winner: int | None) -> None:
    tx.run("update people set merged_into = ?, updated_at = ? where id = ?", winner, tx.now, loser)


def _numbers(tx: Tx, sql: str, number: int) -> list[int]:
    return [row[0] for row in tx.all(sql, number)]
