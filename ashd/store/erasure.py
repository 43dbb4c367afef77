"""Erase rows for good: from the tables, the indexes and the stored replies.

Works from the `register`. Every function counts the rows it removes, by table, for the receipt;
`found` counts the same without removing anything. Pages are overwritten (`secure_delete`), and the
log is emptied afterwards (`Database.empty_log`).
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from ashd.store import passages, visibility
from ashd.store.register import DERIVED, GONE_WITH, Root
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer

_SAME_WORDS: Final = (
    " from profile_statements p where p.message in (select t.id from memories m"
    "   join conversations c on c.chat = m.learned_in and c.external_id = m.source_session_id"
    "   join messages t on t.conversation = c.id and (m.source_message_id is null"
    "     or m.source_message_id in (t.external_id, t.uuid))"
    "   where m.source in ('extraction', 'background_extraction')"
    "   and m.id in (select value from json_each(?)))"
)
"""Profile statements from the same messages as memories that were extracted from them."""
_AMONG: Final = " in (select value from json_each(?))"
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
    """Erase the rows that belong to these, and these themselves where the register says so."""
    params = {"numbers": json.dumps(list(numbers))}
    return +Counter(
        {
            table: tx.run_named(f"delete from {table} where {where}", params)
            for table, where in GONE_WITH[root].items()
        }
    )


# What is indexed ---------------------------------------------------------------------------------


def indexed(tx: Tx, kind: int, items: Collection[int]) -> Counter[str]:
    """Count the passages of memories or messages, and the vectors that no other text shares."""
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

    A vector belongs to a text; it stays while another passage has the same text.
    """
    numbers = passages.of_item(tx, kind, item)
    hashes = [tx.value("select hash from passages where id = ?", number) for number in numbers]
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


# What was made from what is erased ---------------------------------------------------------------


_ORIGINS: Final = {
    passages.MEMORY: "select owner, stated_by, learned_in from memories where id",
    passages.MESSAGE: (
        "select c.owner, t.account, c.chat from messages t"
        " join conversations c on c.id = t.conversation where t.id"
    ),
}


def derived(tx: Tx, kind: int, items: Collection[int], *, erase: bool) -> Counter[str]:
    """Count, or remove, what may have been derived from memories or messages.

    These are the texts made for their owners, their speakers and their chats.
    """
    rows = tx.all(f"{_ORIGINS[kind]}{_AMONG}", json.dumps(list(items)))
    accounts = {number for owner, stater, _ in rows for number in (owner, stater)} - {None}
    joined = tx.all(
        "select o.id from accounts a join accounts o on o.person = a.person where a.id" + _AMONG,
        json.dumps(list(accounts)),
    )
    params = {
        "accounts": json.dumps([row[0] for row in joined]),
        "chats": json.dumps(list({chat for _, _, chat in rows})),
    }
    counted: Counter[str] = Counter()
    if kind == passages.MEMORY:
        numbers = json.dumps(list(items))
        counted["profile_statements"] = (
            tx.run(
                f"delete from profile_statements where id in (select p.id{_SAME_WORDS})", numbers
            )
            if erase
            else tx.value(f"select count(*){_SAME_WORDS}", numbers)
        )
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


def erase_people(tx: Tx, numbers: Sequence[int]) -> Counter[str]:
    """Erase people that only names and claims refer to."""
    if not numbers:
        return Counter()
    tx.touch(*(("person", number) for number in numbers))
    counted = erase_rows(tx, "person", numbers)
    counted["people"] = tx.run(
        "delete from people where id in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return counted


# Entities ---------------------------------------------------------------------------------------


def entities_that_are(
    tx: Tx, viewer: Viewer, people: Collection[int], keys: Collection[str]
) -> list[int]:
    """Return the viewer's entities that are one of the people or have a name of theirs.

    Removed ones too; for an operator with all scopes, everybody's.
    """
    own = f"(m.owner in {visibility.ASKERS} or m.stated_by in {visibility.ASKERS})"
    rows = tx.named(
        "select m.id from entities m where m.type = 'person'"
        " and (m.person in (select value from json_each(:people))"
        "  or (m.person is null and m.key in (select value from json_each(:keys))))"
        f" and {'true' if viewer.everything else own}",
        {
            **visibility.parameters(viewer),
            "people": json.dumps(list(people)),
            "keys": json.dumps(list(keys)),
        },
    )
    return [row[0] for row in rows]


# Jobs that hold it --------------------------------------------------------------------------------


def jobs_with(tx: Tx, texts: Collection[str]) -> list[int]:
    """Return the unfinished jobs whose payload holds one of the texts, as row numbers."""
    written = [
        json.dumps(text, ensure_ascii=pure)[1:-1] for text in texts for pure in (False, True)
    ]
    rows = tx.all(
        "select j.id from jobs j where j.state in ('queued', 'delayed', 'due', 'running',"
        " 'set_aside') and exists (select 1 from json_each(?) t where instr(j.payload, t.value))",
        json.dumps(written),
    )
    return [row[0] for row in rows]


def erase_jobs(tx: Tx, numbers: Collection[int]) -> Counter[str]:
    """Erase jobs whose input is gone."""
    gone = tx.run(
        "delete from jobs where id in (select value from json_each(?))", json.dumps(list(numbers))
    )
    return +Counter({"jobs": gone})


# Stored replies ----------------------------------------------------------------------------------


def replies_with_text(tx: Tx) -> int:
    """Count the stored replies that may hold content."""
    return int(tx.value("select count(*) from replies where reply is not null"))


def erase_replies(tx: Tx, limit: int) -> int:
    """Erase the text of all stored replies; the record that the calls took effect stays."""
    return tx.run(
        "update replies set reply = null where id in"
        " (select id from replies where reply is not null limit ?)",
        limit,
    )


def erase_keys(tx: Tx, callers: Collection[str], prefixes: Collection[str]) -> Counter[str]:
    """Erase the idempotency keys of callers, and of all whose name begins with a prefix."""
    counted: Counter[str] = Counter()
    for table in ("idempotency", "replies"):
        counted[table] += tx.run(
            f"delete from {table} where caller in (select value from json_each(?))",
            json.dumps(list(callers)),
        )
        for prefix in prefixes:
            counted[table] += tx.run(
                f"delete from {table} where caller >= ? and caller < ?",
                *(prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)),
            )
    return +counted
