"""The statements nearest in meaning to a new one, among an owner's: candidates for judging.

Owns compact copies of the stored vectors, one chat after the other: their signs, by which all are
compared, and eight bits a component, by which the best are compared again. The database decides: it
gives the states of the few that remain, and the vectors for their exact cosines. What must hold: a
copy holds committed rows only, and every row up to the last one that it has read.
"""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ashd import limits
from ashd.providers.embedder import FloatVector, pooled_from_bytes
from ashd.store import embeddings, passages
from ashd.store.database import Tx
from ashd.store.embeddings import Arrived, EmbeddingSet

KEPT_BYTES: Final = 128 * 1024 * 1024
"""Limit of all copies together; about 440 bytes per statement with 384 dimensions."""
_SLICE: Final = 2_000
"""Rows read at a time: some ten milliseconds."""
_ROUGH: Final = 512
"""Number of statements with the most equal signs that are compared again, at first."""
_EXACT: Final = 2
"""Multiple of the wanted number that is looked up in the database, at first."""
_WIDER: Final = 8
"""The factor by which both numbers grow each time that too few statements remain."""
_NOBODY: Final = -1
_DELETED: Final = -2
"""The owner in the rows of deleted passages."""
_SMALLEST: Final = 1e-9

_Key: TypeAlias = tuple[EmbeddingSet, int]
"""The embedder's vectors, and the chat."""


class NearStatement(NamedTuple):
    """A near statement, and its similarity."""

    memory: int
    passage: int
    cosine: float


class _Rows(NamedTuple):
    """Compact vectors, as arrays of n rows."""

    passage: NDArray[np.int64]
    owner: NDArray[np.int64]
    scale: NDArray[np.float32]
    codes: NDArray[np.int8]
    """The components as fractions of the largest, shape (n, dimension)."""
    signs: NDArray[np.uint64]
    """The signs of the components, shape (n, words), transposed for speed."""

    def nearest(self, question: FloatVector, owners: Collection[int], most: int) -> "_Ranked":
        """Return the nearest passages of these owners, of `most` with the most equal signs."""
        wanted = _any_of(self.owner, owners)
        every = bool(wanted.all())
        places = np.arange(len(wanted)) if every else np.flatnonzero(wanted)
        count = len(places)
        if count > most:
            signs = self.signs if every else self.signs[places]
            differ = np.zeros(count, np.uint16)
            for word, asked in enumerate(_signs(question[None])[0]):
                differ += np.bitwise_count(signs[:, word] ^ asked)
            alike = np.flatnonzero(differ <= np.partition(differ, most)[most])
            places = places[alike]
        near = (self.codes[places].astype(np.float32) @ question) * self.scale[places]
        return _Ranked(self.passage[places], near, count)


class _Ranked(NamedTuple):
    """Passages, their approximate similarity, and the number of rows they were chosen from."""

    passage: NDArray[np.int64]
    near: NDArray[np.float32]
    among: int


