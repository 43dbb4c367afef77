"""The better embedder: a fine-tuned all-MiniLM-L6-v2 in int8, run by onnxruntime.

Owns the inference sessions of the models and of the projection. What must always hold: one text,
or one pair of texts, a run, so that its vectors do not depend on other texts (`minilm_convert` says
why); no file is read but those that `minilm_install` wrote and the projection; nothing is asked
over a network.

Token vectors leave out punctuation and the 64 most frequent words, and are cut to 96 dimensions
along `minilm_projection.npy`: principal axes of the model's token vectors over sentences written
for the purpose, which are beside the code that fitted them in `benchmarks/fit_projection.py` under
this repository's licence. On conversations MaxSim's recall stays within .02 of what all 384
dimensions of all tokens give.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from ashd import log
from ashd.errors import EmbeddingUnavailable
from ashd.providers import onnx_file as onnx
from ashd.providers.embedder import (
    TOKEN_SCALE,
    Embedding,
    FloatVector,
    PairLikelihoods,
    TokenIds,
    TokenVectors,
    unit,
)
from ashd.providers.minilm_convert import LONGEST_TOKENS, OPSET
from ashd.providers.minilm_install import (
    MODEL,
    MODEL_FILE,
    PACKAGE,
    PAIRS_FILE,
    TOKENIZER_FILE,
)
from ashd.providers.word_piece import WordPiece

Matrix: TypeAlias = NDArray[np.float32]

_PROJECTION: Final = Path(__file__).with_name("minilm_projection.npy")
_FREQUENT_IDS: Final = range(1996, 2060)
"""BERT's vocabulary lists whole words by frequency, beginning with `the` at 1996."""


class MiniLmEmbedder:
    """384 pooled and 96 token dimensions; under 1 ms a question on one thread of a processor."""

    model: Final = MODEL
    dimension: Final = 384
    token_dimension: Final = 96
    reads_context: Final = True

    def __init__(self, folder: Path) -> None:
        """Load the files that `minilm_install` put into `folder`; raises EmbeddingUnavailable."""
        if PACKAGE.installed(folder) is None:
            raise _unusable("is not installed, or was installed by another version")
        self._pairs = _CrossEncoder(folder)
        try:
            self._session = onnx_session(folder / MODEL_FILE)
            self._projector = onnx_session(_projector(np.load(_PROJECTION)))
            self._tokenizer = WordPiece(folder / TOKENIZER_FILE, longest=LONGEST_TOKENS)
        except Exception as error:  # onnxruntime's errors have no common class
            raise _unusable("cannot be loaded") from error
        self._speaks = _speaking_ids(self._tokenizer.pieces)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the vectors of `texts`, in order; a text is cut after 256 tokens."""
        return [self._embed_one(text) for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return the vectors of a question, which are the same as of any text."""
        return self._embed_one(text)

    def pair_likelihoods(self, older: str, newer: str) -> PairLikelihoods:
        """Return the likelihoods that `newer` replaces `older` and that it repeats it.

        A model of its own reads both texts together, which takes some 1.3 embeddings. Raises
        EmbeddingUnavailable.
        """
        session = self._pairs.session()
        try:
            ids, segments = self._tokenizer.pair(older, newer)
            read = {
                "ids": np.array(ids, dtype=np.int64),
                "segments": np.array(segments, dtype=np.int64),
            }
            (likelihoods,) = session.run(["likelihoods"], read)
        except Exception as error:  # onnxruntime's errors have no common class
            raise _unusable("failed on a pair of texts") from error
        return PairLikelihoods(*likelihoods[:2].tolist())

    @property
    def pairs_failure(self) -> EmbeddingUnavailable | None:
        """Return the reason why no two texts can be read together; None if they can."""
        return self._pairs.failure

    def forward(self, text: str) -> tuple[TokenIds, Matrix, FloatVector]:
        """Return the model's output: ids (n,), unit token vectors (n, 384), pooled vector (384,).

        Only tokens that have a vector in `Embedding.tokens` are among the n.
        """
        ids = np.array(self._tokenizer.ids(text), dtype=np.int64)
        try:
            tokens, pooled = self._session.run(["tokens", "pooled"], {"ids": ids})
        except Exception as error:  # onnxruntime's errors have no common class
            raise _unusable("failed on a text") from error
        own = self._speaks[ids]
        return ids[own].astype(np.int32), unit(tokens[own]), pooled

    def _embed_one(self, text: str) -> Embedding:
        ids, tokens, pooled = self.forward(text)
        if not text.strip():  # the model has a vector even for an empty text
            pooled = np.zeros_like(pooled)
        (vectors,) = self._projector.run(["codes"], {"tokens": tokens})
        return Embedding(pooled, TokenVectors(vectors, ids))


