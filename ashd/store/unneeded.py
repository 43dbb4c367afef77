"""People whom nothing needs any more, each by itself: without those who are one with it.

While people are merged, what is known of all of them is stored with one, and says whom of them it
means (`meant`). Somebody whom nothing means goes. If others are merged into that row it stays, for
them, without its name.
"""

import json
from collections.abc import Collection
from typing import Any, Final, NamedTuple

from ashd.store import merges
from ashd.store.transaction import Tx

_ADDED: Final = (
    "select json_extract(g.moved, '$.added_alias') from person_merges g"
    " where g.split_at is null and g.loser {whom}"
)
"""The aliases that are the names of people who were merged."""
_MEMORIES: Final = (
    "(select memory from meant_subjects where person = p.id"
    " union all select s.memory from memory_subjects s where s.person = p.id and not exists"
    "   (select 1 from meant_subjects w where w.memory = s.memory and w.person is not null))"
)
"""The memories whose subject means this row."""
_NEEDED: Final = (
    f"exists (select 1 from {_MEMORIES} m where {{but}})"
    " or exists (select 1 from accounts a where a.person = p.id or a.own_person = p.id)"
    " or exists (select 1 from entities e where e.person = p.id)"
    " or exists (select 1 from person_aliases n"
    "   where (n.meant = p.id or n.person = p.id and n.meant is null)"
    f"   and n.id not in ({_ADDED.format(whom='= p.id')}"
    "     and json_extract(g.moved, '$.added_alias') is not null) {alias})"
    " or exists (select 1 from person_relationships r where {claim}"
    "   (r.meant = p.id or r.person = p.id and r.meant is null"
    "   or r.to_meant = p.id or r.to_person = p.id and r.to_meant is null))"
)
_LEARNED_WITH: Final = (
    "p.created_at in (select value from json_each(:times))"
    " or lower(p.name) in (select value from json_each(:words)) or p.name = 'someone'"
    " and not p.named"
)
_FAMILY: Final = "p.id in (select value from json_each(:family))"
_GOING: Final = "(select value from json_each(:going))"
_TIMES: Final = "created_at in (select value from json_each(:times))"


class Unneeded(NamedTuple):
    """People who go, people who only lose their name, and the aliases of both by merges."""

    gone: list[int]
    nameless: list[int]
    aliases: list[int]


def find(tx: Tx, people: Collection[int], params: dict[str, Any], *, ahead: bool) -> Unneeded:
    """Return those of these people, and of all who are one with them, whom nothing needs.

    They were learned with erased memories: by the `times` or `words` of those, in the params. With
    `ahead` these (`going`) still exist, with the names and claims learned with them.
    """
    needed = _NEEDED.format(
        but=f"m.memory not in {_GOING}" if ahead else "true",
        alias=f"and not n.{_TIMES}" if ahead else "",
        claim=f"not r.{_TIMES} and" if ahead else "",
    )
    family = json.dumps(merges.one_with(tx, people))
    rows = tx.named(
        f"select p.id from people p where {_FAMILY} and ({_LEARNED_WITH}) and not ({needed})",
        {**params, "family": family},
    )
    unneeded = {row[0] for row in rows}
    merged = tx.all(
        "select merged_into, id from people where merged_into in (select value from json_each(?))",
        family,
    )
    gone = set(unneeded)
    while held := {into for into, one in merged if into in gone and one not in gone}:
        gone -= held
    aliases = tx.all(
        _ADDED.format(whom="in (select value from json_each(?))"), json.dumps(list(unneeded))
    )
    return Unneeded(sorted(gone), sorted(unneeded - gone), [row[0] for row in aliases if row[0]])


def clear_names(tx: Tx, numbers: Collection[int]) -> None:
    """Remove the names of people whom others are merged into."""
    tx.run(
        "update people set name = 'someone', named = 0, updated_at = ?"
        " where id in (select value from json_each(?))",
        *(tx.now, json.dumps(list(numbers))),
    )


def know_since(tx: Tx, people: Collection[int], params: dict[str, Any]) -> None:
    """Let people learned at the `times` be known since the oldest memory that is left of each."""
    tx.run_named(
        "update people as p set created_at = coalesce((select min(m.created_at) from memories m"
        f" where m.id in {_MEMORIES}), p.created_at) where {_FAMILY} and p.{_TIMES}"
        " and not exists (select 1 from memories m"
        f" where m.id in {_MEMORIES} and m.created_at = p.created_at)",
        {**params, "family": json.dumps(merges.one_with(tx, people))},
    )
