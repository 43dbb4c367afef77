"""What a new fact does to those that stand: looked for by meaning and words, decided by `conflict`.

Looked for where both facts are seen by the same people: in the chat it is told in, and, told in
private, in the owner's other private chats. The same owner or chat and the same subjects are a
must; the decision is `conflict.decide`'s (A10, A11, A13).
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ashd import limits
from ashd.memory import conflict, model
from ashd.memory.conflict import Outcome, Verdict, attribute_keys
from ashd.memory.statement import Statement
from ashd.providers import statement_pairs
from ashd.providers.embedder import (
    Embedder,
    Embedding,
    TokenVectors,
    pooled_from_bytes,
)
from ashd.providers.statement_pairs import Side, StatementPairs
from ashd.search import languages, query
from ashd.search.indexing import TextVectors
from ashd.search.nearest import NearestMemories
from ashd.store import memories, passages, people
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_LOOKED_AT: Final = 12
"""How many of the nearest facts are compared with the new one, by meaning and by words each."""
_PAIR_CHARS: Final = 200
"""Longer texts are no single statements, of which alone the model of pairs has seen examples."""


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
    nearest: NearestMemories,
) -> list[Judged]:
    """The facts that the new one repeats or supersedes, nearest first.

    `key` is the fingerprint of its text; `owner` and `chat` are its scope, as row numbers.
    """
    if viewer.chat is None:
        return []
    owners = [] if owner is None else [owner]
    same = memories.same_content(tx, key, owners=owners, chat=chat)
    repeats = {record.id for record in same}
    found: dict[int, Embedding | None] = dict.fromkeys(repeats, None)
    # A long text is no single statement: it can only be repeated.
    is_statement = len(newer.text) <= limits.STATEMENT_CHARS
    own_names = _own_names(tx, newer) if is_statement else None
    near = (
        _near(tx, viewer, newer, own_names, owner, chat, vectors, nearest) if is_statement else {}
    )
    for number, stored in near.items():
        found.setdefault(number, stored)
    records = memories.by_ids(tx, viewer, list(found))
    local = vectors.embedder if _is_local(vectors.embedder) else None
    told = vectors.of(newer.text)
    pairs = _Pairs.of(newer.text, told, vectors.embedder)
    judged = []
    asked = 0
    for number, stored in found.items():
        record = records.get(number)
        if record is None or (record.owner, record.chat) != (owner, chat):
            continue
        if record.archived_at is not None or record.superseded_until > tx.now:
            continue
        if record.ends_at <= tx.now:
            continue
        if number not in repeats and len(record.content) > limits.STATEMENT_CHARS:
            continue
        # The nearest come first; what only shares a word is left to the rule.
        pair_model = None
        if pairs and stored and asked < _LOOKED_AT:
            pair_model = pairs.model(record.content, stored)
            asked += 1
        verdict = conflict.decide(
            *_as_told(statement_of(record), newer, own_names),
            cosine=float(stored.pooled @ told.pooled) if stored and told else None,
            value_cosine=_value_cosine(local) if local else None,
            gates=vectors.embedder.thresholds if vectors.embedder else None,
            pair_model=pair_model,
        )
        if verdict.outcome is not Outcome.KEEP_BOTH:
            judged.append(Judged(record, verdict))
    return judged


class _Pairs(NamedTuple):
    """The model of pairs, with the new fact as it sees it."""

    trained: StatementPairs
    newer: Side
    static: Embedder | None
    """Makes the vectors that it sees, where those that are stored are an endpoint's."""

    @classmethod
    def of(cls, text: str, told: Embedding | None, embedder: Embedder | None) -> "_Pairs | None":
        """None without an embedder, and where the text is nothing for it."""
        if embedder is None or told is None or not _is_read(text):
            return None
        if embedder.model in statement_pairs.WEIGHTS:
            trained = statement_pairs.for_model(embedder.model)
            return cls(trained, trained.side(text, told), None) if trained else None
        if made := statement_pairs.static():
            trained, static = made
            return cls(trained, trained.side(text, static.embed([text])[0]), static)
        return None

    def model(self, text: str, stored: Embedding) -> conflict.PairModel | None:
        """What it says to an older fact; asked only where the rule has nothing to say."""
        if not _is_read(text):
            return None
        seen = self.static.embed([text])[0] if self.static else stored
        return lambda signs: self.trained.view(self.trained.side(text, seen), self.newer, signs)


def _is_read(text: str) -> bool:
    """Whether the model of pairs has seen texts like this one: short ones, in English."""
    return len(text) <= _PAIR_CHARS and languages.may_be_english(text)


def note_attributes(tx: Tx, number: int) -> None:
    """Keep which attributes a stored fact gives a value, for those that come after it."""
    fact = statement_of(memories.by_id(tx, number))
    if len(fact.text) <= limits.STATEMENT_CHARS:
        memories.set_attributes(tx, number, _attribute_keys(fact, _own_names(tx, fact)))


def _attribute_keys(fact: Statement, own_names: re.Pattern[str] | None) -> frozenset[str]:
    return attribute_keys(_of_oneself(fact.text, own_names))


def _of_oneself(text: str, own_names: re.Pattern[str] | None) -> str:
    """A text with its teller as "User", who begins it by name."""
    return own_names.sub("User", text, count=1) if own_names else text


