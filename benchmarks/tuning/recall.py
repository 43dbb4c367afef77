"""Fine-tunes MiniLM for recall: a note is near to the questions that it answers.

    python -m benchmarks.tuning.recall UPSTREAM

Writes ashd/providers/minilm_recall.npz. UPSTREAM is a folder with `model.safetensors` and
`tokenizer.json` of all-MiniLM-L6-v2. Needs torch.

Trained on the questions of `benchmarks.tuning.data`, and on those about notes told over a year
(`benchmarks.statements.told_notes`), where much is told about the same people and things. A step
takes some questions of one person beside all of the person's notes, and each question chooses the
note that answers it: by the whole texts, by late interaction, and, for less, among the notes of
all. A note that answered once, until another ended it, is neither right nor wrong. Takes forty
minutes on one core.
"""

import argparse
import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from benchmarks.statements import told_notes
from benchmarks.tuning.bert import Bert, Reader, changes, mean, write
from benchmarks.tuning.data import Life, Question, lives

OUT = Path(__file__).parents[2] / "ashd" / "providers" / "minilm_recall.npz"
RANK, EPOCHS, RATE = 16, 3, 1e-3
AT_ONCE = 60
"""Questions of a person in one step."""
TEMPERATURE = 0.05
TOLD_TIMES = 2
"""The times that questions about notes told over a year are seen in an epoch."""
LATE, ALL = 0.3, 0.3
"""The weights of late interaction and of everybody's notes; that of the whole texts is 1."""

SHARES = (0.6, 0.8)
"""The shares of the way from the original weights to the trained ones, for the model that saw lives
alone and for the one that saw years of notes as well; the mean of the two is shipped. Models in
between often do better than either (Wortsman et al. 2022, "Robust fine-tuning of zero-shot
models"): of notes told over a year, .415, .442 and .437 of the right ones come first with the
first, the second and the mean, of all lives in one store .572, .553 and .566."""


class Vectors(NamedTuple):
    """Texts: unit `pooled` (n, d) and `tokens` (n, t, d); `speaks` (n, t), without marks."""

    pooled: torch.Tensor
    tokens: torch.Tensor
    speaks: torch.Tensor


def vectors(bert: Bert, reader: Reader, texts: list[str]) -> Vectors:
    ids, segments, mask = reader.batch(texts)
    state = bert(ids, segments, mask)
    weight = mask[..., None].float()
    pooled = (state * weight).sum(1) / weight.sum(1)
    marks = (ids >= 100) & (ids < 104)  # [UNK], [CLS], [SEP] and [MASK]
    unit = nn.functional.normalize
    return Vectors(unit(pooled, dim=-1), unit(state, dim=-1), mask & ~marks)


def late(questions: Vectors, notes: Vectors) -> torch.Tensor:
    """Return how well each question's tokens are matched by each note's: (questions, notes)."""
    alike = torch.einsum("ate,bse->abts", questions.tokens, notes.tokens)
    best = alike.masked_fill(~notes.speaks[None, :, None, :], -1.0).amax(-1).clamp(min=0)
    return (best * questions.speaks[:, None, :]).sum(-1) / questions.speaks.sum(-1)[:, None]


def steps(found: list[Life], rng: random.Random) -> Iterator[tuple[int, list[Question]]]:
    """One epoch: a life by its number, and some of its questions."""
    todo = []
    for number, life in enumerate(found):
        asked = rng.sample(life.questions, len(life.questions))
        parts = max(1, round(len(asked) / AT_ONCE))
        todo += [(number, asked[part::parts]) for part in range(parts)]
    rng.shuffle(todo)
    yield from todo


def train(found: list[Life], bert: Bert, reader: Reader) -> None:
    rng = random.Random(0)
    starts = [0, *itertools.accumulate(len(life.notes) for life in found)]
    with torch.no_grad():
        bert.eval()
        everybody = torch.cat([vectors(bert, reader, life.notes).pooled for life in found])
    parameters = [one for one in bert.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(parameters, weight_decay=0.01)
    count = EPOCHS * len(list(steps(found, random.Random(0))))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, RATE, total_steps=count + 1, pct_start=0.1
    )
    bert.train()
    choose = nn.functional.cross_entropy
    for _ in range(EPOCHS):
        for number, asked in steps(found, rng):
            life, start = found[number], starts[number]
            notes = vectors(bert, reader, life.notes)
            questions = vectors(bert, reader, [one.text for one in asked])
            right = torch.tensor([one.answer for one in asked])
            beside = torch.zeros(len(asked), len(life.notes), dtype=torch.bool)
            for row, one in enumerate(asked):
                beside[row, list(one.beside)] = True
            near = questions.pooled @ everybody.T
            own = (questions.pooled @ notes.pooled.T).masked_fill(beside, -1.0)
            near[:, start : start + len(life.notes)] = own
            by_tokens = late(questions, notes).masked_fill(beside, -1.0)
            loss = choose(own / TEMPERATURE, right)
            loss = loss + LATE * choose(by_tokens / TEMPERATURE, right)
            loss = loss + ALL * choose(near / TEMPERATURE, right + start)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
            schedule.step()
            everybody[start : start + len(life.notes)] = notes.pooled.detach()
        print(f"loss {loss.item():.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("upstream", type=Path)
    upstream = parser.parse_args().upstream
    told = [life._replace(questions=TOLD_TIMES * life.questions) for life in told_notes.asked()]
    found = []
    for persons, share in zip((lives(), lives() + told), SHARES, strict=True):
        torch.manual_seed(0)
        bert = Bert(upstream / "model.safetensors", RANK)
        train(persons, bert, Reader(upstream / "tokenizer.json"))
        found.append(changes(bert, share))
    write(OUT, mean(found))
    print(OUT.name, OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
