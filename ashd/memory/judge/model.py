"""The pair model: how likely a newer text replaces or repeats older ones, from stored vectors.

Owns the form of the model. Its weights, a file for each embedder, are made by
`benchmarks/statements/fit.py` from pairs of sentences that were written for the purpose. The same
texts with the same vectors always get the same opinion; who said them, when, and of whom is not
seen here.

The form is decomposable attention (Parikh et al. 2016, "A Decomposable Attention Model for Natural
Language Inference"): each token of one text is compared with those of the other that it is aligned
to. Beside that the model sees plain features of the words, and which small words each text has,
since token vectors leave such words out. The opinion is the mean of a few nets of this form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ashd.memory.judge import words
from ashd.memory.judge.alignment import Floats, Mask, alignment_features, padded
from ashd.memory.judge.cues import SMALL_WORDS
from ashd.memory.judge.features import pair_features
from ashd.memory.judge.verdict import NO_OPINION, Cuts, Opinion
from ashd.memory.judge.words import Words
from ashd.providers.embedder import TOKEN_SCALE, Embedding
from ashd.search.languages import may_be_english

LONGEST: Final = 200
"""Characters of a text that may be a single statement, of which alone the model has seen some."""
MOST_TOKENS: Final = 32
"""Tokens of a text that are looked at; texts of `LONGEST` characters rarely have more."""
SHARPNESS: Final = 10
"""A token looks at those it is like: the cosine is multiplied by this before the softmax."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One text as the model sees it, read once.

    `tokens` are unit vectors (n, d). `projected` and `directions` (nets, n, width) are the same
    through each net's first layer, the latter of unit length; `short` (nets, width) is the pooled
    vector through it. `is_read` is False for a text that the model has seen nothing like.
    """

    words: Words
    is_read: bool
    pooled: Floats
    tokens: Floats
    projected: Floats
    directions: Floats
    short: Floats
    small: Floats


class PairModel:
    """The model for one embedder's vectors; pure once it is loaded."""

    def __init__(self, path: Path, embedder_model: str) -> None:
        """Read the weights, which name the embedder's model that they were trained on.

        Raises OSError or ValueError if they cannot be read, KeyError if one is missing.
        """
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if str(arrays.pop("model")) != embedder_model:
            raise ValueError(f"{path.name} was trained on the vectors of another model")
        if arrays.pop("small_words").tolist() != list(SMALL_WORDS):
            raise ValueError(f"{path.name} was trained with other small words")
        self.embedder_model = embedder_model
        self.cuts = Cuts(*map(float, arrays.pop("cuts")))
        self._floor = float(arrays.pop("floor"))
        self._weights = {name: values.astype(np.float32) for name, values in arrays.items()}

    def side(self, text: str, embedding: Embedding) -> Side:
        """Return a text as this model sees it; `embedding` is the text's own, with tokens."""
        read = words.read(text)
        tokens = token_directions(embedding)
        projected = self._linear("tokens", tokens)
        return Side(
            words=read,
            is_read=len(text) <= LONGEST and may_be_english(text),
            pooled=embedding.pooled,
            tokens=tokens,
            projected=projected,
            directions=_unit(projected),
            short=self._linear("short", embedding.pooled[None, :])[:, 0],
            small=small_words(read),
        )

    def opinions(self, newer: Side, olders: Sequence[Side]) -> list[Opinion]:
        """Return what `newer` does to each of `olders`, in their order.

        Texts that are too long, not English or too far from the newer one are given no opinion
        and cost next to nothing.
        """
        found = [NO_OPINION] * len(olders)
        if not newer.is_read or not olders:
            return found
        cosines = np.stack([older.pooled for older in olders]) @ newer.pooled
        seen = [at for at, one in enumerate(olders) if one.is_read and cosines[at] >= self._floor]
        if seen:
            likely = self.likelihoods(newer, [olders[at] for at in seen], cosines[seen])
            for at, (replaces, repeats, _) in zip(seen, likely.tolist(), strict=True):
                found[at] = Opinion(replaces, repeats, self.cuts)
        return found

    def likelihoods(self, newer: Side, olders: Sequence[Side], cosines: Floats) -> Floats:
        """Return the likelihoods of replaces, repeats and neither: (n, 3)."""
        tokens, present = padded([older.tokens for older in olders])
        shared = [
            cosines[:, None],
            cosines[:, None] ** 2,
            alignment_features(
                tokens @ newer.tokens.T,
                present,
                np.ones_like(newer.tokens[:, 0], dtype=np.bool_)[None],
            ),
            np.stack([pair_features(older.words, newer.words) for older in olders]),
            np.stack([older.small for older in olders]),
            np.broadcast_to(newer.small, (len(olders), len(newer.small))),
        ]
        short = np.stack([older.short for older in olders], axis=1)
        own = [
            *self._compared(newer, olders, present),
            np.abs(short - newer.short[:, None]),
            short * newer.short[:, None],
        ]
        nets = len(newer.short)
        both = [np.broadcast_to(part, (nets, *part.shape)) for part in shared]
        hidden = np.maximum(self._linear("hidden", np.concatenate([*both, *own], axis=2)), 0)
        return np.asarray(_softmax(self._linear("answer", hidden)).mean(axis=0), dtype=np.float32)

    def _compared(self, newer: Side, olders: Sequence[Side], present: Mask) -> list[Floats]:
        """Each token beside what it is aligned to: mean and maximum over tokens, both ways."""
        old, _ = padded([older.projected for older in olders])
        directions, _ = padded([older.directions for older in olders])
        new = newer.projected[:, None]
        alike = SHARPNESS * (directions @ newer.directions[:, None].transpose(0, 1, 3, 2))
        back = np.where(present[:, None, :], alike.transpose(0, 1, 3, 2), np.float32(-1e4))
        seen = []
        for side, aligned, is_token in (
            (old, _softmax(alike) @ new, present[None, :, :, None]),
            (np.broadcast_to(new, (*back.shape[:3], new.shape[3])), _softmax(back) @ old, None),
        ):
            pairs = np.concatenate([side, aligned, side - aligned, side * aligned], axis=3)
            found = np.maximum(self._linear("compared", pairs), 0)
            if is_token is None:
                seen += [found.mean(axis=2), found.max(axis=2)]
            else:
                found = np.where(is_token, found, np.float32(0))
                seen += [found.sum(axis=2) / is_token.sum(axis=2), found.max(axis=2)]
        return seen

    def _linear(self, name: str, values: Floats) -> Floats:
        """A layer of all nets; `values` has their axis first, or is the same for all."""
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        between = (1,) * max(values.ndim - 3, 0)
        weight = weight.reshape(len(weight), *between, *weight.shape[1:])
        bias = bias.reshape(len(bias), *between, 1, bias.shape[1])
        return np.asarray(values @ weight + bias, dtype=np.float32)


def token_directions(embedding: Embedding) -> Floats:
    """Return the token vectors of a text with unit length; one of zeros if it has none."""
    assert embedding.tokens is not None
    vectors = np.divide(embedding.tokens.vectors[:MOST_TOKENS], TOKEN_SCALE, dtype=np.float32)
    return _unit(vectors if len(vectors) else np.zeros((1, vectors.shape[1]), np.float32))


def small_words(read: Words) -> Floats:
    """Return which of `SMALL_WORDS` a text has."""
    return np.array([word in read.lowered for word in SMALL_WORDS], np.float32)


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-6), dtype=np.float32)


def _softmax(values: Floats) -> Floats:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)
