"""Fit `ashd.context.bearing`: which memories a good assistant would want to know for a message.

    python -m benchmarks.context.fit_bearing --models FOLDER

Writes ashd/context/bearing.npz; takes two minutes on one core. Needs torch.

Trained on the messages of `blocks/told` to the years of notes that are trained on anyway, on those
of `blocks/persons.jsonl` to the persons of `benchmarks.tuning.data`, each with their questions, on
`blocks/dev` and `blocks/strangers`, and, for little, on the sentences of `messages.txt` and
`memories.txt`, where a limit of food is wanted for every meal. What is `fine` beside the wanted
memories is neither right nor wrong. Prints the share of the wanted memories among so many a
message, likeliest first, for messages to the years that others are calibrated by.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ashd.access.text_cleaning import clean
from ashd.context import needs
from ashd.context.bearing import WEIGHTS, Said, Signals
from ashd.language.people.relationship_groups import HOUSEHOLD
from ashd.providers.embedder import Embedder, Embedding
from ashd.providers.registry import load
from ashd.search import calibration, relevance
from benchmarks.context import blocks
from benchmarks.context.fit_needs import read
from benchmarks.statements import told_notes
from benchmarks.tuning.data import lives

RANK, EPOCHS, RATE, DECAY, DROPPED = 48, 30, 2e-3, 0.3, 0.5
SCALE: Final = 6.0
"""Unit vectors of 384 dimensions are multiplied by this, so that theirs is about a third."""
FOUND: Final = 10
"""The first results of a search have a score and a place."""
PARTS: Final = 3
"""A step takes a third of a person's messages."""
QUESTIONS, SENTENCES, IN_ORDER = 0.3, 0.03, 0.5
"""The weights of a question and of a sentence, where a message has 1, and of the order of the
memories of a message."""
CROWDS: Final = 40
"""The sentences are so many persons'."""
BEARS: Final = {"f": "fe", "h": "h", "a": "ahftb", "w": "w", "g": "lb", "j": "j"}
"""The facets of memories that bear on a kind of message, by the labels of the sentences."""
SHOWN: Final = (5, 7, 10, 14)
AT_HOME: Final = Said(frozenset(), HOUSEHOLD)
Floats = NDArray[np.float32]


@dataclass
class Person:
    """Memories (n) and messages (m) of a person: vectors, signals (m, n, 5), what is wanted."""

    memories: torch.Tensor
    messages: torch.Tensor
    signals: torch.Tensor
    wanted: torch.Tensor
    counts: torch.Tensor
    """(m, n): the weight of each pair; 0 for what is fine beside the wanted memories."""


@dataclass
class Asked:
    """A message, the places of the wanted memories and of those that are fine, its weight."""

    text: str
    wanted: Sequence[int]
    fine: Sequence[int]
    weight: float = 1.0


