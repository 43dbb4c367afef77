"""Read what a message asks for, and which memories bear on it whatever their rank. Pure.

A request to plan a dinner is hardly similar to "Owen is allergic to nuts", yet must not be answered
without it. So a message has kinds (food, health, going somewhere, dates, or nothing at all), and a
memory has facets (how to answer, limits of food, health, limits of going, dates): each a linear
classifier over MiniLM's vector, fitted by `benchmarks/context/fit_needs.py` on sentences beside it.
"""

from collections.abc import Iterable
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from ashd.providers.embedder import FloatVector
from ashd.search.spec import Classifier

WEIGHTS: Final = Path(__file__).with_name("needs.npz")
KINDS: Final = "nfhaw"
"""Kinds of messages: nothing asked, food, health, going somewhere or doing something, dates."""
FACETS: Final = "sfhaw"
"""Facets of memories: how to answer (style), limits of food, health, limits of going, dates."""
STYLE: Final = "s"
QUIET: Final = 0.6
"""The likelihood from which a message asks for nothing."""
NEEDED: Final = 0.3
"""The likelihood from which a message is of another kind: a limit that is left out does harm, one
too many costs a line."""
LEAST: Final = {"s": 0.5, "f": 0.3, "h": 0.3, "a": 0.3, "w": 0.3}
"""The likelihood from which a memory has a facet."""
BEARS: Final = {
    "f": (("f", 12),),
    "h": (("h", 8),),
    "a": (("a", 8), ("h", 5), ("f", 6)),
    "w": (("w", 8),),
}
"""The facets that bear on each kind of message, and how many memories of each at most."""


class Classifiers(NamedTuple):
    """The weights of the classifiers, one row each, the bias last."""

    messages: FloatVector
    memories: FloatVector


class Kinds(NamedTuple):
    """A message's needs."""

    is_quiet: bool
    """Whether the message asks for nothing: thanks, a greeting, "go on"."""
    needs: frozenset[str]


@cache
def classifiers(model: str) -> Classifiers | None:
    """Return the classifiers for a model's vectors, if they were fitted on them."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        if str(stored["model"]) != model:
            return None
        return Classifiers(stored["messages"], stored["memories"])


def kinds(weights: Classifiers, vector: FloatVector) -> Kinds:
    """Return what a message asks for, from its vector."""
    scores = (weights.messages[:, :-1] @ vector + weights.messages[:, -1]).tolist()
    found = {kind: 1 / (1 + exp(-score)) for kind, score in zip(KINDS, scores, strict=True)}
    quiet = found.pop("n") >= QUIET
    return Kinds(quiet, frozenset(one for one, value in found.items() if value >= NEEDED))


def facets(needs: Iterable[str]) -> dict[str, int]:
    """Return the facets that bear on a message, and how many memories of each at most."""
    most: dict[str, int] = {}
    for need in sorted(needs):
        for facet, count in BEARS[need]:
            most[facet] = max(most.get(facet, 0), count)
    return most


def classifier(weights: Classifiers, facet: str) -> Classifier:
    """Return the classifier of a facet: its weights, bias, and the score that it takes."""
    row = weights.memories[FACETS.index(facet)]
    least = LEAST[facet]
    return Classifier(row[:-1], float(row[-1]), log(least / (1 - least)))
