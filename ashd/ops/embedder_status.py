"""Warnings about the embedder, as `system.status` and the doctor give them."""

from typing import Final

from ashd.language import detection
from ashd.providers import minilm_install
from ashd.providers.embedder import PairReader
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.health import Warned

_READ_ENGLISH: Final = (WordLlamaEmbedder.model, minilm_install.MODEL)
_LOOKED_AT: Final = 100
_LEAST: Final = 10
"""The number of memories from which their languages are compared."""
_BEGINNING_CHARS: Final = 300


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


def is_foreign(tx: Tx) -> bool:
    """Return whether most of the memories that were added last are not in English."""
    texts = passages.newest_beginnings(tx, _LOOKED_AT, _BEGINNING_CHARS)
    foreign = sum(not detection.may_be_english(text) for text in texts)
    return len(texts) >= _LEAST and 2 * foreign > len(texts)


def warnings(embeddings: CurrentEmbedder, *, is_foreign: bool = False) -> list[Warned]:
    """Return all warnings: faults, and that another embedder suits better what is stored."""
    found = faults(embeddings)
    if found:
        return found
    if is_foreign and embeddings.model in _READ_ENGLISH and embeddings.building is None:
        found.append(
            Warned(
                "english_embedder",
                "Most of what is stored is not in English, which is all that the embedder reads.",
                "Another one reads many languages: ash model install multilingual --use.",
            )
        )
    elif embeddings.model == WordLlamaEmbedder.model:
        found.append(
            Warned(
                "built_in_embedder",
                "The built-in embedder finds words, hardly questions in other words.",
                "MiniLM does: ash model install minilm --use.",
            )
        )
    return found
