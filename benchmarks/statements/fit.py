"""Makes ashd/providers/*_pairs.npz: what tells whether a statement replaces an older one.

    python -m benchmarks.statements.fit [--models FOLDER] [--provider minilm|wordllama]

The sentences beside this file were written for the purpose and stand under this repository's
licence. `pairs/*.tsv`: a label, the older text and the newer one a line, with tabs between;
`lives/*.txt`: facts that are all true at the same time, a line each, of which no two replace one
another. They are English, but for some in languages that pass for it: of others the daemon does not
ask. Nothing under `held_out/` is read here.

What a pair is worth is found out by cross-validation over files, each written in one go and by
one hand: the cuts are the lowest at which rule and model together, on files that the model was not
trained on, are precise and lose few true facts (`LEAST_PRECISION`, `MOST_LOST`). Then one model is
trained on everything. Needs torch, which nothing else here needs; on one core some five minutes an
embedder.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ashd.memory.conflict import Verdict, decide, told_to_model
from ashd.memory.statement import Statement
from ashd.providers.embedder import TOKEN_SCALE, Embedder, Embedding
from ashd.providers.registry import load
from ashd.providers.statement_pairs import WEIGHTS, StatementPairs, words_in
from ashd.search.languages import may_be_english

HERE = Path(__file__).parent
_WORDS = """\
the of and in to was he is as for on with that it his by at from her she you had an were but be
this are not my they one which or have him me first all also their has up who out been when after
there into new two its time would no what about said we over then other
now never longer anymore any more still used since instead switched actually correction update too
only again already yet just currently until will going want plan may might if because while don't
doesn't isn't can't won't didn't i i'm i've it's user your our than each every both some another
next last before earlier formerly got became ago
"""
SMALL_WORDS = _WORDS.split()
CLASSES = {"conflict": 0, "duplicate": 1, "compatible": 2, "othersubject": 2, "unrelated": 2}
NEAREST = 5
"""Of the true facts that the daemon would compare with a new one."""
LEAST_SEEN = 8
"""A sign that fewer of the written pairs have is none."""
CROSSED = 1 / 3
"""So many pairs thrown together for a pair as written."""
WEIGHT = {"written": 1.0, "crossed": 0.9, "life": 0.35}
FOLDS = (
    ("assistant", "chat", "projects", "mixed", "team", "languages"),
    ("people", "notes", "teacher", "contrast"),
    ("user", "compound", "everyday", "numbered"),
    ("work", "plain", "tr"),
)
"""Files that a model is tried on after it was trained on the others."""
OPEN = ("keep_both", "duplicate:paraphrase")
RULED = ("supersede", ("duplicate:same_value", "duplicate:same_words"))
"""Verdicts of the rule that ask the model, and that stand whatever it says: replaces, repeats."""
LEAST_PRECISION = (0.92, 0.93)
"""Of replacements and of repetitions: what is not stored is lost, what is replaced is kept."""
MOST_LOST = 0.03
EPOCHS, BATCH, WIDTH = 16, 64, 64


@dataclass(frozen=True)
class Pair:
    """Two texts: what the newer one does to the older one, where they come from."""

    kind: str
    file: str
    target: int
    older: str
    newer: str
    verdict: str
    signs: frozenset[str]


class Reader:
    """Texts as the embedder and the rule see them."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.vectors: dict[str, Embedding] = {}

    def of(self, text: str) -> Embedding:
        if text not in self.vectors:
            self.vectors[text] = self.embedder.embed([text])[0]
        return self.vectors[text]

    def pair(self, kind: str, file: str, label: str, older: str, newer: str) -> Pair:
        verdict = self._verdict(older, newer)
        named = f"{verdict.outcome.value}:{verdict.reason}"
        signs = told_to_model(older, newer, verdict)
        return Pair(kind, file, CLASSES[label], older, newer, named, signs)

    def _verdict(self, older: str, newer: str) -> Verdict:
        return decide(
            Statement(older),
            Statement(newer),
            cosine=float(self.of(older).pooled @ self.of(newer).pooled),
            value_cosine=self._value_cosine,
            gates=self.embedder.thresholds,
        )

    def _value_cosine(self, left: str, right: str) -> float:
        return float(self.of(left).pooled @ self.of(right).pooled)


def pairs(reader: Reader) -> list[Pair]:
    """All there is to learn from: pairs as written, pairs thrown together, true facts."""
    found = []
    tests = HERE.parents[1] / "tests" / "unit" / "memory" / "pairs.tsv"
    for path in [tests, *sorted((HERE / "pairs").glob("*.tsv"))]:
        rows = [line.split("\t")[:3] for line in path.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if may_be_english(row[1]) and may_be_english(row[2])]
        found += [reader.pair("written", path.stem, *row) for row in rows]
        found += _crossed(reader, path.stem, rows)
    for path in sorted((HERE / "lives").glob("*.txt")):
        found += life(reader, path)
    return found


