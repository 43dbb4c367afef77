"""Rank what a viewer may see by all legs: memories, turns and summaries.

Every leg works on the rows that the policy let through, so hidden rows take no places and no score
depends on them. A viewer's rows are cached as arrays until one of them is changed, and extended by
new ones; vectors and words are read from the database each time.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ashd.language.folding import fold
from ashd.language.word_patterns import QUERY_WORD
from ashd.providers.embedder import Embedder, FloatVector
from ashd.search import calibration, fusion, relevance
from ashd.search.candidates import Candidates
from ashd.search.diversity import COMPARED
from ashd.search.foreign import WHOLE, is_foreign, pieces_a_word
from ashd.search.legs import Legs
from ashd.search.query import Query
from ashd.search.row_cache import RowCache
from ashd.search.spec import Classifier, Found, Ranking, Spec, Vectors
from ashd.search.vectors import SharedVectors, VectorView
from ashd.search.visible_rows import ActiveRows, Places, VisibleRows
from ashd.store import passages
from ashd.store.database import Database, Tx
from ashd.store.filters import MemoryFilter
from ashd.store.visibility import States, Viewer


class Engine:
    """Finds memories, messages and summaries. One for the daemon; its methods run on a reader."""

    def __init__(self, db: Database, half_life_days: float = relevance.HALF_LIFE_DAYS) -> None:
        """`half_life_days` is that of the influence of a memory's age on its rank."""
        self._half_life_days = half_life_days
        self._row_cache = RowCache(db)
        self._vectors = SharedVectors()
        db.on_deletion(self._vectors.delete)

    @property
    def cache_bytes(self) -> dict[str, int]:
        """The bytes that each cache holds."""
        return {"rows": self._row_cache.bytes, **self._vectors.bytes}

    def memories(self, tx: Tx, spec: Spec) -> Ranking:
        """Rank the memories of the spec by their relevance."""
        search = self._search(tx, spec, passages.MEMORY)
        if search is None:
            return Ranking([], lacks_vectors=False)
        found = search.candidates()
        used = search.vectors.calibration if search.vectors else calibration.words()
        foreign = _is_foreign(search, spec, found)
        by_words = calibration.words().weights(foreign=foreign)
        missing = search.missing(found.rowid)
        judged = relevance.rank(
            found,
            spec.query,
            used.weights(foreign=foreign),
            without_vectors=(missing, by_words) if missing.any() else None,
            size=search.size,
            of_time=search.size_of_time,
            half_life_days=self._half_life_days,
            explain=spec.explain,
        )
        rows = found.rowid[[one.place for one in judged]].tolist()
        entries = [
            (row, one.score, one.strong, one.weak, one.signals)
            for row, one in zip(rows, judged, strict=True)
        ]
        ranking = search.ranking(entries, found)
        return ranking._replace(vectors=_vectors_of(tx, search, ranking.found))

    def bearing(
        self,
        tx: Tx,
        spec: Spec,
        classifiers: Mapping[str, Classifier],
        most: int,
        others: Classifier,
    ) -> dict[str, list[Found]]:
        """Return the memories that each classifier takes, likeliest first; none without vectors."""
        search = self._search(tx, spec, passages.MEMORY)
        if search is None:
            return {}
        return {name: search.taken(one, most, others) for name, one in classifiers.items()}

    def messages(self, tx: Tx, spec: Spec) -> Ranking:
        """Rank the messages of the spec by fusion of the legs."""
        return self._fused(tx, spec, passages.MESSAGE)

    def summaries(self, tx: Tx, spec: Spec) -> Ranking:
        """Rank the summaries of the spec by fusion of the legs; they have no neighbours."""
        return self._fused(tx, spec, passages.SUMMARY)

    def _fused(self, tx: Tx, spec: Spec, kind: int) -> Ranking:
        search = self._search(tx, spec, kind)
        if search is None:
            return Ranking([], lacks_vectors=False)
        found = search.candidates()
        found.asking[_quoted(tx, search, spec, found)] = 0
        vectors = search.vectors
        level = fusion.level_for(level_of(vectors.embedder) if vectors else "none", spec.query)
        if level == "late" and _is_foreign(search, spec, found):
            level = "foreign"
        ranked = fusion.fuse(found, spec.query, fusion.weights_for(level), explain=spec.explain)
        entries = [(one.rowid, one.score, one.relevant, False, one.signals) for one in ranked]
        return search.ranking(entries, found)

    def newest(self, tx: Tx, spec: Spec, most: int) -> list[int]:
        """Return the memories of the spec that were added last, newest first."""
        memories = self._active_rows(tx, spec, passages.MEMORY).memories
        newest: list[int] = memories[::-1][:most].tolist()
        return newest

    def active_memories(self, tx: Tx, viewer: Viewer, states: States) -> Places:
        """Return the memories in these states that a viewer may see, oldest first."""
        kept = self._row_cache.get(tx, viewer, MemoryFilter(), passages.MEMORY)
        return kept.active_at(tx.now, states.superseded, states.expired).memories

    def latest_summaries(self, tx: Tx, spec: Spec, most: int) -> list[int]:
        """Return the summaries of the latest conversations, latest first."""
        rows = self._active_rows(tx, spec, passages.SUMMARY).rows
        latest = rows.item[np.lexsort((rows.item, rows.at))[::-1]].tolist()
        return list(dict.fromkeys(latest))[:most]

    def speakers(self, tx: Tx, spec: Spec) -> tuple[str, ...]:
        """Return the speakers of the spec's messages."""
        return self._active_rows(tx, spec, passages.MESSAGE).speakers

    def _search(self, tx: Tx, spec: Spec, kind: int) -> Legs | None:
        """Return a search of the kind's rows; None if the viewer may see none."""
        active = self._active_rows(tx, spec, kind)
        rows = len(active.rows.passage)
        if not rows:
            return None
        vectors = spec.vectors if spec.mode != "lexical" else None
        if vectors and not _tells(vectors, spec.query, kind):
            vectors = None
        cache = self._cache(tx, vectors, active.rows) if vectors else None
        return Legs(tx, spec, kind, active, vectors, cache)

    def _cache(self, tx: Tx, vectors: Vectors, visible: VisibleRows) -> VectorView:
        dimension = vectors.embedder.token_dimension
        return self._vectors.of(tx, vectors.index, dimension, len(visible.passage))

    def _active_rows(self, tx: Tx, spec: Spec, kind: int) -> ActiveRows:
        kept = self._row_cache.get(tx, spec.viewer, spec.filter, kind)
        superseded, expired = spec.include_superseded, spec.include_expired
        if spec.since is not None or spec.until is not None:
            # Periods are not cached: every question may have its own.
            rows = kept.visible.within(spec.since, spec.until)
            return ActiveRows(rows, tx.now, include_superseded=superseded, include_expired=expired)
        return kept.active_at(tx.now, superseded, expired)


