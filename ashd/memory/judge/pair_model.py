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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from ashd.language import tagged_words
from ashd.language.detection import may_be_english
from ashd.language.english_words import SMALL_WORDS
from ashd.language.tagged_words import Words
from ashd.language.text_caches import cached_by_text
from ashd.memory.judge import calibration
from ashd.memory.judge.alignment import Floats, Mask, alignment_features, padded
from ashd.memory.judge.features import features_of_pairs
from ashd.memory.judge.verdict import Opinion
from ashd.providers.embedder import TOKEN_SCALE, Embedding, Int8Matrix, PairLikelihoods

LONGEST: Final = 200
"""Characters of a text that may be a single statement: the model was trained on no longer ones."""
MOST_TOKENS: Final = 32
"""Tokens of a text that are used; texts of `LONGEST` characters rarely have more."""
_PLACE: Final = {word: at for at, word in enumerate(SMALL_WORDS)}
_CACHED_TEXTS: Final = 4_096
SHARPNESS: Final = 10
"""The factor of a cosine before the softmax that decides which tokens a token is compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One text as the model sees it, read once.

    `tokens` are unit vectors (n, d). `projected` (nets, n, 2 * width) are the same through each
    net's first layer, as they come out and then again with unit length; `short` (nets, width) is
    the pooled vector through it. `is_read` is False for a text that the model has seen nothing
    like.
    """

    text: str
    words: Words
    is_read: bool
    pooled: Floats
    tokens: Floats
    projected: Floats
    short: Floats
    small: Mask
    """The `SMALL_WORDS` that it has."""

    def reworded(self, text: str) -> "Side":
        """Return the same vectors with other words for the same."""
        seen = _read(text)
        return replace(self, text=text, words=seen.words, small=seen.small)


