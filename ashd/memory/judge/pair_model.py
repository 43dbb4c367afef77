"""The pair model: how likely a newer text replaces or repeats older ones, from stored vectors.

Owns the form of the model. Its weights, a file for each embedder, are made by
`benchmarks/statements/fit.py` from pairs of sentences that were written for the purpose. The same
texts with the same vectors always get the same opinion; it does not see who said them, when, or of
whom.

The form is decomposable attention (Parikh et al. 2016, "A Decomposable Attention Model for Natural
Language Inference"): each token of one text is compared with the tokens of the other that it is
aligned to. Besides, the model sees plain features of the words, and which function words each text
has, since token vectors leave such words out. The opinion is the mean of a few nets of this form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ashd.language import tagged_words
from ashd.language.detection import may_be_english
from ashd.language.english_words import SMALL_WORDS
from ashd.language.tagged_words import Words
from ashd.memory.judge.alignment import Floats, Mask, alignment_features, padded
from ashd.memory.judge.features import pair_features
from ashd.memory.judge.verdict import NO_OPINION, Cuts, Opinion
from ashd.providers.embedder import TOKEN_SCALE, Embedding, Int8Matrix

LONGEST: Final = 200
"""Characters of a text that may be a single statement: the model was trained on no longer ones."""
MOST_TOKENS: Final = 32
"""Tokens of a text that are used; texts of `LONGEST` characters rarely have more."""
_PLACE: Final = {word: at for at, word in enumerate(SMALL_WORDS)}
SHARPNESS: Final = 10
"""The factor of a cosine before the softmax that decides which tokens a token is compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One text as the model sees it, read once.

    `tokens` are unit vectors (n, d). `projected` and `directions` (nets, n, width) are the same
    after each net's first layer, the latter with unit length; `short` (nets, width) is the pooled
    vector after it. `is_read` is False for a text unlike any that the model was trained on.
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

    embedder_model: str
    """The embedder model whose vectors it was trained on."""
    cuts: Cuts
    floor: float
    """Cosine of pooled vectors below which the model has no opinion."""

    def __init__(self, path: Path, embedder_model: str) -> None:
        """Read the weights, which name the embedder's model that they were trained on.

        Raises OSError, EOFError, ValueError or BadZipFile if they cannot be read, KeyError if one
        is missing.
        """
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if str(arrays.pop("model")) != embedder_model:
            raise ValueError(f"{path.name} was trained on the vectors of another model")
        if arrays.pop("small_words").tolist() != list(SMALL_WORDS):
            raise ValueError(f"{path.name} was trained with other small words")
        self.embedder_model = embedder_model
        self.cuts = Cuts(*map(float, arrays.pop("cuts")))
        self.floor = float(arrays.pop("floor"))
        self._weights = {name: values.astype(np.float32) for name, values in arrays.items()}
        self._no_tokens = np.zeros((0, self._weights["tokens.weight"].shape[1]), np.int8)

    def side(self, text: str, embedding: Embedding) -> Side:
        """Return a text as this model sees it, with its own embedding.

        Without token vectors it gets no opinion.
        """
        return self.sides([(text, embedding)])[0]

    def sides(self, read: Sequence[tuple[str, Embedding]]) -> list[Side]:
        """Return texts with their embeddings as this model sees them, computed together."""
        if not read:
            return []
        every = [
            token_directions(embedding.tokens.vectors if embedding.tokens else self._no_tokens)
            for _, embedding in read
        ]
        projected = self._linear("tokens", np.concatenate(every))
        directions = _unit(projected)
        short = self._linear("short", np.stack([embedding.pooled for _, embedding in read]))
        ends = np.cumsum([len(tokens) for tokens in every]).tolist()
        found = []
        for at, ((text, embedding), tokens, end) in enumerate(zip(read, every, ends, strict=True)):
            words, own = tagged_words.read(text), slice(end - len(tokens), end)
            fits = bool(embedding.tokens) and len(text) <= LONGEST
            found.append(
                Side(
                    words=words,
                    is_read=fits and may_be_english(text),
                    pooled=embedding.pooled,
                    tokens=tokens,
                    projected=projected[:, own],
                    directions=directions[:, own],
                    short=short[:, at],
                    small=small_words(words),
                )
            )
        return found

    def opinions(self, newer: Side, olders: Sequence[Side]) -> list[Opinion]:
        """Return what `newer` does to each of `olders`, in their order.

        Texts that are too long, not English or too far from the newer one get no opinion and cost
        next to nothing.
        """
        found = [NO_OPINION] * len(olders)
        if not newer.is_read or not olders:
            return found
        cosines = np.stack([older.pooled for older in olders]) @ newer.pooled
        seen = [at for at, one in enumerate(olders) if one.is_read and cosines[at] >= self.floor]
        if seen:
            likely = self.likelihoods(newer, [olders[at] for at in seen], cosines[seen])
            for at, (replaces, repeats, _) in zip(seen, likely.tolist(), strict=True):
                found[at] = Opinion(replaces, repeats, self.cuts)
        return found

    def likelihoods(self, newer: Side, olders: Sequence[Side], cosines: Floats) -> Floats:
        """Return the likelihoods of replaces, repeats and neither: (n, 3)."""
        tokens, present = padded([older.tokens for older in olders])
        every = np.ones((1, len(newer.tokens)), dtype=np.bool_)
        seen = [
            cosines[:, None],
            cosines[:, None] ** 2,
            alignment_features(tokens @ newer.tokens.T, present, every),
            np.stack([pair_features(older.words, newer.words) for older in olders]),
            np.stack([older.small for older in olders]),
            np.broadcast_to(newer.small, (len(olders), len(newer.small))),
        ]
        short, new_short = np.stack([one.short for one in olders], axis=1), newer.short[:, None]
        by_net = [
            *self._compared(newer, olders, present),
            np.abs(short - new_short),
            short * new_short,
        ]
        hidden = self._hidden(np.concatenate(seen, axis=1), np.concatenate(by_net, axis=2))
        return np.asarray(_softmax(self._linear("answer", hidden)).mean(axis=0), dtype=np.float32)

    def _hidden(self, seen: Floats, by_net: Floats) -> Floats:
        """Return the hidden layer over the inputs of all nets and each net's own: (nets, n, d)."""
        weight, bias = self._weights["hidden.weight"], self._weights["hidden.bias"][:, None]
        count = seen.shape[1]
        product = seen @ weight[:, :count] + by_net @ weight[:, count:] + bias
        return np.asarray(np.maximum(product, 0), dtype=np.float32)

    def _compared(self, newer: Side, olders: Sequence[Side], present: Mask) -> list[Floats]:
        """Return each token compared with its aligned tokens: mean and maximum, both ways."""
        old, _ = padded([older.projected for older in olders])
        directions, _ = padded([older.directions for older in olders])
        new = newer.projected[:, None]
        alike = SHARPNESS * (directions @ newer.directions[:, None].swapaxes(2, 3))
        back = np.where(present[:, None, :], alike.swapaxes(2, 3), np.float32(-1e4))
        is_token = present[:, :, None]
        there = np.where(is_token, self._beside(old, _softmax(alike) @ new), np.float32(0))
        here = self._beside(new, _softmax(back) @ old)
        return [
            there.sum(axis=2) / is_token.sum(axis=1),
            there.max(axis=2),
            here.mean(axis=2),
            here.max(axis=2),
        ]

    def _beside(self, mine: Floats, aligned: Floats) -> Floats:
        """Return the layer over a token, its counterpart, their difference and their product."""
        of_mine, of_aligned, of_difference, of_product = np.split(
            self._weights["compared.weight"][:, None], 4, axis=2
        )
        product = (
            mine @ (of_mine + of_difference)
            + aligned @ (of_aligned - of_difference)
            + (mine * aligned) @ of_product
        )
        found = np.maximum(product + self._weights["compared.bias"][:, None, None], 0)
        return np.asarray(found, dtype=np.float32)

    def _linear(self, name: str, values: Floats) -> Floats:
        """Return a linear layer of all nets; `values` has one row a net, or one for all."""
        product = values @ self._weights[f"{name}.weight"]
        return np.asarray(product + self._weights[f"{name}.bias"][:, None], dtype=np.float32)


def token_directions(stored: Int8Matrix) -> Floats:
    """Return a text's token vectors with unit length; one of zeros if it has none."""
    vectors = np.divide(stored[:MOST_TOKENS], TOKEN_SCALE, dtype=np.float32)
    return _unit(vectors if len(vectors) else np.zeros((1, vectors.shape[1]), np.float32))


def small_words(read: Words) -> Floats:
    """Return which of `SMALL_WORDS` a text has."""
    found = np.zeros(len(SMALL_WORDS), np.float32)
    found[[_PLACE[word] for word in read.lowered if word in _PLACE]] = 1
    return found


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-6), dtype=np.float32)


def _softmax(values: Floats) -> Floats:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)
