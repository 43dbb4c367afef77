"""All that was said about people: by which account, in which chat, and in which memories."""

import json
from collections.abc import Collection

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


def memories_about(tx: Tx, numbers: Collection[int]) -> list[tuple[int, int]]:
    """Return (memory, person) for the memories about these people."""
    rows = tx.all(
        "select memory, person from memory_subjects"
        " where person in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return [(row[0], row[1]) for row in rows]


def own_words(tx: Tx, numbers: Collection[int]) -> list[tuple[int, int]]:
    """Return (memory, person) of statements by these people about themselves.

    Statements by name, or in the first person if they name nobody.
    """
    rows = tx.all(
        "select m.id, a.person from accounts a cross join memories m on m.stated_by = a.id"
        " where a.person in (select value from json_each(?)) and (exists"
        "  (select 1 from memory_subjects s where s.memory = m.id and s.person = a.person)"
        "  or m.first_person = 1 and not exists"
        "  (select 1 from memory_subjects s where s.memory = m.id and s.is_read = 0))",
        json.dumps(list(numbers)),
    )
    return [(row[0], row[1]) for row in rows]
