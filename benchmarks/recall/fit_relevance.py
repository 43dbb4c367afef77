"""Fits the relevance of memories, `ashd.search.relevance`, for each embedder.

    python -m benchmarks.recall.fit_relevance --models FOLDER [--data FOLDER]… [--write]

Logistic regression over all pairs of a question and a fact of the `lives`: questions that a fact
answers, far ones that none does, and, for less, those of another life. Near questions, which are
about things that are stored, are left out: no signal tells them from answerable ones, and a fact
about the thing asked for does no harm. Then the two cuts. The fit on the topics of one half is
tested on the other before the whole is fitted; `--write` keeps that in `ashd/search/calibrations`.
"""

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from ashd.memory.cutoff import FILLED_TO
from ashd.providers.embedder import Embedder, Embedding
from ashd.providers.minilm import MiniLmEmbedder
from ashd.providers.multilingual import MultilingualEmbedder
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.search import calibration, relevance
from ashd.search.calibration import Calibration, Weights
from benchmarks.recall import fit_adapter, lives_data
from benchmarks.recall.lives_data import Lives
from benchmarks.recall.relevance_legs import (
    LEGS,
    Asked,
    Floats,
    compared,
    foreign,
    mean_of,
    measured,
    texts,
)

_FOLDERS: Final = ("lives_languages", "lives_languages_more")
LANGUAGES: Final = tuple(map(lives_data.FOLDER.with_name, _FOLDERS))
"""Lives in eight languages, each by two hands; questions in that language and in English."""
RATIOS: Final[dict[str, dict[str, float]]] = {
    "late": {"cosine": 1.0, "late": 0.5, "coverage_squared": 0.3}
}
"""The weights of the legs relative to each other: on these small stores of one author hardly any
two differ, on larger ones and on talk, tokens and words earn more than is fitted here."""
FLOORS: Final = {"static": 2.5, "languages": 2.5, "abroad": 2.5, "pooled": 3.0}
"""The least weight of coverage squared: these questions avoid the words of their facts, and those
that people type often do not. Set by hand, by questions of one rare word of a fact."""
SIZE: Final = 0.5
"""Set by hand, by stores filled up with unrelated facts."""
SUPPORT: Final = {"static": 0.5, "late": 0.8, "languages": 0.8, "abroad": 0.8}
"""Chosen on one half of the lives and on the other: more of it gains little. Words alone, and an
embedder that is not known, gain nothing by it."""
CROSS_WEIGHT: Final = 0.5
STRONG_RATE: Final = 0.03
WEAK_RATES: Final = {
    "none": 0.25,
    "static": 0.26,
    "late": 0.28,
    "languages": 0.33,
    "abroad": 0.5,
    "pooled": 0.25,
}
"""The share of unanswerable questions that may reach the weak cut.

They leave room below .35, and more where it is known less well, or where one word of several would
do. "abroad" is a model for many languages, asked in others than English. Some of the questions that
nothing answers are about people and things that are told of, more of them in
`lives_languages_more`: .34 of those in one folder reach the cut, .66 in the other. A lower rate
hides answers.
"""
FOREIGN_RATE: Final = 0.1
_LEAST_BETWEEN: Final = 0.5
"""The least distance between two cuts."""
FOREIGN_LEGS: Final = ("cosine", "coverage")
"""The legs in a language that a model was not made for: its tokens add nothing to whole texts."""


def fit(
    asked: Sequence[Asked],
    legs: Sequence[str],
    floors: dict[str, float],
    ratios: dict[str, float] | None = None,
    *,
    size: float = SIZE,
) -> Weights:
    """Weights of these legs, none below its floor, or in the ratios given; without cuts as yet."""
    used = [one for one in asked if one.kind in ("answer", "far", "cross")]
    columns = [LEGS.index(name) for name in legs]
    rows = np.concatenate([one.legs[:, columns] for one in used])
    if ratios:
        shares = np.array([ratios[name] for name in legs])
        rows, legs = (rows @ shares)[:, None], ("all",)
    right = np.concatenate([np.arange(len(one.legs)) == one.right for one in used])
    worth = np.concatenate(
        [np.full(len(one.legs), CROSS_WEIGHT if one.kind == "cross" else 1.0) for one in used]
    )
    floor = np.array([floors.get(name, 0.0) for name in legs])
    found = regression(rows, right.astype(np.float64), worth, floor)
    values = dict(zip(legs, found[1:].tolist(), strict=True))
    if ratios:
        values = {name: values["all"] * share for name, share in ratios.items()}
    return Weights(bias=float(found[0]), **values, size=size, strong=0.0, weak=-1.0)


