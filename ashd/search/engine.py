"""Finding: the legs over what a viewer may see, fused into one ranking; for memories and turns.

Every leg works on the rows that the policy let through, so nobody's results starve and no score
tells of what is hidden. The rows of a viewer are kept as arrays (a shelf) until something is
written; the vectors and words are read from the database each time.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.clock import DAY
from ashd.providers.embedder import (
    Embedder,
    Embedding,
    TokenVectors,
    pooled_from_bytes,
    pooled_to_bytes,
)
from ashd.search import fusion, late, lexical, query
from ashd.search.fusion import Candidate, Ranked
from ashd.search.query import Query
from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.passages import EmbeddingSet
from ashd.store.visibility import Viewer

Mode = Literal["hybrid", "lexical", "vector"]
Places = NDArray[np.int64]

_EACH_LEG: Final = 150
"""How many candidates a leg brings."""
_KEPT_SHELVES: Final = 32
_MOST_SCOPES: Final = 200
"""With more chats than this the full-text query names none: the rows are filtered all the same."""
_WINDOW: Final = (0, -1, 1, -2, 2)
"""Whose tokens count for a turn: its own, then its neighbours'; as `late.DISCOUNTS` has them."""

_COLUMNS: Final = (
    *[np.int64] * 5,
    np.float64,
    *[np.bool_] * 2,
    np.int64,
    np.object_,
    *[np.int64] * 3,
    np.bool_,
    np.float64,
)


class Shelf(NamedTuple):
    """The rows that a viewer may see, as arrays of one length; turns in their order."""

    passage: Places
    item: Places
    chat: Places
    at: Places
    words: Places
    asking: NDArray[np.float64]
    dated: NDArray[np.bool_]
    ends_asking: NDArray[np.bool_]
    session: Places
    speaker: NDArray[np.object_]
    ends_at: Places
    superseded_until: Places
    archived: Places
    fades: NDArray[np.bool_]
    trust: NDArray[np.float64]

    def keep(self, mask: NDArray[np.bool_]) -> "Shelf":
        """The rows under the mask."""
        return self if mask.all() else Shelf._make(column[mask] for column in self)


@dataclass(frozen=True, slots=True)
class Vectors:
    """The embedder in force with its index, and the question's vectors."""

    embedder: Embedder
    index: EmbeddingSet
    question: Embedding


@dataclass(frozen=True, slots=True)
class Spec:
    """What to find, among which rows. `where` is a condition of the store with its parameters."""

    viewer: Viewer
    query: Query
    where: str
    params: Mapping[str, Any]
    vectors: Vectors | None
    mode: Mode = "hybrid"
    include_superseded: bool = False
    include_expired: bool = False
    explain: bool = False
    about: Mapping[int, float] | None = None
    """The weight of memories about people that the question names."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory or message in the ranking: its row number, score 0-1, and what brought it there."""

    item: int
    score: float
    relevant: bool
    signals: dict[str, float]


class Engine:
    """Finds memories and messages. One for the daemon; its methods run on a reader."""

    def __init__(self) -> None:
        self._shelves: OrderedDict[Any, tuple[int, Shelf]] = OrderedDict()
        self._lock = Lock()

    def memories(self, tx: Tx, spec: Spec) -> list[Found]:
        """Rank the memories of the spec, best first, one entry a memory."""
        return self._find(tx, spec, passages.MEMORY)

    def messages(self, tx: Tx, spec: Spec) -> list[Found]:
        """Rank the messages of the spec, best first, one entry a message."""
        return self._find(tx, spec, passages.MESSAGE)

    def speakers(self, tx: Tx, spec: Spec) -> list[str]:
        """Who speaks in the messages of the spec."""
        shelf = self._shelf(tx, spec, passages.MESSAGE)
        return sorted({speaker for speaker in shelf.speaker if speaker})

    def _find(self, tx: Tx, spec: Spec, kind: int) -> list[Found]:
        shelf = _standing(self._shelf(tx, spec, kind), tx.now, spec)
        if not len(shelf.passage):
            return []
        vectors = spec.vectors if spec.mode != "lexical" else None
        level = fusion.level_for(level_of(vectors.embedder) if vectors else "none", spec.query)
        if level == "none":
            vectors = None
        candidates = _Search(tx, spec, kind, shelf, vectors).candidates()
        weights = fusion.weights_for("memory" if kind == passages.MEMORY else "turn", level)
        return _by_item(shelf, fusion.fuse(candidates, spec.query, weights, explain=spec.explain))

    def _shelf(self, tx: Tx, spec: Spec, kind: int) -> Shelf:
        key = (kind, spec.viewer, spec.where, tuple(sorted(spec.params.items())))
        with self._lock:
            kept = self._shelves.get(key)
            if kept is not None and kept[0] == tx.generation:
                self._shelves.move_to_end(key)
                return kept[1]
        shelf = _load(tx, spec, kind)
        with self._lock:
            self._shelves[key] = (tx.generation, shelf)
            while len(self._shelves) > _KEPT_SHELVES:
                self._shelves.popitem(last=False)
        return shelf