def _crossed(reader: Reader, file: str, rows: Sequence[list[str]]) -> list[Pair]:
    """The newer text of one pair after the older one of another: next to never a replacement."""
    rng = random.Random(0)
    found = []
    for _, _, newer in rows:
        older = rng.choice(rows)[1]
        far = float(reader.of(older).pooled @ reader.of(newer).pooled) < 0.45
        pair = reader.pair("crossed", file, "unrelated", older, newer)
        if far and pair.verdict.startswith("keep_both") and rng.random() < CROSSED:
            found.append(pair)
    return found


def life(reader: Reader, path: Path) -> list[Pair]:
    """Every fact after those before it that are nearest to it, as the daemon would compare them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    facts = [line for line in lines if may_be_english(line)]
    vectors = np.stack([reader.of(fact).pooled for fact in facts])
    found = []
    for at, newer in enumerate(facts):
        nearest = np.argsort(-(vectors[:at] @ vectors[at]), kind="stable")[:NEAREST]
        found += [
            reader.pair("life", path.stem, "compatible", facts[before], newer) for before in nearest
        ]
    return found


class Data:
    """Pairs as tensors."""

    def __init__(self, reader: Reader, found: Sequence[Pair]) -> None:
        self.texts = list(
            dict.fromkeys(text for pair in found for text in (pair.older, pair.newer))
        )
        place = {text: at for at, text in enumerate(self.texts)}
        self.tokens = [self._tokens(reader.of(text)) for text in self.texts]
        self.pooled = np.stack([reader.of(text).pooled for text in self.texts])
        self.small = np.stack([_small_words(text) for text in self.texts])
        said = Counter(sign for pair in found if pair.kind == "written" for sign in pair.signs)
        self.signs = sorted(sign for sign, count in said.items() if count >= LEAST_SEEN)
        self.sides = np.array([(place[pair.older], place[pair.newer]) for pair in found])
        self.noticed = np.array([[sign in pair.signs for sign in self.signs] for pair in found])
        self.target = np.array([pair.target for pair in found])
        self.weight = np.array([WEIGHT[pair.kind] for pair in found], dtype=np.float32)

    @staticmethod
    def _tokens(embedding: Embedding) -> NDArray[np.float32]:
        assert embedding.tokens is not None
        vectors = embedding.tokens.vectors.astype(np.float32) / TOKEN_SCALE
        return vectors if len(vectors) else np.zeros((1, vectors.shape[1]), np.float32)

    def batch(self, at: NDArray[np.int64]) -> list[torch.Tensor]:
        made: list[Any] = []
        for texts in self.sides[at].T:
            longest = max(len(self.tokens[text]) for text in texts)
            tokens = np.zeros((len(at), longest, self.tokens[0].shape[1]), np.float32)
            present = np.zeros((len(at), longest), dtype=bool)
            for row, text in enumerate(texts):
                count = len(self.tokens[text])
                tokens[row, :count], present[row, :count] = self.tokens[text], True
            made += [tokens, present, self.pooled[texts], self.small[texts]]
        return [torch.from_numpy(array) for array in (*made, self.noticed[at].astype(np.float32))]


def _small_words(text: str) -> NDArray[np.float32]:
    words = words_in(text)
    return np.array([word in words for word in SMALL_WORDS], dtype=np.float32)


class Net(nn.Module):
    """`StatementPairs` as it is trained."""

    def __init__(self, data: Data) -> None:
        super().__init__()
        token, pooled = data.tokens[0].shape[1], data.pooled.shape[1]
        self.tokens, self.pooled = nn.Linear(token, WIDTH), nn.Linear(pooled, WIDTH)
        self.compared = nn.Linear(4 * WIDTH, WIDTH)
        seen = 4 * WIDTH + 2 * WIDTH + 2 + 2 * len(SMALL_WORDS) + len(data.signs)
        self.hidden, self.answer = nn.Linear(seen, WIDTH), nn.Linear(WIDTH, 3)
        self.some, self.few = nn.Dropout(0.3), nn.Dropout(0.1)

    def forward(self, *given: torch.Tensor) -> torch.Tensor:
        one, one_is, one_pooled, one_small, two, two_is, two_pooled, two_small, noticed = given
        one, two = self.tokens(self.few(one)), self.tokens(self.few(two))
        alike = _unit(one) @ _unit(two).transpose(1, 2)
        best = alike.masked_fill(~two_is[:, None, :], -1).max(-1).values
        first, second = self.pooled(one_pooled), self.pooled(two_pooled)
        seen = [
            self._compared(one, one_is, _aligned(alike, two, two_is)),
            self._compared(two, two_is, _aligned(alike.transpose(1, 2), one, one_is)),
            (first - second).abs(),
            first * second,
            (one_pooled * two_pooled).sum(-1, keepdim=True),
            (best * one_is).sum(1, keepdim=True) / one_is.sum(1, keepdim=True),
            one_small,
            two_small,
            noticed,
        ]
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
    return (10 * alike).masked_fill(~present[:, None, :], -1e4).softmax(-1) @ other


def train(data: Data, rows: NDArray[np.int64], seed: int) -> Net:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Net(data)
    steps = EPOCHS * -(-len(rows) // BATCH)
    optimiser = torch.optim.AdamW(net.parameters(), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps)
    for _ in range(EPOCHS):
        shuffled = rng.permutation(rows)
        for start in range(0, len(rows), BATCH):
            at = shuffled[start : start + BATCH]
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


def answers(data: Data, net: Net, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Replaces, repeats, neither: (rows, 3)."""
    with torch.no_grad():
        parts = [
            net(*data.batch(rows[start : start + 256])).softmax(-1).numpy()
            for start in range(0, len(rows), 256)
        ]
    return np.concatenate(parts)


