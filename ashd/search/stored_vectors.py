"""Vectors as they are stored, and as an embedder makes them."""

from typing import NamedTuple

from ashd.errors import EmbeddingUnavailable
from ashd.providers.embedder import (
    Embedder,
    Embedding,
    TokenVectors,
    pooled_from_bytes,
    pooled_to_bytes,
)
from ashd.store import embeddings
from ashd.store.database import Tx
from ashd.store.embeddings import EmbeddingSet, Waiting


class InForce(NamedTuple):
    """An embedder and its vectors."""

    embedder: Embedder
    vectors: EmbeddingSet


def in_force(embedder: Embedder, vectors: EmbeddingSet) -> InForce:
    """Return an embedder with the stored vectors of its model.

    Raises:
        errors.EmbeddingUnavailable: they have another dimension, so another model made them.
    """
    if embedder.dimension != vectors.dimension:
        raise EmbeddingUnavailable(
            f"The embedder's vectors have {embedder.dimension} components, the stored ones of its"
            f" name {vectors.dimension}: is it still the same model?",
            "Run the former model there, or give the new one another name in [embedding] model.",
        )
    return InForce(embedder, vectors)


def fits(embedder: Embedder, vectors: EmbeddingSet) -> bool:
    """Return whether an embedder can make more of these vectors."""
    return (embedder.model, embedder.dimension) == (vectors.model, vectors.dimension)


def known(tx: Tx, *, used: InForce, keys: list[bytes]) -> dict[bytes, Embedding]:
    """Return the vectors that texts have already, by digest."""
    made = {}
    for key in keys:
        known = embeddings.known_vector(tx, used.vectors, key)
        if known is not None:
            pooled, tokens = known
            dimension = used.embedder.token_dimension
            made[key] = Embedding(
                pooled_from_bytes(pooled),
                TokenVectors.from_bytes(tokens, dimension) if tokens is not None else None,
            )
    return made


def store(
    tx: Tx,
    *,
    index: EmbeddingSet,
    batch: list[Waiting],
    found: dict[bytes, Embedding],
    left: list[int],
) -> None:
    """Store the vectors of passages; those `left` were refused."""
    if left:
        embeddings.set_aside(tx, index, left)
    for waiting in batch:
        embedding = found[waiting.hash]
        tokens = embedding.tokens.to_bytes() if embedding.tokens else None
        pooled = pooled_to_bytes(embedding.pooled)
        embeddings.put_vector(tx, index, waiting.passage, pooled, tokens)
