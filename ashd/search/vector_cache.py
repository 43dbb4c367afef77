"""The vector cache: vectors of passages that were searched, in memory and ready for numpy.

A passage's vectors never change while its number and the embedder are the same, so vectors that
were read are cached for all searches together, up to a limit, in blocks of rows in reading order.
The least recently used blocks are dropped; a block in use stays until its searches are done.
"""

import itertools
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Final
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import FloatVector, pooled_from_bytes
from ashd.search.token_vectors import TokenCache
from ashd.store import embeddings
from ashd.store.database import Tx
from ashd.store.embeddings import EmbeddingSet

KEPT_BYTES: Final = 384 * 1024 * 1024
"""Limit for the vectors of texts; those of tokens have their own."""
BLOCK_ROWS: Final = 4_096
SLICE: Final = 1_000
"""Vectors read at a time: some ten milliseconds."""
NONE: Final = -1.0
"""The cosine of a passage without a vector."""
_MOST_OF: Final = 4
"""If more than one row in so many is wanted, the whole block is multiplied."""
_NOWHERE: Final = -1

Passages = NDArray[np.int64]
Floats = NDArray[np.float32]
Slots = NDArray[np.int64]
"""Places of passages' vectors: the number of a block times its rows, plus the row in it."""
Read = Sequence[tuple[int, bytes]]
"""Passages that have a vector, each with its vector as it is stored."""


class _Block:
    """A fixed number of vectors, one after the other."""

    def __init__(self, dimension: int) -> None:
        self.count = 0
        self.deleted = 0
        """The rows of passages that are deleted."""
        # memory takes no space until it is written to
        self.passage = np.zeros(BLOCK_ROWS, dtype=np.int64)
        self.pooled = np.empty((BLOCK_ROWS, dimension), dtype=np.float32)
        self.used = 0

    def add(self, passage: Passages, pooled: Floats) -> slice:
        """Add vectors as far as there is space for them, and return their rows."""
        rows = slice(self.count, min(self.count + len(passage), BLOCK_ROWS))
        count = rows.stop - rows.start
        self.passage[rows], self.pooled[rows] = passage[:count], pooled[:count]
        self.count = rows.stop
        return rows

    @property
    def bytes(self) -> int:
        """The size of its rows in memory."""
        return self.count * (self.pooled.shape[1] * 4 + 8)


