"""Finding: the legs over what a viewer may see, fused into one ranking.

Every leg works on the rows that the policy let through, so nobody's results starve and no score
tells of what is hidden. The rows of a viewer are kept as arrays until something is written.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.clock import DAY
from ashd.providers.embedder import Embedder, Embedding, TokenVectors, pooled_to_bytes
from ashd.search import fusion, late, lexical
from ashd.search.fusion import Candidate, Ranked
from ashd.search.query import Query
from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.passages import EmbeddingSet
from ashd.store.visibility import Viewer

Mode = Literal["hybrid", "lexical", "vector"]

_EACH_LEG: Final = 100
"""How many candidates a leg brings."""
_KEPT_SHELVES: Final = 32
_MOST_SCOPES: Final = 200
"""With more chats than this the full-text query names none: the rows are filtered all the same."""


class Shelf(NamedTuple):
    """The rows that a viewer may see, as arrays of one length, ordered by passage."""

    passage: NDArray[np.int64]
    item: NDArray[np.int64]
    chat: NDArray[np.int64]
    at: NDArray[np.int64]
    ends_at: NDArray[np.int64]
    superseded_until: NDArray[np.int64]
    archived: NDArray[np.int64]
    fades: NDArray[np.bool_]
    trust: NDArray[np.float64]
    words: NDArray[np.int64]
    asking: NDArray[np.float64]
    dated: NDArray[np.bool_]
    ends_asking: NDArray[np.bool_]

    def keep(self, mask: NDArray[np.bool_]) -> "Shelf":
        """The rows under the mask."""
        return Shelf._make(column[mask] for column in self)


@dataclass(frozen=True, slots=True)
class States:
    """Which states are let in besides what stands now."""

    superseded: bool = False
    expired: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A memory in the ranking: its row number, score 0-1, and what brought it there."""

    item: int
    score: float
    relevant: bool
    signals: dict[str, float]


class Engine:
    """Finds memories. One for the daemon; its methods run on a reader."""

    def __init__(self) -> None:
        self._shelves: OrderedDict[Any, tuple[int, Shelf]] = OrderedDict()
        self._lock = Lock()

    def memories(
        self,
        tx: Tx,
        viewer: Viewer,
        query: Query,
        *,
        where: str,
        params: Mapping[str, Any],
        states: States,
        about: Mapping[int, float],
        embedder: Embedder | None,
        vectors: EmbeddingSet | None,
        embedding: Embedding | None,
        mode: Mode,
    ) -> list[Found]:
        """Rank the memories under `where`, best first, one entry a memory.

        `about` has the weight of memories about people that the question names.
        """
        shelf = _standing(self._shelf(tx, viewer, where, params), tx.now, states)
        if not len(shelf.passage):
            return []
        level = level_of(embedder) if embedding is not None and vectors is not None else "none"
        words = _lexical_leg(tx, query, shelf) if mode != "vector" else None
        cosines: dict[int, float] = {}
        if mode != "lexical" and embedding is not None and vectors is not None:
            cosines = _vector_leg(tx, shelf, vectors, embedding)
        places = _candidates(shelf, words, cosines, about)
        late_scores: dict[int, float] = {}
        if cosines and embedder is not None and embedding is not None and vectors is not None:
            late_scores = _late_leg(tx, shelf, places, vectors, embedder, embedding)
        candidates = [
            _candidate(tx, shelf, place, words, cosines, late_scores, about) for place in places
        ]
        ranked = fusion.fuse(candidates, query, fusion.weights_for("memory", level))
        return _by_item(shelf, ranked)

    def _shelf(self, tx: Tx, viewer: Viewer, where: str, params: Mapping[str, Any]) -> Shelf:
        key = (viewer, where, tuple(sorted(params.items())))
        with self._lock:
            kept = self._shelves.get(key)
            if kept is not None and kept[0] == tx.generation:
                self._shelves.move_to_end(key)
                return kept[1]
        shelf = _load(tx, viewer, where, params)
        with self._lock:
            self._shelves[key] = (tx.generation, shelf)
            while len(self._shelves) > _KEPT_SHELVES:
                self._shelves.popitem(last=False)
        return shelf


def level_of(embedder: Embedder | None) -> fusion.Level:
    """How much an embedder's vectors tell: by token and context, by whole text, by word alone."""
    if embedder is None:
        return "none"
    if embedder.thresholds.value_type is None:
        return "static"
    return "late" if embedder.token_dimension else "pooled"


def _load(tx: Tx, viewer: Viewer, where: str, params: Mapping[str, Any]) -> Shelf:
    rows = passages.memory_rows(tx, viewer, where, dict(params))
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(Shelf._fields)
    kinds = (*[np.int64] * 7, np.bool_, np.float64, np.int64, np.float64, np.bool_, np.bool_)
    return Shelf._make(
        np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)
    )


def _standing(shelf: Shelf, now: int, states: States) -> Shelf:
    kept = shelf.archived == 0
    if states.superseded:
        kept |= shelf.archived == 2
    else:
        kept &= shelf.superseded_until <= now
    if not states.expired:
        kept &= shelf.ends_at > now
    return shelf.keep(kept)


