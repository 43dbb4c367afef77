"""People who go with what was told of them, and the names and claims that do.

A person, a name or a claim that was stored in a memory's transaction was learned with it: both have
the transaction's time. While people are merged, what is known of all of them is stored with one,
and says whom of them it means (`meant`). Somebody whom nothing means goes, each by itself. If
others are merged into that row it stays, for them, without its name.
"""

import json
from collections import Counter
from collections.abc import Collection
from typing import Any, Final

from ashd.store import merges, visibility
from ashd.store.dialect import text_list
from ashd.store.erasure import rows
from ashd.store.erasure.register import GOES_WITH
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer

_ADDED: Final = (
    "select cast(json_extract(g.moved, '$.added_alias') as bigint) from person_merges g"
    " where g.split_at is null and g.loser {whom}"
)
"""The aliases that are the names of people who were merged."""
_GOING: Final = "(select value from json_each(:going))"
_MEMORIES: Final = (
    "(select memory from meant_subjects where person = p.id"
    " union all select s.memory from memory_subjects s where s.person = p.id and not exists"
    "   (select 1 from meant_subjects w where w.memory = s.memory and w.person is not null))"
)
"""The memories about the person of this row."""
_LEARNED: Final = (
    "select id from {table} as learned where person in (select value from json_each(:people))"
    " and created_at in (select value from json_each(:times)) and not exists"
    " (select 1 from memory_subjects s join memories m on m.id = s.memory"
    "   where s.person = learned.person and m.created_at = learned.created_at"
    f"   and m.id not in {_GOING})"
)
"""Names or claims that were learned only with memories that are erased."""
_UNNEEDED: Final = (
    "select p.id from people p where p.id in (select value from json_each(:family))"
    " and (p.created_at in (select value from json_each(:times))"
    f"  or lower(p.name) in (select value from {text_list(':words')})"
    "  or p.name = 'someone' and p.named = 0)"
    f" and not exists (select 1 from {_MEMORIES} m where m.memory not in {_GOING})"
    " and not exists (select 1 from accounts a where a.person = p.id or a.own_person = p.id)"
    " and not exists (select 1 from entities e where e.person = p.id)"
    " and not exists (select 1 from person_aliases n"
    "   where (n.meant = p.id or n.person = p.id and n.meant is null)"
    f"   and n.id not in ({_ADDED.format(whom='= p.id')}"
    "     and json_extract(g.moved, '$.added_alias') is not null)"
    "   and n.id not in (select value from json_each(:aliases)))"
    " and not exists (select 1 from person_relationships r"
    "   where r.id not in (select value from json_each(:claims))"
    "   and (r.meant = p.id or r.person = p.id and r.meant is null"
    "   or r.to_meant = p.id or r.to_person = p.id and r.to_meant is null))"
)
"""People learned with memories that are erased, whom nothing else needs."""