class VectorCache:
    """The vectors of one embedding set, for every search."""

    def __init__(self, index: EmbeddingSet, token_dimension: int) -> None:
        self.index = index
        self.tokens = TokenCache(index, token_dimension)
        self._lock = Lock()
        self._numbers = itertools.count()
        self._uses = itertools.count(1)
        self._slot_of = np.full(BLOCK_ROWS, _NOWHERE, dtype=np.int64)
        """The slot of each passage by its number."""
        self._blocks: dict[int, _Block] = {}
        self._filling = _NOWHERE
        self._views: WeakSet[HeldVectors] = WeakSet()

    @property
    def bytes(self) -> int:
        """The size of all rows in memory."""
        return sum(block.bytes for block in tuple(self._blocks.values()))

    def view(self) -> "HeldVectors":
        """The vectors for one search."""
        view = HeldVectors(self)
        with self._lock:
            self._views.add(view)
        return view

    def slots(self, passage: Passages, view: "HeldVectors") -> Slots:
        """Return the slots of the cached passages, which stay for as long as the view does."""
        with self._lock:
            self._cover(int(passage.max(initial=0)))
            slots: Slots = self._slot_of[passage]
            used = next(self._uses)
            for number in np.flatnonzero(np.bincount(slots[slots >= 0] // BLOCK_ROWS)).tolist():
                view.blocks[number] = self._blocks[number]
                self._blocks[number].used = used
        return slots

    def add(self, read: Read, view: "HeldVectors") -> None:
        """Add vectors that were read for a view, and drop the surplus."""
        passage, pooled = as_arrays(read, self.index.dimension)
        with self._lock:
            self._cover(int(passage.max(initial=0)))
            new = self._slot_of[passage] == _NOWHERE  # another search may have added some first
            if not new.all():
                passage, pooled = passage[new], pooled[new]
            while len(passage):
                block = self._blocks.get(self._filling)
                if block is None or block.count == BLOCK_ROWS:
                    self._filling = next(self._numbers)
                    block = self._blocks[self._filling] = _Block(self.index.dimension)
                rows = block.add(passage, pooled)
                added = rows.stop - rows.start
                slots = self._filling * BLOCK_ROWS + np.arange(rows.start, rows.stop)
                self._slot_of[passage[:added]] = slots
                view.blocks[self._filling] = block
                block.used = next(self._uses)
                passage, pooled = passage[added:], pooled[added:]
            self._drop()

    def delete(self, passages: Sequence[int]) -> None:
        """Drop the vectors of passages that are deleted; a block with nothing else goes whole."""
        self.tokens.delete(passages)
        with self._lock:
            passage = np.array(
                [one for one in passages if one < len(self._slot_of)], dtype=np.int64
            )
            slots = self._slot_of[passage]
            self._slot_of[passage] = _NOWHERE
            numbers, rows = np.divmod(slots[slots >= 0], BLOCK_ROWS)
            for number, places in _by_block(numbers):
                block = self._blocks[number]
                block.pooled[rows[places]] = 0
                block.deleted += len(places)
                if block.deleted == block.count:
                    del self._blocks[number]

    def _cover(self, number: int) -> None:
        """Enlarge the slot table until it covers this passage's number."""
        while len(self._slot_of) <= number:
            nowhere = np.full_like(self._slot_of, _NOWHERE)
            self._slot_of = np.concatenate((self._slot_of, nowhere))

    def _drop(self) -> None:
        """Drop the least recently used blocks that are not in use."""
        total = self.bytes
        if total <= KEPT_BYTES:
            return
        in_use = {number for view in self._views for number in view.blocks}
        for number, block in sorted(self._blocks.items(), key=lambda item: item[1].used):
            if number not in in_use and total > KEPT_BYTES:
                total -= block.bytes
                self._slot_of[block.passage[: block.count]] = _NOWHERE
                del self._blocks[number]


class HeldVectors:
    """The vectors of one search in the cache; they stay there until the search is done."""

    is_kept = True

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache
        self.tokens = cache.tokens
        self.blocks: dict[int, _Block] = {}
        """The blocks that it uses."""
        self._without: set[int] = set()
        """Passages of the search that turned out to have no vector."""

    def compare(self, tx: Tx, passage: Passages, question: FloatVector) -> Floats:
        """`vectors.VectorView.compare`."""
        missing = passage[self._cache.slots(passage, self) < 0]
        if self._without:
            missing = missing[~np.isin(missing, list(self._without))]
        while len(missing):
            part, missing = missing[:SLICE].tolist(), missing[SLICE:]
            read = embeddings.pooled_of(tx, self._cache.index, part)
            self._cache.add(read, self)
            self._without.update(set(part).difference(number for number, _ in read))
            if len(missing):
                tx.give_way()
        return self.cosines(tx, passage, question)

    def cosines(self, _tx: Tx, passage: Passages, question: FloatVector) -> Floats:
        """`vectors.VectorView.cosines`."""
        slots = self._cache.slots(passage, self)
        result = np.full(len(slots), NONE, dtype=np.float32)
        has = np.flatnonzero(slots >= 0)
        numbers, rows = np.divmod(slots[has], BLOCK_ROWS)
        for number, places in _by_block(numbers):
            block, wanted = self.blocks[number], rows[places]
            if len(wanted) * _MOST_OF >= block.count:
                # Copying the rows takes several times as long as multiplying all.
                found = (block.pooled[: block.count] @ question)[wanted]
            else:
                found = block.pooled[wanted] @ question
            result[has[places]] = found
        return result

    def pooled(self, _tx: Tx, passages: Sequence[int]) -> dict[int, FloatVector]:
        """`vectors.VectorView.pooled`."""
        slots = self._cache.slots(np.array(passages, dtype=np.int64), self).tolist()
        found = {}
        for passage, slot in zip(passages, slots, strict=True):
            if slot != _NOWHERE:
                number, row = divmod(slot, BLOCK_ROWS)
                found[passage] = self.blocks[number].pooled[row].copy()
        return found


def as_arrays(read: Read, dimension: int) -> tuple[Passages, Floats]:
    """Return the passages that were read, and their vectors."""
    passage = np.fromiter((number for number, _ in read), np.int64, len(read))
    pooled = pooled_from_bytes(b"".join(vector for _, vector in read))
    return passage, pooled.reshape(len(read), dimension)


def _by_block(numbers: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Return (number of a block, places that have it) for each block."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    for places in np.split(order, starts[1:]) if len(order) else ():
        yield int(numbers[places[0]]), places
