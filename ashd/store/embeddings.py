"""Vectors of passages: one set for each embedder, and the queue of passages without a vector."""

import json
from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

from ashd.clock import DAY
from ashd.store import visibility
from ashd.store.database import Tx
from ashd.store.passages import MEMORY, partition

# cross join: the planner must begin with the passages named, not with all vectors
_OF_PASSAGES: Final = (
    "select p.id, {} from json_each(?) wanted cross join passages p on p.id = wanted.value"
    " cross join embeddings e on e.embedding_set = ? and e.hash = p.hash"
)


TOPIC: Final = "vectors"


class Waiting(NamedTuple):
    """A passage without its vector; without its text if the full-text index lacks it."""

    passage: int
    hash: bytes
    text: str | None


class Arrived(NamedTuple):
    """A memory's passage with its new vector; `arrival` numbers them all."""

    arrival: int
    passage: int
    owner: int | None
    pooled: bytes | None


class EmbeddingSet(NamedTuple):
    """The vectors of one embedder."""

    id: int
    model: str
    dimension: int


def set_in(tx: Tx, state: Literal["active", "building"]) -> EmbeddingSet | None:
    """Return the set that searches use, or the one being built to replace it."""
    row = tx.one("select id, model, dimension from embedding_sets where state = ?", state)
    return EmbeddingSet(*row) if row else None


def in_use(tx: Tx) -> tuple[EmbeddingSet | None, EmbeddingSet | None]:
    """Return the set that searches use, and the one being built to replace it."""
    return set_in(tx, "active"), set_in(tx, "building")


def begin_set(tx: Tx, model: str, dimension: int) -> EmbeddingSet:
    """Begin a set for `model`; every passage waits for its vector in the queue.

    The very first set is active at once. A set that was being built before is retired.
    """
    abandoned = set_in(tx, "building")
    if abandoned is not None:
        retire(tx, abandoned)
    active = set_in(tx, "active")
    if active is not None and active.model == model:
        return active  # another daemon was first
    state = "building" if active is not None else "active"
    tx.tell(TOPIC)
    number = tx.insert(
        "insert into embedding_sets (model, dimension, state, created_at) values (?, ?, ?, ?)",
        *(model, dimension, state, tx.now),
    )
    _enqueue_missing(tx, number)
    return EmbeddingSet(number, model, dimension)


def take_up(tx: Tx, model: str) -> EmbeddingSet | None:
    """Build the retired set of a model further, if there is one, in place of any other."""
    row = tx.one(
        "select id, model, dimension from embedding_sets where model = ? and state = 'retired'"
        " order by id desc",
        model,
    )
    if row is None:
        return None
    abandoned = set_in(tx, "building")
    if abandoned is not None:
        retire(tx, abandoned)
    tx.tell(TOPIC)
    tx.run("update embedding_sets set state = 'building' where id = ?", row[0])
    _enqueue_missing(tx, row[0])
    return EmbeddingSet(*row)


def _enqueue_missing(tx: Tx, number: int) -> None:
    """Queue every passage for its vector that a set lacks."""
    tx.run(
        "insert into embedding_queue (embedding_set, passage)"
        " select ?1, p.id from passages p"
        " where (p.kind <> 0 or p.item in (select id from memories where archived_at is null))"
        " and not exists (select 1 from passage_vectors v"
        "  where v.passage = p.id and v.embedding_set = ?1) on conflict do nothing",
        number,
    )


def retire(tx: Tx, vectors: EmbeddingSet) -> bool:
    """Stop building a set; return whether it was being built.

    Its vectors stay until `drop_retired`.
    """
    if tx.value("select state <> 'building' from embedding_sets where id = ?", vectors.id):
        return False
    tx.run("delete from embedding_queue where embedding_set = ?", vectors.id)
    tx.run("update embedding_sets set state = 'retired' where id = ?", vectors.id)
    tx.tell(TOPIC)
    return True


def activate_if_built(tx: Tx, vectors: EmbeddingSet) -> Literal["active", "building", "called off"]:
    """Activate a set that nothing waits for any more; return its state.

    Texts that the embedder refuses do not delay it.
    """
    row = tx.one("select state from embedding_sets where id = ?", vectors.id)
    if row is None or row[0] == "retired":
        return "called off"
    if row[0] == "building":
        if tx.value(
            "select exists (select 1 from embedding_queue"
            " where embedding_set = ? and set_aside_at is null)",
            vectors.id,
        ):
            return "building"
        tx.run(
            "delete from embedding_queue where embedding_set in"
            " (select id from embedding_sets where state = 'active')"
        )
        tx.run("update embedding_sets set state = 'retired' where state = 'active'")
        tx.run("update embedding_sets set state = 'active' where id = ?", vectors.id)
        tx.tell(TOPIC)
    return "active"


