"""Merges of two people, and splits.

A merge gives every edge of one person to the other, and records whom each edge means without any
merge (`meant`). A split gives each edge back to the person it means.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ashd.language.words import normalise
from ashd.store import meant, people
from ashd.store.database import Tx
from ashd.store.meant import AMONG_JOINED, CERTAIN
from ashd.store.people import Person


class Merge(NamedTuple):
    """A row of `person_merges`."""

    id: int
    loser: int
    winner: int
    moved: str
    """JSON: the accounts that became the winner's, and the alias that the loser's name became."""
    merged_at: int
    split_at: int | None
    by_join: bool
    """Whether the merge was made by a join of accounts, and ends with the join."""


@dataclass(slots=True)
class NotParted:
    """Statements about a third person after a split: nobody knows which of the two they mean."""

    person: int | None = None
    memories: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    relationships: int = 0
    unrecorded: int = 0
    """Memories that stay with the winner of the merge: an older version did not record whom they
    mean.
    """

    def third(self, tx: Tx) -> int:
        """Return the third person, who has no name."""
        if self.person is None:
            self.person = people.insert(
                *(tx,),
                name="someone",
                named=False,
                created_by=None,
                learned_in=None,
                said_at=tx.now,
            )
        return self.person


_MERGE: Final = "select id, loser, winner, moved, merged_at, split_at, by_join from person_merges"
_AMONG: Final = "in (select value from json_each(?))"


def _merge(row: tuple[object, ...]) -> Merge:
    return Merge._make((*row[:-1], bool(row[-1])))


def merge(tx: Tx, loser: Person, winner: Person, alias_key: str, *, by_join: bool = False) -> None:
    """Move every edge of the loser to the winner; the loser's id means the winner from now on.

    The loser's name becomes an alias of the winner (`alias_key` is how names compare), with the
    time of the original statement. The name of an account stays the account's.
    """
    meant.write_down(tx, loser.id, winner.id)
    accounts = _numbers(tx, "select id from accounts where person = ?", loser.id)
    for table, column in _EDGES:
        tx.run(f"update {table} set {column} = ? where {column} = ?", winner.id, loser.id)
    tx.run("update accounts set person = ? where person = ?", winner.id, loser.id)
    tx.run(
        "update memory_subjects as s set person = ?1 where person = ?2 and not exists"
        " (select 1 from memory_subjects o where o.memory = s.memory and o.person = ?1)",
        *(winner.id, loser.id),
    )
    tx.run("delete from memory_subjects where person = ?", loser.id)
    added = None
    if loser.named and loser.learned_in is not None:
        added = people.add_alias(
            *(tx, winner.id, loser.name, alias_key),
            added_by=loser.created_by,
            learned_in=loser.learned_in,
            sensitivity=loser.sensitivity,
            said_at=loser.said_at,
            stored_at=loser.named_at,
        )
        # It goes with the loser's name, wherever that is.
        tx.run("update person_aliases set meant = ? where id = ?", loser.id, added)
    tx.run(
        "insert into person_merges (loser, winner, moved, merged_at, by_join)"
        " values (?, ?, ?, ?, ?)",
        *(loser.id, winner.id, encode({"accounts": accounts, "added_alias": added})),
        *(tx.now, by_join),
    )
    _redirect(tx, loser.id, winner.id)


_EDGES: Final = (
    ("person_aliases", "person"),
    ("person_relationships", "person"),
    ("person_relationships", "to_person"),
)
_MEANT: Final = {"person": "meant", "to_person": "to_meant"}
"""The column with the person whom an edge means without any merge."""


def encode(moved: dict[str, object]) -> str:
    """Return a merge's moved rows in stored form."""
    return json.dumps(moved)


def split(tx: Tx, merged: Merge, left: NotParted | None = None) -> NotParted:
    """Undo a merge: give every edge to the person it means, wherever later merges have moved it.

    An edge that means one of the two, with nobody knowing which, goes to a third person; it is
    added to `left`, and returned.
    """
    left = left or NotParted()
    holder = people.final(tx, merged.loser)
    meant.adopt(tx, holder)
    added = json.loads(merged.moved)["added_alias"]
    if added is not None:
        people.remove_alias(tx, added)
    tx.run("update person_merges set split_at = ? where id = ?", tx.now, merged.id)
    _redirect(tx, merged.loser, None)
    parted = family(tx, merged.loser)
    among = json.dumps(parted)
    is_joins = merged.by_join or moved_accounts(merged)
    if not merged.by_join:
        _leave_unsure(tx, merged, holder, left, is_joins=is_joins)
    for table, column in _EDGES:
        tx.run(
            f"update {table} set {column} = ? where {column} = ? and {_MEANT[column]} {_AMONG}",
            *(merged.loser, holder, among),
        )
    tx.run(
        f"update accounts set person = ? where person = ? and own_person {_AMONG}",
        *(merged.loser, holder, among),
    )
    before = dict.fromkeys(parted, holder)
    _part_subjects(tx, merged, holder, before, left, is_joins=is_joins)
    return left


def _leave_unsure(tx: Tx, merged: Merge, holder: int, left: NotParted, *, is_joins: bool) -> None:
    """Give to neither person the names and claims that mean one of the two, nobody knows which."""
    told = f"created_at >= {merged.merged_at} and {_unsure(is_joins=is_joins)}"
    where = f"person = ? and {told}"
    names = tx.all(f"select value from person_aliases where {where}", holder)
    if names:
        left.names += [row[0] for row in names]
        tx.run(
            f"update person_aliases set person = ?1, meant = ?1, unsure = 0"
            f" where person = ?2 and {told}",
            *(left.third(tx), holder),
        )
    count: int = tx.value(
        f"select count(*) from person_relationships where (person = ?1 or to_person = ?1)"
        f" and {told}",
        holder,
    )
    if count:
        third = left.third(tx)
        left.relationships += count
        for column, meaning in _MEANT.items():
            tx.run(
                f"update person_relationships set {column} = ?1, {meaning} = ?1"
                f" where {column} = ?2 and {told}",
                *(third, holder),
            )