class Reader:
    """Reads texts, each once, and what the daemon would know of message and memory."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        search = calibration.of_model(embedder.model)
        assert search is not None
        self.search = search
        found = needs.classifiers(embedder.model)
        assert found is not None, "first run benchmarks.context.fit_needs"
        self.others = needs.classifier(found, needs.OTHERS)
        self._known: dict[str, Embedding] = {}

    def of(self, text: str) -> Embedding:
        if text not in self._known:
            (self._known[text],) = self.embedder.embed([text])
        return self._known[text]

    def pooled(self, texts: Sequence[str]) -> torch.Tensor:
        return torch.from_numpy(np.stack([self.of(text).pooled for text in texts]))

    def person(self, contents: Sequence[str], asked: Sequence[Asked]) -> Person:
        memories = self.pooled(contents)
        others = memories.numpy() @ self.others.weights + self.others.bias >= self.others.least
        at_home = [AT_HOME.names(content) for content in contents]
        shape = len(asked), len(contents)
        signals, wanted, counts = np.zeros((*shape, 5)), np.zeros(shape), np.ones(shape)
        for row, one in enumerate(asked):
            said = Said.of(clean(one.text))
            scores = self._scores(one.text, memories.numpy(), contents)
            places = np.argsort(np.argsort(-scores))
            for at, content in enumerate(contents):
                is_found, is_named = places[at] < FOUND, said.names(content)
                signals[row, at] = Signals(
                    score=scores[at] * is_found,
                    nearness=is_found / (1 + places[at]),
                    is_named=is_named,
                    is_elsewhere=others[at] and not (is_named or said.is_for_all or at_home[at]),
                    on_another_day=said.is_on_another_day(content),
                )
            counts[row, list(one.fine)] = 0
            wanted[row, list(one.wanted)] = counts[row, list(one.wanted)] = 1
            counts[row] *= one.weight
        tensors = (torch.from_numpy(each.astype(np.float32)) for each in (signals, wanted, counts))
        return Person(memories, self.pooled([one.text for one in asked]), *tensors)

    def _scores(self, text: str, memories: Floats, contents: Sequence[str]) -> Floats:
        """Return the scores that a search would give, but for the words in common."""
        asked, weights, mean = self.of(text), self.search.english, self.search.mean
        cosines = calibration.centred(
            memories @ asked.pooled, memories @ mean, float(asked.pooled @ mean), float(mean @ mean)
        )
        late = np.array([_late(asked, self.of(content)) for content in contents])
        logits = weights.bias + relevance.size_term(weights, len(contents))
        logits = logits + weights.cosine * cosines + weights.late * late - weights.strong
        scaled = logits * relevance.LOGIT_BETWEEN / (weights.strong - weights.weak)
        return np.asarray(1 / (1 + np.exp(-scaled)), np.float32)


def _late(question: Embedding, memory: Embedding) -> float:
    one, other = (each.tokens.vectors.astype(np.float32) / 127 for each in (question, memory))
    return float(np.maximum((one @ other.T).max(1), 0).mean()) if len(one) and len(other) else 0.0


def of_told(reader: Reader, part: str, *, questions: bool) -> Iterator[Person]:
    """Yield the persons of a part of the years of notes; notes that were ended are left out."""
    for path in told_notes.files(part):
        notes = told_notes.lines(path)
        ended = set[str]().union(*told_notes.chains(notes).values())
        holds = [note for note in notes if note["id"] not in ended]
        places = {note["id"]: place for place, note in enumerate(holds)}
        asked = [
            _asked(one["message"], one["wanted"], one["fine"], places)
            for one in told_notes.lines(blocks.FOLDER / "told" / path.name)
        ]
        asked += [
            _asked(one["question"], one["want"], (), places, QUESTIONS)
            for one in told_notes.lines(path.with_name(f"{path.stem}_questions.jsonl")) * questions
        ]
        yield reader.person([note["content"] for note in holds], asked)


def of_persons(reader: Reader) -> Iterator[Person]:
    """Yield the persons whose questions MiniLM is tuned by, with their messages and questions."""
    messages = told_notes.lines(blocks.FOLDER / "persons.jsonl")
    for number, life in enumerate(lives()):
        asked = [
            Asked(one["message"], one["wanted"], one["fine"])
            for one in messages
            if one["person"] == number
        ]
        asked += [Asked(one.text, [one.answer], (), QUESTIONS) for one in life.questions]
        yield reader.person(life.notes, asked)


def of_lives(reader: Reader, part: str) -> Iterator[Person]:
    """Yield the persons of a folder of messages to lives."""
    messages, facts = blocks.of_lives(blocks.FOLDER / part)
    for life in sorted({message["life"] for message in messages}):
        own = [fact for fact in facts if fact["life"] == life]
        places = {fact["id"]: place for place, fact in enumerate(own)}
        asked = [
            _asked(
                one["message"], one["wanted"], (*one.get("fine", ()), *one.get("style", ())), places
            )
            for one in messages
            if one["life"] == life
        ]
        yield reader.person([fact["content"] for fact in own], asked)


def _asked(
    text: str,
    wanted: Sequence[str],
    fine: Sequence[str],
    places: dict[str, int],
    weight: float = 1.0,
) -> Asked:
    known = [[places[one] for one in ids if one in places] for ids in (wanted, fine)]
    return Asked(text, *known, weight)


def of_sentences(reader: Reader, folder: Path) -> Iterator[Person]:
    """Yield crowds of labelled sentences: to a message, each memory of a facet that bears on it."""
    rng = random.Random(0)
    kinds, messages = (list(one) for one in read(folder / "messages.txt"))
    facets, memories = (list(one) for one in read(folder / "memories.txt"))
    order, other = (rng.sample(range(len(texts)), len(texts)) for texts in (messages, memories))
    for crowd in range(CROWDS):
        rows, columns = order[crowd::CROWDS], other[crowd::CROWDS]
        bears = [
            [
                any(not set(BEARS.get(kind, "")).isdisjoint(facets[at]) for kind in kinds[row])
                for at in columns
            ]
            for row in rows
        ]
        wanted = torch.tensor(bears, dtype=torch.float32)
        yield Person(
            reader.pooled([memories[at] for at in columns]),
            reader.pooled([messages[row] for row in rows]),
            torch.zeros(*wanted.shape, len(Signals._fields)),
            wanted,
            torch.full(wanted.shape, SENTENCES),
        )


class Net(nn.Module):
    """The function, its matrix as a product of two narrow ones."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.message = nn.Linear(dimension, RANK)
        self.memory = nn.Linear(dimension, RANK, bias=False)
        self.by_message = nn.Linear(dimension, 1, bias=False)
        self.by_memory = nn.Linear(dimension, 1, bias=False)
        self.cosine = nn.Parameter(torch.tensor(4.0))
        self.signals = nn.Linear(len(Signals._fields), 1)
        self.dropped = nn.Dropout(DROPPED)
        with torch.no_grad():
            self.signals.weight.copy_(torch.tensor([[2.0, 1.0, 1.0, 0.0, 0.0]]))
            self.signals.bias.fill_(-5.0)
            for layer, share in (
                (self.message, 0.7),
                (self.memory, 0.7),
                (self.by_message, 0.0),
                (self.by_memory, 0.0),
            ):
                layer.weight.mul_(share)

    def forward(
        self, messages: torch.Tensor, memories: torch.Tensor, signals: torch.Tensor
    ) -> torch.Tensor:
        """Return the logits, (m, n)."""
        one, other = self.dropped(SCALE * messages), self.dropped(SCALE * memories)
        logits = self.message(one) @ self.memory(other).T / RANK**0.5
        logits = logits + self.by_message(one) + self.by_memory(other).T
        logits = logits + self.cosine * (messages @ memories.T)
        total: torch.Tensor = logits + self.signals(signals)[..., 0]
        return total

    def arrays(self) -> dict[str, Any]:
        """Return the function as `ashd.context.bearing` reads it."""
        scaled = SCALE / RANK**0.5 * self.memory.weight
        pairs = SCALE * self.message.weight.T @ scaled
        found = {
            "pairs": pairs + self.cosine * torch.eye(len(pairs)),
            "message": SCALE * self.by_message.weight[0],
            "memory": SCALE * self.by_memory.weight[0] + self.message.bias @ scaled,
            "signals": self.signals.weight[0],
            "bias": self.signals.bias[0],
        }
        return {name: one.detach().numpy().astype(np.float16) for name, one in found.items()}