def drop_retired(tx: Tx, *, but: str | None = None) -> None:
    """Remove the vectors of retired sets, except those of the model `but`."""
    rows = tx.all(
        "select id from embedding_sets where state = 'retired' and model is distinct from ?", but
    )
    for (number,) in rows:
        for table in ("embedding_queue", "passage_vectors", "embeddings"):
            tx.run(f"delete from {table} where embedding_set = ?", number)
        tx.run("delete from embedding_sets where id = ?", number)


def put_vector(
    tx: Tx, vectors: EmbeddingSet, number: int, pooled: bytes, tokens: bytes | None
) -> None:
    """Store the vector of a passage that exists, and take it off the queue."""
    row = tx.one("select kind, chat, hash from passages where id = ?", number)
    tx.run(
        "delete from embedding_queue where embedding_set = ? and passage = ?", vectors.id, number
    )
    if row is None:
        return
    kind, chat, digest = row
    tx.run(
        "insert into embeddings (embedding_set, hash, pooled, tokens)"
        " values (?, ?, ?, ?) on conflict do nothing",
        *(vectors.id, digest, pooled, tokens),
    )
    tx.run(
        "insert into passage_vectors (embedding_set, scope, passage) values (?, ?, ?)"
        " on conflict do nothing",
        *(vectors.id, partition(kind, chat), number),
    )


def known_vector(tx: Tx, vectors: EmbeddingSet, digest: bytes) -> tuple[bytes, bytes | None] | None:
    """Return the vector of the same text, computed before."""
    row = tx.one(
        "select pooled, tokens from embeddings where embedding_set = ? and hash = ?",
        *(vectors.id, digest),
    )
    return (row[0], row[1]) if row else None


_ENQUEUE: Final = (
    "insert into embedding_queue (embedding_set, passage)"
    " select s.id, ?1 from embedding_sets s where s.state <> 'retired' and not exists"
    " (select 1 from passage_vectors v where v.passage = ?1 and v.embedding_set = s.id)"
    " on conflict do nothing"
)


def enqueue(tx: Tx, number: int) -> None:
    """Queue a passage in every set in use that lacks its vector."""
    tx.send(_ENQUEUE, number)


def enqueue_missing(tx: Tx, number: int) -> int:
    """Queue a passage as `enqueue` does; return the number of sets in which it was new."""
    return tx.run(_ENQUEUE, number)


def drop_vectors(tx: Tx, numbers: Sequence[int]) -> None:
    """Remove passages' vectors; shared ones stay for the other passages."""
    for number in numbers:
        tx.run("delete from passage_vectors where passage = ?", number)
        tx.run("delete from embedding_queue where passage = ?", number)
        tx.run(
            "delete from embeddings where (embedding_set, hash) in"
            " (select s.id, p.hash from passages p cross join embedding_sets s where p.id = ?1"
            "   and not exists (select 1 from passages o cross join passage_vectors v"
            "   on v.passage = o.id and v.embedding_set = s.id"
            "   where o.hash = p.hash and o.id <> ?1))",
            number,
        )


def waiting(tx: Tx, vectors: EmbeddingSet, limit: int) -> list[Waiting]:
    """Return the next passages of the queue; those set aside return a day later."""
    rows = tx.all(
        "select q.passage, p.hash, f.body from embedding_queue q"
        " join passages p on p.id = q.passage left join passage_fts f on f.rowid = q.passage"
        " where q.embedding_set = ?"
        # Later than now: the clock was ahead when it was set aside.
        " and (q.set_aside_at is null or q.set_aside_at not between ? and ?)"
        " order by q.passage limit ?",
        *(vectors.id, tx.now - DAY, tx.now, limit),
    )
    return [Waiting(*row) for row in rows]


def waiting_statements(
    tx: Tx,
    vectors: EmbeddingSet,
    *,
    owners: Collection[int],
    chat: int | None,
    places: Collection[int],
    project: str | None,
    most_chars: int,
    limit: int,
) -> list[tuple[int, str]]:
    """Return (memory, text) of active memories that wait for a vector, newest first.

    Those of these owners that were learned in these places, and the chat's own. Of the queue only
    the last `limit` passages are looked at.
    """
    rows = tx.named(
        "select m.id, m.content from"
        " (select passage from embedding_queue where embedding_set = :set"
        "  order by passage desc limit :limit) q"
        " cross join passages p on p.id = q.passage cross join memories m on m.id = p.item"
        " where (m.owner in (select value from json_each(:owners))"
        "  or m.owner is null and m.chat = :chat)"
        " and p.chat in (select value from json_each(:places)) and length(m.content) <= :longest"
        f" and p.kind = {MEMORY:d} and {visibility.in_project('m')}"
        f" and {visibility.in_states()} order by m.id desc",
        {
            "set": vectors.id,
            "limit": limit,
            "owners": json.dumps(list(owners)),
            "chat": chat,
            "places": json.dumps(list(places)),
            "longest": most_chars,
            "project": project,
            "now": tx.now,
        },
    )
    return [(row[0], row[1]) for row in rows]


