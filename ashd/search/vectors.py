"""Vectors in memory: what the index holds of passages that were searched, ready for numpy.

A passage's vectors never change while its number and the embedder are the same, so what was read
once is kept, for all readers together, up to a bound. Beyond it everything is read anew; a search
that needs more than that by itself reads for itself alone, each time, and leaves the others' as
they are.
"""

import math
from threading import Lock
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ashd import log
from ashd.providers.embedder import TokenVectors, pooled_from_bytes
from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.passages import EmbeddingSet

KEPT_BYTES: Final = 512 * 1024 * 1024
_FIRST_ROWS: Final = 1_024

Slots = NDArray[np.int64]
Number = TypeVar("Number", np.float32, np.int8)


class VectorCache:
    """The vectors of one embedding set. Slots are places in it; -1 is a passage without vectors."""

    def __init__(
        self, index: EmbeddingSet, token_dimension: int, too_many: float = math.inf
    ) -> None:
        self.index = index
        self._token_dimension = token_dimension
        self._lock = Lock()
        self.too_many = too_many
        """So many passages have turned out to be more than is to be kept, by themselves."""
        self._count = 0
        self._slot_of = np.full(_FIRST_ROWS, -1, dtype=np.int32)
        """The slot of each passage by its number."""
        self._pooled = np.zeros((_FIRST_ROWS, self.index.dimension), dtype=np.float32)
        self._tokens = np.zeros((_FIRST_ROWS, max(self._token_dimension, 1)), dtype=np.int8)
        self._starts = np.zeros(_FIRST_ROWS + 1, dtype=np.int64)

    def slots(self, tx: Tx, numbers: NDArray[np.int64]) -> Slots:
        """Where the vectors of these passages are; what is not here yet is read."""
        with self._lock:
            while len(self._slot_of) <= numbers.max(initial=0):
                self._slot_of = np.concatenate((self._slot_of, np.full_like(self._slot_of, -1)))
            slots = self._slot_of[numbers]
            missing = numbers[slots < 0]
            if len(missing):
                read = passages.vectors_of(tx, self.index, missing.tolist())
                for number, pooled, tokens in read:
                    self._add(number, pooled, tokens)
                slots = self._slot_of[numbers]
                self._weigh(slots)
            return slots.astype(np.int64)

    def cosines(self, slots: Slots, question: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of each slot with a question, -1 for a slot that is none."""
        result = np.full(len(slots), -1, dtype=np.float32)
        held = np.flatnonzero(slots >= 0)
        if len(held):
            chosen = slots[held]
            first, last = int(chosen[0]), int(chosen[-1])
            # One owner's passages mostly lie side by side: no copy then.
            in_a_row = last - first == len(chosen) - 1 and bool((np.diff(chosen) == 1).all())
            rows = self._pooled[first : last + 1] if in_a_row else self._pooled[chosen]
            result[held] = rows @ question
        return result

    def tokens(self, slots: Slots) -> tuple[NDArray[np.int8], Slots]:
        """(token vectors one after the other, offsets): row r has those from offsets[r] on."""
        held = np.maximum(slots, 0)
        starts = self._starts[held]
        lengths = np.where(slots >= 0, self._starts[held + 1] - starts, 0)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
        return self._tokens.take(places, axis=0), offsets

    @property
    def is_full(self) -> bool:
        """Whether it holds more than is to be kept: time for an empty one."""
        return self._bytes(self._count, int(self._starts[self._count])) > KEPT_BYTES

    def _weigh(self, slots: NDArray[np.int32]) -> None:
        """Note where the vectors of one search are more than is to be kept."""
        if not self.is_full:
            return
        held = slots[slots >= 0]
        needed = self._bytes(len(held), int((self._starts[held + 1] - self._starts[held]).sum()))
        if needed > KEPT_BYTES and len(slots) < self.too_many:
            self.too_many = len(slots)
            log.warning("vectors_not_kept", passages=len(slots), bytes=needed, bound=KEPT_BYTES)

    def _bytes(self, passages: int, tokens: int) -> int:
        """What so many passages with so many tokens take."""
        return (
            passages * self._pooled[:1].nbytes
            + tokens * self._tokens[:1].nbytes
            + self._slot_of.nbytes
        )

    def _add(self, number: int, pooled: bytes, tokens: bytes | None) -> None:
        slot = self._count
        if slot == len(self._pooled):
            self._pooled = _longer(self._pooled)
            more = len(self._pooled) - slot
            self._starts = np.concatenate((self._starts, np.zeros(more, dtype=np.int64)))
        self._pooled[slot] = pooled_from_bytes(pooled)
        start = int(self._starts[slot])
        end = start
        if tokens is not None and self._token_dimension:
            read = TokenVectors.from_bytes(tokens, self._token_dimension).vectors
            end = start + len(read)
            while end > len(self._tokens):
                self._tokens = _longer(self._tokens)
            self._tokens[start:end] = read
        self._starts[slot + 1] = end
        self._slot_of[number] = slot
        self._count += 1


class SharedVectors:
    """The vectors of the embedder in force, for every search."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shared: VectorCache | None = None

    def of(self, index: EmbeddingSet, token_dimension: int, passages: int) -> VectorCache:
        """The cache for a search among so many passages; that of another embedder gives way."""
        with self._lock:
            shared = self._shared
            too_many = math.inf
            if shared is not None and shared.index == index:
                too_many = shared.too_many
            if shared is None or shared.index != index or shared.is_full:
                shared = self._shared = VectorCache(index, token_dimension, too_many)
            if passages < too_many:
                return shared
        return VectorCache(index, token_dimension, too_many)


def _longer(rows: NDArray[Number]) -> NDArray[Number]:
    """With a quarter more room, so that little of what is allocated is not needed."""
    return np.concatenate((rows, np.zeros_like(rows[: len(rows) // 4])))
