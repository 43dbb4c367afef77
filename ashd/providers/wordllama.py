"""The embedder that is always there: the static token vectors of the package `wordllama`.

Owns the map of its table of vectors, and its tokenizer. Both are carried, as
`benchmarks/static_vectors.py` takes them from the package, under its licence
(`wordllama_LICENSE.txt`): the package itself would bring 70 MB that nothing here uses.

A text's vector is the weighted mean of its tokens' vectors. The weight is a/(a + p) (smooth
inverse frequency: Arora, Liang and Ma, "A simple but tough-to-beat baseline for sentence
embeddings", 2017), with p by Zipf's law from the token's place in the tokenizer, which lists
its pieces from the most to the least frequent. So no text is needed to know what is rare.

Token vectors are cut to the 64 dimensions in which the table varies most (its own principal
axes, `wordllama_projection.npy`, made by `benchmarks/fit_projection.py` from the package's
MIT-licensed table, without any text); measured, MaxSim loses nothing by it.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.errors import EmbeddingUnavailable
from ashd.language.text_caches import cached_by_text
from ashd.providers.embedder import (
    Embedding,
    FloatVector,
    TokenIds,
    TokenVectors,
    quantise_tokens,
    unit,
)

FOLDER: Final = Path(__file__).parent
VECTORS_FILE: Final = "wordllama_vectors.npy"
TOKENS_FILE: Final = "wordllama_tokens.model"
LICENSE_FILE: Final = "wordllama_LICENSE.txt"
_PROJECTION: Final = FOLDER / "wordllama_projection.npy"

_MARKS: Final = re.compile("<unk>|<s>|</s>")
"""Have no weight; the text goes on after one as after its beginning."""
_FIRST_MERGE_ID: Final = 259
"""Lower ids are three marks and the 256 bytes that spell text without a piece."""
_FIRST_HIGH_BYTE_ID: Final = 3 + 128
_FIRST_CHARACTER_ID: Final = 29871
"""Ids from here on are single characters, ordered by frequency."""
_ZIPF_OFFSET: Final = 3
_SMOOTHING: Final = 5e-4
_LEAST_TOKEN_WEIGHT: Final = 0.5
"""Tokens with a lower weight get no vector: they are frequent and match everywhere."""
_MOST_TOKENS: Final = 4_096
"""A question's tokens: a page of Chinese. Each takes two kilobytes until their mean is known."""
_READ: Final = 256
"""Stored texts that are not read again: a fact is labelled, then judged."""
_WORDS: Final = 4_096
"""Words of stored texts whose tokens stay in memory, some 300 bytes each."""


class StaticText(NamedTuple):
    """A text as the static vectors see it."""

    ids: TokenIds
    """Its tokens that have a weight, in order."""
    pooled: FloatVector
    """Its unit vector; zero without any token."""


class StaticVectors:
    """Pooled vectors only: the part of the embedder that needs no token projection."""

    dimension: Final = 256

    def __init__(self, folder: Path = FOLDER) -> None:
        """Map the files under `folder`.

        Raises EmbeddingUnavailable if they are missing or of another shape.
        """
        # Imported when the first text is labelled.
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415  no start waits for it

        try:
            # A plain array: a slice of a map takes several times as long.
            self.table: NDArray[np.float16] = np.asarray(
                np.load(folder / VECTORS_FILE, mmap_mode="r", allow_pickle=False)
            )
            self._tokenizer: Any = SentencePieceProcessor(model_file=str(folder / TOKENS_FILE))
        except Exception as error:  # the library's errors have no common class
            raise _damaged() from error
        size = self._tokenizer.get_piece_size()
        if self.table.shape != (size, self.dimension):
            raise _damaged()
        self.weights = token_weights(self._tokenizer.id_to_piece(list(range(size))))

    @cached_by_text(_READ)
    def read_stored(self, text: str) -> StaticText:
        """Return the same as `read`, computed once for the last few texts.

        Not for questions: the time of an answer must not show what others have asked.
        """
        return self._with_vector(self._ids_by_word(text))

    def read(self, text: str) -> StaticText:
        """Return the tokens and the vector of a text, of its first `_MOST_TOKENS`."""
        return self._with_vector(self._ids(text)[:_MOST_TOKENS])

    def pooled(self, parts: Sequence[str]) -> FloatVector:
        """Return the vectors of parts of stored texts, one a row."""
        ids = [self._ids_by_word(part) for part in parts]
        weighted = self._weighted(np.concatenate(ids))
        ends = accumulate(map(len, ids))
        rows = [weighted[end - len(own) : end] for own, end in zip(ids, ends, strict=True)]
        return unit(np.array([own.sum(axis=0) for own in rows]))

    def _ids_by_word(self, text: str) -> TokenIds:
        """Return the same as `_ids`, from the words of stored texts that stay in memory."""
        # The tokens of a text are those of its words: no token goes on after a single space. But
        # there are marks such as `<s>`, and the tokenizer reads U+2581 as a space.
        words = text.split(" ")
        if not all(words) or "<" in text or "\u2581" in text:
            return self._ids(text)
        return np.concatenate([self._word(word) for word in words])

    @cached_by_text(_WORDS)
    def _word(self, word: str) -> TokenIds:
        return self._ids(word)

    def _ids(self, text: str) -> TokenIds:
        """Return the tokens of a text that have a weight, in order."""
        parts = _MARKS.split(text) if "<" in text else (text,)
        ids = np.array(list(chain.from_iterable(map(self._tokenizer.encode, parts))), np.int32)
        return ids[self.weights[ids] > 0]

    def _with_vector(self, ids: TokenIds) -> StaticText:
        return StaticText(ids, unit(self._weighted(ids).sum(axis=0)))

    def _weighted(self, ids: TokenIds) -> FloatVector:
        """Return the weighted vectors of tokens, one a row: their sum is a text's vector."""
        weighted: FloatVector = self.table.take(ids, axis=0) * self.weights.take(ids)[:, None]
        return weighted


