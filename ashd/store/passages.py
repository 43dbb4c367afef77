"""The indexed passages: full-text rows, vectors and the queue of passages without a vector.

A passage is a memory, a message, a summary, or a piece of a long one. Its full-text row and its
vector have its row number. The partition of a passage is its kind and chat in one number.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from ashd.clock import FOREVER
from ashd.store import chains, visibility
from ashd.store.database import Tx
from ashd.store.dialect import matching, text_list
from ashd.store.filters import Filter, MemoryFilter, condition
from ashd.store.full_text_terms import Term
from ashd.store.phrases import Texts

MEMORY: Final = 0
MESSAGE: Final = 1
SUMMARY: Final = 2

_SUPERSEDED_UNTIL: Final = 13
"""The place of that column among those of `memory_rows`."""

_NUMBERS: Final = msgspec.json.Decoder(list[int])


def partition(kind: int, chat: int) -> int:
    """Return the partition of a kind in a chat; those of summaries are negative."""
    return -chat if kind == SUMMARY else chat * 2 + kind


def scope_token(kind: int, chat: int) -> str:
    """Return the partition as a token of the full-text index."""
    return f"s{chat}" if kind == SUMMARY else f"p{partition(kind, chat)}"


class Passage(NamedTuple):
    """A text to index: the columns of its full-text row, and its cues for ranking."""

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
    """Index a text; return its row number. Its vector comes with `put_vector` or the queue."""
    tx.grow(("chat", passage.chat))
    return put(tx, None, passage)


def put(tx: Tx, number: int | None, passage: Passage) -> int:
    """Write a passage under its row number, a new one if it has none; return the number."""
    chat, hash_, dated, asking, ends_asking, words, *texts = columns(passage)
    if number is None:
        number = tx.append(
            "insert into passages (kind, item, ordinal, chat, hash, dated, asking, ends_asking,"
            " words) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(passage.kind, passage.item, passage.ordinal),
            *(chat, hash_, dated, asking, ends_asking, words),
        )
    else:
        tx.run(
            "update passages set chat = ?, hash = ?, dated = ?, asking = ?, ends_asking = ?,"
            " words = ? where id = ?",
            *(chat, hash_, dated, asking, ends_asking, words, number),
        )
        tx.run("delete from passage_fts where rowid = ?", number)
    tx.index_text(number, texts)
    return number


def columns(passage: Passage) -> tuple[Any, ...]:
    """Return a passage's columns from `chat` on, then those of its full-text row."""
    return (
        *(passage.chat, passage.hash, passage.dated, passage.asking, passage.ends_asking),
        *(passage.words, scope_token(passage.kind, passage.chat), passage.body),
        *(passage.names, passage.dates, passage.grams),
    )


def of_item(tx: Tx, kind: int, item: int) -> list[int]:
    """The passages of a memory or message, in order."""
    rows = tx.all(
        "select id from passages where kind = ? and item = ? order by ordinal", kind, item
    )
    return [row[0] for row in rows]


def of_items(tx: Tx, kind: int, items: Collection[int]) -> list[int]:
    """Return the passages of memories or messages."""
    rows = tx.all(
        "select id from passages where kind = ? and item in (select value from json_each(?))"
        " order by id",
        *(kind, json.dumps(list(items))),
    )
    return [row[0] for row in rows]


def delete(tx: Tx, numbers: Sequence[int]) -> None:
    """Remove passages from the full-text index; remove their vectors first (`embeddings`)."""
    for number in numbers:
        tx.run("delete from passage_fts where rowid = ?", number)
        tx.run("delete from passages where id = ?", number)
    tx.deleted.extend(numbers)


def indexed_count(tx: Tx) -> int:
    """Return the number of passages."""
    return int(tx.value("select count(*) from passages"))


def newest_with(
    tx: Tx, terms: Sequence[Term], scopes: Sequence[str], limit: int
) -> list[list[int]]:
    """Return for each term the newest passages of these scopes that hold it, newest first."""
    expressions = [tx.dialect.expression([term], scopes) for term in terms]
    rows = tx.all(
        "select w.value, (select json_group_array(rowid) from (select rowid from passage_fts"
        f" where {matching('w.value')} order by rowid desc limit ?2) newest)"
        f" from {text_list('?1')} w",
        *(json.dumps(expressions), limit),
    )
    return _of_each(expressions, rows)


