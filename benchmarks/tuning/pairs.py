"""Fine-tunes MiniLM to read two notes: does the newer one replace the older, or repeat it?

    python -m benchmarks.tuning.pairs UPSTREAM [--go-on --models FOLDER]

Writes ashd/providers/minilm_pairs.npz. UPSTREAM is a folder with `model.safetensors` and
`tokenizer.json` of all-MiniLM-L6-v2. Trained on what `benchmarks.statements.data` has: three nets,
forty minutes each on one core. Twice their mean goes on as two nets, for a quarter of an hour each:
with all that was written and the true facts of a life that the first net took for replacements,
then with a third of it and more true facts. (What is shipped came to the same in more steps, as
authors came in, and saw those true facts that are nearest by MiniLM and not unrelated to its pair
model. Its last step saw a third of what was written and of the older lives, and twice
`three_times`, `side_by_side` and the pairs of the 33 streams that may be taken for replacements,
from .05, with as many others; it is the mean of two such nets and of the one that they began with.)
With `--go-on` the net that is shipped goes on with what authors told over a year (`told/trained`:
one candidate in twenty is ended), without smoothed labels: first with 24 of these years, then with
49, then with 70, in 45 minutes on one core. The notes nearest to
each are MiniLM's, installed in FOLDER; of those that hold, one net sees for two epochs what it took
for possibly replaced, and a few others. Beside them it sees some of all else, where most of the
label is what the net said before: notes told over a year have hardly a repetition, and one that saw
the plain labels forgot what a repetition is. Such a net replaces too many true facts of a life; so
the mean of two goes on, for an epoch and a half, with those pairs of `lives` that it got wrong.
Afterwards

    python -m benchmarks.statements.report --models FOLDER benchmarks/tuning/unseen/*

tells what the cuts of `ashd.memory.judge.cross_encoder` do with it, on pairs and streams by
authors of whom nothing is trained on. Needs torch.
"""

import argparse
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch
from torch import nn

from ashd.providers.fine_tuning import tuned
from ashd.providers.registry import load
from ashd.providers.safetensors_file import read_safetensors
from ashd.providers.wordllama import WordLlamaEmbedder
from benchmarks.statements import told_notes
from benchmarks.statements.data import (
    CLASSES,
    HERE,
    Pair,
    Vectors,
    facts_of,
    neighbours,
    trained_on,
)
from benchmarks.tuning.bert import Bert, Dense, Layer, Reader, changes, write
from benchmarks.tuning.data import lives

OUT = Path(__file__).parents[2] / "ashd" / "providers" / "minilm_pairs.npz"
LIVES = HERE / "lives"
Labelled = tuple[Pair, torch.Tensor]
"""A pair and the share of each class in its label."""
Rates = tuple[float, float]
"""Learning rates of BERT and of the layers over it."""

EPOCHS, BATCH = 2, 32
RATES = (1.2e-4, 1e-4, 1.2e-4)
"""The learning rates of the nets that begin with MiniLM."""
HEAD_FASTER = 20 / 3
"""The factor by which the layers over BERT learn faster than it: they begin with nothing."""
LATER = (({"written": 1.0}, 1e-4), ({"written": 0.33, "crossed": 0.35, "life": 1.0}, 7e-5))
"""Later training, each time from the mean of the nets before: the share of each kind of pairs that
is trained on, and the learning rate."""
TOGETHER = 2
"""Nets that go on with one mean, each with another seed."""
HARD = 0.03
"""Likelihood of a replacement from which a pair of true facts is trained on again."""
HIDDEN = 128
SMOOTHING = 0.05
"""The share of a label that goes to the others, where nets begin with nothing."""
BESIDE_TOLD = {
    ("written", "keep"): 1150,
    ("written", "replace"): 950,
    ("written", "repeat"): 1150,
    ("turned", "keep"): 230,
    ("life", "keep"): 950,
    ("crossed", "keep"): 300,
    ("made", "keep"): 150,
    ("made", "replace"): 60,
    ("made", "repeat"): 60,
}
"""The number of other pairs by kind and label that are trained on with notes told over a year."""
AS_BEFORE = 0.7
"""The share of their labels that is what the net said before."""
TOLD_RATE = 5e-5
LIFE_RATE = 4e-5
HARDER = 0.1
"""As `HARD`, for notes told over a year where they stand beside the true facts of lives."""
EASY = 0.04
"""The share of the notes that hold, and surely so to the net, that it sees all the same."""
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


