"""The opinion of a cross-encoder, which reads two texts together, on those that may be related.

The pair model sees two texts that were read apart, each as a few vectors; it is quick, and rarely
wrong about unrelated texts. What it leaves open, an embedder's cross-encoder reads word by word.
"""

from collections.abc import Sequence
from math import inf
from typing import Final

from ashd.errors import EmbeddingUnavailable
from ashd.memory.judge.pair_model import Side
from ashd.memory.judge.verdict import NO_OPINION, Cuts, Opinion
from ashd.providers.embedder import PairReader

CUTS: Final = Cuts(replaces=0.88, may_replace=0.25, repeats=0.65)
"""The cuts of the cross-encoder's opinion."""
AGREED: Final = 0.5
"""Least likelihood by the first opinion of a certain replacement.

These were set on pairs by authors whom the cross-encoder was not trained on,
`benchmarks/tuning/unseen`, and on lives of true facts: what the cross-encoder alone takes for a
replacement there, the pair model never finds likely.
"""
UNRELATED: Final = 0.15
"""The likelihood of replacing or repeating, as the pair model gives it, below which two texts have
nothing to do with each other."""


def read_together(
    pairs: PairReader, newer: Side, olders: Sequence[Side], first: Sequence[Opinion]
) -> list[Opinion]:
    """Return what `newer` does to each of `olders`; `first` is the pair model's opinion of each.

    If the cross-encoder fails, the first opinions stand, and no replacement is certain.
    """
    found = []
    for older, said in zip(olders, first, strict=True):
        if said.replaces + said.repeats < UNRELATED:
            found.append(NO_OPINION)
            continue
        try:
            read = pairs.pair_likelihoods(older.text, newer.text)
        except EmbeddingUnavailable:
            return [said._replace(cuts=said.cuts._replace(replaces=inf)) for said in first]
        cuts = CUTS if said.replaces >= AGREED else CUTS._replace(replaces=inf)
        found.append(Opinion(read.replaces, read.repeats, cuts))
    return found
