"""Fine-tunes MiniLM to read two notes: does the newer one replace the older, or repeat it?

    python -m benchmarks.tuning.pairs UPSTREAM

Writes ashd/providers/minilm_pairs.npz. UPSTREAM is a folder with `model.safetensors` and
`tokenizer.json` of all-MiniLM-L6-v2. Trained on what `benchmarks.statements.data` has, for 18
minutes on one core. What is shipped saw `numbered_lines` and `one_slot` last: 892 steps at 3e-4 on
them, twice over, and on 26,500 other pairs, and three quarters of the way there; trained on all at
once it is as good by AUC, and finds a little less at the precision asked for. Afterwards

    python -m benchmarks.statements.report --models FOLDER benchmarks/tuning/unseen/*.tsv

tells what the cuts of `ashd.memory.judge.reading_together` do with it, on pairs by authors of whom
nothing is trained on. Needs torch.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import nn

from ashd.providers.wordllama import WordLlamaEmbedder
from benchmarks.statements.data import CLASSES, Pair, Vectors, trained_on
from benchmarks.tuning.bert import Bert, Reader, write

OUT = Path(__file__).parents[2] / "ashd" / "providers" / "minilm_pairs.npz"
EPOCHS, BATCH = 2, 32
RATE, HEAD_RATE = 1.5e-4, 1e-3
"""The learning rate of BERT, and of the layers over it."""
HIDDEN = 128
SMOOTHING = 0.05
SORTED = 32
"""Batches whose pairs are sorted by length together."""
SHARES = {"written": 1.0, "crossed": 0.5, "life": 0.7, "made": 0.5, "turned": 0.15}
"""The share of the pairs of each kind that is trained on: what is made is easier than what is
written, and there is plenty of it."""
FLOOR = 0.15
"""Cosine of static vectors below which a pair that nobody wrote is not worth its time."""


class PairNet(nn.Module):
    """The classifier of `ashd.providers.minilm_convert.convert_pairs`, in torch."""

    def __init__(self, safetensors: Path) -> None:
        super().__init__()
        self.bert = Bert(safetensors)
        self.hidden = nn.Linear(5 * self.bert.word.shape[1], HIDDEN)
        self.answer = nn.Linear(HIDDEN, len(CLASSES))
        self.dropped = nn.Dropout(0.1)

    def forward(
        self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        state = self.bert(ids, segments, mask)
        older, newer = (_mean(state, mask & (segments == side)) for side in (0, 1))
        seen = [state[:, 0], older, newer, (older - newer).abs(), older * newer]
        hidden = nn.functional.gelu(self.hidden(torch.cat(seen, -1)))
        answer: torch.Tensor = self.answer(self.dropped(hidden))
        return answer

    def head(self) -> dict[str, torch.Tensor]:
        """Return the two layers under the names that they have in the file."""
        layers = {"pairs.hidden": self.hidden, "pairs.answer": self.answer}
        return {
            f"{name}.{part}": values.detach()
            for name, layer in layers.items()
            for part, values in layer.named_parameters()
        }


def _mean(state: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    weight = chosen[..., None].float()
    return (state * weight).sum(1) / weight.sum(1)


def batches(found: Sequence[Pair], rng: random.Random) -> Iterator[list[Pair]]:
    """One epoch, in batches of pairs of like length, which are padded less."""
    mixed = rng.sample(found, len(found))
    for start in range(0, len(mixed), BATCH * SORTED):
        part = sorted(
            mixed[start : start + BATCH * SORTED], key=lambda one: len(one.older + one.newer)
        )
        starts = list(range(0, len(part), BATCH))
        rng.shuffle(starts)
        yield from (part[at : at + BATCH] for at in starts)


def train(found: Sequence[Pair], upstream: Path) -> PairNet:
    torch.manual_seed(0)
    rng = random.Random(0)
    net, reader = PairNet(upstream / "model.safetensors"), Reader(upstream / "tokenizer.json")
    trained = [one for one in net.parameters() if one.requires_grad]
    groups = [
        {"params": [one for one in net.bert.parameters() if one.requires_grad]},
        {"params": [*net.hidden.parameters(), *net.answer.parameters()]},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = int(EPOCHS * len(found) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [RATE, HEAD_RATE], total_steps=steps + 1, pct_start=0.1
    )
    net.train()
    done = 0
    while done < steps:
        for batch in batches(found, rng):
            losses = nn.functional.cross_entropy(
                net(*reader.batch([(one.older, one.newer) for one in batch])),
                torch.tensor([CLASSES.index(one.want) for one in batch]),
                reduction="none",
                label_smoothing=SMOOTHING,
            )
            optimiser.zero_grad()
            (losses * torch.tensor([one.weight for one in batch])).mean().backward()
            nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if done % 100 == 0:
                print(f"step {done} of {steps}", flush=True)
            if done == steps:
                break
    return net.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("upstream", type=Path)
    upstream = parser.parse_args().upstream
    vectors = Vectors(WordLlamaEmbedder())
    rng = random.Random(0)
    found = [
        one
        for one in trained_on(vectors)
        if rng.random() < SHARES[one.kind]
        and (one.kind == "written" or vectors.cosine(one.older, one.newer) >= FLOOR)
    ]
    net = train(found, upstream)
    write(OUT, net.bert, net.head())
    print(OUT.name, OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
