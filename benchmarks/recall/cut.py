"""What the cut of `memory.search` loses and lets through (row D7), on the second corpus.

    python benchmarks/recall/cut.py --model FOLDER

For each level: how often the right fact comes first and among five; the total that separates
answered from unanswerable questions best, with the rates of both errors on halves of the
questions that it was not chosen on; and the same at the package's own setting. Then what the
structural cues do to an assistant's conversations, which have other speakers than LoCoMo's.
"""

import argparse
import dataclasses
import datetime as dt
from pathlib import Path
from typing import get_args

import corpus
import locomo
import numpy as np
from bench import Bench
from locomo import Conversation, Turn
from tune import embedder_for

from ashd.providers.embedder import Embedder
from ashd.search import fusion, query
from ashd.search.fusion import Level

_NOW = dt.datetime(2025, 12, 31, tzinfo=dt.UTC)
_STORED = dt.datetime(2025, 6, 1, tzinfo=dt.UTC)


class Facts(Bench):
    """Facts as memories are searched: alone, without neighbours, speakers or sessions."""

    alone = True

    def __init__(self, facts: list[corpus.Fact], embedder: Embedder | None) -> None:
        turns = [Turn(fact.name, place, "", fact.text, _STORED) for place, fact in enumerate(facts)]
        super().__init__(Conversation("facts", turns, []), embedder)

    def totals(self, text: str, level: Level) -> dict[str, float]:
        """The total of every candidate by the fact's name."""
        asked = query.analyse(text, now=_NOW)
        holds = fusion.level_for(level, asked)
        blank = {"cosine": None, "late": None} if holds == "none" else {}
        found = [
            dataclasses.replace(candidate, speaker=None, session=None, **blank)
            for candidate in self.candidates(asked)
        ]
        if not found:
            return {}
        values = fusion.signal_values(found, asked)
        weights = fusion.weights_for("memory", holds)
        none = np.full(len(found), -1)
        # On the scale of the package's scores, for a question may fall to another level.
        totals = fusion.combine(values, none, weights) / weights.relevant
        names = [self.conversation.turns[candidate.rowid].external_id for candidate in found]
        return dict(zip(names, totals.tolist(), strict=True))


def errors(best: np.ndarray, kinds: np.ndarray, cut: float) -> np.ndarray:
    """Shares of answered questions withheld, and let through of those near by and far off."""
    kept = best >= cut
    return np.array(
        [
            (~kept[kinds == "answered"]).mean(),
            kept[kinds == "near"].mean(),
            kept[kinds == "far"].mean(),
        ]
    )


def choose(best: np.ndarray, kinds: np.ndarray) -> float:
    """The cut with the fewest errors; a fact about the thing asked for does little harm."""
    tried = np.quantile(best, np.linspace(0.05, 0.95, 91))
    return float(min(tried, key=lambda cut: errors(best, kinds, cut) @ (1, 0.3, 1)))


def report_facts(level: Level, embedder: Embedder | None) -> None:
    facts, asked = corpus.facts()
    bench = Facts(facts, embedder)
    best, first, five = [], [], []
    for question in asked:
        totals = bench.totals(question.text, level)
        ranking = sorted(totals, key=lambda name: -totals[name])
        mine = question.right or frozenset(totals)
        best.append(max((totals[name] for name in mine if name in totals), default=0.0))
        if question.right:
            first.append(bool(question.right.intersection(ranking[:1])))
            five.append(locomo.recall_at(ranking, question.right, 5))
    tops = np.array(best)
    kinds = np.array(["answered" if q.right else "far" if q.far else "near" for q in asked])
    halves = np.arange(len(tops)) % 2 == 0
    unseen = np.mean(
        [
            errors(tops[half], kinds[half], choose(tops[~half], kinds[~half]))
            for half in (halves, ~halves)
        ],
        axis=0,
    )
    relevant = fusion.weights_for("memory", level).relevant
    print(f"facts     {level:7s} first {np.mean(first):.3f}  R@5 {np.mean(five):.3f}")
    for label, cut, rates in (
        ("package", 1.0, errors(tops, kinds, 1.0)),
        ("chosen on the other half", choose(tops, kinds), unseen),
    ):
        lost, near, far = rates
        print(
            f"  cut {label} ({cut * relevant:.2f}): withheld wrongly {lost:.3f},"
            f" let through {near:.3f} near by, {far:.3f} far off"
        )


def report_assistant(level: Level, embedder: Embedder | None) -> None:
    conversation = corpus.assistant()
    bench = Bench(conversation, embedder)
    weights = fusion.weights_for("turn", level)
    plain = dataclasses.replace(weights, speaker=0, when=0, asking=0, in_time=0, session=0)
    for label, used in (("all cues", weights), ("no cues", plain)):
        rows = []
        for question in conversation.questions:
            asked = query.analyse(
                question.text,
                speaker_names=conversation.speakers,
                asker=corpus.USER,
                assistant=corpus.ASSISTANT,
                now=_NOW,
            )
            ranked = fusion.fuse(bench.candidates(asked), asked, used)
            names = [conversation.turns[entry.rowid].external_id for entry in ranked]
            rows.append([locomo.recall_at(names, question.evidence, k) for k in (1, 3, 5)])
        means = " ".join(f"{value:.3f}" for value in np.mean(rows, axis=0))
        print(f"assistant {level:7s} {label:9s} R@1/3/5 {means}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--model", type=Path, required=True)
    arguments = parser.parse_args()
    for level in get_args(Level):
        embedder = embedder_for(level, arguments.model)
        report_facts(level, embedder)
        report_assistant(level, embedder)


if __name__ == "__main__":
    main()