class PairModel:
    """The model for one embedder's vectors; pure once it is loaded."""

    embedder_model: str
    """The embedder model whose vectors it was trained on."""
    repeats_from: float
    """Its likelihood from which a text repeats another."""
    calibrated: Callable[[float], float]
    """Returns the share of pairs that replace, at its likelihood."""
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
        *_, self.repeats_from = map(float, arrays.pop("cuts"))
        self.calibrated = calibration.of(path.stem)
        self.floor = float(arrays.pop("floor"))
        self._weights = {name: values.astype(np.float32) for name, values in arrays.items()}
        self._beside_weight = _beside_weight(self._weights["compared.weight"])
        hidden, own = self._weights.pop("hidden.weight"), 6 * self._beside_weight.shape[2]
        # The inputs that all nets share go through one product.
        self._hidden_seen = np.concatenate(hidden[:, :-own], axis=1)
        self._hidden_by_net = np.ascontiguousarray(hidden[:, -own:])
        self._no_tokens = np.zeros((0, self._weights["tokens.weight"].shape[1]), np.int8)

    @staticmethod
    def may_read(text: str) -> bool:
        """Return whether a text is like those that this model has seen."""
        return _read(text).is_like_those_seen

    def side(self, text: str, embedding: Embedding) -> Side:
        """Return a text as this model sees it, with its own embedding.

        Without token vectors it gets no opinion.
        """
        return self.sides([(text, embedding)])[0]

    def sides(self, read: Sequence[tuple[str, Embedding]]) -> list[Side]:
        """Return texts with their embeddings as this model sees them, computed together."""
        if not read:
            return []
        rows = [
            _seen(embedding.tokens.vectors if embedding.tokens else self._no_tokens)
            for _, embedding in read
        ]
        tokens = _directions(np.concatenate(rows))
        made = self._linear("tokens", tokens)
        projected = np.concatenate([made, _unit(made)], axis=2)
        short = self._linear("short", np.stack([embedding.pooled for _, embedding in read]))
        found, begin = [], 0
        for at, ((text, embedding), count) in enumerate(zip(read, map(len, rows), strict=True)):
            seen, own = _read(text), slice(begin, begin + count)
            begin += count
            found.append(
                Side(
                    text=text,
                    words=seen.words,
                    is_read=bool(embedding.tokens) and seen.is_like_those_seen,
                    pooled=embedding.pooled,
                    tokens=tokens[own],
                    projected=projected[:, own],
                    short=short[:, at],
                    small=seen.small,
                )
            )
        return found

    def opinions(self, newer: Side, olders: Sequence[Side]) -> list[Opinion]:
        """Return what `newer` does to each of `olders`, in their order, calibrated."""
        return [
            Opinion(self.calibrated(one.replaces), one.repeats, self.repeats_from)
            for one in self.of_pairs(newer, olders)
        ]

    def of_pairs(self, newer: Side, olders: Sequence[Side]) -> list[PairLikelihoods]:
        """Return the likelihoods for `newer` and each of `olders`, in their order.

        Texts that are too long, not English or too far from the newer one get none and cost next
        to nothing.
        """
        found = [PairLikelihoods(0.0, 0.0)] * len(olders)
        if not newer.is_read or not olders:
            return found
        cosines = np.stack([older.pooled for older in olders]) @ newer.pooled
        seen = [at for at, one in enumerate(olders) if one.is_read and cosines[at] >= self.floor]
        if seen:
            likely = self.likelihoods(newer, [olders[at] for at in seen], cosines[seen])
            for at, (replaces, repeats, _) in zip(seen, likely.tolist(), strict=True):
                found[at] = PairLikelihoods(replaces, repeats)
        return found

    def likelihoods(self, newer: Side, olders: Sequence[Side], cosines: Floats) -> Floats:
        """Return the likelihoods of replaces, repeats and neither: (n, 3)."""
        tokens, present = padded([older.tokens for older in olders])
        alike = (tokens @ newer.tokens.T).swapaxes(0, 1)
        every = np.ones((1, len(newer.tokens)), dtype=np.bool_)
        seen = [
            cosines[:, None],
            cosines[:, None] ** 2,
            alignment_features(alike, present.T, every),
            features_of_pairs([older.words for older in olders], newer.words),
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
        nets, count, _ = by_net.shape
        hidden = by_net @ self._hidden_by_net
        hidden += (seen @ self._hidden_seen).reshape(count, nets, -1).swapaxes(0, 1)
        hidden += self._weights["hidden.bias"][:, None]
        return np.asarray(np.maximum(hidden, 0), dtype=np.float32)

    def _compared(self, newer: Side, olders: Sequence[Side], present: Mask) -> list[Floats]:
        """Return each token compared with its aligned tokens: mean and maximum, both ways."""
        by_pair, _ = padded([older.projected for older in olders])
        nets, longest, pairs, twice = by_pair.shape
        width, count = twice // 2, len(newer.tokens)
        # One product a net for the tokens of all pairs in a row, not one for each pair.
        in_a_row = by_pair.reshape(nets, -1, twice)
        new, new_directions = newer.projected[..., :width], newer.projected[..., width:]
        # Both softmaxes in one go: cosines are small enough for it without their largest taken off.
        alike = np.exp(SHARPNESS * (in_a_row[..., width:] @ new_directions.swapaxes(1, 2)))
        meant = alike @ new / np.add.reduce(alike, axis=2, keepdims=True)
        there = self._beside(in_a_row[..., :width], meant).reshape(nets, longest, pairs, width)
        there *= present[:, :, None]
        alike = alike.reshape(nets, longest, pairs, count) * present[:, :, None]
        aligned = alike.transpose(0, 2, 3, 1) @ by_pair[..., :width].swapaxes(1, 2)
        aligned /= np.add.reduce(alike, axis=1)[..., None]
        aligned = aligned.swapaxes(1, 2).reshape(nets, -1, width)
        here = self._beside(np.repeat(new, pairs, axis=1), aligned)
        here = here.reshape(nets, count, pairs, width)
        return [
            np.add.reduce(there, axis=1) / np.add.reduce(present, axis=0)[:, None],
            np.maximum.reduce(there, axis=1),
            np.add.reduce(here, axis=1) / count,
            np.maximum.reduce(here, axis=1),
        ]

    def _beside(self, mine: Floats, aligned: Floats) -> Floats:
        """Return the layer over a token, its counterpart, their difference and their product."""
        product = np.concatenate([mine, aligned, mine * aligned], axis=2) @ self._beside_weight
        product += self._weights["compared.bias"][:, None]
        return np.maximum(product, 0, out=product)

    def _linear(self, name: str, values: Floats) -> Floats:
        """Return a linear layer of all nets; `values` has a row per net, or one for all."""
        product = values @ self._weights[f"{name}.weight"]
        return np.asarray(product + self._weights[f"{name}.bias"][:, None], dtype=np.float32)


class _Read(NamedTuple):
    """The part of a side that follows from its words."""

    words: Words
    is_like_those_seen: bool
    small: Mask


@cached_by_text(_CACHED_TEXTS)
def _read(text: str) -> _Read:
    words = tagged_words.read(text)
    small = np.zeros(len(SMALL_WORDS), np.bool_)
    small[[_PLACE[word] for word in words.lowered if word in _PLACE]] = True
    return _Read(words, len(text) <= LONGEST and may_be_english(text), small)


def _beside_weight(compared: Floats) -> Floats:
    """Return the weights of a token, its counterpart and their product, without their difference.

    The difference of two vectors through a layer is the difference of both through it.
    """
    of_mine, of_aligned, of_difference, of_product = np.split(compared, 4, axis=1)
    parts = [of_mine + of_difference, of_aligned - of_difference, of_product]
    return np.concatenate(parts, axis=1)


def token_directions(stored: Int8Matrix) -> Floats:
    """Return a text's token vectors with unit length; one of zeros if it has none."""
    return _directions(_seen(stored))


def _seen(stored: Int8Matrix) -> Int8Matrix:
    """Return the token vectors that are looked at: the first ones, or one of zeros."""
    return stored[:MOST_TOKENS] if len(stored) else np.zeros((1, stored.shape[1]), np.int8)


def _directions(stored: Int8Matrix) -> Floats:
    return _unit(np.divide(stored, TOKEN_SCALE, dtype=np.float32))


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-6), dtype=np.float32)


def _softmax(values: Floats) -> Floats:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)
