"""Fits `ashd/access/sensitivity.npz`, the classifier behind the label `personal`, and reports it.

    python -m benchmarks.sensitivity.fit [--models FOLDER] [--ablate] [--keep | --only SET]

Each file of sentences beside this script is by one hand. A figure for a file comes from weights
that were fitted on the other files; what is shipped is fitted on all but `languages.tsv` and
`lists.tsv`, of `clauses.tsv` the weights for clauses only. The cuts are chosen on those outside
scores of `TESTED`. Takes two minutes on one core; `--keep` reports only.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd import config
from ashd.access import sensitive_words, sensitivity
from ashd.access.sensitivity import RUN_BUCKETS, SHARE_OF_STATIC, SHORT_TOKENS, WORD_BUCKETS
from ashd.providers import installed_models, wordllama
from ashd.providers.registry import Provider, load

HERE = Path(__file__).parent
FITTED: Final = ("lives", "mixed", "notes", "everyday", "facts")
CLAUSES: Final = "clauses"
"""Ordinary clauses of longer texts, for the weights that judge clauses."""
TESTED: Final = ("lives", "mixed")
WITH_SHORT: Final = ("mixed", "everyday")
L2: Final = {"static": 1.0, "short": 0.3, "clause": 1.0, "contextual": 1.0, "multilingual": 1.0}
STEPS: Final = 8
SHARES: Final = (0.02, 0.05, 0.08, 0.10, 0.15, 0.20)
"""Shares of the public sentences that are labelled, for the curve."""
CUT_AT: Final = {"static": 0.11, "contextual": 0.085, "multilingual": 0.05}
SHORT_CUT: Final = -0.3
"""Below even odds: outside scores of tags are cautious, and a needless label costs little."""
CLAUSE_CUT: Final = -0.6
"""Finds the values of metadata without their key; clauses of a long sentence have a margin."""
SCALES: Final = {
    "static": (0.6, 0.4, 2.0),
    "short": (1.5, 0.4, 1.5),
    "clause": (0.6, 0.4, 2.0),
    "contextual": (1.5, 0.4, 1.2),
    "multilingual": (5.0, 0.0, 0.0),
}
"""Factors of the vector, the words and the runs before the fit: L2 holds the larger ones less.