def newest_in(tx: Tx, scopes: Sequence[str], limit: int) -> list[int]:
    """Return the newest passages of these scopes, newest first."""
    return _numbers(
        tx.value(
            "select json_group_array(rowid) from (select rowid from passage_fts"
            f" where {matching('?')} order by rowid desc limit ?) newest",
            *(tx.dialect.in_scopes(scopes), limit),
        )
    )


def memories_from(
    tx: Tx, chats: Collection[int], first: int, reach: int
) -> list[tuple[int, Texts]]:
    """Return the passages of memories from these chats, from a row number on, with their texts.

    In order; none if there are more than `reach` passages after it, whosever.
    """
    rows = tx.all(  # +: the planner must go by row number, since few are newer
        "select (select max(id) from passages), p.id, f.body, f.names, f.dates, f.grams"
        " from passages p left join passage_fts f on f.rowid = p.id"
        f" where p.id between ? and ? and +p.kind = {MEMORY}"
        f" and p.chat in ({', '.join('?' * len(chats))}) order by p.id",
        *(first, first + reach, *chats),
    )
    if not rows or rows[0][0] > first + reach:
        return []
    return [(number, Texts(*(text or "" for text in texts))) for _, number, *texts in rows]


def texts_in_index(tx: Tx, numbers: Collection[int]) -> list[tuple[int, Texts]]:
    """Return the texts of these passages in the index, in their order."""
    rows = tx.all(
        "select rowid, body, names, dates, grams from passage_fts"
        " where rowid in (select value from json_each(?)) order by rowid",
        json.dumps(list(numbers)),
    )
    return [(number, Texts(*texts)) for number, *texts in rows]


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

_REACH: Final = {
    MEMORY: visibility.reach,
    MESSAGE: visibility.turn_reach,
    SUMMARY: visibility.summary_reach,
}


def newest_beginnings(tx: Tx, count: int, chars: int) -> list[str]:
    """Return the beginnings of the memories added last, if active; for the daemon's own use."""
    rows = tx.all(
        "with newest as (select max(id) as number from memories)"
        " select substr(content, 1, cast(? as integer)) from newest cross join memories"
        " where id between number - ? + 1 and number and archived_at is null",
        *(chars, count),
    )
    return [row[0] for row in rows]


def reached(tx: Tx, viewer: visibility.Viewer, kind: int, after: int) -> list[int]:
    """Return the items of a kind above a row number that the viewer may see, and perhaps more.

    Ordered by number.
    """
    reach = _REACH[kind](viewer)
    numbers = tx.named(
        f"select json_group_array(id) from ({reach}) r",
        {**visibility.parameters(viewer), "after": after},
    )
    return sorted(_numbers(numbers[0][0])) if numbers else []


