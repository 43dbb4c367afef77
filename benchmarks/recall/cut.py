"""What the cut of `memory.search` loses and lets through (row D7), on facts of one's own.

    python -m benchmarks.recall.cut --model FOLDER

For each level and store: how often the right fact comes first and among five, and at the package's
cut the shares of answered questions whose fact is withheld and of unanswerable ones for which
something is shown. Beside it the cut that has the fewest errors on the other half of the questions
(of `facts.txt`) or on the development half (of `everyday.txt` and `languages.txt`), with its errors
where it was not chosen. Then what the structural cues do to an assistant's conversations, which
have other speakers than LoCoMo's.
"""

import argparse
import dataclasses
import datetime as dt
from pathlib import Path
from typing import get_args

import numpy as np

from ashd.providers.embedder import Embedder
from ashd.search import fusion, query
from ashd.search.fusion import Level
from benchmarks.recall import corpus, locomo
from benchmarks.recall.bench import Bench
from benchmarks.recall.corpus import Half
from benchmarks.recall.locomo import Conversation, Turn
from benchmarks.recall.tune import embedder_for

LEVELS: tuple[Level, ...] = ("late", "pooled", "static", "none")
_NOW = dt.datetime(2025, 12, 31, tzinfo=dt.UTC)
_STORED = dt.datetime(2025, 6, 1, tzinfo=dt.UTC)


class Facts(Bench):
    """A store's facts as memories are searched: alone, without neighbours, speakers, sessions."""

    alone = True

    def __init__(self, facts: list[corpus.Fact], embedder: Embedder | None) -> None:
        turns = [Turn(fact.name, place, "", fact.text, _STORED) for place, fact in enumerate(facts)]
        super().__init__(Conversation("facts", turns, []), embedder)

    def totals(self, text: str, level: Level) -> dict[str, float]:
        """The total of every candidate by the fact's name."""
        asked = query.analyse(text, facts=True, now=_NOW)
        holds = fusion.level_for(level, asked)
        blank = {"cosine": None, "late": None} if holds == "none" else {}
        found = [
            dataclasses.replace(candidate, speaker=None, session=None, **blank)
            for candidate in self.candidates(asked)
        ]
        if not found:
            return {}
        tokens = self.embedder.embed_query(text).tokens if self.embedder else None
        pieces = len(tokens.ids) / query.count_words(text) if tokens else 0.0
        holds = fusion.level_given(holds, found, pieces)
        values = fusion.signal_values(found, asked)
        weights = fusion.weights_for("memory", holds)
        none = np.full(len(found), -1)
        # On the scale of the package's scores, for a question may fall to another level.
        totals = fusion.combine(values, none, weights) / weights.relevant
        names = [self.conversation.turns[candidate.rowid].external_id for candidate in found]
        return dict(zip(names, totals.tolist(), strict=True))


@dataclasses.dataclass(frozen=True)
class Outcomes:
    """What came of each question."""

    kinds: np.ndarray
    """answered, near or far"""
    best: np.ndarray
    """The highest total of a right fact, or of any fact where there is none; 1 is the cut."""
    first: np.ndarray
    """A right fact came first; answered questions only, as the next."""
    five: np.ndarray

    def half(self, mask: np.ndarray) -> "Outcomes":
        kept = mask[self.kinds == "answered"]
        return Outcomes(self.kinds[mask], self.best[mask], self.first[kept], self.five[kept])


def outcomes(stores: list[corpus.Store], level: Level, embedder: Embedder | None) -> Outcomes:
    kinds, best, first, five = [], [], [], []
    for store in stores:
        bench = Facts(store.facts, embedder)
        for question in store.asked:
            totals = bench.totals(question.text, level)
            ranking = sorted(totals, key=lambda name: -totals[name])
            mine = question.right or frozenset(totals)
            kinds.append("answered" if question.right else "far" if question.far else "near")
            best.append(max((totals[name] for name in mine if name in totals), default=0.0))
            if question.right:
                first.append(bool(question.right.intersection(ranking[:1])))
                five.append(locomo.recall_at(ranking, question.right, 5))
    return Outcomes(*map(np.array, (kinds, best, first, five)))


def errors(found: Outcomes, cut: float) -> np.ndarray:
    """Shares of answered questions withheld, and let through of those near by and far off."""
    kept = found.best >= cut
    answered, near, far = (found.kinds == kind for kind in ("answered", "near", "far"))
    return np.array([(~kept[answered]).mean(), kept[near].mean(), kept[far].mean()])


def choose(found: Outcomes) -> float:
    """The cut with the fewest errors; a fact about the thing asked for does little harm."""
    tried = np.quantile(found.best, np.linspace(0.05, 0.95, 91))
    return float(min(tried, key=lambda cut: errors(found, cut) @ (1, 0.3, 1)))


def report_facts(level: Level, embedder: Embedder | None) -> None:
    found = outcomes(corpus.facts(), level, embedder)
    odd = np.arange(len(found.best)) % 2 == 1
    halves = [found.half(odd), found.half(~odd)]
    unseen = np.mean(
        [errors(one, choose(other)) for one, other in (halves, halves[::-1])],
        axis=0,
    )
    scale = fusion.weights_for("memory", level).relevant
    rows = [("facts", found, choose(found), unseen)]
    for name, stores in (("everyday", corpus.everyday), ("languages", corpus.languages)):
        dev, test = (outcomes(stores(half), level, embedder) for half in get_args(Half))
        rows += [
            (f"{name} {half}", one, choose(dev), errors(one, choose(dev)))
            for half, one in (("dev", dev), ("test", test))
        ]
    for label, one, chosen, elsewhere in rows:
        package = " ".join(f"{rate:.3f}" for rate in errors(one, 1.0))
        other = " ".join(f"{rate:.3f}" for rate in elsewhere)
        print(
            f"{level:7s} {label:14s} {one.first.mean():.3f} {one.five.mean():.3f}"
            f" | {scale:.2f}: {package} | {chosen * scale:.2f}: {other}"
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
        print(f"{level:7s} assistant, {label}: R@1/3/5 {means}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--model", type=Path, required=True)
    arguments = parser.parse_args()
    print("level   store          first R@5 | cut: withheld near far | chosen: withheld near far")
    for level in LEVELS:
        embedder = embedder_for(level, arguments.model)
        report_facts(level, embedder)
        report_assistant(level, embedder)


if __name__ == "__main__":
    main()
