"""The weights of the pair model, a file for each embedder that has one."""

from functools import cache
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

from ashd import log
from ashd.errors import EmbeddingUnavailable
from ashd.memory.judge.any_language import AnyLanguageModel
from ashd.memory.judge.pair_model import PairModel
from ashd.providers import minilm_install, multilingual_install
from ashd.providers.embedder import Embedder
from ashd.providers.wordllama import WordLlamaEmbedder

WEIGHTS: Final = {
    minilm_install.MODEL: Path(__file__).with_name("minilm.npz"),
    WordLlamaEmbedder.model: Path(__file__).with_name("wordllama.npz"),
    multilingual_install.MODEL: Path(__file__).with_name("multilingual.npz"),
}
"""The file of each embedder model."""


@cache
def for_embedder(model: str) -> PairModel | AnyLanguageModel | None:
    """Return the model trained on this embedder's vectors; None if there is none.

    None, too, if the installation lacks its weights: facts are stored without it.
    """
    if model not in WEIGHTS:
        return None
    made = AnyLanguageModel if model == multilingual_install.MODEL else PairModel
    try:
        return made(WEIGHTS[model], model)
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        log.warning("pairs_not_loaded", model=model, reason=type(error).__name__)
        return None


@cache
def static() -> tuple[PairModel | AnyLanguageModel, Embedder] | None:
    """Return the built-in embedder and its model; None if they cannot be loaded.

    For texts whose stored vectors come from an endpoint.
    """
    trained = for_embedder(WordLlamaEmbedder.model)
    try:
        return (trained, WordLlamaEmbedder()) if trained else None
    except EmbeddingUnavailable as error:
        log.warning("pairs_not_loaded", model=WordLlamaEmbedder.model, reason=error.message)
        return None
