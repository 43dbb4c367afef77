"""The opinion of a cross-encoder, which reads two texts together, on those that may be related.

The pair model sees two texts that were read apart, each as a few vectors; it is quick, and rarely
wrong about unrelated texts. What it leaves open, an embedder's cross-encoder reads word by word.
"""

import re
from collections.abc import Sequence
from math import exp
from typing import Final

from ashd.errors import EmbeddingUnavailable
from ashd.language import tagged_words
from ashd.language.english_words import CHANGES
from ashd.memory.judge.decision import by_cuts
from ashd.memory.judge.pair_model import Side
from ashd.memory.judge.verdict import NO_OPINION, Cuts, Opinion, Outcome
from ashd.providers.embedder import PairReader

MAY_REPLACE: Final = 0.15
REPEATS: Final = 0.96
"""Cuts of the cross-encoder's opinion."""
CERTAIN: Final = 4.25
FIRST_COUNTS: Final = 2.0
"""A replacement is certain if the cross-encoder's log-odds of it plus FIRST_COUNTS times the pair
model's likelihood of it reach CERTAIN.

So the cross-encoder must give it .90 if the pair model gives it 1, and .985 if that gives it 0. All
cuts were set on pairs by authors on whom the cross-encoder was not trained,
`benchmarks/tuning/unseen`, and on lives of true facts.
"""
MOST_PARTS: Final = 8
"""Parts that are read, a millisecond each; of a text of more, one may well be left alone."""
UNRELATED: Final = 0.15
"""The likelihood of replacing or repeating, as the pair model gives it, below which two texts
seldom have to do with each other."""
LIKELIEST_FROM: Final = 0.08
LIKELIEST_AFTER_CHANGE_FROM: Final = 0.03
"""The likelihoods from which at least the likeliest older text is read; the second if the newer one
has a word of change: "I live in Bonn" hardly seems related to "I moved to Cologne".
"""
_PART_ENDS: Final = re.compile(r"[,;.!?]\s+|\s+(?:and|or|but|plus|&)\s+")


def read_together(
    pairs: PairReader, newer: Side, olders: Sequence[Side], first: Sequence[Opinion]
) -> list[Opinion]:
    """Return what `newer` does to each of `olders`; `first` is the pair model's opinion of each.

    If the cross-encoder fails, the first opinions stand, and no replacement is certain.
    """
    related = [said.replaces + said.repeats for said in first]
    read_from = _read_from(newer, related)
    found = []
    for older, said, relation in zip(olders, first, related, strict=True):
        if relation < read_from:
            found.append(NO_OPINION)
            continue
        try:
            read = pairs.pair_likelihoods(older.text, newer.text)
            opinion = Opinion(read.replaces, read.repeats, _cuts(said))
            if by_cuts(opinion).outcome is Outcome.REPLACES and _leaves_a_part(pairs, older, newer):
                opinion = opinion.uncertain()
        except EmbeddingUnavailable:
            return [said.uncertain() for said in first]
        found.append(opinion)
    return found


def _read_from(newer: Side, related: Sequence[float]) -> float:
    """Return the likelihood of being related from which older texts are read."""
    speaks_of_change = not CHANGES.isdisjoint(newer.words.lowered)
    least = LIKELIEST_AFTER_CHANGE_FROM if speaks_of_change else LIKELIEST_FROM
    likeliest = max(related, default=0.0)
    return min(likeliest, UNRELATED) if likeliest >= least else UNRELATED


def _leaves_a_part(pairs: PairReader, older: Side, newer: Side) -> bool:
    """Return whether the older text tells several things, of which the newer leaves one alone.

    "Rex died" replaces "a dog called Rex", and not "I have a cat called Miso" beside it.
    """
    parts = [part for part in _PART_ENDS.split(older.text) if tagged_words.read(part).content]
    if len(parts) > MOST_PARTS:
        return True
    return len(parts) > 1 and any(
        pairs.pair_likelihoods(part, newer.text).replaces < MAY_REPLACE for part in parts
    )


def _cuts(first: Opinion) -> Cuts:
    """Return the cuts of the cross-encoder's opinion on a pair, from the pair model's opinion."""
    needed = 1 / (1 + exp(FIRST_COUNTS * first.replaces - CERTAIN))
    return Cuts(replaces=needed, may_replace=MAY_REPLACE, repeats=REPEATS)