The words and runs are English: the multilingual model does without them.
"""

Matrix = NDArray[np.float32]


@dataclass
class Hand:
    """The sentences of one file with what is known of them."""

    texts: list[str]
    personal: NDArray[np.bool_]
    short: NDArray[np.bool_]
    features: dict[str, Matrix]


def read(name: str) -> tuple[list[str], NDArray[np.bool_]]:
    """The texts of a file and which of them are personal."""
    lines = (HERE / f"{name}.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [row[-1] for row in rows], np.array([row[0] == "personal" for row in rows])


def hand(name: str, vectors: dict[str, Callable[[str], Sequence[float]]]) -> Hand:
    """A file with the features of its texts for each classifier."""
    texts, personal = read(name)
    tokens = [sensitivity.tokens(text) for text in texts]
    short = np.array([len(own) <= SHORT_TOKENS for own in tokens])
    found = np.zeros((len(texts), 2 * RUN_BUCKETS), dtype=np.bool_)
    found.ravel()[sensitivity.features(tokens)] = True
    words = found[:, :WORD_BUCKETS].astype(np.float32)
    runs = found[:, RUN_BUCKETS:].astype(np.float32)
    runs /= np.sqrt(runs.sum(axis=1, keepdims=True))
    features = {}
    for kind, vector_of in vectors.items():
        parts = (np.array([vector_of(text) for text in texts]), words, runs)
        scaled = [part * scale for part, scale in zip(parts, SCALES[kind], strict=True)]
        features[kind] = np.hstack(scaled).astype(np.float32)
    return Hand(texts, personal, short, features)


def fit(hands: Sequence[Hand], kind: str, columns: slice | None = None) -> tuple[Matrix, float]:
    """Weights and bias of a logistic regression with L2, solved over the rows (there are fewer)."""
    seen = [one.short if kind == "short" else np.ones_like(one.short) for one in hands]
    rows = np.vstack(
        [features(one, kind, columns)[mask] for one, mask in zip(hands, seen, strict=True)]
    )
    target = np.concatenate([one.personal[mask] for one, mask in zip(hands, seen, strict=True)])
    mean = rows.mean(axis=0)
    rows -= mean
    kernel = rows @ rows.T
    shares, bias = np.zeros(len(rows), dtype=np.float32), 0.0
    for _ in range(STEPS):
        score = np.clip(kernel @ shares + bias, -15, 15)
        chance = 1 / (1 + np.exp(-score))
        spread = np.maximum(chance * (1 - chance), 1e-3)
        aim = np.stack([score + (target - chance) / spread, np.ones(len(rows))], axis=1)
        solved = np.linalg.solve(kernel + np.diag(L2[kind] / spread), aim.astype(np.float32))
        bias = float(solved[:, 0].sum() / solved[:, 1].sum())
        shares = solved[:, 0] - bias * solved[:, 1]
    weights = rows.T @ shares
    return weights, bias - float(mean @ weights)


def features(one: Hand, kind: str, columns: slice | None = None) -> Matrix:
    """The features of a file, those of `columns` taken away."""
    rows = one.features[kind].copy()
    if columns is not None:
        rows[:, columns] = 0
    return rows


def outside(hands: dict[str, Hand], tested: str, kind: str, columns: slice | None = None) -> Matrix:
    """The scores of a file by weights fitted on the other files."""
    others = [hands[name] for name in FITTED if name != tested]
    weights, bias = fit(others, kind, columns)
    return features(hands[tested], kind, columns) @ weights + bias


def caught_at(scores: Matrix, personal: NDArray[np.bool_], share: float) -> float:
    """The share of the personal that is above all but `share` of the public."""
    return float((scores[personal] > np.quantile(scores[~personal], 1 - share)).mean())


def curve(name: str, scores: Matrix, personal: NDArray[np.bool_]) -> None:
    """Print what is caught at each share of public sentences that are labelled."""
    found = " ".join(f"{share:.0%}: {caught_at(scores, personal, share):.3f}" for share in SHARES)
    print(f"{name:42} caught, at public labelled  {found}")


def rates(name: str, hit: NDArray[np.bool_], personal: NDArray[np.bool_]) -> None:
    """Print what a decision catches and what it labels needlessly."""
    print(
        f"{name:42} caught {hit[personal].mean():.3f}, public labelled {hit[~personal].mean():.3f}"
    )


def combined(static: Matrix, contextual: Matrix) -> Matrix:
    """The score of a passage that has a model's vector."""
    return contextual + SHARE_OF_STATIC * static


def report(hands: dict[str, Hand]) -> dict[str, float]:
    """Print the figures of files by weights from the others; the cuts that they give."""
    static = {name: outside(hands, name, "static") for name in TESTED}
    everyone = np.concatenate([hands[name].personal for name in TESTED])
    joined = np.concatenate([static[name] for name in TESTED])
    cuts = {
        "static": float(np.quantile(joined[~everyone], 1 - CUT_AT["static"])),
        "short": SHORT_CUT,
        "clause": CLAUSE_CUT,
    }
    for name in TESTED:
        static[name] -= cuts["static"]
    for name in TESTED:
        personal = hands[name].personal
        curve(f"{name}, static", static[name], personal)
        rates(f"{name}, static, at the cut", static[name] > 0, personal)
    for kind in sensitivity.CONTEXTUAL.values():
        contextual = {name: outside(hands, name, kind) for name in TESTED}
        both = {name: combined(static[name], contextual[name]) for name in TESTED}
        joined = np.concatenate([both[name] for name in TESTED])
        cuts[kind] = float(np.quantile(joined[~everyone], 1 - CUT_AT[kind]))
        for name in TESTED:
            personal = hands[name].personal
            curve(f"{name}, {kind} vector alone", contextual[name], personal)
            curve(f"{name}, {kind}", both[name], personal)
            rates(f"{name}, {kind}, at the cut", both[name] > cuts[kind], personal)
    for name in WITH_SHORT:
        tags = hands[name].short
        scores, personal = outside(hands, name, "short")[tags], hands[name].personal[tags]
        curve(f"{name}, {len(scores)} short texts", scores, personal)
        rates(f"{name}, short texts, at the cut", scores > SHORT_CUT, personal)
    return cuts


