"""The person whom each statement means without any merge: a split parts the statements by that.

`person` of a name, a claim or a subject is the person after all merges; `meant` is the person
without any merge. `meant` is recorded from the first merge of a person on: for all earlier
statements, and for those made while the merge is in effect. Rows without `meant` were stated during
a merge by an older version, which did not record it; a split leaves them with the winner of the
merge.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from ashd.store import people
from ashd.store import subjects as stored
from ashd.store.transaction import Tx

CERTAIN: Final = 0
AMONG_MERGED: Final = 1
"""Several of the people whom a caller merged fit the words."""
AMONG_JOINED: Final = 2
"""Without the joined accounts the words would mean nobody, or nobody in particular."""


class Meant(NamedTuple):
    """The person whom a subject means when nobody is merged, and how sure that is."""

    person: int
    unsure: int = CERTAIN


_AMONG: Final = "in (select value from json_each(?))"
_LISTS: Final = ("aliases", "claims", "claims_to", "subjects")
"""The lists of rows that a merge of an earlier version moved."""


def write_down(tx: Tx, one: int, other: int) -> None:
    """Record, before two people are merged, whom each statement about them means."""
    for person in (one, other):
        adopt(tx, person)
        tx.run(
            "update person_aliases set meant = person where person = ? and meant is null", person
        )
        tx.run(
            "update person_relationships set meant = person where person = ? and meant is null",
            person,
        )
        tx.run(
            "update person_relationships set to_meant = to_person"
            " where to_person = ? and to_meant is null",
            person,
        )
    _write_subjects(
        tx,
        f"s.memory in (select o.memory from memory_subjects o where o.person {_AMONG})",
        json.dumps([one, other]),
    )


def _write_subjects(tx: Tx, where: str, *params: object) -> None:
    """Record whom the subjects of memories under `where` mean, unless that is recorded already."""
    tx.run(
        "insert into meant_subjects (memory, position, person)"
        " select s.memory, row_number() over (partition by s.memory order by s.position, s.id) - 1,"
        f" s.person from memory_subjects s where {where} and not exists"
        " (select 1 from meant_subjects w where w.memory = s.memory)",
        *params,
    )


def of_memory(tx: Tx, number: int) -> list[Meant]:
    """Return whom the subjects of a memory mean, in order; empty if that was not recorded."""
    rows = tx.all(
        "select coalesce(person, 0), unsure from meant_subjects where memory = ? order by position",
        number,
    )
    return [Meant(*row) for row in rows]


def set_subjects(tx: Tx, number: int, meant: Sequence[Meant]) -> None:
    """Record whom the subjects of a memory mean, in order."""
    tx.send("delete from meant_subjects where memory = ?", number)
    for position, one in enumerate(dict.fromkeys(meant)):
        tx.send(
            "insert into meant_subjects (memory, position, person, unsure) values (?, ?, ?, ?)",
            *(number, position, one.person or None, one.unsure),
        )


def copy(tx: Tx, number: int, to: int) -> None:
    """Copy, to a memory with the same subjects, the record of whom the subjects mean."""
    set_subjects(tx, to, of_memory(tx, number))


def renew(tx: Tx, number: int, persons: Sequence[int], new: Mapping[int, Meant | None]) -> None:
    """Record the changed subjects of a memory; unchanged subjects keep their meaning."""
    known: dict[int, list[Meant]] = {}
    for one in of_memory(tx, number):
        if one.person:
            known.setdefault(people.final(tx, one.person), []).append(one)
    if known or any(new.values()):
        known |= {person: [one] for person, one in new.items() if one is not None}
        renewed = [one for person in persons for one in known.get(person, [Meant(person)])]
        set_subjects(tx, number, renewed)


def settle(tx: Tx, person: int, means: Meant, speaker: int | None) -> None:
    """Record whom the names and claims mean that were just stated about a merged person.

    `speaker` is the own person of the account that stated them: a new claim to be something to the
    person of that account means `speaker`.
    """
    now = "meant is null and created_at = ?"
    tx.send(
        f"update person_aliases set meant = ?, unsure = ? where person = ? and {now}",
        *(means.person, means.unsure, person, tx.now),
    )
    tx.send(
        f"update person_relationships set meant = ?, unsure = ? where person = ? and {now}",
        *(means.person, means.unsure, person, tx.now),
    )
    if speaker is not None:
        tx.send(
            "update person_relationships set to_meant = ?"
            " where to_person = ? and to_meant is null and created_at = ?",
            *(speaker, people.final(tx, speaker), tx.now),
        )


def part_subjects(
    tx: Tx,
    numbers: Collection[int],
    before: dict[int, int],
    *,
    nobody: dict[int, list[int]],
    third: int | None,
) -> int:
    """Make memories about whom they mean now; return how many changed.

    `before` has the person whom each row was until now, where that is another. `nobody` has the
    positions by memory that are about the `third` person from now on.
    """
    changed = 0
    for number in sorted(numbers):
        rows = of_memory(tx, number)
        left = nobody.get(number, ())
        if left and third is not None:
            rows = [Meant(third) if at in left else one for at, one in enumerate(rows)]
            set_subjects(tx, number, rows)
        said, now = stored.references(tx, number), stored.of(tx, number)
        held = [before.get(one.person, people.final(tx, one.person)) for one in rows]
        persons: list[int] = []
        words: dict[int, str] = {}
        for one, was in zip(rows, held, strict=True):
            # The row of an erased person says nothing: whoever stands for it stays.
            meant = [people.final(tx, one.person)] if one.person else sorted({*now} - {*held})
            persons += meant
            if was in said:
                words[meant[0]] = said[was]
        persons = list(dict.fromkeys(persons))
        if persons != now:
            stored.replace(tx, number, persons, read=stored.are_read(tx, number))
            stored.set_references(tx, number, words)
            changed += 1
    return changed


# Merges of earlier versions -----------------------------------------------------------------------


def adopt(tx: Tx, person: int) -> None:
    """Write down whom things mean by the lists of moved rows that merges had before there was this.

    Merges of an earlier version, or from a file of one, listed the rows that they moved.
    """
    rows = tx.all(
        "with recursive one (id) as (select cast(?1 as bigint) union"
        " select p.id from people p join one on p.merged_into = one.id)"
        " select g.id, g.loser, g.winner, g.moved, g.merged_at from person_merges g"
        " where g.split_at is null and g.loser in (select id from one) order by g.id",
        person,
    )
    merges = [
        (number, loser, winner, moved, at)
        for number, loser, winner, text, at in rows
        if not moved_is_adopted(moved := json.loads(text))
    ]
    if not merges:
        return
    for _, loser, _, moved, _ in merges:
        tx.run("update person_aliases set meant = ? where id = ?", loser, moved["added_alias"])
        for table, column, key in (
            ("person_aliases", "meant", "aliases"),
            ("person_relationships", "meant", "claims"),
            ("person_relationships", "to_meant", "claims_to"),
        ):
            tx.run(
                f"update {table} set {column} = ? where {column} is null and id {_AMONG}",
                *(loser, json.dumps(moved[key])),
            )
    first = min(at for *_, at in merges)
    for table, column, now in (
        ("person_aliases", "meant", "person"),
        ("person_relationships", "meant", "person"),
        ("person_relationships", "to_meant", "to_person"),
    ):
        tx.run(
            f"update {table} set {column} = {now}"
            f" where {now} = ? and {column} is null and created_at < ?",
            *(person, first),
        )
    moved_subjects = [(loser, winner, moved["subjects"]) for _, loser, winner, moved, _ in merges]
    _adopt_subjects(tx, person, moved_subjects)
    _write_subjects(
        tx,
        "exists (select 1 from memory_subjects o join memories m on m.id = o.memory"
        " where o.memory = s.memory and o.person = ? and m.created_at < ?)",
        *(person, first),
    )
    for number, _, _, moved, _ in merges:
        kept = {name: value for name, value in moved.items() if name not in _LISTS}
        tx.run("update person_merges set moved = ? where id = ?", json.dumps(kept), number)


def moved_is_adopted(moved: dict[str, object]) -> bool:
    """Return whether a merge has no lists of moved rows any more."""
    return "subjects" not in moved


def _adopt_subjects(tx: Tx, person: int, moved: Sequence[tuple[int, int, list[list[int]]]]) -> None:
    """Write down the subjects that merges moved, by [memory, position, whether both were ones]."""
    bases: dict[tuple[int, int], list[int]] = {}
    for loser, winner, rows in moved:
        for memory, _, both in rows:
            own = bases.get((memory, winner)) or ([winner] if both else [])
            bases[memory, winner] = [*own, *bases.pop((memory, loser), [loser])]
    for (memory, holder), meant in bases.items():
        persons = stored.of(tx, memory)
        # Its subjects may have been changed since.
        if holder == person and person in persons and not of_memory(tx, memory):
            written = [row for one in persons for row in (meant if one == person else [one])]
            set_subjects(tx, memory, [Meant(row) for row in written])
