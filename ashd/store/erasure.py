"""Rows go for good: what is erased leaves the tables, the indexes and the stored replies.

Works from the `register`. Every function counts what it removed, by table, for the receipt; `found`
counts the same without removing anything. The pages are overwritten (`secure_delete`), and the log
is emptied afterwards (`Database.truncate_log`).
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.register import DERIVED, GONE_WITH, Root

_PASSAGES: Final = (
    "select id from passages where kind = :kind and item in (select value from json_each(:items))"
)


def rows_of(tx: Tx, root: Root, numbers: Sequence[int]) -> Counter[str]:
    """Count the rows that go with these."""
    params = {"numbers": json.dumps(list(numbers))}
    return +Counter(
        {
            table: tx.named(f"select count(*) from {table} where {where}", params)[0][0]
            for table, where in GONE_WITH[root].items()
        }
    )


def erase_rows(tx: Tx, root: Root, numbers: Sequence[int]) -> Counter[str]:
    """Erase the rows that go with these, and these themselves where the register says so."""
    params = {"numbers": json.dumps(list(numbers))}
    return +Counter(
        {
            table: tx.run_named(f"delete from {table} where {where}", params)
            for table, where in GONE_WITH[root].items()
        }
    )


# What is indexed ---------------------------------------------------------------------------------


def indexed(tx: Tx, kind: int, items: Collection[int]) -> Counter[str]:
    """Count the passages of memories or messages, and the vectors that nobody else's text has."""
    params = {"kind": kind, "items": json.dumps(list(items))}
    count = tx.named(f"select count(*) from ({_PASSAGES})", params)[0][0]
    alone = tx.named(
        "select count(*) from (select distinct hash from passages"
        f"   where id in ({_PASSAGES})) gone cross join embedding_sets s"
        " cross join embeddings e on e.embedding_set = s.id and e.hash = gone.hash"
        " where not exists (select 1 from passages o"
        f" where o.hash = e.hash and o.id not in ({_PASSAGES}))",
        params,
    )[0][0]
    return +Counter({"passages": count, "embeddings": alone})


def erase_indexed(tx: Tx, kind: int, item: int) -> Counter[str]:
    """Erase the passages of a memory or message: full text, queue, and its vectors unless shared.

    A vector belongs to a text; while another passage has the same text, it stays that one's.
    """
    numbers = passages.of_item(tx, kind, item)
    hashes = [
        tx.value("select hash from passages where id = ?", number) for number in numbers
    ]
    for number in numbers:
        tx.run("delete from passage_vectors where passage = ?", number)
        tx.run("delete from embedding_queue where passage = ?", number)
    passages.delete(tx, numbers)
    vectors = sum(
        tx.run(
            "delete from embeddings where (embedding_set, hash) in"
            " (select id, ?1 from embedding_sets)"
            " and not exists (select 1 from passages where hash = ?1)",
            digest,
        )
        for digest in dict.fromkeys(hashes)
    )
    return +Counter({"passages": len(numbers), "embeddings": vectors})


def unused_vectors(tx: Tx, limit: int, *, erase: bool) -> int:
    """Count, or erase, vectors of texts that nothing stored has any more."""
    where = "not exists (select 1 from passages p where p.hash = e.hash)"
    if not erase:
        return int(tx.value(f"select count(*) from embeddings e where {where}"))
    return tx.run(
        "delete from embeddings where (embedding_set, hash) in"
        f" (select embedding_set, hash from embeddings e where {where} limit ?)",
        limit,
    )


# What was made from what is erased ---------------------------------------------------------------


def derived(
    tx: Tx, accounts: Iterable[int], chats: Iterable[int], *, erase: bool
) -> Counter[str]:
    """Count, or take away, the texts that were made from others of these accounts and chats."""
    params = {"accounts": json.dumps(list(accounts)), "chats": json.dumps(list(chats))}
    counted: Counter[str] = Counter()
    for entry in DERIVED:
        if not erase:
            sql = f"select count(*) from {entry.table} where {entry.where}"
            counted[entry.table] += tx.named(sql, params)[0][0]
        elif entry.cleared is None:
            sql = f"delete from {entry.table} where {entry.where}"
            counted[entry.table] += tx.run_named(sql, params)
        else:
            sql = f"update {entry.table} set {entry.cleared} where {entry.where}"
            counted[entry.table] += tx.run_named(sql, params)
    return +counted


# People who were known only through what is erased -----------------------------------------------

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
    """What memories that go taught of people: whom they are about, by which words, and when.

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

    def known_only_by(self, tx: Tx) -> list[int]:
        """The people of whom nothing is left once the memories are gone; they are still there."""
        with_it = "created_at not in (select value from json_each(:times))"
        left = _LEFT.format(
            but="and s.memory not in (select value from json_each(:going))",
            alias=f"and n.{with_it}",
            claim=f"and r.{with_it}",
        )
        return self._known(tx, left)

    def forget(self, tx: Tx) -> Counter[str]:
        """Erase what was learned with the memories, which are gone now, and those known by no more.

        Whom others still tell of stays, known since the oldest memory that is left.
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


def erase_people(tx: Tx, numbers: Sequence[int]) -> Counter[str]:
    """Erase people to whom nothing refers but names and claims."""
    if not numbers:
        return Counter()
    tx.touch(*(("person", number) for number in numbers))
    counted = erase_rows(tx, "person", numbers)
    counted["people"] = tx.run(
        "delete from people where id in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return counted


# Stored replies ----------------------------------------------------------------------------------


def replies_with_text(tx: Tx) -> int:
    """Count the stored replies that may hold anybody's words."""
    return int(tx.value("select count(*) from idempotency where reply <> ''"))


def erase_replies(tx: Tx, limit: int) -> int:
    """Empty stored replies, whoever's they are; that their calls took effect stays on record."""
    return tx.run(
        "update idempotency set reply = '' where (caller, key) in"
        " (select caller, key from idempotency where reply <> '' limit ?)",
        limit,
    )


def erase_keys(tx: Tx, callers: Collection[str], prefixes: Collection[str]) -> int:
    """Erase the idempotency keys of callers, and of all whose name begins with a prefix."""
    gone = tx.run(
        "delete from idempotency where caller in (select value from json_each(?))",
        json.dumps(list(callers)),
    )
    for prefix in prefixes:
        gone += tx.run(
            "delete from idempotency where caller >= ? and caller < ?",
            *(prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)),
        )
    return gone