def memories_without(tx: Tx, numbers: Collection[int]) -> set[int]:
    """Return those active memories that lack a vector in the set that searches use."""
    rows = tx.named(
        "select m.id from json_each(:numbers) wanted cross join memories m on m.id = wanted.value"
        " where exists (select 1 from passages p where p.kind = :memory and p.item = m.id"
        "  and not exists (select 1 from passage_vectors v cross join embedding_sets s"
        "   on s.id = v.embedding_set where v.passage = p.id and s.state = 'active'))"
        f" and {visibility.in_states()}",
        {"numbers": json.dumps(list(numbers)), "memory": MEMORY, "now": tx.now},
    )
    return {row[0] for row in rows}


def set_aside(tx: Tx, vectors: EmbeddingSet, numbers: Sequence[int]) -> None:
    """Set passages aside whose text the embedder refuses."""
    tx.run(
        "update embedding_queue set set_aside_at = ?"
        " where embedding_set = ? and passage in (select value from json_each(?))",
        *(tx.now, vectors.id, json.dumps(list(numbers))),
    )


def set_aside_count(tx: Tx) -> int:
    """Count the passages that were set aside."""
    return int(tx.value("select count(*) from embedding_queue where set_aside_at is not null"))


def waiting_count(tx: Tx, vectors: EmbeddingSet | None = None) -> int:
    """Count the passages waiting for a vector, in one set or in any, without those set aside."""
    return int(
        tx.value(
            "select count(*) from embedding_queue"
            " where set_aside_at is null and (cast(?1 as bigint) is null or embedding_set = ?1)",
            vectors.id if vectors else None,
        )
    )


def arrived(
    tx: Tx, vectors: EmbeddingSet, scope: int, *, after: int, most_chars: int, limit: int
) -> list[Arrived]:
    """Return the memories of a scope with vectors that arrived after a number, in order of arrival.

    Without the vector if the memory is longer than `most_chars`.
    """
    rows = tx.all(
        # cross join: the planner must begin with the arrivals, not with all memories
        "select v.id, v.passage, m.owner, case when length(m.content) <= ?5 then e.pooled end"
        " from passage_vectors v cross join passages p on p.id = v.passage"
        " left join memories m on m.id = p.item"
        " left join embeddings e on e.embedding_set = v.embedding_set and e.hash = p.hash"
        " where v.embedding_set = ?1 and v.scope = ?2 and v.id > ?3 order by v.id limit ?4",
        *(vectors.id, scope, after, limit, most_chars),
    )
    return [Arrived(*row) for row in rows]


def of_statements(
    tx: Tx,
    vectors: EmbeddingSet,
    numbers: Sequence[int],
    *,
    owners: Collection[int],
    chat: int | None,
    project: str | None,
) -> list[tuple[int, int, bytes]]:
    """Return (memory, passage, pooled) of passages of these owners' active memories.

    With a `chat`, memories of the chat itself are included.
    """
    return [
        (row[0], row[1], row[2])
        for row in tx.named(
            "select m.id, p.id, e.pooled"
            " from json_each(:passages) wanted cross join passages p on p.id = wanted.value"
            " cross join memories m on m.id = p.item"
            " cross join embeddings e on e.embedding_set = :set and e.hash = p.hash"
            " where (m.owner in (select value from json_each(:owners))"
            "  or m.owner is null and m.chat = :chat)"
            f" and p.kind = {MEMORY:d} and {visibility.in_project('m')}"
            f" and {visibility.in_states()}",
            {
                "passages": json.dumps(list(numbers)),
                "owners": json.dumps(list(owners)),
                "chat": chat,
                "project": project,
                "set": vectors.id,
                "now": tx.now,
            },
        )
    ]


def vectors_of(
    tx: Tx, vectors: EmbeddingSet, numbers: Sequence[int]
) -> list[tuple[int, bytes, bytes | None]]:
    """Return (passage, pooled, tokens) of those passages that have vectors, in the given order."""
    columns = "e.pooled, e.tokens"
    rows = tx.all(_OF_PASSAGES.format(columns), json.dumps(list(numbers)), vectors.id)
    return [(row[0], row[1], row[2]) for row in rows]


def pooled_of(tx: Tx, vectors: EmbeddingSet, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return (passage, pooled) of those passages that have vectors, in the given order."""
    rows = tx.all(_OF_PASSAGES.format("e.pooled"), json.dumps(list(numbers)), vectors.id)
    return [(row[0], row[1]) for row in rows]


def sizes_of_tokens(tx: Tx, vectors: EmbeddingSet, numbers: Sequence[int]) -> list[int]:
    """Return how many bytes the token vectors of these passages have."""
    rows = tx.all(_OF_PASSAGES.format("length(e.tokens)"), json.dumps(list(numbers)), vectors.id)
    return [row[1] or 0 for row in rows]


def tokens_of(tx: Tx, vectors: EmbeddingSet, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return (passage, token vectors) of those passages that have some, in the given order."""
    rows = tx.all(_OF_PASSAGES.format("e.tokens"), json.dumps(list(numbers)), vectors.id)
    return [(row[0], row[1]) for row in rows if row[1] is not None]
