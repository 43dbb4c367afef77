"""People as they are without some merges, for a block inside a transaction.

Rows stored in the block are stored for the parted people. After the block the merges are in effect
again, and the rows are about the merged people. Nobody else ever sees the state in between.
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from ashd.store import meant, merges, people
from ashd.store.database import Tx
from ashd.store.merges import Merge


def joins_of(tx: Tx, persons: Collection[int]) -> list[Merge]:
    """Return the merges made by joins of accounts, for all rows of these people.

    Includes the merges of the people whom the joined accounts know.
    """
    among = {merged.id: merged for person in persons for merged in merges.within(tx, person)}
    joins = [one for one in among.values() if one.by_join or merges.moved_accounts(one)]
    rows = json.dumps(
        [row for one in joins for row in merges.family(tx, people.final(tx, one.loser))]
    )
    accounts = [
        row[0]
        for row in tx.all(
            "select id from accounts where own_person in (select value from json_each(?))", rows
        )
    ]
    known = {one.id: one for one in (*joins, *merges.by_join(tx, accounts))}
    return [known[number] for number in sorted(known)]


@contextmanager
def without(tx: Tx, parted: Collection[Merge]) -> Iterator[None]:
    """Part people for a block; an exception in the block rolls back all its changes."""
    with tx.savepoint():
        holders = {people.final(tx, one.loser) for one in parted}
        for person in holders:
            meant.adopt(tx, person)
        rows = sorted({row for person in holders for row in merges.family(tx, person)})
        _set_merged(tx, {one.loser: None for one in parted})
        _renew(tx, rows)
        yield
        _write_down_new(tx, rows)
        _set_merged(tx, {one.loser: one.winner for one in parted})
        _renew(tx, rows)


def _set_merged(tx: Tx, merged: dict[int, int | None]) -> None:
    for loser, winner in merged.items():
        tx.run("update people set merged_into = ? where id = ?", winner, loser)


def _renew(tx: Tx, rows: Collection[int]) -> None:
    """Give accounts, names and claims to the people who now stand for those they mean."""
    for row in rows:
        person = people.final(tx, row)
        tx.run(
            "update accounts set person = ?1 where own_person = ?2 and person <> ?1", person, row
        )
        for table, column, meaning in (
            ("person_aliases", "person", "meant"),
            ("person_relationships", "person", "meant"),
            ("person_relationships", "to_person", "to_meant"),
        ):
            tx.run(
                f"update {table} set {column} = ?1 where {meaning} = ?2 and {column} <> ?1",
                *(person, row),
            )


def _write_down_new(tx: Tx, rows: Collection[int]) -> None:
    """Record whom the names and claims that the block stored mean."""
    among = json.dumps(list(rows))
    for table, column, meaning in (
        ("person_aliases", "person", "meant"),
        ("person_relationships", "person", "meant"),
        ("person_relationships", "to_person", "to_meant"),
    ):
        tx.run(
            f"update {table} set {meaning} = {column} where {meaning} is null"
            f" and {column} in (select value from json_each(?)) and created_at = ?",
            *(among, tx.now),
        )
