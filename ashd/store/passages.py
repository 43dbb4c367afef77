"""What is indexed: the full-text rows, the vectors and the queue of those that wait for theirs.

A passage is a memory, a piece of a long one, or a message. Its full-text row and its vector have
its row number. The partition of a passage is its kind and chat in one number.
"""

import json
from collections.abc import Collection, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec

from ashd.clock import FOREVER
from ashd.store import visibility
from ashd.store.database import Tx

MEMORY: Final = 0
MESSAGE: Final = 1


class Waiting(NamedTuple):
    """A passage without its vector."""

    passage: int
    hash: bytes
    text: str


class Arrived(NamedTuple):
    """A memory's passage whose vector came; `arrival` counts them all."""

    arrival: int
    passage: int
    owner: int | None
    pooled: bytes | None


class EmbeddingSet(NamedTuple):
    """The vectors of one embedder."""

    id: int
    model: str
    dimension: int


def partition(kind: int, chat: int) -> int:
    """The partition of a kind in a chat."""
    return chat * 2 + kind


def scope_token(kind: int, chat: int) -> str:
    """The same as a word of the full-text index."""
    return f"p{partition(kind, chat)}"


class Passage(NamedTuple):
    """A text to index: what the full-text row holds, and its form for ranking."""

    kind: int
    item: int
    ordinal: int
    chat: int
    hash: bytes
    body: str
    names: str
    dates: str
    grams: str
    dated: bool
    asking: float
    ends_asking: bool
    words: int


def insert(tx: Tx, passage: Passage) -> int:
    """Index a text in full; its row number. The vector comes with `put_vector` or the queue."""
    tx.grow(("chat", passage.chat))
    number = tx.insert(
        "insert into passages (kind, item, ordinal, chat, hash, dated, asking, ends_asking, words)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(passage.kind, passage.item, passage.ordinal, passage.chat, passage.hash),
        *(passage.dated, passage.asking, passage.ends_asking, passage.words),
    )
    tx.run(
        "insert into passage_fts (rowid, scope, body, names, dates, grams)"
        " values (?, ?, ?, ?, ?, ?)",
        *(number, scope_token(passage.kind, passage.chat), passage.body),
        *(passage.names, passage.dates, passage.grams),
    )
    return number


def of_item(tx: Tx, kind: int, item: int) -> list[int]:
    """The passages of a memory or message, in order."""
    rows = tx.all(
        "select id from passages where kind = ? and item = ? order by ordinal", kind, item
    )
    return [row[0] for row in rows]


def delete(tx: Tx, numbers: Sequence[int]) -> None:
    """Take passages out of every index, and their vectors where no other passage has that text."""
    drop_vectors(tx, numbers)
    for number in numbers:
        tx.run("delete from passage_fts where rowid = ?", number)
        tx.run("delete from passages where id = ?", number)


# Vectors ---------------------------------------------------------------------------------------


def set_in(tx: Tx, state: Literal["active", "building"]) -> EmbeddingSet | None:
    """The vectors that searches use now, or those that are being built to take their place."""
    row = tx.one("select id, model, dimension from embedding_sets where state = ?", state)
    return EmbeddingSet(*row) if row else None


def begin_set(tx: Tx, model: str, dimension: int) -> EmbeddingSet:
    """Begin the vectors of `model`; every passage waits for its own in the queue.

    The first set there ever was is active at once. One that was being built before gives way.
    """
    abandoned = set_in(tx, "building")
    if abandoned is not None:
        retire(tx, abandoned)
    state = "building" if set_in(tx, "active") else "active"
    number = tx.insert(
        "insert into embedding_sets (model, dimension, state, created_at) values (?, ?, ?, ?)",
        *(model, dimension, state, tx.now),
    )
    tx.run(
        "insert into embedding_queue (embedding_set, passage) select ?, id from passages"
        " where kind <> 0 or item in (select id from memories where archived_at is null)",
        number,
    )
    return EmbeddingSet(number, model, dimension)


def retire(tx: Tx, vectors: EmbeddingSet) -> bool:
    """Nothing waits for a set any more that was being built; whether it still was.

    Its vectors stay until `drop_retired`.
    """
    if tx.value("select state <> 'building' from embedding_sets where id = ?", vectors.id):
        return False
    tx.run("delete from embedding_queue where embedding_set = ?", vectors.id)
    tx.run("update embedding_sets set state = 'retired' where id = ?", vectors.id)
    return True


def activate_if_built(tx: Tx, vectors: EmbeddingSet) -> bool:
    """Let searches use a set that nothing waits for any more; whether they do now.

    One that was called off meanwhile is not used.
    """
    if tx.value(
        "select state <> 'building' or exists"
        " (select 1 from embedding_queue where embedding_set = ?1)"
        " from embedding_sets where id = ?1",
        vectors.id,
    ):
        return False
    tx.run("update embedding_sets set state = 'retired' where state = 'active'")
    tx.run("update embedding_sets set state = 'active' where id = ?", vectors.id)
    return True


