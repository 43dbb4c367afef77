"""Warnings about the embedder, as `system.status` and the doctor give them."""

from ashd.providers.embedder import PairReader
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store.health import Warned


def faults(embeddings: CurrentEmbedder) -> list[Warned]:
    """Return the warnings about an embedder, or a part of one, that cannot be used."""
    if embeddings.state == "failed":
        return [
            Warned(
                "embedder_down",
                "The embedder does not answer: searches go by words.",
                embeddings.remedy
                or "Check the endpoint and its key; the daemon tries again by itself.",
            )
        ]
    embedder: object = embeddings.in_force.embedder if embeddings.in_force is not None else None
    if isinstance(embedder, PairReader) and (failure := embedder.pairs_failure) is not None:
        return [
            Warned(
                "no_cross_encoder",
                "MiniLM's cross-encoder cannot be loaded: a new fact replaces no older one by"
                " itself; the older one is only offered.",
                failure.hint,
            )
        ]
    return []


def warnings(embeddings: CurrentEmbedder) -> list[Warned]:
    """Return all warnings: faults, and that the embedder in use is the lesser one."""
    found = faults(embeddings)
    if not found and embeddings.model == WordLlamaEmbedder.model:
        found.append(
            Warned(
                "built_in_embedder",
                "The built-in embedder finds words, hardly questions in other words.",
                "MiniLM does: ash model install minilm --use.",
            )
        )
    return found
