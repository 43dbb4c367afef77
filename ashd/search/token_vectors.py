"""Token vectors in memory: only those of candidates, since only they are compared.

They take twice the memory of the texts' vectors, and a search needs those of a few hundred
passages, so they are read on demand, and the least recently used are dropped.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import PASSAGE_TOKENS, Int8Matrix, token_vectors_from_bytes
from ashd.search.late_interaction import Tokens
from ashd.store import embeddings
from ashd.store.database import Tx
from ashd.store.embeddings import EmbeddingSet

KEPT_BYTES: Final = 96 * 1024 * 1024
_AT_ONCE: Final = 256
"""Passages whose vectors are read together: six megabytes, if they are as long as can be."""
_OF_ITSELF: Final = 300
"""Bytes counted for an entry besides its vectors."""


class TokenCache:
    """The token vectors of one embedding set, for every search."""

    def __init__(self, index: EmbeddingSet, dimension: int) -> None:
        self._index = index
        self._dimension = dimension
        self._none = np.empty((0, dimension), dtype=np.int8)
        self._lock = Lock()
        self._kept: OrderedDict[int, Int8Matrix] = OrderedDict()
        self.bytes = 0
        """The bytes that all entries count towards the limit."""

    def of(self, tx: Tx, passages: NDArray[np.int64]) -> Iterator[Tokens]:
        """Yield the token vectors of passages, a row for each, some rows at a time.

        Raises:
            errors.TimedOut: nobody waits for them any more.
        """
        for start in range(0, len(passages), _AT_ONCE):
            tx.check_time()
            yield self._some(tx, passages[start : start + _AT_ONCE].tolist())

    def count(self, tx: Tx, passages: NDArray[np.int64]) -> int:
        """Return the number of tokens that passages have."""
        sizes = embeddings.sizes_of_tokens(tx, self._index, passages.tolist())
        of_each = 4 + self._dimension
        return sum(min(size // of_each, PASSAGE_TOKENS) for size in sizes)

    def _some(self, tx: Tx, numbers: list[int]) -> Tokens:
        found = self._held(numbers)
        missing = [number for number in numbers if number not in found]
        if missing:
            read = {
                number: _bounded(token_vectors_from_bytes(tokens, self._dimension))
                for number, tokens in embeddings.tokens_of(tx, self._index, missing)
            }
            self._keep(read)
            found |= read
        parts = [found.get(number, self._none) for number in numbers]
        offsets = np.cumsum([0, *map(len, parts)])
        return Tokens(np.concatenate([self._none, *parts]), offsets)

    def delete(self, passages: Sequence[int]) -> None:
        """Drop the token vectors of passages that are deleted."""
        with self._lock:
            for number in passages:
                if (dropped := self._kept.pop(number, None)) is not None:
                    self.bytes -= dropped.nbytes + _OF_ITSELF

    def _held(self, numbers: list[int]) -> dict[int, Int8Matrix]:
        held = {}
        with self._lock:
            for number in numbers:
                if (tokens := self._kept.get(number)) is not None:
                    held[number] = tokens
                    self._kept.move_to_end(number)
        return held

    def _keep(self, read: dict[int, Int8Matrix]) -> None:
        with self._lock:
            for number, tokens in read.items():
                if number not in self._kept:
                    self._kept[number] = tokens
                    self.bytes += tokens.nbytes + _OF_ITSELF
            while self.bytes > KEPT_BYTES:
                _, dropped = self._kept.popitem(last=False)
                self.bytes -= dropped.nbytes + _OF_ITSELF


def _bounded(tokens: Int8Matrix) -> Int8Matrix:
    """Return the first vectors of a passage that was stored when they had no bound."""
    return tokens if len(tokens) <= PASSAGE_TOKENS else tokens[:PASSAGE_TOKENS].copy()