def label(pair: Pair, smoothing: float = 0.0) -> torch.Tensor:
    """Return the share of each class, of which `smoothing` is even."""
    wanted = torch.full((len(CLASSES),), smoothing / len(CLASSES))
    wanted[CLASSES.index(pair.want)] += 1 - smoothing
    return wanted


def smoothed(found: Sequence[Pair]) -> list[Labelled]:
    return [(one, label(one, SMOOTHING)) for one in found]


def batches(found: Sequence[Labelled], rng: random.Random) -> Iterator[list[Labelled]]:
    """One epoch, in batches of pairs of like length, which are padded less."""
    mixed = rng.sample(found, len(found))
    for start in range(0, len(mixed), BATCH * SORTED):
        part = sorted(
            mixed[start : start + BATCH * SORTED], key=lambda one: len(one[0].older + one[0].newer)
        )
        starts = list(range(0, len(part), BATCH))
        rng.shuffle(starts)
        yield from (part[at : at + BATCH] for at in starts)


def train(
    net: PairNet,
    reader: Reader,
    found: Sequence[Labelled],
    rates: Rates,
    epochs: float,
) -> None:
    rng = random.Random(torch.initial_seed())
    parts = ([*net.bert.parameters()], [*net.hidden.parameters(), *net.answer.parameters()])
    groups = [{"params": [one for one in part if one.requires_grad]} for part in parts]
    trained = [one for group in groups for one in group["params"]]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = int(epochs * len(found) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, list(rates), total_steps=steps + 1, pct_start=0.1
    )
    net.train()
    several = itertools.chain.from_iterable(batches(found, rng) for _ in range(int(epochs) + 1))
    for done, batch in enumerate(itertools.islice(several, steps), 1):
        losses = nn.functional.cross_entropy(
            net(*reader.batch([(one.older, one.newer) for one, _ in batch])),
            torch.stack([wanted for _, wanted in batch]),
            reduction="none",
        )
        optimiser.zero_grad()
        (losses * torch.tensor([one.weight for one, _ in batch])).mean().backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        schedule.step()
        if done % 100 == 0:
            print(f"step {done} of {steps}", flush=True)
    net.eval()