def drop_retired(tx: Tx) -> None:
    """Remove the vectors of sets that nobody uses any more."""
    for (number,) in tx.all("select id from embedding_sets where state = 'retired'"):
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
        "insert or ignore into embeddings (embedding_set, hash, pooled, tokens)"
        " values (?, ?, ?, ?)",
        *(vectors.id, digest, pooled, tokens),
    )
    tx.run(
        "insert or ignore into passage_vectors (embedding_set, scope, passage) values (?, ?, ?)",
        *(vectors.id, partition(kind, chat), number),
    )


def known_vector(tx: Tx, vectors: EmbeddingSet, digest: bytes) -> tuple[bytes, bytes | None] | None:
    """The vector of the same text, computed before."""
    row = tx.one(
        "select pooled, tokens from embeddings where embedding_set = ? and hash = ?",
        *(vectors.id, digest),
    )
    return (row[0], row[1]) if row else None


def enqueue(tx: Tx, number: int) -> None:
    """Let a passage wait for its vector in every set that is in use and has none of it yet."""
    tx.run(
        "insert or ignore into embedding_queue (embedding_set, passage)"
        " select s.id, ?1 from embedding_sets s where s.state <> 'retired' and not exists"
        " (select 1 from passage_vectors v where v.passage = ?1 and v.embedding_set = s.id)",
        number,
    )


def drop_vectors(tx: Tx, numbers: Sequence[int]) -> None:
    """Take passages out of the vectors, and the vectors themselves where nobody else uses them."""
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
    """The next passages of the queue."""
    rows = tx.all(
        "select q.passage, p.hash, f.body from embedding_queue q"
        " join passages p on p.id = q.passage join passage_fts f on f.rowid = q.passage"
        " where q.embedding_set = ? order by q.passage limit ?",
        *(vectors.id, limit),
    )
    return [Waiting(*row) for row in rows]


def waiting_count(tx: Tx, vectors: EmbeddingSet | None = None) -> int:
    """How many passages wait for a vector, of one set or of any."""
    return int(
        tx.value(
            "select count(*) from embedding_queue where ?1 is null or embedding_set = ?1",
            vectors.id if vectors else None,
        )
    )


def indexed_count(tx: Tx) -> int:
    """How many passages there are."""
    return int(tx.value("select count(*) from passages"))


def newest_with(tx: Tx, expression: str, limit: int) -> list[int]:
    """The newest passages that match an expression, which names its scopes itself."""
    rows = tx.all(
        "select rowid from passage_fts where passage_fts match ? order by rowid desc limit ?",
        *(expression, limit),
    )
    return [row[0] for row in rows]


