"""Whether a newer statement replaces or repeats an older one, told from an embedder's vectors.

Owns the model's form and the reading of its weights, a file for each embedder that has one, made
by `benchmarks/statements/fit.py` from pairs of sentences that were written for the purpose and
stand beside it. What must always hold: the same two texts with the same vectors get the same
answer; who said them, when, and of whom is not seen here and remains the caller's.

The form is decomposable attention (Parikh et al. 2016, "A Decomposable Attention Model for
Natural Language Inference"): each token of one text is compared with what it is aligned to in the
other. Beside that it sees both texts' pooled vectors, which of some small words they hold ("no",
"now", "used": token vectors leave such words out), and what a reader of grammar noticed.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ashd import log
from ashd.errors import EmbeddingUnavailable
from ashd.providers import minilm_install
from ashd.providers.embedder import TOKEN_SCALE, Embedder, Embedding, FloatVector
from ashd.providers.wordllama import WordLlamaEmbedder

Matrix = NDArray[np.float32]

_WORD: Final = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_SHARPNESS: Final = 10
"""A token looks at those it is like: the cosine is multiplied by this before the softmax."""


WEIGHTS: Final = {
    minilm_install.MODEL: Path(__file__).with_name("minilm_pairs.npz"),
    WordLlamaEmbedder.model: Path(__file__).with_name("wordllama_pairs.npz"),
}
"""The weights by the embedder's model."""


class PairView(NamedTuple):
    """What the newer of two statements does to the older one, as far as the model can tell."""

    replaces: bool
    repeats: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One text of a pair, read once: (n, d) projected tokens, the same of unit length, and more."""

    tokens: Matrix
    directions: Matrix
    pooled: FloatVector
    short: FloatVector
    small_words: FloatVector


@cache
def for_model(model: str) -> "StatementPairs | None":
    """What was trained on the vectors of this embedder's model; None if nothing was.

    None, too, where the installation lacks its weights: facts are stored without it.
    """
    if model not in WEIGHTS:
        return None
    try:
        return StatementPairs(WEIGHTS[model], model)
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        log.warning("pairs_not_loaded", model=model, reason=type(error).__name__)
        return None


@cache
def static() -> "tuple[StatementPairs, Embedder] | None":
    """The embedded default's with its embedder: for texts whose vectors come from elsewhere.

    None where it cannot be loaded.
    """
    trained = for_model(WordLlamaEmbedder.model)
    try:
        return (trained, WordLlamaEmbedder()) if trained else None
    except EmbeddingUnavailable as error:
        log.warning("pairs_not_loaded", model=WordLlamaEmbedder.model, reason=error.message)
        return None


class StatementPairs:
    """The model for one embedder's vectors; pure once it is loaded."""

    def __init__(self, weights: Path, model: str) -> None:
        """Read the weights, which name the embedder's model that they were trained on.

        Raises OSError or ValueError if they cannot be read, KeyError if one is missing.
        """
        with np.load(weights, allow_pickle=False) as stored:
            kept = {name: stored[name] for name in stored.files}
        if str(kept.pop("model")) != model:
            raise ValueError(f"{weights.name} was trained on the vectors of another model")
        self._small_words = {str(word): at for at, word in enumerate(kept.pop("small_words"))}
        self._signs = {str(sign): at for at, sign in enumerate(kept.pop("signs"))}
        self._replaces_from, self._repeats_from = kept.pop("cuts").tolist()
        self._weights = {name: values.astype(np.float32) for name, values in kept.items()}

    def side(self, text: str, embedding: Embedding) -> Side:
        """A text as this model sees it; `embedding` is its own, with tokens."""
        assert embedding.tokens is not None
        vectors = embedding.tokens.vectors.astype(np.float32) / TOKEN_SCALE
        if not len(vectors):  # a text of small words alone
            vectors = np.zeros((1, vectors.shape[1]), np.float32)
        tokens = self._linear("tokens", vectors)
        lengths = np.linalg.norm(tokens, axis=1, keepdims=True)
        small_words = np.zeros(len(self._small_words), np.float32)
        small_words[
            [self._small_words[word] for word in words_in(text) & self._small_words.keys()]
        ] = 1
        return Side(
            tokens=tokens,
            directions=tokens / np.maximum(lengths, 1e-12),
            pooled=embedding.pooled,
            short=self._linear("pooled", embedding.pooled),
            small_words=small_words,
        )

    def view(self, older: Side, newer: Side, signs: frozenset[str]) -> PairView:
        """What the newer statement does to the older one.

        `signs` name what a reader of grammar noticed; one that was not there when the model was
        trained is as none.
        """
        replaces, repeats, _ = self.likelihoods(older, newer, signs)
        return PairView(replaces >= self._replaces_from, repeats >= self._repeats_from)

    def likelihoods(
        self, older: Side, newer: Side, signs: frozenset[str]
    ) -> tuple[float, float, float]:
        """That the newer statement replaces the older one, repeats it, or stands beside it."""
        alike = older.directions @ newer.directions.T
        noticed = np.zeros(len(self._signs), np.float32)
        noticed[[self._signs[sign] for sign in signs & self._signs.keys()]] = 1
        seen = np.concatenate(
            [
                self._compared(older.tokens, _softmax(_SHARPNESS * alike) @ newer.tokens),
                self._compared(newer.tokens, _softmax(_SHARPNESS * alike.T) @ older.tokens),
                np.abs(older.short - newer.short),
                older.short * newer.short,
                [older.pooled @ newer.pooled, alike.max(axis=1).mean()],
                older.small_words,
                newer.small_words,
                noticed,
            ]
        )
        hidden = np.maximum(self._linear("hidden", seen), 0)
        replaces, repeats, neither = _softmax(self._linear("answer", hidden))
        return float(replaces), float(repeats), float(neither)

    def _compared(self, tokens: Matrix, aligned: Matrix) -> FloatVector:
        """Each token beside what it is aligned to: the mean and the maximum over tokens."""
        pairs = np.concatenate([tokens, aligned, tokens - aligned, tokens * aligned], axis=1)
        compared = np.maximum(self._linear("compared", pairs), 0)
        return np.concatenate([compared.mean(axis=0), compared.max(axis=0)])

    def _linear(self, name: str, values: NDArray[np.floating]) -> Matrix:
        product = values @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return np.asarray(product, dtype=np.float32)


def words_in(text: str) -> set[str]:
    """The words of a text in lower case, as they stand in the list of small words."""
    return set(_WORD.findall(text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")))


def _softmax(values: Matrix) -> Matrix:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)
