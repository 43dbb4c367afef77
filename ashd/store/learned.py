"""Knowledge of people that is erased with the memories it came from: names, claims, people.

A person, a name or a claim that was stored in a memory's transaction was learned with it: both have
the transaction's time.
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from ashd.store import unneeded as people_unneeded
from ashd.store.erasure import erase_people
from ashd.store.register import GONE_WITH
from ashd.store.transaction import Tx
from ashd.store.unneeded import Unneeded

_AMONG: Final = "in (select value from json_each(:people))"
_ALIASES: Final = "id in (select value from json_each(:aliases))"


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
        unneeded = self._unneeded(tx, ahead=True)
        going = sorted({*unneeded.gone, *people})
        params = {
            "numbers": json.dumps(going),
            "aliases": json.dumps(unneeded.aliases),
            **self._params,
        }
        alone = (
            f"{{0}}.{with_them} and not exists"
            " (select 1 from memory_subjects s join memories m on m.id = s.memory"
            "   where s.person = {0}.person and m.created_at = {0}.created_at"
            "   and m.id not in (select value from json_each(:going)))"
        )
        counted: Counter[str] = Counter()
        for table, more in (("person_aliases", _ALIASES), ("person_relationships", "false")):
            counted[table] = tx.named(
                f"select count(*) from {table} as learned where ({GONE_WITH['person'][table]})"
                f" or (person {_AMONG} and {alone.format('learned')}) or {more}",
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
        for table in ("person_aliases", "person_relationships"):
            counted[table] = tx.run_named(
                f"delete from {table} as learned where person {_AMONG}"
                f" and {alone.format('learned.person')}",
                self._params,
            )
        unneeded = self._unneeded(tx, ahead=False)
        counted["person_aliases"] += tx.run_named(
            f"delete from person_aliases where {_ALIASES}",
            {"aliases": json.dumps(unneeded.aliases)},
        )
        people_unneeded.clear_names(tx, unneeded.nameless)
        counted += erase_people(tx, unneeded.gone)
        people_unneeded.know_since(tx, self.people, self._params)
        return +counted

    def _unneeded(self, tx: Tx, *, ahead: bool) -> Unneeded:
        return people_unneeded.find(tx, self.people, self._params, ahead=ahead)
