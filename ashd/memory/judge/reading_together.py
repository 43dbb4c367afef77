"""The opinion of a model that reads two texts together, on those that are not clearly strangers.

The pair model sees two texts that were read apart, each as a few vectors; it is quick, and rarely
wrong about strangers. What it leaves open, an embedder's model of pairs reads word by word.
"""

from collections.abc import Sequence
from typing import Final

from ashd import log
from ashd.errors import EmbeddingUnavailable
from ashd.memory.judge.pair_model import Side
from ashd.memory.judge.verdict import NO_OPINION, Cuts, Opinion
from ashd.providers.embedder import PairReader

CUTS: Final = Cuts(replaces=0.945, may_replace=0.30, repeats=0.70)
"""Chosen by `benchmarks/tuning/pairs.py` on authors that the model was not trained on."""
STRANGERS: Final = 0.15
"""The likelihood of replacing or repeating, as the pair model gives it, below which two texts have
nothing to do with each other."""


def read_together(
    pairs: PairReader, newer: Side, olders: Sequence[Side], first: Sequence[Opinion]
) -> list[Opinion]:
    """Return what `newer` does to each of `olders`; `first` is the pair model's opinion of each.

    If the model of pairs fails, that is logged, and the first opinions stand.
    """
    found = []
    for older, said in zip(olders, first, strict=True):
        if said.replaces + said.repeats < STRANGERS:
            found.append(NO_OPINION)
            continue
        try:
            found.append(Opinion(*pairs.pair_likelihoods(older.text, newer.text), CUTS))
        except EmbeddingUnavailable as error:
            log.warning("pairs_not_read", reason=error.message)
            return list(first)
    return found