def regression(rows: Floats, right: Floats, worth: Floats, floor: Floats) -> Floats:
    """Bias and weights of a logistic regression, L2 = 1 on standardised columns, weights ≥ floor.

    Columns that would fall below are held at their floor, one after the other.
    """
    spread = rows.std(axis=0)
    held = np.zeros(rows.shape[1], dtype=np.bool_)
    while True:
        free = np.flatnonzero(~held)
        offset = rows[:, held] @ floor[held]
        design = np.column_stack([np.ones(len(rows)), rows[:, free] / spread[free]])
        beta = _newton(design, right, worth, offset)
        weights = floor.copy()
        weights[free] = beta[1:] / spread[free]
        below = free[weights[free] < floor[free] - 1e-9]
        if not len(below):
            return np.concatenate([beta[:1], weights])
        held[below[np.argmin(weights[below] - floor[below])]] = True


def _newton(design: Floats, right: Floats, worth: Floats, offset: Floats) -> Floats:
    beta = np.zeros(design.shape[1])
    penalty = np.eye(design.shape[1])
    penalty[0, 0] = 0
    for _ in range(100):
        chance = 1 / (1 + np.exp(-np.clip(design @ beta + offset, -30, 30)))
        gradient = design.T @ (worth * (chance - right)) + penalty @ beta
        curved = worth * chance * (1 - chance)
        step = np.linalg.solve((design * curved[:, None]).T @ design + penalty, gradient)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def logits(one: Asked, weights: Weights) -> Floats:
    """The logit of every fact for a question."""
    values = [getattr(weights, name) for name in LEGS]
    base = weights.bias + relevance.size_term(weights, len(one.legs))
    made: Floats = one.legs @ np.array(values) + base
    return made


def with_cuts(asked: Sequence[Asked], weights: Weights, level: str) -> Weights:
    """The cuts at the logits that so few questions reach which nothing answers, and the support.

    The strong cut is midway between that of far questions alone, which is too lax, and that of far
    and cross ones together, which is too strict, since some of those are answered by chance.
    """
    unanswered = [logits(one, weights) for one in asked if one.kind == "far"]
    far = [found.max() for found in unanswered]
    cross = [logits(one, weights).max() for one in asked if one.kind == "cross"]
    strong = np.mean([np.quantile(best, 1 - STRONG_RATE) for best in (far, [*far, *cross])])
    following = [np.sort(found)[-1 - relevance.NEXT : -1].mean() for found in unanswered]
    made = msgspec.structs.replace(
        weights,
        support=SUPPORT.get(level, 0.0),
        support_from=float(np.median(following)) if level in SUPPORT else 0.0,
        strong=float(strong),
    )
    reached = [found.max() + relevance.support(found, made) for found in unanswered]
    return msgspec.structs.replace(made, weak=float(np.quantile(reached, 1 - WEAK_RATES[level])))


def with_foreign_cuts(asked: Sequence[Asked], weights: Weights) -> Weights:
    """The cuts where the vectors tell little: whatever is at all alike may be shown as weak.

    A tenth of the questions that nothing answers reach the strong cut.
    """
    weak = weights.bias
    others = [logits(one, weights).max() for one in asked if one.kind != "answer"]
    strong = max(float(np.quantile(others, 1 - FOREIGN_RATE)), weak + _LEAST_BETWEEN)
    return msgspec.structs.replace(weights, strong=strong, weak=weak)