def _unsure(*, is_joins: bool) -> str:
    """Return the condition on what nobody can part: joined accounts part what callers merged."""
    return f"unsure = {AMONG_JOINED}" if is_joins else f"unsure <> {CERTAIN}"


def _part_subjects(
    tx: Tx,
    merged: Merge,
    holder: int,
    before: dict[int, int],
    left: NotParted,
    *,
    is_joins: bool,
) -> None:
    about = "select memory from memory_subjects where person = ?"
    memories = _numbers(
        tx, f"select distinct memory from meant_subjects where memory in ({about})", holder
    )
    if merged.by_join:
        meant.part_subjects(tx, memories, before, nobody={}, third=None)
        return
    nobody: dict[int, list[int]] = {}
    rows = tx.all(
        "select w.memory, w.position, w.person from meant_subjects w"
        f" join memories m on m.id = w.memory where w.memory in ({about})"
        f" and m.created_at >= ? and w.{_unsure(is_joins=is_joins)} order by w.memory",
        *(holder, merged.merged_at),
    )
    for memory, position, person in rows:
        if person is None or before.get(person, people.final(tx, person)) == holder:
            nobody.setdefault(memory, []).append(position)
    third = left.third(tx) if nobody else None
    left.memories += nobody
    left.unrecorded += tx.value(
        "select count(*) from memory_subjects s join memories m on m.id = s.memory"
        " where s.person = ? and m.created_at >= ? and not exists"
        " (select 1 from meant_subjects w where w.memory = s.memory)",
        *(holder, merged.merged_at),
    )
    meant.part_subjects(tx, memories, before, nobody=nobody, third=third)


def merge_again(tx: Tx, loser: int, winner: int) -> None:
    """Merge again two people of accounts that stay joined, whose merge was undone."""
    one = people.by_id(tx, loser)
    merge(tx, one, people.by_id(tx, winner), normalise(one.name), by_join=True)


def of_loser(tx: Tx, loser: int) -> Merge | None:
    """Return the merge in effect by which this person was merged into another."""
    row = tx.one(f"{_MERGE} where loser = ? and split_at is null order by id desc limit 1", loser)
    return _merge(row) if row else None


def latest_into(tx: Tx, winner: int) -> Merge | None:
    """Return the latest merge in effect by which another was merged into this person.

    One that a join of accounts made is not among them: it ends with the join.
    """
    row = tx.one(
        f"{_MERGE} where winner = ? and split_at is null and by_join = 0 order by id desc limit 1",
        winner,
    )
    return _merge(row) if row else None


def within(tx: Tx, winner: int) -> list[Merge]:
    """Return the merges in effect that made this person of several, oldest first."""
    rows = tx.all(
        f"{_MERGE} where split_at is null and loser {_AMONG} order by id",
        json.dumps(family(tx, winner)),
    )
    return [_merge(row) for row in rows]


def by_join(tx: Tx, accounts: Collection[int]) -> list[Merge]:
    """Return the merges that a join of these accounts with others made, oldest first."""
    rows = tx.all(
        f"{_MERGE} where split_at is null and by_join = 1 and loser in (select id from people"
        f" where created_by {_AMONG}) order by id",
        json.dumps(list(accounts)),
    )
    return [_merge(row) for row in rows]


def moved_accounts(merged: Merge) -> bool:
    """Return whether the merge joined accounts."""
    return bool(json.loads(merged.moved)["accounts"])


def family(tx: Tx, winner: int) -> list[int]:
    """Return the person, and all who were merged into it."""
    return _numbers(
        tx,
        "with recursive one (id) as (select cast(?1 as bigint) union"
        " select p.id from people p join one on p.merged_into = one.id) select id from one",
        winner,
    )


def is_merged(tx: Tx, person: int) -> bool:
    """Return whether somebody was merged into the person."""
    return tx.one("select 1 from people where merged_into = ? limit 1", person) is not None


def one_with(tx: Tx, numbers: Iterable[int]) -> list[int]:
    """Return all rows of the people of these rows, in whichever direction they were merged."""
    winners = {people.final(tx, number) for number in numbers}
    return sorted({row for winner in winners for row in family(tx, winner)})


def erase(tx: Tx, winner: int) -> int:
    """Erase everything known of the person, and of those merged into it; count the records.

    A memory about the person stays about somebody without a name: without the edge, hearsay would
    appear as a fact without a subject.
    """
    members = json.dumps(family(tx, winner))
    among = "in (select value from json_each(?1))"
    tx.run(f"delete from person_merges where loser {among} or winner {among}", members)
    tx.run(f"delete from person_aliases where person {among}", members)
    tx.run(f"delete from person_relationships where person {among} or to_person {among}", members)
    tx.run(f"delete from not_identified where person {among}", members)
    tx.run(f"update memory_subjects set reference = null where person {among}", members)
    tx.run(f"update meant_subjects set person = ?2 where person {among}", members, winner)
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


def _redirect(tx: Tx, loser: int, winner: int | None) -> None:
    tx.run("update people set merged_into = ?, updated_at = ? where id = ?", winner, tx.now, loser)


def _numbers(tx: Tx, sql: str, number: int) -> list[int]:
    return [row[0] for row in tx.all(sql, number)]
