"""Read what a message asks for, and which memories bear on it whatever their rank. Pure.

A request to plan a dinner is hardly similar to "Owen is allergic to nuts", yet must not be answered
without it. So a message has kinds (food, health, dates, or nothing at all), and a memory has facets
(limits of food, health, means, dates): each a linear classifier over MiniLM's vector, fitted by
`benchmarks/context/fit_needs.py` on sentences beside it.
"""

from collections.abc import Mapping
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from ashd.language.people.first_person import mentions_speaker
from ashd.providers.embedder import FloatVector
from ashd.search.spec import Classifier

WEIGHTS: Final = Path(__file__).with_name("needs.npz")
KINDS: Final = "nxfhawgj"
"""Kinds of messages: nothing asked, general (nothing personal), food, health, going somewhere or
doing something, dates, gifts, texts on the asker's work."""
FACETS: Final = "sfhawebtlj"
"""Facets of memories: how to answer (style), limits of food, health, limits of going, dates, the
kitchen, money, transport, likes, work."""
OTHERS: Final = "o"
"""The facet of a memory that is about somebody else than its teller."""
STYLE: Final = "s"
FOOD: Final = "f"
DIET: Final = "d"
"""The facet of a memory on an illness that limits food: what speaks a little of both."""
DATES: Final = "w"
LIKES: Final = "l"
QUIET: Final = 0.6
"""The likelihood from which a message asks for nothing."""
GENERAL: Final = 0.5
"""The likelihood from which a message has nothing to do with its writer."""
IMPERSONAL: Final = 0.2
"""The same likelihood for a message without a word for its writer, such as "my" or "us"."""
NEEDED: Final = 0.22
"""The likelihood from which a message is of another kind: a limit that is left out does harm, one
too many costs a line."""
LEAST: Final = {
    "s": 0.4,
    "f": 0.45,
    "h": 0.5,
    "a": 0.35,
    "w": 0.4,
    "e": 0.4,
    "b": 0.4,
    "t": 0.4,
    "l": 0.3,
    "j": 0.4,
    DIET: 0.22,
    OTHERS: 0.5,
}
"""The likelihood from which a memory has a facet."""


class Bearing(NamedTuple):
    """A facet that bears on a kind of message, and the number of its memories at most."""

    facet: str
    most: int
    least: float = NEEDED
    """The likelihood of the kind from which it bears."""


BEARS: Final = {
    "f": (Bearing("f", 12), Bearing(DIET, 3), Bearing("e", 2)),
    "h": (Bearing("h", 8),),
    "a": (
        *(Bearing("a", 8), Bearing("h", 3, 0.5), Bearing("f", 4, 0.5)),
        *(Bearing("t", 2, 0.4), Bearing("b", 1, 0.3)),
    ),
    "w": (Bearing(DATES, 8),),
    "g": (Bearing(LIKES, 4), Bearing("b", 2)),
    "j": (Bearing("j", 6),),
}


class Classifiers(NamedTuple):
    """The weights of the classifiers, one row each, the bias last."""

    messages: FloatVector
    memories: FloatVector


class Kinds(NamedTuple):
    """A message's needs."""

    is_quiet: bool
    """Whether the message asks for nothing: thanks, a greeting, "go on"."""
    is_general: bool
    """Whether it asks for what anybody might ask for."""
    needs: Mapping[str, float]
    """The other kinds that it is of, with their likelihood."""

    def with_needs(self, further: Mapping[str, float]) -> "Kinds":
        """Return these kinds, no longer quiet, with those of a text that is read along."""
        every = {*self.needs, *further}
        needs = {one: max(self.needs.get(one, 0.0), further.get(one, 0.0)) for one in every}
        return Kinds(is_quiet=False, is_general=self.is_general, needs=needs)


@cache
def classifiers(model: str) -> Classifiers | None:
    """Return the classifiers for a model's vectors, if they were fitted on them."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        if str(stored["model"]) != model:
            return None
        return Classifiers(stored["messages"], stored["memories"])


def kinds(weights: Classifiers, message: str, vector: FloatVector) -> Kinds:
    """Return what a message asks for, from its words and its vector."""
    scores = (weights.messages[:, :-1] @ vector + weights.messages[:, -1]).tolist()
    found = {kind: 1 / (1 + exp(-score)) for kind, score in zip(KINDS, scores, strict=True)}
    is_quiet = found.pop("n") >= QUIET
    is_general = found.pop("x") >= (GENERAL if mentions_speaker(message) else IMPERSONAL)
    needs = {one: value for one, value in found.items() if value >= NEEDED}
    return Kinds(is_quiet, is_general, needs)


def facets(needs: Mapping[str, float]) -> dict[str, int]:
    """Return the facets that bear on a message, and how many memories of each at most."""
    most: dict[str, int] = {}
    for need in sorted(needs):
        for bearing in BEARS[need]:
            if needs[need] >= bearing.least:
                most[bearing.facet] = max(most.get(bearing.facet, 0), bearing.most)
    return most


def classifier(weights: Classifiers, facet: str) -> Classifier:
    """Return the classifier of a facet: its weights, bias, and the score that it takes."""
    rows = weights.memories
    if facet == DIET:  # "I have diabetes" is hardly a limit of food, but no other illness is more
        row = rows[FACETS.index(FOOD)] + rows[FACETS.index("h")]
    else:
        row = rows[(FACETS + OTHERS).index(facet)]
    least = LEAST[facet]
    return Classifier(row[:-1], float(row[-1]), log(least / (1 - least)))