def _lexical_leg(tx: Tx, query: Query, shelf: Shelf) -> lexical.Lexical | None:
    chats = np.unique(shelf.chat)
    scopes = [passages.scope_token(passages.MEMORY, int(chat)) for chat in chats]
    scope = f"scope : ({_any(scopes)}) AND " if len(scopes) <= _MOST_SCOPES else ""
    expressions = [f'{scope}{{body names dates}} : "{_quoted(term)}"' for term in query.terms]
    expressions += [f'{scope}grams : "{_quoted(gram)}"' for gram in query.grams]
    if not expressions:
        return None
    postings = [
        _places(shelf.passage, np.array(passages.postings(tx, expression), dtype=np.int64))
        for expression in expressions
    ]
    return lexical.bm25(postings, len(shelf.passage), words=shelf.words)


def _vector_leg(
    tx: Tx, shelf: Shelf, vectors: EmbeddingSet, embedding: Embedding
) -> dict[int, float]:
    """Cosines by place, of the nearest in each chat."""
    question = pooled_to_bytes(embedding.pooled)
    found: dict[int, float] = {}
    for chat in np.unique(shelf.chat):
        among = shelf.passage[shelf.chat == chat].tolist()
        near = passages.nearest(
            *(tx, vectors, passages.partition(passages.MEMORY, int(chat)), among),
            *(question, _EACH_LEG),
        )
        for passage, cosine in near:
            found[int(np.searchsorted(shelf.passage, passage))] = cosine
    best = sorted(found, key=lambda place: -found[place])[:_EACH_LEG]
    return {place: found[place] for place in best}


def _late_leg(
    tx: Tx,
    shelf: Shelf,
    places: Sequence[int],
    vectors: EmbeddingSet,
    embedder: Embedder,
    embedding: Embedding,
) -> dict[int, float]:
    """Late interaction of the candidates with the question's tokens."""
    if embedding.tokens is None or not len(embedding.tokens.ids) or not places:
        return {}
    numbers = [int(shelf.passage[place]) for place in places]
    stored = passages.token_vectors(tx, vectors, numbers)
    texts = [
        TokenVectors.from_bytes(stored.get(number, b""), embedder.token_dimension).vectors
        for number in numbers
    ]
    offsets = np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
    question = embedding.tokens.vectors.astype(np.float32) / np.float32(127)
    scores = late.window_maxsim(
        question,
        np.full(len(question), 1 / len(question), dtype=np.float32),
        np.concatenate(texts),
        offsets,
        np.arange(len(texts), dtype=np.int64)[:, None],
        discounts=(1.0,),
    )
    return dict(zip(places, scores.tolist(), strict=True))


def _candidates(
    shelf: Shelf,
    words: lexical.Lexical | None,
    cosines: Mapping[int, float],
    about: Mapping[int, float],
) -> list[int]:
    places = dict.fromkeys(cosines)
    if words is not None:
        best = np.argsort(-words.scores, kind="stable")[:_EACH_LEG]
        places.update(dict.fromkeys(int(place) for place in best if words.scores[place] > 0))
    if about:
        named = np.isin(shelf.item, np.fromiter(about, dtype=np.int64, count=len(about)))
        places.update(dict.fromkeys(int(place) for place in np.flatnonzero(named)[-_EACH_LEG:]))
    return list(places)


def _candidate(
    tx: Tx,
    shelf: Shelf,
    place: int,
    words: lexical.Lexical | None,
    cosines: Mapping[int, float],
    late_scores: Mapping[int, float],
    about: Mapping[int, float],
) -> Candidate:
    at = int(shelf.at[place])
    return Candidate(
        rowid=place,
        lexical=float(words.scores[place]) if words is not None else None,
        cosine=cosines.get(place),
        late=late_scores.get(place),
        coverage=float(words.coverage[place]) if words is not None else None,
        dated=bool(shelf.dated[place]),
        about=about.get(int(shelf.item[place]), 0.0),
        at=at,
        age_days=(tx.now - at) / DAY,
        fades=bool(shelf.fades[place]),
        trust=float(shelf.trust[place]),
    )


def _by_item(shelf: Shelf, ranked: Sequence[Ranked]) -> list[Found]:
    """One entry a memory: a long one stands where its best passage stands."""
    found: dict[int, Found] = {}
    for entry in ranked:
        item = int(shelf.item[entry.rowid])
        if item not in found:
            found[item] = Found(item, entry.score, entry.relevant, entry.signals)
    return list(found.values())


def _places(passage: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where these passages stand on the shelf; those that do not are left out."""
    at = np.searchsorted(passage, numbers)
    at = np.minimum(at, len(passage) - 1)
    kept: NDArray[np.int64] = at[passage[at] == numbers]
    return kept


def _any(words: Sequence[str]) -> str:
    return " OR ".join(f'"{word}"' for word in words)


def _quoted(term: str) -> str:
    return term.replace('"', '""')