def fitted(persons: list[Person]) -> Net:
    torch.manual_seed(0)
    rng, net = random.Random(0), Net(persons[0].memories.shape[1])
    wide = [
        one for name, one in net.named_parameters() if not name.startswith(("signals", "cosine"))
    ]
    few = [one for name, one in net.named_parameters() if name.startswith(("signals", "cosine"))]
    optimiser = torch.optim.AdamW(
        [{"params": wide, "weight_decay": DECAY}, {"params": few, "weight_decay": 0.0}], lr=RATE
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, RATE, total_steps=EPOCHS * PARTS * len(persons) + 1, pct_start=0.1
    )
    net.train()
    for _ in range(EPOCHS * PARTS):
        for one in rng.sample(persons, len(persons)):
            count = len(one.messages)
            rows = torch.tensor(sorted(rng.sample(range(count), max(1, count // PARTS))))
            wanted, counts = one.wanted[rows], one.counts[rows]
            logits = net(one.messages[rows], one.memories, one.signals[rows])
            loss = nn.functional.binary_cross_entropy_with_logits(
                logits, wanted, counts, reduction="sum"
            )
            needless = logits.masked_fill((wanted > 0) | (counts == 0), -1e9).logsumexp(
                1, keepdim=True
            )
            first = torch.logaddexp(logits, needless) - logits
            loss = loss + IN_ORDER * (first * wanted * counts).sum()
            optimiser.zero_grad()
            (loss / len(rows)).backward()
            optimiser.step()
            schedule.step()
    net.eval()
    return net


@torch.no_grad()
def report(net: Net, persons: Sequence[Person]) -> None:
    """Print the share of the wanted memories among so many a message, and the logit of the last."""
    pairs, needing, total = [], 0, 0.0
    for one in persons:
        logits = net(one.messages, one.memories, one.signals)
        for row in torch.flatten(torch.nonzero(one.wanted.sum(1))).tolist():
            needing, total = needing + 1, total + float(one.wanted[row].sum())
            pairs += zip(logits[row].tolist(), one.wanted[row].tolist(), strict=True)
    pairs.sort(reverse=True)
    for count in SHOWN:
        hits = sum(wanted for _, wanted in pairs[: count * needing])
        print(
            f"{count:3} a message: {hits / total:.3f} of the wanted,"
            f" from {pairs[count * needing][0]:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=Path, required=True)
    embedder = load("minilm", models_dir=parser.parse_args().models)
    assert embedder is not None
    reader = Reader(embedder)
    persons = [
        *of_told(reader, "trained", questions=True),
        *of_persons(reader),
        *of_lives(reader, "dev"),
        *of_lives(reader, "strangers"),
        *of_sentences(reader, Path(__file__).parent),
    ]
    net = fitted(persons)
    report(net, list(of_told(reader, "calibrated", questions=False)))
    np.savez_compressed(WEIGHTS, model=embedder.model, **net.arrays())
    print(
        dict(zip(Signals._fields, net.signals.weight[0].tolist(), strict=True)),
        WEIGHTS.stat().st_size,
        "bytes",
    )


if __name__ == "__main__":
    main()