class Learned:
    """The knowledge of people from memories that go, found while those are still there."""

    def __init__(self, tx: Tx, memories: Collection[int]) -> None:
        self._params: dict[str, Any] = {}
        self._gone: list[int] = []
        self._nameless: list[int] = []
        self._aliases: list[int] = []
        self._claims: list[int] = []
        subjects = tx.all(
            "select s.person, lower(s.reference), m.created_at, s.memory from memory_subjects s"
            " join memories m on m.id = s.memory"
            " where s.memory in (select value from json_each(?))",
            json.dumps(list(memories)),
        )
        if not subjects:
            return
        people, words, times, going = ({row[at] for row in subjects} for at in range(4))
        self._params = {
            "people": json.dumps(sorted(people)),
            "words": json.dumps(sorted(words - {None, ""})),
            "times": json.dumps(sorted(times)),
            "going": json.dumps(sorted(going)),
            "family": json.dumps(merges.one_with(tx, people)),
        }
        self._aliases, self._claims = (
            _numbers(tx, _LEARNED.format(table=table), self._params)
            for table in ("person_aliases", "person_relationships")
        )
        self._find_unneeded(tx)

    def _find_unneeded(self, tx: Tx) -> None:
        unneeded = set(_numbers(tx, _UNNEEDED, {**self._params, **self._names}))
        merged = tx.named(
            "select merged_into, id from people"
            " where merged_into in (select value from json_each(:family))",
            self._params,
        )
        # A memory is perhaps stored with somebody whom it does not mean.
        told = (
            "select person from memory_subjects where person in"
            f" (select value from json_each(:unneeded)) and memory not in {_GOING}"
        )
        params = {**self._params, "unneeded": json.dumps(list(unneeded))}
        gone = unneeded - set(_numbers(tx, told, params))
        while held := {into for into, one in merged if into in gone and one not in gone}:
            gone -= held
        self._gone, self._nameless = sorted(gone), sorted(unneeded - gone)
        added = _ADDED.format(whom="in (select value from json_each(:unneeded))")
        self._aliases += _numbers(tx, added, params)

    @property
    def _names(self) -> dict[str, str]:
        return {"aliases": json.dumps(self._aliases), "claims": json.dumps(self._claims)}

    def take(self, tx: Tx, *, erase: bool, others: Collection[int] = ()) -> Counter[str]:
        """Count the rows, with those of other people; or erase them, once the memories are erased.

        A person whom others mention stays, with the date of the oldest memory that is left.
        """
        if not (self._params or others):
            return Counter()
        counted = take(tx, {*self._gone, *others}, erase=erase, **self._names)
        if erase:
            tx.run_named(
                "update people set name = 'someone', named = 0, updated_at = :now"
                " where id in (select value from json_each(:nameless))",
                {"nameless": json.dumps(self._nameless), "now": tx.now},
            )
            self._know_since(tx)
        return counted

    def _know_since(self, tx: Tx) -> None:
        """Date people learned with these memories by the oldest memory that each has left."""
        tx.run_named(
            "update people as p set created_at = coalesce((select min(m.created_at)"
            f" from memories m where m.id in {_MEMORIES}), p.created_at)"
            " where p.id in (select value from json_each(:family))"
            " and p.created_at in (select value from json_each(:times))"
            " and not exists (select 1 from memories m"
            f" where m.id in {_MEMORIES} and m.created_at = p.created_at)",
            self._params,
        )


def take(
    tx: Tx, numbers: Collection[int], *, erase: bool, aliases: str = "[]", claims: str = "[]"
) -> Counter[str]:
    """Count or erase people that only names and claims refer to, and names and claims of others."""
    if erase:
        tx.touch(*(("person", number) for number in numbers))
    params = {"numbers": json.dumps(list(numbers)), "aliases": aliases, "claims": claims}
    return rows.take(tx, GOES_WITH["person"], params, erase=erase)


def erase_record(tx: Tx, person: int) -> Counter[str]:
    """Erase all that is known of a person and of those merged into it, but memories."""
    counted = take(tx, merges.family(tx, person), erase=False)
    counted["people"] = merges.erase(tx, person)
    return +counted


def entities_that_are(
    tx: Tx, viewer: Viewer, people: Collection[int], keys: Collection[str]
) -> list[int]:
    """Return the viewer's entities that are one of the people, or have a name of one of them.

    Includes removed entities; for an operator with all scopes, everybody's.
    """
    own = f"(m.owner in {visibility.ASKERS} or m.stated_by in {visibility.ASKERS})"
    return _numbers(
        tx,
        "select m.id from entities m where m.type = 'person'"
        " and (m.person in (select value from json_each(:people))"
        f"  or (m.person is null and m.key in (select value from {text_list(':keys')})))"
        f" and {'true' if viewer.everything else own}",
        {
            **visibility.parameters(viewer),
            "people": json.dumps(list(people)),
            "keys": json.dumps(list(keys)),
        },
    )


def _numbers(tx: Tx, sql: str, params: dict[str, Any]) -> list[int]:
    return [row[0] for row in tx.named(sql, params) if row[0] is not None]