class _Copy:
    """The vectors of the statements learned in one chat."""

    def __init__(self, dimension: int, last: int = 0) -> None:
        self.last = last
        """The arrival up to which it was read."""
        self._count = 0
        self._rows = _Rows(
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
            np.zeros(0, np.float32),
            np.zeros((0, dimension), np.int8),
            np.zeros((0, -(-dimension // 64)), np.uint64, order="F"),
        )

    @property
    def rows(self) -> _Rows:
        """The current rows; they stay unchanged while more are added."""
        return _Rows._make(column[: self._count] for column in self._rows)

    @property
    def bytes(self) -> int:
        """The size in memory."""
        return sum(column.nbytes for column in self._rows)

    def add(self, arrived: Sequence[Arrived]) -> None:
        """Add the memories that arrived after `last`."""
        self.last = arrived[-1].arrival
        short = [(row.passage, row.owner, row.pooled) for row in arrived if row.pooled is not None]
        if not short:
            return
        passage, owner, pooled = zip(*short, strict=True)
        vectors = np.stack([pooled_from_bytes(one) for one in pooled])
        scale = np.maximum(np.abs(vectors).max(axis=1), _SMALLEST) / 127
        start, self._count = self._count, self._count + len(short)
        if self._count > len(self._rows.passage):
            self._grow()
        added = _Rows._make(column[start : self._count] for column in self._rows)
        added.passage[:] = passage
        added.owner[:] = [_NOBODY if one is None else one for one in owner]
        added.scale[:] = scale
        added.codes[:] = np.rint(vectors / scale[:, None])
        added.signs[:] = _signs(vectors)

    def delete(self, passages: NDArray[np.int64]) -> bool:
        """Clear the rows of passages that are deleted; whether no others are left."""
        rows = self.rows
        gone = np.flatnonzero(np.isin(rows.passage, passages))
        rows.owner[gone] = _DELETED
        rows.codes[gone] = 0
        rows.signs[gone] = 0
        return bool((rows.owner == _DELETED).all())

    def _grow(self) -> None:
        """Grow by a quarter at least: rows that come one by one are seldom copied."""
        before = self._rows
        more = self._count + self._count // 4 + 16 - len(before.passage)
        self._rows = _Rows._make(
            np.concatenate((column, np.zeros_like(column, shape=(more, *column.shape[1:]))))
            for column in before
        )


class NearestMemories:
    """Finds the nearest statements. One for the daemon; its methods run on readers."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._copies: OrderedDict[_Key, _Copy] = OrderedDict()

    def find(
        self,
        tx: Tx,
        vectors: EmbeddingSet,
        *,
        owners: Collection[int],
        chat: int | None = None,
        places: Collection[int],
        project: str | None = None,
        question: FloatVector,
        limit: int,
    ) -> list[NearStatement]:
        """Return the nearest active statements of these owners that were learned in these chats.

        With a `chat`: and of those that belong to the chat itself. Those of another project than
        `project` are left out. Nearest first, at most `limit`.
        """
        rows = [self._rows(tx, (vectors, place)) for place in places]
        wanted = [*owners] if chat is None else [*owners, _NOBODY]
        most, exact = _ROUGH, _EXACT * limit
        while True:
            ranked = [part.nearest(question, wanted, most) for part in rows]
            numbers = _best(ranked, exact)
            found = _cosines(
                embeddings.of_statements(
                    tx, vectors, numbers, owners=owners, chat=chat, project=project
                ),
                question,
            )
            # Inactive ones must not take the places of others: then it looks further.
            if len(found) >= limit or exact >= sum(one.among for one in ranked):
                near = sorted(found, key=lambda one: -one.cosine)
                return near[:limit]
            most, exact = most * _WIDER, exact * _WIDER

    def _rows(self, tx: Tx, key: _Key) -> _Rows:
        """Return all rows of a chat that a reader sees, and perhaps some later ones."""
        while not self._grow(tx, key):
            tx.give_way()
        with self._lock:
            copy = self._copies.get(key) or _Copy(key[0].dimension)
            return copy.rows

    def _grow(self, tx: Tx, key: _Key) -> bool:
        """Copy the next slice of a chat; return whether that was the last."""
        with self._lock:
            if key not in self._copies:
                self._copies[key] = _Copy(key[0].dimension)
            copy = self._copies[key]
            last = copy.last
        arrived = _arrived(tx, key, last)
        with self._lock:
            if arrived and copy.last == last:
                copy.add(arrived)
            self._copies[key] = copy
            self._copies.move_to_end(key)
            while len(self._copies) > 1 and self.bytes > KEPT_BYTES:
                self._copies.popitem(last=False)
        return len(arrived) < _SLICE

    def delete(self, passages: Sequence[int]) -> None:
        """Drop the copies of passages that are deleted."""
        deleted = np.array(passages, np.int64)
        with self._lock:
            for key, copy in tuple(self._copies.items()):
                if copy.delete(deleted):
                    del self._copies[key]

    @property
    def bytes(self) -> int:
        """The size of all copies in memory."""
        return sum(copy.bytes for copy in tuple(self._copies.values()))


def _arrived(tx: Tx, key: _Key, after: int) -> list[Arrived]:
    vectors, place = key
    scope = passages.partition(passages.MEMORY, place)
    longest = limits.STATEMENT_CHARS
    return embeddings.arrived(tx, vectors, scope, after=after, most_chars=longest, limit=_SLICE)


def _cosines(
    statements: Sequence[tuple[int, int, bytes]], question: FloatVector
) -> list[NearStatement]:
    """Compare statements (memory, passage, stored vector) with the question."""
    if not statements:
        return []
    stored = pooled_from_bytes(b"".join(pooled for _, _, pooled in statements))
    stored = stored.reshape(len(statements), -1)
    lengths = np.sqrt(np.einsum("ij,ij->i", stored, stored)) * np.linalg.norm(question)
    # A text without a word has a zero vector, which is at no angle to anything.
    cosines = (stored @ question / np.maximum(lengths, _SMALLEST)).tolist()
    return [
        NearStatement(memory, passage, cosine)
        for (memory, passage, _), cosine, length in zip(statements, cosines, lengths, strict=True)
        if length
    ]


def _best(ranked: Sequence[_Ranked], most: int) -> list[int]:
    """Return the nearest passages of all; one whose vector was made again is here twice."""
    if not ranked:
        return []
    passage = np.concatenate([one.passage for one in ranked])
    order = np.argsort(-np.concatenate([one.near for one in ranked]), kind="stable")
    return list(dict.fromkeys(passage[order[:most]].tolist()))


def _any_of(owner: NDArray[np.int64], owners: Collection[int]) -> NDArray[np.bool_]:
    """Return a mask of the rows of a few owners; `np.isin` takes ten times as long."""
    wanted = np.zeros(len(owner), np.bool_)
    for one in owners:
        wanted |= owner == one
    return wanted


def _signs(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Return the signs of vectors (n, dimension) as bits, shape (n, words)."""
    count, dimension = vectors.shape
    signs = np.zeros((count, -(-dimension // 64)), np.uint64)
    signs.view(np.uint8)[:, : -(-dimension // 8)] = np.packbits(vectors > 0, axis=1)
    return signs