@torch.no_grad()
def replaced(net: PairNet, reader: Reader, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the likelihood of each pair, as `net` sees it, that the newer text replaces."""
    found = [0.0] * len(pairs)
    # Pairs of like length are padded less.
    by_length = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0] + pairs[at][1]))
    for start in range(0, len(pairs), BATCH):
        places = by_length[start : start + BATCH]
        read = net(*reader.batch([pairs[at] for at in places])).softmax(-1)
        figures = read[:, CLASSES.index("replace")].tolist()
        for at, figure in zip(places, figures, strict=True):
            found[at] = figure
    return found


def hard(net: PairNet, reader: Reader, vectors: Vectors) -> list[Pair]:
    """Return the pairs of facts, true at the same time, of which `net` may replace one."""
    lists = [facts_of(path) for path in sorted(LIVES.glob("*.txt"))]
    pairs = [
        pair
        for facts in (*lists, *(life.notes for life in lives()))
        for pair in neighbours(vectors, facts)
    ]
    figures = replaced(net, reader, pairs)
    found = [pair for pair, figure in zip(pairs, figures, strict=True) if figure >= HARD]
    return [Pair("life", "lives", "keep", *pair, 1.0) for pair in found]


def mean(nets: Sequence[PairNet]) -> dict[str, torch.Tensor]:
    states = [net.state_dict() for net in nets]
    return {name: torch.stack([one[name] for one in states]).mean(0) for name in states[0]}


def gone_on(
    start: Mapping[str, torch.Tensor],
    safetensors: Path,
    reader: Reader,
    found: Sequence[Labelled],
    rate: float,
    epochs: float = 1,
    together: int = TOGETHER,
) -> list[PairNet]:
    """Return nets that begin with the weights `start` and were trained on `found`."""
    nets = []
    for seed in range(together):
        torch.manual_seed(seed)
        net = PairNet(safetensors)
        net.load_state_dict(start)
        train(net, reader, found, (rate, rate), epochs)
        nets.append(net)
    return nets


def shipped(safetensors: Path) -> PairNet:
    """Return the net that `OUT` holds."""
    net = PairNet(safetensors)
    arrays = tuned(read_safetensors(safetensors), OUT)
    weights = {name: torch.tensor(array, dtype=torch.float32) for name, array in arrays.items()}
    with torch.no_grad():
        for module in net.bert.modules():
            if isinstance(module, Dense):
                for part, values in (("weight", module.weight), ("bias", module.bias)):
                    values.copy_(torch.cat([weights[f"{name}.{part}"] for name in module.names]))
            elif isinstance(module, Layer):
                for name, norm in module.norms.items():
                    for part, values in norm.named_parameters():
                        values.copy_(weights[f"{name.replace('/', '.')}.{part}"])
        for name, values in net.head().items():
            values.copy_(weights[name])
    return net


@torch.no_grad()
def as_before(net: PairNet, reader: Reader, found: Sequence[Pair]) -> list[Labelled]:
    """Return pairs whose label is for the most part what `net` says of them."""
    labelled = []
    for start in range(0, len(found), BATCH):
        batch = found[start : start + BATCH]
        said = net(*reader.batch([(one.older, one.newer) for one in batch])).softmax(-1)
        labels = AS_BEFORE * said + (1 - AS_BEFORE) * torch.stack([label(one) for one in batch])
        labelled += list(zip(batch, labels, strict=True))
    return labelled


def with_told(
    safetensors: Path, reader: Reader, everything: Sequence[Pair], models: Path
) -> list[PairNet]:
    """Return nets that go on from the shipped one with notes told over a year."""
    rng = random.Random(0)
    minilm = load("minilm", models_dir=models)
    assert minilm is not None
    near = Vectors(minilm)
    net = shipped(safetensors).eval()
    beside = as_before(
        net,
        reader,
        [
            pair
            for kind, count in BESIDE_TOLD.items()
            for pair in rng.sample(
                [one for one in everything if (one.kind, one.want) == kind], count
            )
        ],
    )
    told = told_notes.pairs(near)
    figures = replaced(net, reader, [(one.older, one.newer) for one in told])

    def of_told(least: float, share: float) -> list[Labelled]:
        return [
            (one, label(one))
            for one, figure in zip(told, figures, strict=True)
            if one.want == "replace" or figure >= least or rng.random() < share
        ]

    def go_on(found: list[Labelled], rate: float, epochs: float, together: int) -> list[PairNet]:
        return gone_on(net.state_dict(), safetensors, reader, found, rate, epochs, together)

    (net,) = go_on(beside + of_told(HARD, EASY), TOLD_RATE, 2, 1)
    lives_again = [(one, label(one)) for one in hard(net.eval(), reader, near)]
    found = rng.sample(beside, 3000) + of_told(HARDER, EASY / 4) + lives_again
    return go_on(found, LIFE_RATE, 1.5, TOGETHER)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("upstream", type=Path)
    parser.add_argument("--go-on", action="store_true")
    parser.add_argument("--models", type=Path)
    options = parser.parse_args()
    upstream: Path = options.upstream
    reader = Reader(upstream / "tokenizer.json")
    vectors = Vectors(WordLlamaEmbedder())
    everything = trained_on(vectors)
    weights = upstream / "model.safetensors"
    if options.go_on:
        nets = with_told(weights, reader, everything, options.models)
    else:
        nets = from_upstream(weights, reader, vectors, everything)
    net = nets[0]
    net.load_state_dict(mean(nets))
    write(OUT, changes(net.bert) | net.head())
    print(OUT.name, OUT.stat().st_size, "bytes")


def from_upstream(
    weights: Path, reader: Reader, vectors: Vectors, everything: Sequence[Pair]
) -> list[PairNet]:
    """Return nets that began with MiniLM."""
    rng = random.Random(0)

    def chosen(shares: Mapping[str, float]) -> list[Pair]:
        return [one for one in everything if rng.random() < shares.get(one.kind, 0.0)]

    found = [
        one
        for one in chosen(SHARES)
        if one.kind == "written" or vectors.cosine(one.older, one.newer) >= FLOOR
    ]
    nets = []
    for seed, rate in enumerate(RATES):
        torch.manual_seed(seed)
        nets.append(PairNet(weights))
        train(nets[-1], reader, smoothed(found), (rate, HEAD_FASTER * rate), EPOCHS)
    taken = hard(nets[0], reader, vectors)
    for shares, rate in LATER:
        nets = gone_on(mean(nets), weights, reader, smoothed(chosen(shares) + taken), rate)
    return nets


if __name__ == "__main__":
    main()
