"""All that was told of people: by which account, and in which chat."""

import json
from collections.abc import Collection

from ashd.store.database import Tx


def told_of(tx: Tx, numbers: Collection[int]) -> set[tuple[int | None, int | None]]:
    """Return (account, chat) for all that was told of these people, memories about them included.

    A memory counts for its owner and for its speaker; account None is nobody known.
    """
    rows = tx.all(
        "with chosen (id) as (select value from json_each(?))"
        " select created_by, learned_in from people where id in chosen"
        " union select added_by, learned_in from person_aliases where person in chosen"
        " union select stated_by, learned_in from person_relationships where person in chosen"
        " union select coalesce(m.stated_by, m.owner), m.learned_in from memory_subjects s"
        "  join memories m on m.id = s.memory where s.person in chosen"
        " union select m.owner, m.learned_in from memory_subjects s"
        "  join memories m on m.id = s.memory where s.person in chosen and m.owner is not null",
        json.dumps(list(numbers)),
    )
    return {(row[0], row[1]) for row in rows}
