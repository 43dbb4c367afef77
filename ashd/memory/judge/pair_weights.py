"""The weights of the pair model, a file for each embedder that has one."""

from functools import cache
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

from ashd import log
from ashd.errors import EmbeddingUnavailable
from ashd.memory.judge.pair_model import PairModel
from ashd.providers import minilm_install
from ashd.providers.embedder import Embedder
from ashd.providers.wordllama import WordLlamaEmbedder

WEIGHTS: Final = {
    minilm_install.MODEL: Path(__file__).with_name("minilm.npz"),
    WordLlamaEmbedder.model: Path(__file__).with_name("wordllama.npz"),
}
"""The files by the embedder's model."""


@cache
def for_embedder(model: str) -> PairModel | None:
    """Return what was trained on the vectors of this embedder's model; None if nothing was.

    None, too, where the installation lacks its weights: facts are stored without it.
    """
    if model not in WEIGHTS:
        return None
    try:
        return PairModel(WEIGHTS[model], model)
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        log.warning("pairs_not_loaded", model=model, reason=type(error).__name__)
        return None


@cache
def static() -> tuple[PairModel, Embedder] | None:
    """Return the embedded default's model and its embedder; None where it cannot be loaded.

    For texts whose stored vectors are an endpoint's.
    """
    trained = for_embedder(WordLlamaEmbedder.model)
    try:
        return (trained, WordLlamaEmbedder()) if trained else None
    except EmbeddingUnavailable as error:
        log.warning("pairs_not_loaded", model=WordLlamaEmbedder.model, reason=error.message)
        return None
