"""Verdicts on a new fact and an older one, and the model's opinion that they are based on."""

from enum import Enum
from typing import Final, NamedTuple


class Outcome(Enum):
    """The effect of the newer of two facts on the older one."""

    SAME = "same"
    """The same words in the same order: the newer one is not stored."""
    REPEATS = "repeats"
    """Both are stored; the newer one says the same in other words."""
    REPLACES = "replaces"
    """The newer one is stored and supersedes the older one."""
    MAY_REPLACE = "may_replace"
    """Both are stored and stay active, linked as a likely conflict."""
    KEEP = "keep"
    """Both are stored and have nothing to do with each other."""


class Verdict(NamedTuple):
    """An outcome and a short machine-readable reason for it, for the history."""

    outcome: Outcome
    reason: str


class Opinion(NamedTuple):
    """What a model believes that a newer fact does to an older one.

    `replaces` is the calibrated likelihood that it replaces it (`calibration`). `repeats` is the
    model's own figure for a repetition, which counts from `repeats_from`.
    """

    replaces: float
    repeats: float
    repeats_from: float = 0.6


LINKED_FROM: Final = 0.25
"""The likelihood of a replacement from which two memories are linked as a conflict."""
OFFERED_FROM: Final = 0.5
"""The likelihood from which the caller is asked about the likeliest conflict."""
NO_OPINION = Opinion(0.0, 0.0)
"""The opinion on texts that a model is not asked about: they have nothing to do with each other."""
