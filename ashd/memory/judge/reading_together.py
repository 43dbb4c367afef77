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

CUTS: Final = Cuts(replaces=0.9, may_replace=0.25, repeats=0.65)
"""The cuts of the cross-encoder's opinion.

Set on pairs by authors whom it was not trained on, `benchmarks/tuning/four_lives.tsv` and
`short_notes.tsv`, and on plain corrections.
"""
_NUMBERS: Final = (0.94, 0.85)
"""Least likelihoods, by the cross-encoder and by the first opinion, of a certain replacement of a
text by one that differs in numbers alone.

To a model that reads two lines of a list, one corrects the other: what is offered of them is by the
first opinion.
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
        found.append(
            _of_numbers(said, read)
            if differ_in_numbers_alone(older.words, newer.words)
            else Opinion(read.replaces, read.repeats, CUTS)
        )
    return found


def _of_numbers(first: Opinion, read: PairLikelihoods) -> Opinion:
    least, least_first = _NUMBERS
    sure = read.replaces >= least and first.replaces >= least_first
    return first._replace(cuts=CUTS._replace(replaces=least_first if sure else inf))