def ablate(hands: dict[str, Hand]) -> None:
    """Print what each kind of feature buys, at 10 % of the public labelled."""
    for kind in ("static", *sensitivity.CONTEXTUAL.values()):
        size = hands["lives"].features[kind].shape[1] - WORD_BUCKETS - RUN_BUCKETS
        parts = {
            "all": None,
            "without the vector": slice(0, size),
            "without words": slice(size, size + WORD_BUCKETS),
            "without runs": slice(size + WORD_BUCKETS, None),
            "the vector alone": slice(size, None),
        }
        for what, columns in parts.items():
            for name in TESTED:
                scores = outside(hands, name, kind, columns)
                curve(f"{name}, {kind}, {what}", scores, hands[name].personal)


def write(hands: dict[str, Hand], cuts: dict[str, float], only: str | None) -> None:
    """Fit on all files and write the weights that are shipped; with `only`, the others stay."""
    stored: dict[str, NDArray[np.generic]] = {}
    if only is not None:
        with np.load(sensitivity.WEIGHTS, allow_pickle=False) as installed:
            stored |= {name: installed[name] for name in installed.files}
    for kind, model in sensitivity.MODELS.items():
        if only not in {None, kind}:
            continue
        names = (*FITTED, CLAUSES) if kind == "clause" else FITTED
        weights, bias = fit([hands[name] for name in names], kind)
        ends = (len(weights) - WORD_BUCKETS - RUN_BUCKETS, len(weights) - RUN_BUCKETS)
        parts = zip(("vector", "words", "runs"), np.split(weights, ends), SCALES[kind], strict=True)
        stored |= {
            f"{kind}_{name}": (part * scale).astype(np.float16) for name, part, scale in parts
        }
        stored[f"{kind}_bias"] = np.float32(bias - cuts[kind])
        stored[f"{kind}_model"] = np.str_(model)
    np.savez_compressed(sensitivity.WEIGHTS, **stored)


def shipped(names: Sequence[str], models: dict[str, Callable[[str], Sequence[float]]]) -> None:
    """Print how the classifier as it is installed judges files that it was or was not fitted on."""
    for name in names:
        texts, personal = read(name)
        alone = np.array(
            [sensitivity.label([sensitivity.read(text)]) is not None for text in texts]
        )
        listed = np.array([bool(sensitive_words.PATTERN.search(text.lower())) for text in texts])
        rates(f"{name}, installed, static", alone, personal)
        for model, kind in sensitivity.CONTEXTUAL.items():
            vectors = [np.array(models[kind](text)) for text in texts]
            labels = [
                sensitivity.label([sensitivity.read(text)], [vector], model)
                for text, vector in zip(texts, vectors, strict=True)
            ]
            beside = np.array([found is not None for found in labels])
            rates(f"{name}, installed, {kind}", beside, personal)
        rates(f"{name}, the words of `sensitive_words`", listed, personal)


def main() -> None:
    """Report, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=installed_models.folder(config.home(None)))
    parser.add_argument("--ablate", action="store_true", help="say what each kind of feature buys")
    parser.add_argument(
        "--keep", action="store_true", help="leave the installed weights as they are"
    )
    parser.add_argument("--only", choices=list(sensitivity.MODELS), help="write this set alone")
    args = parser.parse_args()
    static = wordllama.static_vectors()

    def of_model(provider: Provider) -> Callable[[str], Sequence[float]]:
        embedder = load(provider, models_dir=args.models)
        assert embedder is not None
        return cache(lambda text: embedder.embed([text])[0].pooled)

    def pooled(text: str) -> Sequence[float]:
        return static.read(text).pooled

    models = {"contextual": of_model("minilm"), "multilingual": of_model("multilingual")}
    vectors = {"static": pooled, "short": pooled, "clause": pooled, **models}
    hands = {name: hand(name, vectors) for name in FITTED}
    hands[CLAUSES] = hand(CLAUSES, {"clause": pooled})
    cuts = report(hands)
    if args.ablate:
        ablate(hands)
    if not args.keep:
        write(hands, cuts, args.only)
    shipped(("languages", "lists", *FITTED), models)


if __name__ == "__main__":
    main()
