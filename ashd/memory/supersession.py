"""What a new fact does to those that stand: looked for by meaning and words, decided by `conflict`.

Looked for where both facts are seen by the same people: in the chat it is told in, and, told in
private, in the owner's other private chats. The same owner or chat and the same subjects are a
must; the decision is `conflict.decide`'s (A10, A11, A13).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ashd import limits
from ashd.memory import conflict, model
from ashd.memory.conflict import Outcome, Verdict, attribute_keys
from ashd.memory.statement import Statement
from ashd.providers.embedder import Embedder, pooled_from_bytes, pooled_to_bytes
from ashd.search import query
from ashd.search.indexing import TextVectors
from ashd.store import memories, passages
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_LOOKED_AT: Final = 12
"""How many of the nearest facts are compared with the new one, by meaning and by words each."""


class Judged(NamedTuple):
    """A fact that stands, and what the new one does to it."""

    record: Record
    verdict: Verdict


def judge(
    tx: Tx,
    viewer: Viewer,
    newer: Statement,
    *,
    key: str,
    owner: int | None,
    chat: int | None,
    vectors: TextVectors,
) -> list[Judged]:
    """The facts that the new one repeats or supersedes, nearest first.

    `key` is the fingerprint of its text; `owner` and `chat` are its scope, as row numbers.
    """
    if viewer.chat is None:
        return []
    same = memories.same_content(tx, key, owner, chat)
    repeats = {record.id for record in same}
    found: dict[int, float | None] = dict.fromkeys(repeats, None)
    # A long text is no single statement: it can only be repeated.
    is_statement = len(newer.text) <= limits.STATEMENT_CHARS
    near = _near(tx, viewer, newer.text, owner, chat, vectors) if is_statement else {}
    for number, cosine in near.items():
        found.setdefault(number, cosine)
    records = memories.by_ids(tx, viewer, list(found))
    local = vectors.embedder if _is_local(vectors.embedder) else None
    judged = []
    for number, cosine in found.items():
        record = records.get(number)
        if record is None or (record.owner, record.chat) != (owner, chat):
            continue
        if record.archived_at is not None or record.superseded_until > tx.now:
            continue
        if record.ends_at <= tx.now:
            continue
        if number not in repeats and len(record.content) > limits.STATEMENT_CHARS:
            continue
        verdict = conflict.decide(
            *_as_told(statement_of(record), newer),
            cosine=cosine,
            value_cosine=_value_cosine(local) if local else None,
            gates=vectors.embedder.thresholds if vectors.embedder else None,
        )
        if verdict.outcome is not Outcome.KEEP_BOTH:
            judged.append(Judged(record, verdict))
    return judged


def note_attributes(tx: Tx, number: int, text: str) -> None:
    """Keep which attributes a new fact gives a value, for those that come after it."""
    if len(text) <= limits.STATEMENT_CHARS:
        memories.set_attributes(tx, number, attribute_keys(text))


def _as_told(older: Statement, newer: Statement) -> tuple[Statement, Statement]:
    """Both without subjects where one person told both and named nobody else.

    Such facts need not be about their teller ("my brother lives in …"): the words say whom.
    """
    own = older.first_person == newer.first_person == "fact" and len(older.subjects) == 1
    if not own or older.subjects != newer.subjects:
        return older, newer
    return replace(older, subjects=frozenset()), replace(newer, subjects=frozenset())


def statement(
    text: str,
    *,
    subjects: Sequence[int],
    stater: int | None,
    fades: bool,
    observed_at: int | None,
) -> Statement:
    """A fact as the rule sees it; one without subjects is about whoever states it."""
    about = set(subjects) or ({stater} if stater is not None else set())
    first_person = "unknown" if stater is None else "fact" if stater in about else "hearsay"
    return Statement(
        text=text,
        subjects=frozenset(str(person) for person in about),
        first_person=first_person,  # type: ignore[arg-type]  # one of the three
        fades=fades,
        observed_at=observed_at,
    )


def statement_of(record: Record) -> Statement:
    """A stored fact as the rule sees it."""
    return statement(
        record.content,
        subjects=[number for number, _ in model.subjects(record)],
        stater=record.stater_person,
        fades=record.expires_at is not None or record.memory_type in model.FADES_AFTER,
        observed_at=record.observed_at,
    )


def _near(
    tx: Tx,
    viewer: Viewer,
    text: str,
    owner: int | None,
    chat: int | None,
    vectors: TextVectors,
) -> dict[int, float | None]:
    """The memories nearest to a text with their cosine, None where it cannot be told."""
    assert viewer.chat is not None
    places = {viewer.chat}
    if not viewer.group and owner is not None:
        places |= set(memories.private_chats_of(tx, owner))
    embedding = vectors.of(text)
    cosines: dict[int, float] = {}
    if vectors.index is not None and embedding is not None:
        question = pooled_to_bytes(embedding.pooled)
        for place in places:
            partition = passages.partition(passages.MEMORY, place)
            among = memories.passages_of(tx, place, owner) if viewer.group else None
            cosines |= dict(
                passages.nearest(tx, vectors.index, partition, among, question, _LOOKED_AT)
            )
    expression = query.any_word(text)
    others: list[int] = []
    if expression is not None:
        scopes = [passages.scope_token(passages.MEMORY, place) for place in places]
        others = passages.alike(tx, query.within(expression, scopes), _LOOKED_AT)
    # "Moved to Irvine" has no word in common with "lives in Los Angeles", but the attribute.
    sharing = memories.of_attributes(
        tx,
        attribute_keys(text),
        owner=owner,
        chat=chat,
        learned_in=places,
        limit=_LOOKED_AT,
    )
    for memory in sharing:
        others += passages.of_item(tx, passages.MEMORY, memory)
    if vectors.index is not None and embedding is not None:
        missing = [number for number in others if number not in cosines]
        for number, pooled, _ in passages.vectors_of(tx, vectors.index, missing):
            cosines[number] = float(np.dot(pooled_from_bytes(pooled), embedding.pooled))
    ranked = [*sorted(cosines, key=lambda number: -cosines[number]), *others]
    items = passages.items(tx, ranked)
    found: dict[int, float | None] = {}
    for number in ranked:
        if number in items:
            found.setdefault(items[number], cosines.get(number))
    return found


def _is_local(embedder: Embedder | None) -> bool:
    """Whether phrases may be embedded in the writer lane: no network, and worth it."""
    return embedder is not None and embedder.thresholds.value_type is not None


def _value_cosine(embedder: Embedder) -> conflict.ValueCosine:
    def cosine(left: str, right: str) -> float:
        one, other = embedder.embed([left, right])
        return float(np.dot(one.pooled, other.pooled))

    return cosine
