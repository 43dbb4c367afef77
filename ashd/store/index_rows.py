"""The index and its consistency with the stored texts.

Everything here looks at all rows, so use a connection of its own or slices.
"""

from typing import NamedTuple

from ashd import limits
from ashd.store import embeddings, passages
from ashd.store.passages import MEMORY, Passage
from ashd.store.transaction import Tx


class Source(NamedTuple):
    """A memory, message or summary to index; its vectors only while it is `active`.

    The text of a summary is an object of its parts, as JSON.
    """

    kind: int
    item: int
    text: str
    chat: int
    at: int
    names: str
    active: bool


_SOURCES = {
    MEMORY: (
        "select 0, m.id, m.content, m.learned_in,"
        " coalesce(nullif(m.observed_at, 0), m.created_at), '', m.archived_at is null"
        " from memories m where m.learned_in is not null"
    ),
    passages.MESSAGE: (
        "select 1, t.id, t.content, c.chat, t.said_at,"
        " case when t.names_speaker = 1 then t.speaker else '' end, 1"
        " from messages t cross join conversations c on c.id = t.conversation"
        " where t.role <> 'system'"
    ),
    passages.SUMMARY: (
        "select 2, s.id, json_object('overall', s.overall, 'topics', json(s.topics), 'decisions',"
        " json(s.decisions), 'key_dates', json(s.key_dates), 'action_items', json(s.action_items)),"
        " c.chat, coalesce((select t.said_at from messages t where t.conversation = c.id"
        "  and t.position = s.last_position), s.said_until), '', 1"
        " from summaries s cross join conversations c on c.id = s.conversation where true"
    ),
}
_ID = {MEMORY: "m.id", passages.MESSAGE: "t.id", passages.SUMMARY: "s.id"}

KINDS = tuple(_SOURCES)

UNFIT = {
    "unindexed": "memories, messages or summaries that searches do not find",
    "orphaned": "passages of memories, messages or summaries that are gone",
    "textless": "passages without their text in the full-text index",
    "altered": "texts in the full-text index that are not those of their memories or messages",
    "stray": "texts in the full-text index that belong to nothing",
    "unembedded": "passages that neither have their vector nor wait for it",
    "broken": "vectors that are not what the embedder made",
}
"""The kinds of inconsistent index rows, in words."""

_NO_ITEM = (
    "case p.kind when 0 then not exists (select 1 from memories m where m.id = p.item)"
    " when 1 then not exists (select 1 from messages t where t.id = p.item and t.role <> 'system')"
    " else not exists (select 1 from summaries s where s.id = p.item) end"
)
_NO_TEXT = "not exists (select 1 from passage_fts_docsize d where d.id = p.id)"
_STRAY = "select d.id from passage_fts_docsize d left join passages p on p.id = d.id"
_BROKEN = (
    "select v.id, v.embedding_set, p.hash from passage_vectors v"
    " join embedding_sets s on s.id = v.embedding_set join passages p on p.id = v.passage"
    " left join embeddings e on e.embedding_set = v.embedding_set and e.hash = p.hash"
    " where e.hash is null or length(e.pooled) <> 4 * s.dimension"
)


def sources(tx: Tx, kind: int, after: int, limit: int) -> list[Source]:
    """Return the next memories or messages after a row number."""
    rows = tx.all(
        f"{_SOURCES[kind]} and {_ID[kind]} > ? order by {_ID[kind]} limit ?", after, limit
    )
    return [Source(*row) for row in rows]


def total(tx: Tx) -> int:
    """Count what is indexed: memories, messages and summaries."""
    return sum(int(tx.value(f"select count(*) from ({sql}) s")) for sql in _SOURCES.values())


def is_current(tx: Tx, source: Source) -> bool:
    """Return whether a memory or message is unchanged since it was read."""
    return sources(tx, source.kind, source.item - 1, 1) == [source]


def unfit(tx: Tx) -> dict[str, int]:
    """Count the inconsistent rows of the index, by the keys of `UNFIT`, without those at 0."""
    found = {
        "unindexed": sum(
            tx.value(
                f"select count(*) from ({sql} and not exists (select 1 from passages p"
                f" where p.kind = {kind:d} and p.item = {_ID[kind]})) s"
            )
            for kind, sql in _SOURCES.items()
        ),
        "orphaned": tx.value(f"select count(*) from passages p where {_NO_ITEM}"),
        "textless": tx.value(f"select count(*) from passages p where {_NO_TEXT}"),
        "altered": tx.value(
            "select count(*) from passages p join passage_fts f on f.rowid = p.id"
            " left join memories m on p.kind = 0 and m.id = p.item"
            " left join messages t on p.kind = 1 and t.id = p.item"
            " where length(coalesce(m.content, t.content)) <= ?"
            " and f.body <> coalesce(m.content, t.content)",
            limits.PASSAGE_CHARS,
        ),
        "stray": tx.value(f"select count(*) from ({_STRAY} where p.id is null) s"),
        "unembedded": tx.value(
            "select count(*) from passages p cross join embedding_sets s"
            " where s.state <> 'retired' and (p.kind <> 0 or exists (select 1 from memories m"
            "  where m.id = p.item and m.archived_at is null))"
            " and not exists (select 1 from passage_vectors v"
            "  where v.passage = p.id and v.embedding_set = s.id)"
            " and not exists (select 1 from embedding_queue q"
            "  where q.passage = p.id and q.embedding_set = s.id)"
        ),
        "broken": tx.value(f"select count(*) from ({_BROKEN}) b"),
    }
    return {name: count for name, count in found.items() if count}


def discard_strays(tx: Tx, limit: int) -> int:
    """Remove rows of the index that belong to nothing, at most `limit` a kind; return how many."""
    removed = 0
    for (number,) in tx.all(f"{_STRAY} where p.id is null limit ?", limit):
        removed += tx.run("delete from passage_fts where rowid = ?", number)
    gone = [
        row[0] for row in tx.all(f"select p.id from passages p where {_NO_ITEM} limit ?", limit)
    ]
    embeddings.drop_vectors(tx, gone)
    passages.delete(tx, gone)
    broken = tx.all(f"{_BROKEN} limit ?", limit)
    for place, vectors, digest in broken:
        tx.run("delete from passage_vectors where id = ?", place)
        tx.run("delete from embeddings where embedding_set = ? and hash = ?", vectors, digest)
    return removed + len(gone) + len(broken)


def put(tx: Tx, source: Source, made: list[Passage]) -> int:
    """Give a memory or message exactly these passages; return how many passages differed.

    Passages that were right keep their row numbers and vectors.
    """
    known = {
        row[1]: row
        for row in tx.all(
            "select p.id, p.ordinal, p.chat, p.hash, p.dated, p.asking, p.ends_asking, p.words,"
            " f.scope, f.body, f.names, f.dates, f.grams"
            " from passages p left join passage_fts f on f.rowid = p.id"
            " where p.kind = ? and p.item = ?",
            *(source.kind, source.item),
        )
    }
    changed = [row[0] for ordinal, row in known.items() if ordinal >= len(made)]
    embeddings.drop_vectors(tx, changed)
    passages.delete(tx, changed)
    count = len(changed)
    for passage in made:
        row = known.get(passage.ordinal)
        number = row[0] if row else None
        if row is None or row[2:] != passages.columns(passage):
            if row is not None and row[3] != passage.hash:
                embeddings.drop_vectors(tx, [row[0]])
            number = passages.put(tx, number, passage)
            tx.touch(("chat", passage.chat))
            count += 1
        assert number is not None
        if source.active:
            count += embeddings.enqueue_missing(tx, number)
    return count