def report(label: str, asked: Sequence[Asked], weights: Weights) -> None:
    """First and in ten of the ranking; shown and first of it by default; what far ones show."""
    first, ten, shown, shown_first, indirect, other = [], [], [], [], [], []
    for one in (one for one in asked if one.kind == "answer"):
        found = logits(one, weights)
        order = np.argsort(-found, kind="stable")
        place = int(np.flatnonzero(order == one.right)[0])
        strong = min(int((found >= weights.strong).sum()), 10)
        listed = max(strong, FILLED_TO) if _shows(found, weights) else 0
        first.append(place == 0)
        ten.append(place < 10)
        shown.append(place < listed)
        shown_first.append(place == 0 and listed > 0)
        if one.wording == "indirect":
            indirect.append(shown[-1])
        if one.about_other:
            other.append(first[-1])
    far = [logits(one, weights).max() for one in asked if one.kind == "far"]
    any_far = [_shows(logits(one, weights), weights) for one in asked if one.kind == "far"]
    near = [logits(one, weights).max() for one in asked if one.kind == "near"]
    print(
        f"{label:34s} first {np.mean(first):.3f} ten {np.mean(ten):.3f}"
        f" | shown {np.mean(shown):.3f} first {np.mean(shown_first):.3f}"
        f" indirect {_mean(indirect):.3f} others {_mean(other):.3f}"
        f" | far {_mean(np.array(far) >= weights.strong):.3f}"
        f" / {_mean(any_far):.3f}"
        f" | near {_mean(np.array(near) >= weights.strong):.3f}"
    )


def _shows(found: Floats, weights: Weights) -> bool:
    weak = weights.weak - relevance.support(found, weights)
    return bool(found.max() >= min(weights.strong, weak))