class _CrossEncoder:
    """The cross-encoder, which is loaded for the first two texts that are near each other.

    A file that cannot be used is logged once; it is looked at again when it was replaced.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._session: Any = None
        self._looked_at: tuple[int, ...] | None = None
        self._failure: EmbeddingUnavailable | None = None
        self._look()

    @property
    def failure(self) -> EmbeddingUnavailable | None:
        """Return the reason why it cannot be used; None if it can."""
        with self._lock:
            return self._look()

    def session(self) -> Any:
        """Return the session; raises EmbeddingUnavailable."""
        with self._lock:
            if self._session is None:
                if (failure := self._look()) is not None:
                    raise failure
                try:
                    self._session = onnx_session(self._folder / PAIRS_FILE)
                except Exception as error:  # onnxruntime's errors have no common class
                    raise self._fail() from error
            return self._session

    def _look(self) -> EmbeddingUnavailable | None:
        """Return the failure; before it is loaded the file is checked, once as long as it stays."""
        if self._session is None and (now := self._state_of_file()) != self._looked_at:
            self._looked_at = now
            if PACKAGE.is_current(self._folder) and PACKAGE.is_intact(self._folder, PAIRS_FILE):
                self._failure = None
            else:
                self._fail()
        return self._failure

    def _state_of_file(self) -> tuple[int, ...]:
        try:
            state = (self._folder / PAIRS_FILE).stat()
        except OSError:
            return ()
        return state.st_ino, state.st_size, state.st_mtime_ns

    def _fail(self) -> EmbeddingUnavailable:
        self._failure = _unusable("has no cross-encoder of this version that can be loaded")
        log.warning("pairs_not_loaded", reason=self._failure.message, remedy=self._failure.hint)
        return self._failure


def onnx_session(model: Path | bytes) -> Any:
    """Return a session of a model that this process or an installation wrote."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # callers run texts in parallel, each in its own thread
    options.log_severity_level = 4  # errors are raised, and must not be logged
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _projector(projection: NDArray[np.floating]) -> bytes:
    """Return a model from `tokens` (n, 384) to `codes`: int8 (n, 96), unit length times 127.

    In numpy the same product wakes a thread a core and takes longer than the whole language model.
    """
    rows, columns = projection.shape
    return onnx.model(
        nodes=[
            onnx.node("MatMul", ["tokens", "projection"], ["short"]),
            onnx.node("LpNormalization", ["short"], ["unit"], axis=-1, p=2),
            onnx.node("Mul", ["unit", "scale"], ["scaled"]),
            onnx.node("Round", ["scaled"], ["rounded"]),
            onnx.node("Cast", ["rounded"], ["codes"], to=onnx.INT8),
        ],
        constants=[
            onnx.tensor("projection", projection.astype(np.float32)),
            onnx.tensor("scale", np.array(TOKEN_SCALE, np.float32)),
        ],
        inputs=[onnx.value("tokens", onnx.FLOAT32, ["n", rows])],
        outputs=[onnx.value("codes", onnx.INT8, ["n", columns])],
        opset=OPSET,
    )


def _speaking_ids(pieces: Sequence[str]) -> NDArray[np.bool_]:
    """Mark the token ids that carry meaning: no punctuation, none of the most frequent."""
    speaks = np.array(
        [piece[:1] != "[" and any(char.isalnum() for char in piece) for piece in pieces]
    )
    speaks[_FREQUENT_IDS.start : _FREQUENT_IDS.stop] = False
    return speaks


def _unusable(what: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        f"the MiniLM model {what}", hint="Install it: ash model install minilm."
    )