class WordLlamaEmbedder:
    """256 static dimensions; about 20 µs a text, a negligible start-up, no network."""

    model: Final = "wordllama-l2-supercat-256/1"
    dimension: Final = StaticVectors.dimension
    token_dimension: Final = 64
    reads_context: Final = False

    def __init__(self, folder: Path = FOLDER) -> None:
        """Map the files under `folder`.

        Raises EmbeddingUnavailable if they are missing or of another shape.
        """
        self._static = static_vectors() if folder == FOLDER else StaticVectors(folder)
        table = self._static.table
        projection = np.load(_PROJECTION).astype(np.float32)
        blocks = (table[at : at + 2000] for at in range(0, len(table), 2000))  # saves 60 MB
        self._codes = np.vstack([quantise_tokens(unit(unit(b) @ projection)) for b in blocks])

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the vectors of `texts`, in order. Punctuation has no vector."""
        return [self._embedding(_distinct(self._static.read_stored(text))) for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return the vectors of a question, as of any text; its tokens as often as they come."""
        return self._embedding(self._static.read(text))

    def _embedding(self, text: StaticText) -> Embedding:
        own = text.ids[self._static.weights[text.ids] >= _LEAST_TOKEN_WEIGHT]
        return Embedding(text.pooled, TokenVectors(self._codes[own], own))


def _distinct(text: StaticText) -> StaticText:
    """Return a text with each of its tokens once: the best match of a token is no other then."""
    return text._replace(ids=np.array(list(dict.fromkeys(text.ids.tolist())), dtype=np.int32))


@cache
def static_vectors() -> StaticVectors:
    """Return the vectors, read once for all users.

    Raises EmbeddingUnavailable if its files are missing or of another shape.
    """
    return StaticVectors()


def token_weights(pieces: Sequence[str]) -> FloatVector:
    """Return the weight of each of the tokenizer's `pieces`, in 0…1; 0 for punctuation."""
    ids = np.arange(len(pieces), dtype=np.float64)
    rank = np.where(ids < _FIRST_CHARACTER_ID, ids - _FIRST_MERGE_ID, ids - _FIRST_CHARACTER_ID)
    rank[:_FIRST_MERGE_ID] = len(pieces)
    harmonic = np.log(len(pieces)) + np.euler_gamma
    probability = 1 / (harmonic * (rank + _ZIPF_OFFSET))
    weights = (_SMOOTHING / (_SMOOTHING + probability)).astype(np.float32)
    speaks = np.array([any(char.isalnum() for char in piece) for piece in pieces])
    # A byte above ASCII is part of a letter without a piece; lower ones are control characters.
    speaks[:_FIRST_MERGE_ID] = ids[:_FIRST_MERGE_ID] >= _FIRST_HIGH_BYTE_ID
    return np.where(speaks, weights, np.float32(0))


def _damaged() -> EmbeddingUnavailable:
    return EmbeddingUnavailable(
        "the installation lacks the word vectors or their tokenizer",
        hint="Install ashd again, with the option --force of pipx or --force-reinstall of pip.",
        retryable=False,
    )