def level_of(embedder: Embedder) -> fusion.Level:
    """How much an embedder's vectors tell: by token and context, by whole text, by word alone."""
    if embedder.thresholds.value_type is None:
        return "static" if embedder.token_dimension else "pooled"
    return "late" if embedder.token_dimension else "pooled"


def _load(tx: Tx, spec: Spec, kind: int) -> Shelf:
    read: Callable[..., list[tuple[Any, ...]]] = (
        passages.memory_rows if kind == passages.MEMORY else passages.turn_rows
    )
    rows = read(tx, spec.viewer, spec.where, dict(spec.params))
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(Shelf._fields)
    return Shelf._make(
        np.array(column, dtype=kind) for column, kind in zip(columns, _COLUMNS, strict=True)
    )


def _standing(shelf: Shelf, now: int, spec: Spec) -> Shelf:
    kept = shelf.archived == 0
    if spec.include_superseded:
        kept |= shelf.archived == 2
    else:
        kept &= shelf.superseded_until <= now
    if not spec.include_expired:
        kept &= shelf.ends_at > now
    return shelf.keep(kept)


class _Search:
    """One search over a shelf; a place is a row's position on it."""

    def __init__(
        self, tx: Tx, spec: Spec, kind: int, shelf: Shelf, vectors: Vectors | None
    ) -> None:
        self._tx = tx
        self._spec = spec
        self._kind = kind
        self._shelf = shelf
        self._order = np.argsort(shelf.passage, kind="stable")
        self._sorted = shelf.passage[self._order]
        self._vectors = vectors

    def candidates(self) -> list[Candidate]:
        """What the legs bring, with everything that they know of it."""
        words = self._by_words() if self._spec.mode != "vector" else None
        cosines = self._by_vector(self._vectors) if self._vectors else {}
        places = self._chosen(words, cosines)
        scores: dict[int, float] = {}
        if self._vectors and places:
            cosines |= self._cosines(self._vectors, [p for p in places if p not in cosines])
            scores = self._late(self._vectors, places)
        about, shelf, now = self._spec.about or {}, self._shelf, self._tx.now
        return [
            Candidate(
                rowid=place,
                lexical=float(words.scores[place]) if words is not None else None,
                cosine=cosines.get(place),
                late=scores.get(place),
                coverage=float(words.coverage[place]) if words is not None else None,
                speaker=shelf.speaker[place],
                dated=bool(shelf.dated[place]),
                asking=float(shelf.asking[place]),
                session=int(shelf.session[place]) if shelf.session[place] >= 0 else None,
                about=about.get(int(shelf.item[place]), 0.0),
                at=int(shelf.at[place]),
                age_days=(now - int(shelf.at[place])) / DAY,
                fades=bool(shelf.fades[place]),
                trust=float(shelf.trust[place]),
            )
            for place in places
        ]

    def _by_words(self) -> lexical.Lexical | None:
        lookups = self._spec.query.lookups
        if not lookups:
            return None
        chats = np.unique(self._shelf.chat)
        scopes = [passages.scope_token(self._kind, int(chat)) for chat in chats]
        found = []
        for lookup in lookups:
            rows = self._postings(lookup.expression, scopes)
            if lookup.wider is not None and len(rows) < query.FEW:
                rows = np.union1d(rows, self._postings(lookup.wider, scopes))
            found.append(rows)
        is_turns = self._kind == passages.MESSAGE
        return lexical.bm25(
            found,
            len(self._shelf.passage),
            worth=[lookup.worth for lookup in lookups],
            sessions=self._shelf.session if is_turns else None,
            ends_asking=self._shelf.ends_asking if is_turns else None,
            words=self._shelf.words,
        )

    def _postings(self, expression: str, scopes: list[str]) -> Places:
        if len(scopes) <= _MOST_SCOPES:
            expression = query.within(expression, scopes)
        return self._places(np.array(passages.postings(self._tx, expression), dtype=np.int64))

    def _places(self, numbers: Places) -> Places:
        """Where these passages stand on the shelf; those that do not are left out."""
        at = np.minimum(np.searchsorted(self._sorted, numbers), len(self._sorted) - 1)
        kept: Places = self._order[at[self._sorted[at] == numbers]]
        return kept

    def _by_vector(self, vectors: Vectors) -> dict[int, float]:
        """Cosines of the nearest, by place."""
        question = pooled_to_bytes(vectors.question.pooled)
        near: list[tuple[int, float]] = []
        for chat in np.unique(self._shelf.chat):
            among = self._shelf.passage[self._shelf.chat == chat].tolist()
            partition = passages.partition(self._kind, int(chat))
            near += passages.nearest(
                *(self._tx, vectors.index, partition, among, question, _EACH_LEG)
            )
        near.sort(key=lambda pair: -pair[1])
        places = self._places(np.array([number for number, _ in near[:_EACH_LEG]], dtype=np.int64))
        return dict(zip(places.tolist(), (cosine for _, cosine in near), strict=False))

    def _chosen(self, words: lexical.Lexical | None, cosines: Mapping[int, float]) -> list[int]:
        """The places that any leg brings, in a stable order."""
        chosen = dict.fromkeys(cosines)
        if words is not None:
            best = np.argsort(-words.scores, kind="stable")[:_EACH_LEG]
            chosen.update(dict.fromkeys(int(place) for place in best if words.scores[place] > 0))
        if self._spec.about:
            named = np.isin(self._shelf.item, list(self._spec.about))
            newest = np.flatnonzero(named)[-_EACH_LEG:]
            chosen.update(dict.fromkeys(newest.tolist()))
        return list(chosen)

    def _cosines(self, vectors: Vectors, places: Sequence[int]) -> dict[int, float]:
        """Cosines of candidates that other legs brought."""
        numbers = {int(self._shelf.passage[place]): place for place in places}
        stored = passages.pooled_vectors(self._tx, vectors.index, list(numbers))
        question = vectors.question.pooled
        return {
            numbers[number]: float(pooled_from_bytes(blob) @ question)
            for number, blob in stored.items()
        }

    def _late(self, vectors: Vectors, places: Sequence[int]) -> dict[int, float]:
        """Late interaction of the candidates, and of their neighbours, with the question."""
        question = vectors.question.tokens
        if question is None or not len(question.ids):
            return {}
        steps = _WINDOW if self._kind == passages.MESSAGE else _WINDOW[:1]
        at = np.array(places, dtype=np.int64)[:, None] + np.array(steps, dtype=np.int64)
        inside = (at >= 0) & (at < len(self._shelf.passage))
        at = np.where(inside, at, 0)
        inside &= self._shelf.session[at] == self._shelf.session[at[:, :1]]
        needed = np.unique(at[inside])
        windows = np.where(inside, np.searchsorted(needed, at), -1)
        numbers = self._shelf.passage[needed].tolist()
        stored = passages.token_vectors(self._tx, vectors.index, numbers)
        dimension = vectors.embedder.token_dimension
        texts = [
            TokenVectors.from_bytes(stored.get(number, b""), dimension).vectors
            for number in numbers
        ]
        before = at[:, 1] if len(steps) > 1 else None
        scores = late.window_maxsim(
            question.vectors.astype(np.float32) / np.float32(127),
            None,
            np.concatenate(texts),
            np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64),
            windows,
            answers=None if before is None else inside[:, 1] & self._shelf.ends_asking[before],
            discounts=late.DISCOUNTS[: len(steps)],
        )
        return dict(zip(places, scores.tolist(), strict=True))


def _by_item(shelf: Shelf, ranked: Sequence[Ranked]) -> list[Found]:
    """One entry an item: a long one stands where its best passage stands."""
    found: dict[int, Found] = {}
    for entry in ranked:
        item = int(shelf.item[entry.rowid])
        if item not in found:
            found[item] = Found(item, entry.score, entry.relevant, entry.signals)
    return list(found.values())
