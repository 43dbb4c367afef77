"""The opinion of a cross-encoder, which reads two texts together, on those that may be related.

The pair model sees two texts that were read apart, each as a few vectors; it is quick, and rarely
wrong about unrelated texts. What it leaves open, an embedder's cross-encoder reads word by word.
"""

from collections.abc import Sequence
from math import inf
from typing import Final

from ashd.errors import EmbeddingUnavailable
from ashd.memory.judge.guard import differ_in_numbers_alone
from ashd.memory.judge.pair_model import Side
from ashd.memory.judge.verdict import NO_OPINION, Cuts, Opinion
from ashd.providers.embedder import PairLikelihoods, PairReader

SURE: Final = Cuts(replaces=0.25, may_replace=0.25, repeats=0.65)
"""The cuts for a replacement that is certain."""
OFFERED: Final = SURE._replace(replaces=inf)
"""The cuts for all others: what is likely is offered."""
_SHARE: Final = 0.15
"""The share of the first opinion in the last one."""
_CERTAIN: Final = (0.965, 0.6)
_AGREED: Final = (0.8, 0.85)
_OF_NUMBERS: Final = (0.94, 0.85)
"""Least likelihoods, by the cross-encoder and by the first opinion, of a certain replacement.

The last is for texts that differ in numbers alone: to a model that reads two lines of a list, one
corrects the other, so what is offered of them is by the first opinion. All numbers here were set on
`benchmarks/tuning/four_lives.tsv`, by an author whom neither model was trained on, on enumerations,
and on plain corrections.
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
        numbered = differ_in_numbers_alone(older.words, newer.words)
        sure = any(
            read.replaces >= least and said.replaces >= least_first
            for least, least_first in ((_OF_NUMBERS,) if numbered else (_CERTAIN, _AGREED))
        )
        likely = said if numbered else _mixed(said, read)
        found.append(Opinion(likely.replaces, likely.repeats, SURE if sure else OFFERED))
    return found


def _mixed(first: Opinion, second: PairLikelihoods) -> PairLikelihoods:
    return PairLikelihoods(
        _SHARE * first.replaces + (1 - _SHARE) * second.replaces,
        _SHARE * first.repeats + (1 - _SHARE) * second.repeats,
    )
