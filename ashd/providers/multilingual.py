"""The embedder for many languages: multilingual-e5-small in int8, run by onnxruntime.

Owns its inference session, its tokenizer and the map of its words' vectors, of which a process
reads only the rows that its texts need. One text a run, as `minilm_convert` says; no file is read
but those that `multilingual_install` wrote; nothing is asked over a network.

Texts have no mark before them ("query:", "passage:"): measured, answers are found no worse, and a
passage costs two tokens less. There are no token vectors.
"""

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ashd.errors import EmbeddingUnavailable
from ashd.providers import e5_file
from ashd.providers.embedder import Embedding
from ashd.providers.minilm import onnx_session
from ashd.providers.minilm_convert import LONGEST_TOKENS
from ashd.providers.multilingual_install import (
    MODEL,
    MODEL_FILE,
    PACKAGE,
    TOKENIZER_FILE,
    WORDS_FILE,
)

_BEGIN, _END = 0, 2
_SPACES: Final = dict.fromkeys([*range(0x200B, 0x2010), 0x2581, 0xFEFF, 0xFFFD], " ")
"""Characters that the model was taught as spaces; U+2581 is the tokenizer's mark of one."""


class MultilingualEmbedder:
    """384 dimensions of whole texts; some 3 ms a text on one thread of a processor."""

    model: Final = MODEL
    dimension: Final = 384
    token_dimension: Final = 0
    reads_context: Final = True

    def __init__(self, folder: Path) -> None:
        """Load the files that `multilingual_install` put into `folder`.

        Raises EmbeddingUnavailable.
        """
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415  only this embedder needs it

        if PACKAGE.installed(folder) is None:
            raise _unusable("is not installed, or was installed by another version")
        try:
            self._session = onnx_session(folder / MODEL_FILE)
            self._words = np.load(folder / WORDS_FILE, mmap_mode="r", allow_pickle=False)
            self._tokenizer: Any = SentencePieceProcessor(model_file=str(folder / TOKENIZER_FILE))
        except Exception as error:  # the libraries raise bare Exception
            raise _unusable("cannot be loaded") from error

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the vectors of `texts`, in order; a text is cut after 256 tokens."""
        return [self._embed_one(text) for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return the vector of a question, which is the same as of any text."""
        return self._embed_one(text)

    def _embed_one(self, text: str) -> Embedding:
        own = self._tokenizer.encode(plain(text))[: LONGEST_TOKENS - 2]
        if not own:
            return Embedding(np.zeros(self.dimension, np.float32))
        words = e5_file.unpacked(self._words[[_BEGIN, *own, _END]])
        try:
            (pooled,) = self._session.run(["pooled"], {"words": words})
        except Exception as error:  # onnxruntime's errors have no common class
            raise _unusable("failed on a text") from error
        return Embedding(pooled)


def plain(text: str) -> str:
    """Return a text as the tokenizer expects it: in NFKC, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_SPACES).split())


def _unusable(what: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        f"the multilingual model {what}", hint="Install it: ash model install multilingual."
    )
