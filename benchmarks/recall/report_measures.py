"""Measures of the quality of rankings, with their uncertainty.

Every measure is a mean over questions; its interval holds 95 % of the means of resampled questions.
Codes 1-4 together are the headline; code 5 asks about the wrong person on purpose and stands apart.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.recall import corpus, locomo

DEPTHS = (5, 10, 20, 50)
BUDGETS = (500, 1_000, 2_000, 3_000)
COLUMNS = (*(f"R@{k}" for k in DEPTHS), "nDCG@10", *(f"{n} tokens" for n in BUDGETS))
LETTERS_A_TOKEN = 4
_RESAMPLED = 2_000

Table = NDArray[np.float64]


def table(conversations: Sequence[locomo.Conversation], rankings: Sequence[Sequence[str]]) -> Table:
    """Every measure of every question, in the order of `COLUMNS`: (questions, columns)."""
    rows = []
    remaining = iter(rankings)
    for conversation in conversations:
        tokens = {turn.external_id: len(turn.text) / LETTERS_A_TOKEN for turn in conversation.turns}
        for question in conversation.questions:
            ranking, evidence = next(remaining), question.evidence
            rows.append(
                [
                    *(locomo.recall_at(ranking, evidence, k) for k in DEPTHS),
                    locomo.ndcg_at(ranking, evidence, 10),
                    *(locomo.recall_at(ranking, evidence, fit) for fit in _fits(ranking, tokens)),
                ]
            )
    return np.array(rows)


def _fits(ranking: Sequence[str], tokens: dict[str, int]) -> list[int]:
    """Return how many items of a ranking, in order and whole, fit into each budget."""
    sums = np.cumsum([tokens[turn] for turn in ranking])
    return [int(np.searchsorted(sums, budget, side="right")) for budget in BUDGETS]


def codes(conversations: Sequence[locomo.Conversation]) -> NDArray[np.int64]:
    """The category code of every question."""
    return np.array([q.category for one in conversations for q in one.questions], dtype=np.int64)


def summary(rows: Table, categories: NDArray[np.int64]) -> dict[str, Any]:
    """Means with intervals for codes 1-4, and the means of each code."""
    headline = rows[categories <= 4]
    return {
        "questions": len(headline),
        "headline": dict(zip(COLUMNS, _means(headline), strict=True)),
        "codes": {
            str(code): _of_code(rows[categories == code])
            for code in sorted(set(categories.tolist()))
        },
    }


def _of_code(rows: Table) -> dict[str, Any]:
    means = rows.mean(axis=0)
    return {
        "questions": len(rows),
        **{name: _round(means[at]) for at, name in enumerate(COLUMNS)},
    }


def _means(rows: Table) -> list[dict[str, float]]:
    """The mean of every column with its interval."""
    columns = zip(rows.mean(axis=0), *interval(rows), strict=True)
    return [
        {"mean": _round(mean), "low": _round(low), "high": _round(high)}
        for mean, low, high in columns
    ]


def _round(value: float) -> float:
    return round(float(value), 4)


def context_summary(
    conversations: Sequence[locomo.Conversation], shown: Mapping[int, Sequence[Sequence[str]]]
) -> dict[str, Any]:
    """The share of the evidence among the turns of a block, by the block's budget, codes 1-4."""
    questions = [question for one in conversations for question in locomo.headline(one)]
    rows = np.array(
        [
            [
                locomo.recall_at(turns, question.evidence, len(turns))
                for turns, question in zip(blocks, questions, strict=True)
            ]
            for blocks in shown.values()
        ]
    ).T
    return {str(budget): value for budget, value in zip(shown, _means(rows), strict=True)}


def facts_summary(
    stores: Sequence[corpus.Store], found: Sequence[Sequence[str]]
) -> dict[str, dict[str, float]]:
    """Return the shares shown for questions to stores of facts, and the question counts.

    `first`, `ten`: an answer comes first, among ten. `lost`: there is an answer and nothing right
    comes. `near`, `far`: something comes though nothing answers, for a question about such things
    and about others altogether.
    """
    asked = [question for store in stores for question in store.asked]
    pairs = list(zip(asked, found, strict=True))
    right = [(question.right, names) for question, names in pairs if question.right]
    wrong = [(question.far, names) for question, names in pairs if not question.right]
    met = {
        "first": [bool(wanted.intersection(names[:1])) for wanted, names in right],
        "ten": [bool(wanted.intersection(names[:10])) for wanted, names in right],
        "lost": [not wanted.intersection(names) for wanted, names in right],
        "near": [bool(names) for far, names in wrong if not far],
        "far": [bool(names) for far, names in wrong if far],
    }
    return {
        name: {"share": _round(sum(one) / max(len(one), 1)), "of": len(one)}
        for name, one in met.items()
    }


def difference(ours: Table, theirs: Table, categories: NDArray[np.int64]) -> dict[str, float]:
    """Ours minus theirs in R@10, question by question, codes 1-4."""
    at = COLUMNS.index("R@10")
    return _means((ours - theirs)[categories <= 4][:, [at]])[0]


def interval(rows: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The bootstrap interval of each column's mean; the same questions for the same count."""
    draw = np.random.default_rng(0)
    means = [rows[draw.integers(0, len(rows), len(rows))].mean(axis=0) for _ in range(_RESAMPLED)]
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    return low, high
