"""Vectors in memory: what the index holds of passages that were searched, ready for numpy.

A passage's vectors never change while its number and the embedder are the same, so what was read
once is kept, for all readers together, up to a bound; beyond it everything is read anew.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import TokenVectors, pooled_from_bytes
from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.passages import EmbeddingSet

KEPT_BYTES: Final = 512 * 1024 * 1024
_FIRST_ROWS: Final = 1_024
_ASKED: Final = 16

Slots = NDArray[np.int64]
Number = TypeVar("Number", np.float32, np.int8)


class VectorCache:
    """The vectors of one embedding set. Slots are places in it; -1 is a passage without vectors."""

    def __init__(self, index: EmbeddingSet, token_dimension: int) -> None:
        self.index = index
        self._token_dimension = token_dimension
        self._lock = Lock()
        self._asked: OrderedDict[int, tuple[NDArray[np.int64], Slots]] = OrderedDict()
        self._slots: dict[int, int] = {}
        self._pooled = np.zeros((_FIRST_ROWS, self.index.dimension), dtype=np.float32)
        self._tokens = np.zeros((_FIRST_ROWS, max(self._token_dimension, 1)), dtype=np.int8)
        self._starts = np.zeros(_FIRST_ROWS + 1, dtype=np.int64)

    def slots(self, tx: Tx, numbers: NDArray[np.int64]) -> Slots:
        """Where the vectors of these passages are; what is not here yet is read."""
        with self._lock:
            before = self._asked.get(id(numbers))
            if before is not None and before[0] is numbers:
                return before[1]
            wanted = numbers.tolist()
            missing = [number for number in wanted if number not in self._slots]
            if missing:
                for number, pooled, tokens in passages.vectors_of(tx, self.index, missing):
                    self._add(number, pooled, tokens)
            found = self._slots
            slots = np.array([found.get(number, -1) for number in wanted], dtype=np.int64)
            if len(slots) and slots.min() >= 0:
                # The same array is asked for again while a shelf holds.
                self._asked[id(numbers)] = (numbers, slots)
                while len(self._asked) > _ASKED:
                    self._asked.popitem(last=False)
            return slots

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
        return self._tokens[places], offsets

    @property
    def is_full(self) -> bool:
        """Whether it holds more than is to be kept: time for an empty one."""
        return self._pooled.nbytes + self._tokens.nbytes > KEPT_BYTES

    def _add(self, number: int, pooled: bytes, tokens: bytes | None) -> None:
        slot = len(self._slots)
        if slot == len(self._pooled):
            self._pooled = _doubled(self._pooled)
            self._starts = np.concatenate((self._starts, np.zeros(slot, dtype=np.int64)))
        self._pooled[slot] = pooled_from_bytes(pooled)
        start = int(self._starts[slot])
        end = start
        if tokens is not None and self._token_dimension:
            read = TokenVectors.from_bytes(tokens, self._token_dimension).vectors
            end = start + len(read)
            while end > len(self._tokens):
                self._tokens = _doubled(self._tokens)
            self._tokens[start:end] = read
        self._starts[slot + 1] = end
        self._slots[number] = slot


def _doubled(rows: NDArray[Number]) -> NDArray[Number]:
    return np.concatenate((rows, np.zeros_like(rows)))
