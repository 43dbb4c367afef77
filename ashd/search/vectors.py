"""The vectors that a search compares: those in the cache, or read for this search only.

A search that needs more than the cache may hold reads its vectors each time, one slice at a time,
and leaves the cache unchanged.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Final, Protocol

import numpy as np

from ashd.providers.embedder import FloatVector, pooled_from_bytes
from ashd.search import vector_cache
from ashd.search.token_vectors import TokenCache
from ashd.search.vector_cache import NONE, Floats, Passages, VectorCache, as_arrays
from ashd.store import embeddings
from ashd.store.database import Tx
from ashd.store.embeddings import EmbeddingSet

_SLICE: Final = 3_000
"""Vectors read at a time for an uncached search, which restarts with each slice: some 25 ms."""


class VectorView(Protocol):
    """The vectors of one search."""

    tokens: TokenCache
    is_kept: bool
    """Whether the vectors stay in the cache, so that a further question costs one product."""

    def compare(self, tx: Tx, passage: Passages, question: FloatVector) -> Floats:
        """Return the cosine of every row of a search with its question, `NONE` without a vector.

        Reads slice by slice, between which others have the reader.
        """
        ...

    def cosines(self, tx: Tx, passage: Passages, question: FloatVector) -> Floats:
        """Return the same for some of the compared rows, with this or another question."""
        ...

    def pooled(self, tx: Tx, passages: Sequence[int]) -> dict[int, FloatVector]:
        """Return the vectors of those compared passages that have one."""
        ...


class _PassingVectors:
    """The vectors of one search that needs more than the limit: read each time, and not cached."""

    is_kept = False

    def __init__(self, cache: VectorCache) -> None:
        self._index = cache.index
        self.tokens = cache.tokens
        self._passage = np.zeros(0, dtype=np.int64)
        """The passages of the last comparison, of which the first `_done` have their cosine."""
        self._cosines = np.zeros(0, dtype=np.float32)
        self._done = 0

    def compare(self, tx: Tx, passage: Passages, question: FloatVector) -> Floats:
        """`VectorView.compare`."""
        if passage is not self._passage:  # the first time, or rows have changed since
            self._begin(passage)
        while self._done < len(passage):
            part = slice(self._done, self._done + _SLICE)
            self._cosines[part] = self.cosines(tx, passage[part], question)
            self._done = part.stop
            if self._done < len(passage):
                tx.give_way()
        return self._cosines

    def _begin(self, passage: Passages) -> None:
        """Start a comparison; keep the finished part if the rows begin as before."""
        same = min(self._done, len(passage))
        done = same if np.array_equal(passage[:same], self._passage[:same]) else 0
        cosines = np.full(len(passage), NONE, dtype=np.float32)
        cosines[:done] = self._cosines[:done]
        self._passage, self._cosines, self._done = passage, cosines, done

    def cosines(self, tx: Tx, passage: Passages, question: FloatVector) -> Floats:
        """`VectorView.cosines`."""
        found = embeddings.pooled_of(tx, self._index, passage.tolist())
        numbers, pooled = as_arrays(found, self._index.dimension)
        cosines = dict(zip(numbers.tolist(), (pooled @ question).tolist(), strict=True))
        return np.array([cosines.get(one, NONE) for one in passage.tolist()], dtype=np.float32)

    def pooled(self, tx: Tx, passages: Sequence[int]) -> dict[int, FloatVector]:
        """`VectorView.pooled`."""
        found = embeddings.pooled_of(tx, self._index, passages)
        return {passage: pooled_from_bytes(pooled) for passage, pooled in found}


class SharedVectors:
    """The vectors of the current embedder, for every search."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shared: VectorCache | None = None

    @property
    def bytes(self) -> dict[str, int]:
        """The bytes in memory of pooled vectors and of tokens' vectors."""
        shared = self._shared
        if shared is None:
            return {"vectors": 0, "token_vectors": 0}
        return {"vectors": shared.bytes, "token_vectors": shared.tokens.bytes}

    def delete(self, passages: Sequence[int]) -> None:
        """Drop the vectors of passages that are deleted."""
        if (shared := self._shared) is not None:
            shared.delete(passages)

    def of(self, tx: Tx, index: EmbeddingSet, token_dimension: int, passages: int) -> VectorView:
        """Return the vectors for a search among so many passages; drop those of another embedder.

        A rerun of a read that gave way gets the same view.
        """
        with self._lock:
            if self._shared is None or self._shared.index != index:
                self._shared = VectorCache(index, token_dimension)
            shared = self._shared
        key = (SharedVectors, index, passages)
        view: VectorView | None = tx.progress.get(key) if tx.progress is not None else None
        if view is None:
            too_many = passages * index.dimension * 4 > vector_cache.KEPT_BYTES
            view = _PassingVectors(shared) if too_many else shared.view()
            if tx.progress is not None:
                tx.progress[key] = view
        return view