def _mean(values: Sequence[bool] | NDArray[np.bool_]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


@dataclass(frozen=True)
class Setup:
    """An embedder and which of its legs are used."""

    name: str
    embedder: Embedder | None
    legs: tuple[str, ...]
    level: str

    def fit(self, asked: Sequence[Asked]) -> Weights:
        """Weights and cuts by what these questions found."""
        floors = {"coverage_squared": FLOORS[self.level]} if self.level in FLOORS else {}
        made = fit(asked, self.legs, floors, RATIOS.get(self.level))
        return with_cuts(asked, made, self.level)


def setups(models: Path) -> list[Setup]:
    """The embedders whose calibrations are shipped."""
    vectors = ("cosine", "late", "coverage_squared")
    return [
        Setup("none", None, ("coverage", "coverage_squared"), "none"),
        Setup("wordllama", WordLlamaEmbedder(), vectors, "static"),
        Setup("minilm", MiniLmEmbedder(models / "minilm"), vectors, "late"),
        Setup(
            "multilingual",
            MultilingualEmbedder(models / "multilingual"),
            ("cosine", "coverage_squared"),
            "languages",
        ),
    ]


@dataclass(frozen=True)
class Pooled:
    """An embedder as an endpoint is: whole texts alone."""

    embedder: Embedder
    token_dimension: int = 0

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Vectors of texts, in their order."""
        return [Embedding(one.pooled) for one in self.embedder.embed(texts)]

    def embed_query(self, text: str) -> Embedding:
        """Vectors of a question."""
        return Embedding(self.embedder.embed_query(text).pooled)


def fit_pooled(lives: Lives, halves: dict[str, str], embedders: Sequence[Embedder]) -> Weights:
    """Weights for an embedder that is not known, in units of the spread of its cosines.

    Each is tested on the embedders that it was not fitted on. The reference texts are of other
    lives than those that are fitted on. What is shipped was fitted on MiniLM as its makers trained
    it, since an endpoint's embedder is not tuned for notes either.
    """
    folds = []
    for embedder in embedders:
        pooled: Any = Pooled(embedder)
        texts = calibration.references()
        scale = calibration.scale_of([one.pooled for one in pooled.embed(texts)])
        folds.append(
            [
                replace(one, legs=np.column_stack([scale.of(one.legs[:, 0]), one.legs[:, 1:]]))
                for one in measured(lives, halves, pooled, compared(scale.mean))
            ]
        )
    legs, floors = ("cosine", "coverage_squared"), {"coverage_squared": FLOORS["pooled"]}
    for left_out, fold in enumerate(folds):
        others = [one for number, part in enumerate(folds) if number != left_out for one in part]
        unseen = with_cuts(others, fit(others, legs, floors), "pooled")
        own = with_cuts(fold, fit(fold, legs, floors), "pooled")
        report(f"pooled {embedders[left_out].model[:20]} unseen", fold, unseen)
        report(f"pooled {embedders[left_out].model[:20]} own", fold, own)
    every = [one for fold in folds for one in fold]
    made = with_cuts(every, fit(every, legs, floors), "pooled")
    for embedder, fold in zip(embedders, folds, strict=True):
        report(f"pooled {embedder.model[:20]}", fold, made)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--data", type=Path, action="append", help="by default recall/lives")
    parser.add_argument("--test", type=Path, help="lives that nothing is fitted on")
    parser.add_argument("--only", help="the name of one embedder's calibration")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    folders = arguments.data or [lives_data.FOLDER]
    lives = lives_data.load(folders)
    halves = lives_data.halves(lives_data.FOLDER)
    chosen = [one for one in setups(arguments.models) if arguments.only in (None, one.name)]
    for setup in chosen:
        comparing = None
        if setup.embedder:
            mean = mean_of(texts(lives), setup.embedder)
            adapter = fit_adapter.fit(setup.embedder, mean) if setup.level == "static" else None
            comparing = compared(mean, adapter)
        asked = measured(lives, halves, setup.embedder, comparing)
        for one, other in itertools.permutations("AB"):
            half = [asking for asking in asked if asking.half == one]
            made = setup.fit(half)
            report(f"{setup.name} {one} to {other}", [a for a in asked if a.half == other], made)
        english = setup.fit(asked)
        report(f"{setup.name} all", asked, english)
        print(english)
        if arguments.test:
            other = lives_data.load([arguments.test])
            report(f"{setup.name} test", measured(other, {}, setup.embedder, comparing), english)
        dev = foreign("dev", setup.embedder, comparing)
        for name in ("dev", "test"):
            report(
                f"{setup.name} foreign {name} by english",
                foreign(name, setup.embedder, comparing),
                english,
            )
        if setup.level == "languages":
            # A life's questions are often answered in another language's, too.
            own = [
                one
                for folder in LANGUAGES
                for one in measured(lives_data.load([folder]), {}, setup.embedder, comparing)
                if one.kind != "cross"
            ]
            abroad = replace(setup, level="abroad").fit(own)
            for wording in ("natural", "english"):
                part = [one for one in own if one.kind == "far" or one.wording == wording]
                report(f"{setup.name} asked {wording}", part, abroad)
                report(f"{setup.name} asked {wording} by english", part, english)
        else:
            abroad = fit(dev, FOREIGN_LEGS if setup.embedder else ("coverage",), {}, size=0)
            abroad = with_foreign_cuts(dev, abroad)
        for name in ("dev", "test"):
            report(f"{setup.name} foreign {name}", foreign(name, setup.embedder, comparing), abroad)
        print(abroad)
        if arguments.write:
            write(setup, comparing, english, abroad)
    if arguments.only:
        return
    lives = lives_data.load([lives_data.FOLDER])  # those of the reference texts left out
    embedders = [one.embedder for one in chosen if one.embedder and one.level != "languages"]
    pooled = fit_pooled(lives, halves, embedders)
    print(pooled)
    if arguments.write:
        keep("pooled", {"english": _rounded(pooled), "foreign": _rounded(pooled)})


def write(setup: Setup, comparing: Calibration | None, english: Weights, foreign: Weights) -> None:
    """Keep a calibration where the daemon reads it."""
    mean = comparing.mean.tolist() if comparing else []
    made = {
        "english": _rounded(english),
        "foreign": _rounded(foreign),
        "mean": [round(value, 4) for value in mean],
    }
    if comparing and comparing.adapter:
        fit_adapter.keep(setup.name, comparing.adapter)
    else:
        fit_adapter.remove(setup.name)
    keep(setup.name, made | ({"model": setup.embedder.model} if setup.embedder else {}))


def keep(name: str, values: dict[str, Any]) -> None:
    """Write values into the file of that name, replacing those already there."""
    file = calibration.FOLDER / f"{name}.json"
    held = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
    text = msgspec.json.format(msgspec.json.encode(held | values), indent=1).decode()
    file.write_text(text + "\n", encoding="utf-8")


def _rounded(weights: Weights) -> dict[str, float]:
    return {name: round(value, 4) for name, value in msgspec.structs.asdict(weights).items()}


if __name__ == "__main__":
    main()