def cuts(data: Data, found: Sequence[Pair]) -> list[float]:
    """Where a replacement and a repetition begin, by what models say of files new to them."""
    files = np.array([pair.file for pair in found])
    rows, said = [], []
    for fold in FOLDS:
        held = np.isin(files, fold)
        net = train(data, np.flatnonzero(~held), seed=0)
        seen = np.array([at for at in np.flatnonzero(held) if found[at].kind != "crossed"])
        rows.append(seen)
        said.append(answers(data, net, seen))
        print("fold", *fold, flush=True)
    tried = [found[at] for at in np.concatenate(rows)]
    return [_cut(tried, np.concatenate(said)[:, klass], klass) for klass in (0, 1)]


def _cut(tried: Sequence[Pair], likely: NDArray[np.float32], klass: int) -> float:
    """The lowest cut with which rule and model together are precise and lose few true facts."""
    written = np.array([pair.kind == "written" for pair in tried])
    right = np.array([pair.target == klass for pair in tried])
    certain = np.array([pair.verdict.startswith(RULED[klass]) for pair in tried])
    open_ = np.array([pair.verdict.startswith(OPEN) for pair in tried])
    lives = len({pair.newer for pair in tried if pair.kind == "life"})
    for cut in np.arange(0.40, 0.96, 0.01):
        taken = certain | (open_ & (likely >= cut))
        precision = right[taken & written].mean()
        recall = (taken & right & written).sum() / (right & written).sum()
        hit = {tried[at].older for at in np.flatnonzero(taken & ~written)}
        if precision >= LEAST_PRECISION[klass] and len(hit) <= MOST_LOST * lives:
            break
    print(
        f"class {klass}: cut {cut:.2f}: precision {precision:.3f}, recall {recall:.3f}, "
        f"true facts lost {len(hit) / lives:.3f}",
        flush=True,
    )
    return round(float(cut), 2)


def write(path: Path, model: str, data: Data, net: Net, cut: Sequence[float]) -> None:
    layers = {
        f"{name.rpartition('.')[0]}.{name.rpartition('.')[2]}": (
            values.T if values.ndim == 2 else values
        ).astype(np.float16)
        for name, values in ((n, v.numpy()) for n, v in net.state_dict().items())
    }
    np.savez_compressed(
        path,
        model=np.array(model),
        small_words=np.array(SMALL_WORDS),
        signs=np.array(data.signs),
        cuts=np.array(cut),
        **layers,
    )


def check(reader: Reader, path: Path, data: Data, found: Sequence[Pair], net: Net) -> None:
    """What was written answers as what was trained, but for rounding."""
    stored = StatementPairs(path, reader.embedder.model)
    rows = np.arange(0, len(found), max(1, len(found) // 300))
    for row, wanted in zip(rows, answers(data, net, rows), strict=True):
        older, newer = (
            stored.side(text, reader.of(text)) for text in (found[row].older, found[row].newer)
        )
        said = stored.likelihoods(older, newer, found[row].signs)
        assert np.allclose(said, wanted, atol=0.02), (found[row], said, wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, default=Path("models"), metavar="FOLDER")
    parser.add_argument("--provider", choices=("minilm", "wordllama"), action="append")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for provider in options.provider or ("minilm", "wordllama"):
        embedder = load(provider, models_dir=options.models)
        assert embedder is not None
        reader = Reader(embedder)
        found = pairs(reader)
        data = Data(reader, found)
        cut = cuts(data, found)
        net = train(data, np.arange(len(found)), seed=0)
        path = WEIGHTS[embedder.model]
        write(path, embedder.model, data, net, cut)
        check(reader, path, data, found, net)
        print(provider, path.stat().st_size, "bytes", flush=True)


if __name__ == "__main__":
    main()
