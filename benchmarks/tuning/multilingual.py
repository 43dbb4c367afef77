"""Fine-tunes the upper half of multilingual-e5-small for recall, as `recall` does MiniLM.

    python -m benchmarks.tuning.multilingual UPSTREAM
    python -m benchmarks.tuning.languages UPSTREAM

UPSTREAM is a folder with `e5-small-q4.bin`, the model's file from its wheel. The first command
writes adapters to `ashd/providers/multilingual_recall.npz`, the second the linear map that follows
them. Needs torch.

Trained on questions in English and in eight other languages (`benchmarks.tuning.data`), some of
them to English notes. The lower six layers stay as they are, so their states are computed once for
each text. Takes twelve minutes on two cores.
"""

import argparse
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from sentencepiece import SentencePieceProcessor
from torch import nn

from ashd.providers import e5_file
from ashd.providers.multilingual import plain
from ashd.providers.multilingual_install import PACKAGE, WEIGHTS_FILE
from benchmarks.tuning.bert import Layer, changes, write
from benchmarks.tuning.data import OTHER_LANGUAGES, Life, lives
from benchmarks.tuning.languages import by_language, language_free
from benchmarks.tuning.recall import steps

OUT: Final = PACKAGE.tuning[0]
LAYERS, FROZEN = 12, 6
RANK, EPOCHS, RATE = 16, 2, 1e-3
BESIDE = 50
"""Notes of a person in one step, beside those that answer its questions."""
TEMPERATURE, ALL = 0.05, 0.3
"""The second is the weight of everybody's notes; that of the person's own is 1."""
SHARE: Final = 0.6
"""The part of the way from the original weights to the trained ones, as in `recall`: .794, .788 and
.766 of the questions of the English lives found their fact first by cosine with .6, .8 and all of
the way, .732 by the linear map alone; in eight other languages .872, .872, .863 and .841."""
_LONGEST: Final = 64
_BATCH: Final = 64
_NORM_EPSILON: Final = 1e-12


class Model:
    """The model's vectors of texts, with adapters in the upper layers."""

    def __init__(self, upstream: Path) -> None:
        self._read = e5_file.read(upstream / WEIGHTS_FILE)
        self._weights = {
            name: torch.from_numpy(np.array(array, dtype=np.float32))
            for name, array in self._read.weights.items()
        }
        pieces = e5_file.tokenizer_model(self._read.pieces)
        self._tokenizer = SentencePieceProcessor(model_proto=pieces)
        lower = [Layer(self._weights, f"encoder.layer.{at}.", None) for at in range(FROZEN)]
        self._lower = nn.ModuleList(lower).eval().requires_grad_(False)
        self.upper = nn.ModuleList(
            Layer(self._weights, f"encoder.layer.{at}.", RANK) for at in range(FROZEN, LAYERS)
        )
        self._states: dict[str, torch.Tensor] = {}
        self.mean, self.neutral = torch.zeros(1), torch.eye(len(self._norm("weight")))

    def prepare(self, texts: Sequence[str]) -> None:
        """Compute what the lower layers make of these texts."""
        todo = sorted({text for text in texts if text not in self._states}, key=len)
        for part in _batches(todo):
            state, mask = _padded([self._placed(text) for text in part])
            with torch.no_grad():
                state = _through(self._lower, state, mask)
            for text, row, kept in zip(part, state, mask, strict=True):
                self._states[text] = row[kept].half()

    def pooled(self, texts: Sequence[str]) -> torch.Tensor:
        """Return the unit vectors (n, d) of texts that are prepared."""
        state, mask = _padded([self._states[text].float() for text in texts])
        state = _through(self.upper, state, mask)
        weight = mask[..., None].float()
        return nn.functional.normalize((state * weight).sum(1) / weight.sum(1), dim=-1)

    def vectors(self, texts: Sequence[str]) -> torch.Tensor:
        """Return the unit vectors (n, d) without what tells the language."""
        moved = (self.pooled(texts) - self.mean) @ self.neutral
        return nn.functional.normalize(moved, dim=-1)

    def forget_languages(self) -> None:
        """Fit the map that `vectors` applies by the model as it is."""
        self.upper.eval()
        texts = by_language().values()
        with torch.no_grad():
            mean, neutral = language_free([self._all(language).numpy() for language in texts])
        self.mean = torch.from_numpy(mean)
        self.neutral = torch.from_numpy(neutral.astype(np.float32))

    def _all(self, texts: Sequence[str]) -> torch.Tensor:
        self.prepare(texts)
        return torch.cat([self.pooled(part) for part in _batches(texts)])

    def _placed(self, text: str) -> torch.Tensor:
        """Return the vectors of a text's pieces in their places: (pieces, d)."""
        ids = [0, *self._tokenizer.encode(plain(text))[: _LONGEST - 2], 2]
        words = torch.from_numpy(e5_file.unpacked(self._read.words[ids]))
        positions = self._weights["embeddings.position_embeddings.weight"][: len(ids)]
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        size = (words.shape[1],)
        return nn.functional.layer_norm(
            words + positions + segment,
            *(size, self._norm("weight"), self._norm("bias"), _NORM_EPSILON),
        )

    def _norm(self, part: str) -> torch.Tensor:
        return self._weights[f"embeddings.LayerNorm.{part}"]


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(texts), _BATCH):
        yield texts[at : at + _BATCH]


def _padded(states: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    state = nn.utils.rnn.pad_sequence(list(states), batch_first=True)
    lengths = torch.tensor([len(one) for one in states])
    return state, torch.arange(state.shape[1])[None] < lengths[:, None]


def _through(layers: nn.ModuleList, state: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        for layer in layers:
            state = layer(state, mask[:, None, None, :])
    return state.float()


def train(found: list[Life], model: Model) -> None:
    """Let each question choose the note that answers it, among the person's and everybody's."""
    rng = random.Random(0)
    torch.manual_seed(0)
    starts = [0, *itertools.accumulate(len(life.notes) for life in found)]
    for life in found:
        model.prepare([*life.notes, *(one.text for one in life.questions)])
    model.forget_languages()
    with torch.no_grad():
        everybody = torch.cat([model.vectors(life.notes) for life in found])
    parameters = [one for one in model.upper.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(parameters, weight_decay=0.01)
    count = EPOCHS * len(list(steps(found, random.Random(0))))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, RATE, total_steps=count + 1, pct_start=0.1
    )
    model.upper.train()
    choose = nn.functional.cross_entropy
    for number, asked in (step for _ in range(EPOCHS) for step in steps(found, rng)):
        life, start = found[number], starts[number]
        others = rng.sample(range(len(life.notes)), min(len(life.notes), BESIDE))
        shown = sorted({*others, *(one.answer for one in asked)})
        notes = model.vectors([life.notes[at] for at in shown])
        questions = model.vectors([one.text for one in asked])
        own = questions @ notes.T
        near = questions @ everybody.T
        rows = [start + at for at in shown]
        near[:, rows] = own
        right = torch.tensor([one.answer for one in asked])
        places = torch.tensor([shown.index(one.answer) for one in asked])
        loss = choose(own / TEMPERATURE, places) + ALL * choose(near / TEMPERATURE, right + start)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        schedule.step()
        everybody[rows] = notes.detach()
    sys.stdout.write(f"loss {loss.item():.2f}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("upstream", type=Path)
    model = Model(parser.parse_args().upstream)
    train(lives() + lives(OTHER_LANGUAGES), model)
    write(OUT, changes(model.upper, SHARE))
    sys.stdout.write(f"{OUT.name} {OUT.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
