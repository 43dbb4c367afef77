"""The embedder protocol, which turns text into vectors, and the storage of vectors as bytes.

What must always hold: a pooled vector is float32 of unit length; a token vector is int8 and
means its value divided by 127, so that the dot product of two of them over 127² is their
similarity; the same text gives the same vectors for as long as `Embedder.model` is the same.
Vectors of two different `model`s are never compared.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ashd.errors import EmbeddingUnavailable

PASSAGE_TOKENS: Final = 1_024
"""Most token vectors of a stored text. A passage of letters that no piece of the static tokenizer
spells has 600 characters and 256 bytes that spell them: none is left out.
"""
TOKEN_SCALE: Final = 127
"""A token vector's component is its int8 value divided by this."""

FloatVector: TypeAlias = NDArray[np.float32]
Int8Matrix: TypeAlias = NDArray[np.int8]
TokenIds: TypeAlias = NDArray[np.int32]

if sys.byteorder != "little":  # pragma: no cover
    raise ImportError("vectors are stored little-endian; this machine is big-endian")


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """A vector for each meaningful token of a text, for late interaction (MaxSim).

    `vectors` is int8 of shape (n, token_dimension), components times 127; `ids` is int32 of shape
    (n,), the tokenizer's ids, by which a token is weighted by its rarity in an index. n may be 0.
    """

    vectors: Int8Matrix
    ids: TokenIds

    def to_bytes(self) -> bytes:
        """Return the ids as int32, then the vectors row by row as int8; little-endian."""
        ids = np.ascontiguousarray(self.ids, dtype="<i4")
        return ids.tobytes() + np.ascontiguousarray(self.vectors, dtype=np.int8).tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, dimension: int) -> "TokenVectors":
        """Undo `to_bytes`; `dimension` is the embedder's `token_dimension`.

        Raises ValueError if the length fits no whole number of tokens. The arrays are
        read-only views of `data`.
        """
        vectors = token_vectors_from_bytes(data, dimension)
        return cls(vectors, ids=np.frombuffer(data, dtype="<i4", count=len(vectors)))


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """One text's vectors: `pooled` float32 of shape (dimension,), unit length; `tokens` or None.

    A text without any token has a zero `pooled` vector: it is similar to nothing.
    """

    pooled: FloatVector
    tokens: TokenVectors | None = None


def token_vectors_from_bytes(data: bytes, dimension: int) -> Int8Matrix:
    """Return the vectors alone of what `TokenVectors.to_bytes` made; a read-only view of `data`.

    Raises ValueError if the length fits no whole number of tokens.
    """
    count, rest = divmod(len(data), 4 + dimension)
    if rest:
        raise ValueError(f"{len(data)} bytes are no token vectors of {dimension} dimensions")
    return np.ndarray((count, dimension), np.int8, data, offset=4 * count)


def pooled_to_bytes(vector: FloatVector) -> bytes:
    """Return a pooled vector as little-endian float32, the form that sqlite-vec takes."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def pooled_from_bytes(data: bytes) -> FloatVector:
    """Undo `pooled_to_bytes`; the array is a read-only view of `data`."""
    return np.frombuffer(data, dtype="<f4")


def unit(matrix: NDArray[np.floating]) -> FloatVector:
    """Return `matrix` as float32, its last axis scaled to unit length; a zero vector stays zero."""
    as_float = np.asarray(matrix, dtype=np.float32)
    length = np.sqrt(np.square(as_float).sum(axis=-1, keepdims=True))
    length[length == 0] = 1
    scaled: FloatVector = as_float / length
    return scaled


def quantise_tokens(vectors: NDArray[np.floating]) -> Int8Matrix:
    """Return float vectors of at most unit length, shape (n, d), as int8 times 127."""
    return np.asarray(np.rint(np.clip(vectors, -1, 1) * TOKEN_SCALE), dtype=np.int8)


class Embedder(Protocol):
    """Turns texts into vectors. Synchronous and thread-safe; called in a worker thread."""

    @property
    def model(self) -> str:
        """The name recorded with the vectors; it changes whenever the vectors would."""
        ...

    @property
    def dimension(self) -> int:
        """Components of a pooled vector."""
        ...

    @property
    def token_dimension(self) -> int:
        """Components of a token vector; 0 if this embedder has none."""
        ...

    @property
    def reads_context(self) -> bool:
        """Return whether a token's vector depends on the words around it."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the vectors of stored texts, in order; raises EmbeddingUnavailable."""
        ...

    def embed_query(self, text: str) -> Embedding:
        """Return the vectors of a question; raises EmbeddingUnavailable."""
        ...


class PairLikelihoods(NamedTuple):
    """The likelihoods, 0 to 1, that a newer text replaces an older one, and that it repeats it."""

    replaces: float
    repeats: float


@runtime_checkable
class PairReader(Embedder, Protocol):
    """An embedder that has a cross-encoder besides, which reads two texts together."""

    @property
    def pairs_failure(self) -> EmbeddingUnavailable | None:
        """Return the reason why it cannot read pairs; None if it can."""
        ...

    def pair_likelihoods(self, older: str, newer: str) -> PairLikelihoods:
        """Return what `newer` does to `older`; raises EmbeddingUnavailable."""
        ...
