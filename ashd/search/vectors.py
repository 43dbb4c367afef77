"""Vectors in memory: what the index holds of passages that were searched, ready for numpy.

A passage's vectors never change while its number and the embedder are the same, so what was read
once is held for all searches together, up to a bound, in blocks of rows in the order in which they
were read. Blocks that no search has used for longest go first; those that a search is using stay
until it is done. A search that needs more than the bound by itself has blocks of its own, each
time, and leaves the others' as they are.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Final
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ashd import log
from ashd.providers.embedder import FloatVector, TokenVectors, pooled_from_bytes
from ashd.store import embeddings
from ashd.store.database import Tx
from ashd.store.embeddings import EmbeddingSet

KEPT_BYTES: Final = 512 * 1024 * 1024
BLOCK_ROWS: Final = 4_096
_SLICE: Final = 1_000
"""Vectors read at a time: some twenty milliseconds."""
_MOST_OF: Final = 4
"""From one row in so many on a block is multiplied as a whole."""
_FIRST_TOKENS: Final = 1_024
_NOWHERE: Final = -1

Slots = NDArray[np.int64]
"""Where passages' vectors are: the number of a block times its rows, and the row in it."""


class _Block:
    """The vectors of so many passages, one after the other."""

    def __init__(self, dimension: int, token_dimension: int) -> None:
        self.count = 0
        # Memory that nothing was written to is not taken.
        self.passage = np.zeros(BLOCK_ROWS, dtype=np.int64)
        self.pooled = np.empty((BLOCK_ROWS, dimension), dtype=np.float32)
        self.starts = np.zeros(BLOCK_ROWS + 1, dtype=np.int64)
        self.tokens = np.empty((_FIRST_TOKENS, token_dimension), dtype=np.int8)
        self.used = 0

    def add(self, passage: int, pooled: bytes, tokens: bytes | None) -> None:
        """Add the vectors of a passage; the caller made sure that there is space for them."""
        row, start = self.count, int(self.starts[self.count])
        end, dimension = start, self.tokens.shape[1]
        if tokens is not None and dimension:
            read = TokenVectors.from_bytes(tokens, dimension).vectors
            end = start + len(read)
            if end > len(self.tokens):
                more = max(len(self.tokens) // 4, end - len(self.tokens))
                self.tokens = np.concatenate(
                    (self.tokens, np.empty_like(self.tokens, shape=(more, dimension)))
                )
            self.tokens[start:end] = read
        self.passage[row] = passage
        self.pooled[row] = pooled_from_bytes(pooled)
        self.starts[row + 1] = end
        self.count += 1

    @property
    def bytes(self) -> int:
        """The size of its rows in memory."""
        tokens = int(self.starts[self.count]) * self.tokens.shape[1]
        return self.count * (self.pooled.shape[1] * 4 + 16) + tokens


class VectorCache:
    """The vectors of one embedding set, for every search."""

    def __init__(
        self, index: EmbeddingSet, token_dimension: int, too_many: float = math.inf
    ) -> None:
        self.index = index
        self.token_dimension = token_dimension
        self.too_many = too_many
        """So many passages have turned out to need more than the bound by themselves."""
        self._lock = Lock()
        self._numbers = itertools.count()
        self._uses = itertools.count(1)
        self._slot_of = np.full(BLOCK_ROWS, _NOWHERE, dtype=np.int64)
        """The slot of each passage by its number."""
        self._blocks: dict[int, _Block] = {}
        self._filling = _NOWHERE
        self._views: WeakSet[VectorView] = WeakSet()

    def view(self) -> "VectorView":
        """The vectors for one search."""
        view = VectorView(self)
        with self._lock:
            self._views.add(view)
        return view

    def slots(self, passage: NDArray[np.int64], view: "VectorView") -> Slots:
        """The slots of the passages that are here, which stay for as long as the view does."""
        with self._lock:
            self._evict(int(passage.max(initial=0)))
            slots: Slots = self._slot_of[passage]
            used = next(self._uses)
            for number, _ in _by_block(slots[slots >= 0] // BLOCK_ROWS):
                view.blocks[number] = self._blocks[number]
                self._blocks[number].used = used
        return slots

    def add(self, read: Sequence[tuple[int, bytes, bytes | None]], view: "VectorView") -> None:
        """Add vectors that were read for a view, and drop what is too much."""
        with self._lock:
            self._evict(max((number for number, _, _ in read), default=0))
            for number, pooled, tokens in read:
                if self._slot_of[number] != _NOWHERE:  # another search was first
                    continue
                block = self._blocks.get(self._filling)
                if block is None or block.count == BLOCK_ROWS:
                    self._filling = next(self._numbers)
                    block = _Block(self.index.dimension, self.token_dimension)
                    self._blocks[self._filling] = block
                view.blocks[self._filling] = block
                self._slot_of[number] = self._filling * BLOCK_ROWS + block.count
                block.add(number, pooled, tokens)
                block.used = next(self._uses)
            self._drop()

    def _evict(self, number: int) -> None:
        """Enlarge the slot table until it covers this passage's number."""
        while len(self._slot_of) <= number:
            nowhere = np.full_like(self._slot_of, _NOWHERE)
            self._slot_of = np.concatenate((self._slot_of, nowhere))

    def _drop(self) -> None:
        """Drop the blocks that were not used for longest, but for those in use."""
        total = sum(block.bytes for block in self._blocks.values())
        if total <= KEPT_BYTES:
            return
        in_use = {number for view in self._views for number in view.blocks}
        for number, block in sorted(self._blocks.items(), key=lambda item: item[1].used):
            if number not in in_use and total > KEPT_BYTES:
                total -= block.bytes
                self._slot_of[block.passage[: block.count]] = _NOWHERE
                del self._blocks[number]


class VectorView:
    """The vectors of one search: its slots are good for as long as it goes on."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache
        self.blocks: dict[int, _Block] = {}
        """The blocks that it uses."""
        self._read: set[int] = set()

    def slots(self, tx: Tx, passage: NDArray[np.int64]) -> Slots:
        """The slots of these passages, -1 for one without vectors; what is not here is read.

        A slice after the other, between which others have the reader.
        """
        slots = self._cache.slots(passage, self)
        missing = [one for one in passage[slots < 0].tolist() if one not in self._read]
        for start in range(0, len(missing), _SLICE):
            part = missing[start : start + _SLICE]
            self._cache.add(embeddings.vectors_of(tx, self._cache.index, part), self)
            self._read.update(part)
            if start + _SLICE < len(missing):
                tx.give_way()
        if missing:
            slots = self._cache.slots(passage, self)
            self._weigh(len(passage))
        return slots

    def _weigh(self, count: int) -> None:
        """Note where the vectors of one search are more than the bound."""
        needed = sum(block.bytes for block in self.blocks.values())
        if needed > KEPT_BYTES and count < self._cache.too_many:
            self._cache.too_many = count
            log.warning("vectors_not_kept", passages=count, bytes=needed, bound=KEPT_BYTES)

    def cosines(self, slots: Slots, question: FloatVector) -> NDArray[np.float32]:
        """Cosine of each slot with a question, -1 for a slot that is none."""
        result = np.full(len(slots), -1, dtype=np.float32)
        has = np.flatnonzero(slots >= 0)
        numbers, rows = np.divmod(slots[has], BLOCK_ROWS)
        for number, places in _by_block(numbers):
            block, wanted = self.blocks[number], rows[places]
            if len(wanted) * _MOST_OF >= block.count:
                # To copy the rows takes several times as long as to multiply all.
                found = (block.pooled[: block.count] @ question)[wanted]
            else:
                found = block.pooled[wanted] @ question
            result[has[places]] = found
        return result

    def tokens(self, slots: Slots) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """(token vectors one after the other, offsets): row r has those from offsets[r] on."""
        has = np.flatnonzero(slots >= 0)
        numbers, rows = np.divmod(slots[has], BLOCK_ROWS)
        parts = [(self.blocks[number], places) for number, places in _by_block(numbers)]
        lengths = np.zeros(len(slots), dtype=np.int64)
        for block, places in parts:
            lengths[has[places]] = np.diff(block.starts)[rows[places]]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        tokens = np.empty((int(offsets[-1]), self._cache.token_dimension), dtype=np.int8)
        for block, places in parts:
            into = has[places]
            before = np.cumsum(lengths[into]) - lengths[into]
            running = np.arange(int(lengths[into].sum()))
            source = np.repeat(block.starts[rows[places]] - before, lengths[into]) + running
            tokens[np.repeat(offsets[into] - before, lengths[into]) + running] = block.tokens[
                source
            ]
        return tokens, offsets


class SharedVectors:
    """The vectors of the embedder in force, for every search."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shared: VectorCache | None = None

    def of(self, tx: Tx, index: EmbeddingSet, token_dimension: int, passages: int) -> VectorView:
        """The vectors for a search among so many passages; those of another embedder are dropped.

        A read that gave way finds the view that it had.
        """
        key = (SharedVectors, index, passages)
        if tx.progress is not None and key in tx.progress:
            kept: VectorView = tx.progress[key]
            return kept
        view = self._cache(index, token_dimension, passages).view()
        if tx.progress is not None:
            tx.progress[key] = view
        return view

    def _cache(self, index: EmbeddingSet, token_dimension: int, passages: int) -> VectorCache:
        with self._lock:
            if self._shared is None or self._shared.index != index:
                self._shared = VectorCache(index, token_dimension)
            if passages < self._shared.too_many:
                return self._shared
            return VectorCache(index, token_dimension, self._shared.too_many)


def _by_block(numbers: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """(number of a block, places that have it) of each."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    for places in np.split(order, starts[1:]) if len(order) else ():
        yield int(numbers[places[0]]), places