def memory_rows(
    tx: Tx, viewer: visibility.Viewer, wanted: Filter, among: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Return the columns for ranking of the matching memories' passages that the viewer may see.

    Columns: passage, memory, chat, when it was said, words, asking, dated (0/1), ends_asking (0/1),
    conversation (-1), position (the passage), ordinal (0), speaker (None), ends_at,
    superseded_until for the viewer, archived (0/1, other than because it was superseded), fades
    (0/1), trust (1.0, 0.9, 0.8), whom it is about (a tuple, or None), valid_from, valid_until.
    """
    where, values = condition(wanted)
    at = wanted.known_at if isinstance(wanted, MemoryFilter) else None
    ranked = (
        "select p.id, m.id, p.chat, coalesce(m.observed_at, m.created_at), p.words, p.asking,"
        " p.dated, p.ends_asking, m.ends_at, m.superseded_until,"
        " m.archived_at is not null and m.archive_reason <> 'superseded',"
        " m.memory_type in ('context', 'event', 'task', 'observation'),"
        " m.valid_from, m.valid_until, sa.person, m.first_person,"
        f" {chains.doubtful(viewer) if at is None else 'm.superseded_by is not null'}"
        # cross join: the planner must begin with the named items, not with all passages
        " from json_each(:among) r cross join memories m on m.id = r.value"
        " cross join passages p on p.kind = 0 and p.item = m.id"
        " left join accounts sa on sa.id = m.stated_by"
        f" where ({where}) and {visibility.condition(viewer)} order by p.id"
    )
    asked = {"among": json.dumps(among)}
    params = {**visibility.parameters(viewer), "now": tx.now, **asked, **values}
    found, subjects = tx.together((ranked, params), (_SUBJECTS, asked))
    doubted = {row[1] for row in found if row[-1]}
    rows = _with_people(found, subjects)
    if not doubted:
        return rows
    above = chains.load(tx, viewer, doubted)
    kept = doubted if at is None else above.known_at(doubted, at)
    until = _SUPERSEDED_UNTIL
    return [
        (*row[:until], above.superseded_until(row[1]), *row[until + 1 :]) if is_doubted else row
        for row, is_doubted in zip(rows, (one[-1] for one in found), strict=True)
        if not is_doubted or row[1] in kept
    ]


_SUBJECTS: Final = (
    "select memory, person, is_read from json_each(:among) r"
    " cross join memory_subjects on memory = r.value order by memory, person"
)


def _with_people(
    found: Sequence[tuple[Any, ...]], subjects: Iterable[tuple[int, int, int]]
) -> list[tuple[Any, ...]]:
    """Complete the columns of memories: how far to trust them, whom they are about, and constants.

    A server would write them into each row, in longer than it takes to find the rows.
    """
    about: dict[int, list[int]] = {}
    named = set()
    for memory, person, is_read in subjects:
        about.setdefault(memory, []).append(person)
        if not is_read:
            named.add(memory)
    rows = []
    for passage, memory, *cues, valid_from, valid_until, stater, first_person, _ in found:
        people = about.get(memory, [])
        is_own = memory not in named or stater in people
        trust = 0.9 if stater is None else 1.0 if is_own else 0.8
        # A statement in the first person whose caller named nobody is about its speaker, too.
        if first_person and stater is not None and memory not in named:
            people = sorted({*people, stater})
        valid = valid_from or 0, FOREVER if valid_until is None else valid_until
        place = -1, passage, 0, None
        rows.append((passage, memory, *cues[:6], *place, *cues[6:], trust, tuple(people), *valid))
    return rows


def turn_rows(
    tx: Tx, viewer: visibility.Viewer, wanted: Filter, among: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Return the columns of `memory_rows` for messages, by conversation and turn."""
    where, values = condition(wanted)
    return tx.named(
        "select p.id, t.id, p.chat, t.said_at, p.words, p.asking, p.dated, p.ends_asking,"
        f" c.id, t.position, p.ordinal, coalesce(t.speaker, t.role), {FOREVER}, 0, 0, 0, 1.0, null,"
        f" 0, {FOREVER}"
        " from json_each(:among) r cross join messages t on t.id = r.value"
        " cross join conversations c on c.id = t.conversation"
        " cross join passages p on p.kind = 1 and p.item = t.id"
        f" where ({where}) and {visibility.turn_condition(viewer)}"
        " order by c.id, t.position, p.ordinal",
        {**visibility.parameters(viewer), "now": tx.now, "among": json.dumps(among), **values},
    )


def summary_rows(
    tx: Tx, viewer: visibility.Viewer, wanted: Filter, among: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Return the columns of `memory_rows` for summaries, which belong to no session."""
    where, values = condition(wanted)
    return tx.named(
        "select p.id, s.id, p.chat, s.said_until, p.words, p.asking, p.dated, p.ends_asking,"
        f" -1, p.id, 0, null, s.ends_at, 0, 0, 0, 1.0, null, 0, {FOREVER}"
        " from json_each(:among) r cross join summaries s on s.id = r.value"
        " cross join conversations c on c.id = s.conversation"
        f" cross join passages p on p.kind = {SUMMARY} and p.item = s.id"
        f" where ({where}) and {visibility.summary_condition(viewer)} order by p.id",
        {**visibility.parameters(viewer), "now": tx.now, "among": json.dumps(among), **values},
    )


def postings(
    tx: Tx, lookups: Sequence[Sequence[Term]], scopes: Sequence[str] | None
) -> list[list[int]]:
    """Return for each lookup the passages, of these scopes or of all, with any of its terms."""
    expressions = [tx.dialect.expression(terms, scopes) for terms in lookups]
    if not expressions:
        return []
    rows = tx.all(
        "select w.value, (select json_group_array(rowid) from passage_fts"
        f" where {matching('w.value')}) from {text_list('?')} w",
        json.dumps(expressions),
    )
    return _of_each(expressions, rows)


def _of_each(expressions: Sequence[str], rows: Iterable[tuple[str, str]]) -> list[list[int]]:
    """Return the row numbers that were found for each full-text expression."""
    found = {expression: _numbers(numbers) for expression, numbers in rows}
    return [found[expression] for expression in expressions]


def _numbers(array: str) -> list[int]:
    """Decode row numbers from one text: reading them as rows takes longer than finding them."""
    return _NUMBERS.decode(array)
