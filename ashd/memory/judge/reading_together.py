"""The opinion of a cross-encoder, which reads two texts together, on those that may be related.

The pair model sees two texts that were read apart, each as a few vectors; it is quick, and rarely
wrong about unrelated texts. What it leaves open, an embedder's cross-encoder reads word by word.
"""

from collections.abc import Collection, Sequence
from typing import Final

from ashd.language.english_words import CHANGES
from ashd.memory.judge import calibration
from ashd.memory.judge.pair_model import Side
from ashd.memory.judge.verdict import NO_OPINION, Opinion
from ashd.providers.embedder import PairLikelihoods, PairReader

REPEATS_FROM: Final = 0.96
"""The cross-encoder's figure from which a text repeats another."""
UNRELATED: Final = 0.15
"""The likelihood of replacing or repeating, as the pair model gives it, below which two texts
seldom have to do with each other."""
LIKELIEST_FROM: Final = 0.08
LIKELIEST_AFTER_CHANGE_FROM: Final = 0.03
"""The likelihoods from which at least the likeliest older text is read; the second if the newer one
has a word of change: "I live in Bonn" hardly seems related to "I moved to Cologne".
"""


def read_together(
    pairs: PairReader, newer: Side, olders: Sequence[Side], places: Collection[int]
) -> list[Opinion]:
    """Return what `newer` does to those of `olders` in these places, and no opinion on the others.

    Raises:
        errors.EmbeddingUnavailable: the cross-encoder failed.
    """
    found = [NO_OPINION] * len(olders)
    for at in places:
        read = pairs.pair_likelihoods(olders[at].text, newer.text)
        likelihood = calibration.of("minilm_pairs")(read.replaces)
        found[at] = Opinion(likelihood, read.repeats, REPEATS_FROM)
    return found


def related(newer: Side, first: Sequence[PairLikelihoods]) -> list[int]:
    """Return the places of the older texts worth reading; `first` are the pair model's figures."""
    likely = [one.replaces + one.repeats for one in first]
    read_from = _read_from(newer, likely)
    return [at for at, one in enumerate(likely) if one >= read_from]


def _read_from(newer: Side, likely: Sequence[float]) -> float:
    """Return the likelihood of being related from which older texts are read."""
    speaks_of_change = not CHANGES.isdisjoint(newer.words.lowered)
    least = LIKELIEST_AFTER_CHANGE_FROM if speaks_of_change else LIKELIEST_FROM
    likeliest = max(likely, default=0.0)
    return min(likeliest, UNRELATED) if likeliest >= least else UNRELATED
