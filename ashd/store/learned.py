"""Knowledge of people that is erased with the memories it came from: names, claims, people.

A person, a name or a claim that was stored in a memory's transaction was learned with it: both have
the transaction's time.
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from ashd.store.erasure import erase_people
from ashd.store.register import GONE_WITH
from ashd.store.transaction import Tx

_LEFT: Final = (
    "not exists (select 1 from memory_subjects s where s.person = p.id {but})"
    " and not exists (select 1 from accounts a where a.person = p.id or a.own_person = p.id)"
    " and not exists (select 1 from entities e where e.person = p.id)"
    " and not exists (select 1 from person_merges g where g.loser = p.id or g.winner = p.id)"
    " and not exists (select 1 from person_aliases n where n.person = p.id {alias})"
    " and not exists (select 1 from person_relationships r"
    "   where (r.person = p.id or r.to_person = p.id) {claim})"
)
_LEARNED_WITH: Final = (
    "(p.created_at in (select value from json_each(:times))"
    " or lower(p.name) in (select value from json_each(:words)))"
)


class Learned:
    """The knowledge of people from memories to be removed: their subjects, by word and time.

    A person, a name or a claim that was stored in the transaction of a memory was learned with it.
    """

    def __init__(self, tx: Tx, memories: Collection[int]) -> None:
        rows = tx.all(
            "select s.person, lower(s.reference), m.created_at, s.memory from memory_subjects s"
            " join memories m on m.id = s.memory"
            " where s.memory in (select value from json_each(?))",
            json.dumps(list(memories)),
        )
        self.people = sorted({row[0] for row in rows})
        self._params = {
            "people": json.dumps(self.people),
            "words": json.dumps(sorted({row[1] for row in rows if row[1]})),
            "times": json.dumps(sorted({row[2] for row in rows})),
            "going": json.dumps(sorted({row[3] for row in rows})),
        }

    def found(self, tx: Tx, people: Sequence[int]) -> Counter[str]:
        """Count the rows that `forget` will erase; the memories still exist."""
        with_them = "created_at in (select value from json_each(:times))"
        left = _LEFT.format(
            but="and s.memory not in (select value from json_each(:going))",
            alias=f"and not n.{with_them}",
            claim=f"and not r.{with_them}",
        )
        going = sorted({*self._known(tx, left), *people})
        params = {"numbers": json.dumps(going), **self._params}
        alone = (
            f"{{0}}.{with_them} and not exists"
            " (select 1 from memory_subjects s join memories m on m.id = s.memory"
            "   where s.person = {0}.person and m.created_at = {0}.created_at"
            "   and m.id not in (select value from json_each(:going)))"
        )
        counted: Counter[str] = Counter()
        for table, where in (
            ("person_aliases", "person in (select value from json_each(:people))"),
            ("person_relationships", "person in (select value from json_each(:people))"),
        ):
            counted[table] = tx.named(
                f"select count(*) from {table} as learned where ({GONE_WITH['person'][table]})"
                f" or ({where} and {alone.format('learned')})",
                params,
            )[0][0]
        for table in GONE_WITH["person"].keys() - counted.keys():
            sql = f"select count(*) from {table} where {GONE_WITH['person'][table]}"
            counted[table] = tx.named(sql, params)[0][0]
        counted["people"] = len(going)
        return +counted

    def forget(self, tx: Tx) -> Counter[str]:
        """Erase what was learned with erased memories, and the people known only by them.

        A person whom others mention stays, known since the oldest memory that is left.
        """
        counted: Counter[str] = Counter()
        alone = (
            "created_at in (select value from json_each(:times)) and not exists"
            " (select 1 from memory_subjects s join memories m on m.id = s.memory"
            "   where s.person = {0} and m.created_at = learned.created_at)"
        )
        among = "in (select value from json_each(:people))"
        counted["person_aliases"] = tx.run_named(
            f"delete from person_aliases as learned where person {among}"
            f" and {alone.format('learned.person')}",
            self._params,
        )
        counted["person_relationships"] = tx.run_named(
            f"delete from person_relationships as learned where person {among}"
            f" and {alone.format('learned.person')}",
            self._params,
        )
        gone = self._known(tx, _LEFT.format(but="", alias="", claim=""))
        counted += erase_people(tx, gone)
        tx.run_named(
            "update people as learned set created_at = coalesce((select min(m.created_at)"
            "   from memory_subjects s join memories m on m.id = s.memory"
            "   where s.person = learned.id), created_at)"
            f" where id {among} and {alone.format('learned.id')}",
            self._params,
        )
        return +counted

    def _known(self, tx: Tx, left: str) -> list[int]:
        rows = tx.named(
            "select p.id from people p where p.id in (select value from json_each(:people))"
            f" and {_LEARNED_WITH} and {left}",
            self._params,
        )
        return [row[0] for row in rows]
