"""The nets of `ashd.memory.judge.pair_model` and their training. Needs torch."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ashd.language.english_words import SMALL_WORDS
from ashd.language.tagged_words import read
from ashd.memory.judge.alignment import alignment_features
from ashd.memory.judge.features import pair_features
from ashd.memory.judge.pair_model import MOST_TOKENS, SHARPNESS, token_directions
from ashd.providers.embedder import Embedding
from benchmarks.statements.data import CLASSES, Pair, Vectors

Rows = NDArray[np.int64]
WIDTH, HIDDEN = 32, 64
EPOCHS, BATCH = 9, 256
SORTED = 4096
"""Rows that are sorted by length together."""


class Data:
    """Pairs as arrays."""

    def __init__(self, vectors: Vectors, found: Sequence[Pair]) -> None:
        texts = list(dict.fromkeys(text for pair in found for text in (pair.older, pair.newer)))
        place = {text: at for at, text in enumerate(texts)}
        self.pooled = np.stack([vectors.of(text).pooled for text in texts])
        tokens = [self._directions(vectors.of(text)) for text in texts]
        self.count = np.array([len(one) for one in tokens])
        self.tokens = np.zeros((len(texts), MOST_TOKENS, tokens[0].shape[1]), np.float32)
        for at, one in enumerate(tokens):
            self.tokens[at, : len(one)] = one
        self.small = np.array(
            [[word in read(text).lowered for word in SMALL_WORDS] for text in texts], np.float32
        )
        self.sides = np.array([(place[pair.older], place[pair.newer]) for pair in found])
        self.cosine = (self.pooled[self.sides[:, 0]] * self.pooled[self.sides[:, 1]]).sum(1)
        self.target = np.array([CLASSES.index(pair.want) for pair in found])
        self.weight = np.array([pair.weight for pair in found], dtype=np.float32)
        words = np.stack([pair_features(read(pair.older), read(pair.newer)) for pair in found])
        self.features = np.concatenate([self._by_vectors(), words], axis=1)

    @staticmethod
    def _directions(embedding: Embedding) -> NDArray[np.float32]:
        assert embedding.tokens is not None
        return token_directions(embedding.tokens.vectors)

    def _by_vectors(self) -> NDArray[np.float32]:
        parts = []
        for start in range(0, len(self.sides), 512):
            one, two = self.sides[start : start + 512].T
            alike = self.tokens[one] @ self.tokens[two].transpose(0, 2, 1)
            parts.append(alignment_features(alike, self.present(one), self.present(two)))
        cosine = self.cosine[:, None]
        return np.concatenate([cosine, cosine**2, np.concatenate(parts)], axis=1)

    def present(self, texts: Rows) -> NDArray[np.bool_]:
        return np.arange(MOST_TOKENS) < self.count[texts][:, None]

    def batch(self, at: Rows) -> list[torch.Tensor]:
        made = []
        for texts in self.sides[at].T:
            longest = self.count[texts].max()
            made += [
                self.tokens[texts, :longest],
                self.present(texts)[:, :longest],
                self.pooled[texts],
                self.small[texts],
            ]
        return [torch.from_numpy(array) for array in (*made, self.features[at])]


class TokenNet(nn.Module):
    """One net of `PairModel`: decomposable attention, with the features."""

    def __init__(self, data: Data) -> None:
        super().__init__()
        self.tokens = nn.Linear(data.tokens.shape[2], WIDTH)
        self.short = nn.Linear(data.pooled.shape[1], WIDTH)
        self.compared = nn.Linear(4 * WIDTH, WIDTH)
        seen = data.features.shape[1] + 2 * data.small.shape[1] + 6 * WIDTH
        self.hidden, self.answer = nn.Linear(seen, HIDDEN), nn.Linear(HIDDEN, 3)
        self.some, self.few = nn.Dropout(0.3), nn.Dropout(0.1)

    def forward(self, *given: torch.Tensor) -> torch.Tensor:
        one, one_is, one_pooled, one_small, two, two_is, two_pooled, two_small, features = given
        one, two = self.tokens(self.few(one)), self.tokens(self.few(two))
        alike = _unit(one) @ _unit(two).transpose(1, 2)
        seen = [
            features,
            one_small,
            two_small,
            self._compared(one, one_is, _aligned(alike, two, two_is)),
            self._compared(two, two_is, _aligned(alike.transpose(1, 2), one, one_is)),
        ]
        first, second = self.short(one_pooled), self.short(two_pooled)
        seen += [(first - second).abs(), first * second]
        hidden = torch.relu(self.hidden(self.some(torch.cat(seen, -1))))
        return self.answer(self.some(hidden))

    def _compared(
        self, tokens: torch.Tensor, present: torch.Tensor, aligned: torch.Tensor
    ) -> torch.Tensor:
        pairs = torch.cat([tokens, aligned, tokens - aligned, tokens * aligned], -1)
        found = torch.relu(self.compared(self.some(pairs)))
        mean = (found * present[..., None]).sum(1) / present.sum(1, keepdim=True)
        return torch.cat([mean, found.masked_fill(~present[..., None], -1).max(1).values], -1)


def _unit(vectors: torch.Tensor) -> torch.Tensor:
    return nn.functional.normalize(vectors, dim=-1)


def _aligned(alike: torch.Tensor, other: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
    return (SHARPNESS * alike).masked_fill(~present[:, None, :], -1e4).softmax(-1) @ other


def train(data: Data, rows: Rows, seed: int) -> TokenNet:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = TokenNet(data)
    steps = EPOCHS * -(-len(rows) // BATCH)
    optimiser = torch.optim.AdamW(net.parameters(), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    for _ in range(EPOCHS):
        for at in _batches(data, rng.permutation(rows), rng):
            losses = nn.functional.cross_entropy(
                net(*data.batch(at)),
                torch.from_numpy(data.target[at]),
                reduction="none",
                label_smoothing=0.05,
            )
            optimiser.zero_grad()
            (losses * torch.from_numpy(data.weight[at])).mean().backward()
            optimiser.step()
            schedule.step()
    return net.eval()


def _batches(data: Data, rows: Rows, rng: np.random.Generator) -> Iterator[Rows]:
    """Rows in batches of texts of like length, which are padded less."""
    lengths = data.count[data.sides].max(1)
    parts = np.array_split(rows, max(1, len(rows) // SORTED))
    ordered = np.concatenate([part[np.argsort(lengths[part], kind="stable")] for part in parts])
    starts = np.arange(0, len(ordered), BATCH)
    rng.shuffle(starts)
    for start in starts:
        yield ordered[start : start + BATCH]


def answers(net: TokenNet, data: Data, rows: Rows) -> NDArray[np.float32]:
    """Replaces, repeats, neither: (rows, 3)."""
    with torch.no_grad():
        parts = [
            net(*data.batch(rows[start : start + 512])).softmax(-1).numpy()
            for start in range(0, len(rows), 512)
        ]
    return np.concatenate(parts)