def _as_told(
    older: Statement, newer: Statement, own_names: re.Pattern[str] | None
) -> tuple[Statement, Statement]:
    """Both without subjects where one person told both and named nobody else.

    Such facts need not be about their teller ("my brother lives in …"): the words say whom. Who
    is called by name is the teller all the same: an agent notes "Alice moved" of what Alice told.
    """
    own = older.first_person == newer.first_person == "fact" and len(older.subjects) == 1
    if not own or older.subjects != newer.subjects:
        return older, newer
    before, after = (
        replace(one, subjects=frozenset(), text=_of_oneself(one.text, own_names))
        for one in (older, newer)
    )
    return before, after


def _own_names(tx: Tx, newer: Statement) -> re.Pattern[str] | None:
    """What a text begins with that calls its teller by name; None if it is not about the teller."""
    if newer.first_person != "fact" or len(newer.subjects) != 1:
        return None
    told = [name for _, name in people.names(tx, [int(next(iter(newer.subjects)))])]
    names = {part for name in told for part in (name, name.partition(" ")[0])}
    written = [re.escape(name) for name in names if len(name) > 1 and name[0].isupper()]
    written.sort(key=len, reverse=True)
    return re.compile(rf"^(?:{'|'.join(written)})\b") if written else None


def statement(
    text: str,
    *,
    subjects: Sequence[int],
    stater: int | None,
    fades: bool,
    told_at: int,
    observed_at: int | None,
    valid_from: int | None,
    valid_until: int | None,
) -> Statement:
    """A fact as the rule sees it; one without subjects is about whoever states it."""
    about = set(subjects) or ({stater} if stater is not None else set())
    first_person = "unknown" if stater is None else "fact" if stater in about else "hearsay"
    return Statement(
        text=text,
        subjects=frozenset(str(person) for person in about),
        first_person=first_person,  # type: ignore[arg-type]  # one of the three
        fades=fades,
        told_at=told_at,
        observed_at=observed_at,
        valid_from=valid_from,
        valid_until=valid_until,
    )


def statement_of(record: Record) -> Statement:
    """A stored fact as the rule sees it."""
    return statement(
        record.content,
        subjects=[number for number, _ in model.subjects(record)],
        stater=record.stater_person,
        fades=record.expires_at is not None or record.memory_type in model.FADES_AFTER,
        told_at=record.created_at,
        observed_at=record.observed_at,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
    )


def chats_of(tx: Tx, viewer: Viewer, owners: Collection[int]) -> set[int]:
    """The chats in which facts of these owners were learned that one told here may repeat."""
    places = set() if viewer.chat is None else {viewer.chat}
    return places if viewer.group else places | set(memories.private_chats_of(tx, owners))


def _near(
    tx: Tx,
    viewer: Viewer,
    fact: Statement,
    own_names: re.Pattern[str] | None,
    owner: int | None,
    chat: int | None,
    vectors: TextVectors,
    nearest: NearestMemories,
) -> dict[int, Embedding | None]:
    """The memories nearest to a fact with their vectors, None where there are none yet."""
    assert viewer.chat is not None
    text = fact.text
    owners = [] if owner is None else [owner]
    places = chats_of(tx, viewer, owners)
    embedding = vectors.of(text)
    ranked: list[int] = []
    if vectors.index is not None and embedding is not None:
        found_near = nearest.find(
            tx,
            vectors.index,
            owners=owners,
            chat=chat,
            places=places,
            question=embedding.pooled,
            limit=_LOOKED_AT,
        )
        ranked += [near.passage for near in found_near]
    expression = query.any_word(text)
    if expression is not None:
        scopes = [passages.scope_token(passages.MEMORY, place) for place in places]
        ranked += passages.alike(tx, query.within(expression, scopes), _LOOKED_AT)
    # "Moved to Irvine" has no word in common with "lives in Los Angeles", but the attribute.
    sharing = memories.of_attributes(
        tx,
        _attribute_keys(fact, own_names),
        owner=owner,
        chat=chat,
        learned_in=places,
        limit=_LOOKED_AT,
    )
    for memory in sharing:
        ranked += passages.of_item(tx, passages.MEMORY, memory)
    stored = _stored(tx, vectors, ranked) if embedding is not None else {}
    items = passages.items(tx, ranked)
    found: dict[int, Embedding | None] = {}
    for number in ranked:
        if number in items:
            found.setdefault(items[number], stored.get(number))
    return found


def _stored(tx: Tx, vectors: TextVectors, numbers: Sequence[int]) -> dict[int, Embedding]:
    """The vectors of passages, of those that have theirs."""
    if vectors.index is None or vectors.embedder is None:
        return {}
    dimension = vectors.embedder.token_dimension
    return {
        number: Embedding(
            pooled_from_bytes(pooled),
            TokenVectors.from_bytes(tokens, dimension) if tokens is not None else None,
        )
        for number, pooled, tokens in passages.vectors_of(tx, vectors.index, numbers)
    }


def _is_local(embedder: Embedder | None) -> bool:
    """Whether phrases may be embedded in the writer lane: no network, and worth it."""
    return embedder is not None and embedder.thresholds.value_type is not None


def _value_cosine(embedder: Embedder) -> conflict.ValueCosine:
    def cosine(left: str, right: str) -> float:
        one, other = embedder.embed([left, right])
        return float(np.dot(one.pooled, other.pooled))

    return cosine
