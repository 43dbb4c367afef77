"""Verdicts on a new fact and an older one, and the model's opinion that they are based on."""

from enum import Enum
from math import inf
from typing import NamedTuple


class Outcome(Enum):
    """The effect of the newer of two facts on the older one."""

    SAME = "same"
    """The same words in the same order: the newer one is not stored."""
    REPEATS = "repeats"
    """Both are stored; the newer one says the same in other words."""
    REPLACES = "replaces"
    """The newer one is stored and supersedes the older one."""
    MAY_REPLACE = "may_replace"
    """Both are stored; the caller is asked whether the newer one supersedes the older one."""
    KEEP = "keep"
    """Both are stored and have nothing to do with each other."""


class Verdict(NamedTuple):
    """An outcome and a short machine-readable reason for it, for the history."""

    outcome: Outcome
    reason: str


class Cuts(NamedTuple):
    """The likelihoods from which a model's opinion becomes a verdict."""

    replaces: float = 0.85
    may_replace: float = 0.25
    repeats: float = 0.60


class Opinion(NamedTuple):
    """The probabilities that the newer fact replaces the older one, and that it repeats it.

    `cuts` belong to the model that gives the opinion, which may be a language model.
    """

    replaces: float
    repeats: float
    cuts: Cuts = Cuts()

    def uncertain(self) -> "Opinion":
        """Return the opinion with a replacement that is only offered, however likely."""
        return self._replace(cuts=self.cuts._replace(replaces=inf))


NO_OPINION = Opinion(0.0, 0.0)
"""The opinion on texts that a model is not asked about: they have nothing to do with each other."""
