"""Candidates: the earlier facts of a scope that a new one may repeat or replace.

They come from places where the same people see both facts: the owner's private chats, all accounts
of a person together, or the group in which the fact is stated: what its speaker said there and what
was shared. Other scopes play no part.
"""

from typing import Final, NamedTuple

import numpy as np

from ashd import limits
from ashd.providers.embedder import Embedding, TokenVectors, pooled_from_bytes
from ashd.search import query
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.indexing import TextVectors
from ashd.search.nearest_statements import NearestMemories
from ashd.search.word_holders import WordHolders
from ashd.store import embeddings, memories
from ashd.store.database import Tx
from ashd.store.visibility import Viewer

_NO_ROWS: Final = np.zeros(0, np.int64)
_BY_WORDS: Final = 4
"""The most candidates by words alone. On five streams of notes, eight of them gave 46 right marks
and 123 wrong ones, four gave 43 and 95, in half of the time.
"""
_WAITING: Final = 1_000
"""The most passages without vectors that are searched for those of a place, newest first."""


class Place(NamedTuple):
    """The memories of these owners, and of a chat itself, that were learned in these chats."""

    owners: tuple[int, ...]
    chat: int | None
    learned_in: tuple[int, ...]
    project: str | None
    """The project that the memories belong to, if any; `EVERY_PROJECT` for all."""


class Near(NamedTuple):
    """The memories kept in the daemon's own memory: by meaning, and by words."""

    statements: NearestMemories
    holders: WordHolders

    @classmethod
    def of(cls, embedder: CurrentEmbedder) -> "Near":
        """Return the daemon's copy, which is kept with its embedder."""
        return cls(embedder.nearest, embedder.holders)


class Candidate(NamedTuple):
    """An earlier memory by row number, its text, and its vectors if it has any."""

    memory: int
    text: str
    embedding: Embedding | None


def place_of(tx: Tx, viewer: Viewer, *, shared: bool) -> Place:
    """Return the place of a new memory: the memories it may repeat or replace."""
    chats: set[int] = set() if viewer.chat is None else {viewer.chat}
    if viewer.group or shared or viewer.account is None:
        return Place(viewer.accounts, viewer.chat, tuple(chats), viewer.project)
    chats.update(memories.private_chats_of(tx, viewer.accounts))
    return Place(viewer.accounts, None, tuple(sorted(chats)), viewer.project)


def nearest(
    tx: Tx, place: Place, text: str, vectors: TextVectors, near: Near, limit: int
) -> list[Candidate]:
    """Return the active memories of a place nearest to a text, by meaning or else by words."""
    if not place.learned_in:  # nothing was ever said there
        return []
    embedding = vectors.of(text)
    if vectors.index is None or vectors.embedder is None or embedding is None:
        by_words = _sharing_words(tx, place, text, near.holders, min(limit, _BY_WORDS))
        held = memories.in_passages(tx, by_words, place.project)
        return [Candidate(*held[one], None) for one in by_words if one in held]
    found = near.statements.find(
        tx,
        vectors.index,
        owners=place.owners,
        chat=place.chat,
        places=place.learned_in,
        project=place.project,
        question=embedding.pooled,
        limit=limit,
    )
    texts = memories.texts(tx, [one.memory for one in found])
    dimension = vectors.embedder.token_dimension
    stored = {
        number: Embedding(
            pooled_from_bytes(pooled),
            TokenVectors.from_bytes(tokens, dimension) if tokens else None,
        )
        for number, pooled, tokens in embeddings.vectors_of(
            tx, vectors.index, [one.passage for one in found]
        )
    }
    return [
        Candidate(one.memory, texts[one.memory], stored[one.passage])
        for one in found
        if one.memory in texts and one.passage in stored
    ]


def waiting(tx: Tx, place: Place, vectors: TextVectors) -> list[tuple[int, str]]:
    """Return a place's newest statements without vectors, which `nearest` cannot find yet.

    Returns the texts by row number.
    """
    if vectors.index is None:
        return []
    return embeddings.waiting_statements(
        tx,
        vectors.index,
        owners=place.owners,
        chat=place.chat,
        places=place.learned_in,
        project=place.project,
        most_chars=limits.STATEMENT_CHARS,
        limit=_WAITING,
    )


def _sharing_words(tx: Tx, place: Place, text: str, kept: WordHolders, limit: int) -> list[int]:
    """Return the passages that share the rarest words with a text, by the place's statistics."""
    holders = kept.newest(tx, place.learned_in, query.by_word(text))
    counts = np.array([len(one) for one in holders], np.int64)
    passage, row = np.unique(np.concatenate([*holders, _NO_ROWS]), return_inverse=True)
    worth = np.bincount(row, np.repeat(1 / np.log1p(1 + counts), counts))
    found: list[int] = passage[np.lexsort((-passage, -worth))[:limit]].tolist()
    return found
