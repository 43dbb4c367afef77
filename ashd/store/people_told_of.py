"""All that was said about people: by which account, in which chat, and in which memories."""

import json
from collections.abc import Collection
from typing import NamedTuple

from ashd.store.database import Tx


def told_of(tx: Tx, numbers: Collection[int]) -> set[tuple[int | None, int | None]]:
    """Return (account, chat) of everything that was said about these people, memories included.

    A memory counts for its owner and for its speaker; the account is None if it is unknown.
    """
    among = "in (select value from json_each(?1))"
    rows = tx.all(
        f"select created_by, learned_in from people where id {among}"
        f" union select added_by, learned_in from person_aliases where person {among}"
        f" union select stated_by, learned_in from person_relationships where person {among}"
        " union select coalesce(m.stated_by, m.owner), m.learned_in from memory_subjects s"
        f"  join memories m on m.id = s.memory where s.person {among}"
        " union select m.owner, m.learned_in from memory_subjects s"
        f"  join memories m on m.id = s.memory where s.person {among} and m.owner is not null",
        json.dumps(list(numbers)),
    )
    return {(row[0], row[1]) for row in rows}


_ABOUT = (
    "select memory, person from memory_subjects where person in (select value from json_each(?))"
)
_OWN_WORDS = (
    "select m.id, a.person from accounts a cross join memories m on m.stated_by = a.id"
    " where a.person in (select value from json_each(?)) and (exists"
    "  (select 1 from memory_subjects s where s.memory = m.id and s.person = a.person)"
    "  or m.first_person = 1 and not exists"
    "  (select 1 from memory_subjects s where s.memory = m.id and s.is_read = 0))"
)


class Memories(NamedTuple):
    """Memories as (memory, person)."""

    about: list[tuple[int, int]]
    own_words: list[tuple[int, int]]
    """Statements about oneself: by name, or in the first person if they name nobody."""

    def of(self, persons: Collection[int]) -> "Memories":
        """Return those of some of the people."""
        return Memories(*([one for one in every if one[1] in persons] for every in self))


def memories(tx: Tx, numbers: Collection[int]) -> Memories:
    """Return the memories about these people, and their own words about themselves."""
    asked = (json.dumps(list(numbers)),)
    about, own = tx.together((_ABOUT, asked), (_OWN_WORDS, asked))
    return Memories([(row[0], row[1]) for row in about], [(row[0], row[1]) for row in own])