def items(tx: Tx, numbers: Sequence[int]) -> dict[int, int]:
    """The memory or message that each passage belongs to."""
    rows = tx.all(
        "select id, item from passages where id in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return dict(rows)


def texts(tx: Tx, numbers: Sequence[int]) -> dict[int, str]:
    """The text of each of these passages."""
    if not numbers:
        return {}
    rows = tx.all(
        "select rowid, body from passage_fts where rowid in (select value from json_each(?))",
        json.dumps(list(numbers)),
    )
    return dict(rows)


# Finding ---------------------------------------------------------------------------------------


def reached(tx: Tx, viewer: visibility.Viewer, kind: int, after: int) -> list[int]:
    """The memories or messages above a row number that the viewer may see, and perhaps some more.

    In the order of their numbers.
    """
    reach = visibility.reach(viewer) if kind == MEMORY else visibility.turn_reach(viewer)
    numbers = tx.named(
        f"select json_group_array(id) from ({reach})",
        {**visibility.parameters(viewer), "after": after},
    )
    return sorted(msgspec.json.decode(numbers[0][0], type=list[int])) if numbers else []


def memory_rows(
    tx: Tx, viewer: visibility.Viewer, where: str, params: dict[str, Any], among: Sequence[int]
) -> list[tuple[Any, ...]]:
    """What ranking needs of the passages of those memories under `where` that the viewer may see.

    Columns: passage, memory, chat, when it was said, words, asking, dated (0/1), ends_asking (0/1),
    conversation (-1), position (the passage), ordinal (0), speaker (None), ends_at,
    superseded_until, archived (0, 1, or 2 when only because it was superseded), fades (0/1), trust
    (1.0, 0.9, 0.8), whom it is about (JSON).
    """
    return tx.named(
        "select p.id, m.id, p.chat, coalesce(m.observed_at, m.created_at), p.words, p.asking,"
        " p.dated, p.ends_asking, -1, p.id, 0, null, m.ends_at, m.superseded_until,"
        " case when m.archived_at is null then 0 when m.archive_reason = 'superseded' then 2"
        "  else 1 end,"
        " m.memory_type in ('context', 'event', 'task', 'observation'),"
        " case when sa.person is null then 0.9 when not exists"
        "  (select 1 from memory_subjects s where s.memory = m.id) or exists"
        "  (select 1 from memory_subjects s where s.memory = m.id and s.person = sa.person)"
        "  then 1.0 else 0.8 end,"
        # Without subjects, what is said in the first person is about who says it.
        " case when m.first_person and sa.person is not null and not exists"
        "  (select 1 from memory_subjects s where s.memory = m.id) then json_array(sa.person) else"
        "  (select json_group_array(s.person) from memory_subjects s where s.memory = m.id) end"
        # cross join: the planner must begin with what is named, not with all passages
        " from json_each(:among) r cross join memories m on m.id = r.value"
        " cross join passages p on p.kind = 0 and p.item = m.id"
        " left join accounts sa on sa.id = m.stated_by"
        f" where ({where}) and {visibility.condition(viewer)} order by p.id",
        {**visibility.parameters(viewer), "now": tx.now, "among": json.dumps(among), **params},
    )


def turn_rows(
    tx: Tx, viewer: visibility.Viewer, where: str, params: dict[str, Any], among: Sequence[int]
) -> list[tuple[Any, ...]]:
    """The same of those messages, a conversation after the other, in the order of their turns."""
    return tx.named(
        "select p.id, t.id, p.chat, t.said_at, p.words, p.asking, p.dated, p.ends_asking,"
        f" c.id, t.position, p.ordinal, coalesce(t.speaker, t.role), {FOREVER}, 0, 0, 0, 1.0, '[]'"
        " from json_each(:among) r cross join messages t on t.id = r.value"
        " cross join conversations c on c.id = t.conversation"
        " cross join passages p on p.kind = 1 and p.item = t.id"
        f" where ({where}) and {visibility.turn_condition(viewer)}"
        " order by c.id, t.position, p.ordinal",
        {**visibility.parameters(viewer), "now": tx.now, "among": json.dumps(among), **params},
    )


def postings(tx: Tx, expression: str) -> list[int]:
    """The passages that match a full-text expression (which names its scopes itself)."""
    # One row of text: thousands of rows, one by one, take longer than to find them.
    numbers = tx.value(
        "select json_group_array(rowid) from passage_fts where passage_fts match ?", expression
    )
    return msgspec.json.decode(numbers, type=list[int])


def arrived(
    tx: Tx, vectors: EmbeddingSet, scope: int, *, after: int, most_chars: int, limit: int
) -> list[Arrived]:
    """The memories of a scope whose vectors came after one, in the order in which they came.

    Without the vector where the memory is longer than `most_chars`.
    """
    rows = tx.all(
        # cross join: the planner must begin with what came, not with all memories
        "select v.id, v.passage, m.owner, case when length(m.content) <= ?5 then e.pooled end"
        " from passage_vectors v cross join passages p on p.id = v.passage"
        " left join memories m on m.id = p.item"
        " left join embeddings e on e.embedding_set = v.embedding_set and e.hash = p.hash"
        " where v.embedding_set = ?1 and v.scope = ?2 and v.id > ?3 order by v.id limit ?4",
        *(vectors.id, scope, after, limit, most_chars),
    )
    return [Arrived(*row) for row in rows]


def cosines(
    tx: Tx,
    vectors: EmbeddingSet,
    numbers: Sequence[int],
    question: bytes,
    *,
    owners: Collection[int],
    chat: int | None,
) -> list[tuple[int, int, float]]:
    """(memory, passage, cosine) of those passages whose memories are active and of these owners.

    Without owners: of the chat itself.
    """
    whose = "m.owner in (select value from json_each(:owners))" if owners else "m.owner is null"
    rows = tx.named(
        "select m.id, p.id, 1 - vec_distance_cosine(e.pooled, :question)"
        " from json_each(:passages) wanted cross join passages p on p.id = wanted.value"
        " cross join memories m on m.id = p.item"
        " cross join embeddings e on e.embedding_set = :set and e.hash = p.hash"
        f" where p.kind = {MEMORY:d} and {whose} and m.chat is :chat and {visibility.standing()}",
        {
            "passages": json.dumps(list(numbers)),
            "question": question,
            "owners": json.dumps(list(owners)),
            "chat": chat,
            "set": vectors.id,
            "now": tx.now,
        },
    )
    # A text without a word has a zero vector, which is no distance from anything.
    return [(row[0], row[1], row[2]) for row in rows if row[2] is not None]


def vectors_of(
    tx: Tx, vectors: EmbeddingSet, numbers: Sequence[int]
) -> list[tuple[int, bytes, bytes | None]]:
    """(passage, pooled, tokens) of those passages that have their vectors, in the order asked."""
    rows = tx.all(
        # cross join: the planner must begin with the passages named, not with all vectors
        "select p.id, e.pooled, e.tokens from json_each(?) wanted"
        " cross join passages p on p.id = wanted.value"
        " cross join embeddings e on e.embedding_set = ? and e.hash = p.hash",
        *(json.dumps(list(numbers)), vectors.id),
    )
    return [(row[0], row[1], row[2]) for row in rows]