def _vectors_of(tx: Tx, search: Legs, found: Sequence[Found]) -> dict[int, FloatVector]:
    """Return the vectors of the best results' passages, by an embedder whose scale is known."""
    used = search.vectors
    if search.cache is None or used is None or not used.embedder.token_dimension:
        return {}
    return search.cache.pooled(tx, [one.passage for one in found[:COMPARED]])


def _quoted(tx: Tx, search: Legs, spec: Spec, found: Candidates) -> NDArray[np.int64]:
    """Return the candidates that ask in the words of the question, which are several.

    Mostly an answer is better than its question, but not for the words of the question itself.
    """
    if found.coverage is None or len(spec.query.terms) < 2:
        return np.array([], np.int64)
    whole = np.flatnonzero((found.asking > 0) & (found.coverage > WHOLE))
    numbers = search.visible.passage[found.rowid[whole]].tolist()
    texts, asked = passages.texts(tx, numbers), _words_of(spec.query.text)
    said = [asked in _words_of(texts[number]) for number in numbers]
    return whole[np.array(said, np.bool_)]


def _words_of(text: str) -> str:
    return " ".join(QUERY_WORD.findall(fold(text)))


def _is_foreign(search: Legs, spec: Spec, found: Candidates) -> bool:
    return is_foreign(spec.query, found, pieces_a_word(search.vectors, spec.query))


def level_of(embedder: Embedder) -> fusion.Level:
    """Return an embedder's level: vectors by token in context, by whole text, or by word alone."""
    if not embedder.reads_context:
        return "static" if embedder.token_dimension else "pooled"
    return "late" if embedder.token_dimension else "pooled"


def _tells(vectors: Vectors, asked: Query, kind: int) -> bool:
    """Return whether the vectors say anything about a question.

    In another alphabet an embedded model knows single letters at most: in talk, with all its
    neighbours, that misleads; among memories it is better than nothing. In digits it never is.
    """
    if fusion.level_for(level_of(vectors.embedder), asked) != "none":
        return True
    return kind == passages.MEMORY and any(char.isalpha() for char in asked.text)
