"""The opinion of a cross-encoder, which reads two texts together, on those that may be related.

The pair model sees two texts that were read apart, each as a few vectors; it is quick, and rarely
wrong about unrelated texts. What it leaves open, an embedder's cross-encoder reads word by word.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ashd.language.english_words import CHANGES
from ashd.language.text_caches import cached_by_text
from ashd.memory.judge import calibration
from ashd.memory.judge.pair_model import Side
from ashd.memory.judge.verdict import NO_OPINION, Opinion
from ashd.providers.embedder import PairLikelihoods, PairReader

REPEATS_FROM: Final = 0.985
"""The cross-encoder's figure from which a text repeats another."""
UNRELATED: Final = 0.15
"""The likelihood of replacing or repeating, as the pair model gives it, below which two texts
seldom have to do with each other."""
_CACHED_PAIRS: Final = 256
LIKELIEST_FROM: Final = 0.08
LIKELIEST_AFTER_CHANGE_FROM: Final = 0.03
"""The likelihoods from which at least the likeliest older text is read; the second if the newer one
has a word of change: "I live in Bonn" hardly seems related to "I moved to Cologne".
"""


class Reading(NamedTuple):
    """Opinions on older texts, in their order, and whether some related ones are still unread."""

    opinions: list[Opinion]
    is_partial: bool


def read_together(
    pairs: PairReader,
    newer: Side,
    olders: Sequence[Side],
    first: Sequence[PairLikelihoods],
    *,
    most: int | None = None,
) -> Reading:
    """Return what `newer` does to each of `olders`; `first` are the pair model's likelihoods.

    At most the `most` likeliest pairs are read; there is no opinion on the others.

    Raises:
        errors.EmbeddingUnavailable: the cross-encoder failed.
    """
    related = [one.replaces + one.repeats for one in first]
    read_from = _read_from(newer, related)
    likeliest = sorted(range(len(olders)), key=related.__getitem__, reverse=True)
    wanted = [at for at in likeliest if related[at] >= read_from]
    found = [NO_OPINION] * len(olders)
    for at in wanted[:most]:
        read = _pair(pairs.pair_likelihoods, olders[at].text, newer.text)
        likelihood = calibration.of("minilm_pairs")(read.replaces)
        found[at] = Opinion(likelihood, read.repeats, REPEATS_FROM)
    return Reading(found, is_partial=most is not None and len(wanted) > most)


@cached_by_text(_CACHED_PAIRS)
def _pair(read: Callable[[str, str], PairLikelihoods], older: str, newer: str) -> PairLikelihoods:
    """Return the likelihoods of a pair: that of the answer is not read again after the answer."""
    return read(older, newer)


def _read_from(newer: Side, related: Sequence[float]) -> float:
    """Return the likelihood of being related from which older texts are read."""
    speaks_of_change = not CHANGES.isdisjoint(newer.words.lowered)
    least = LIKELIEST_AFTER_CHANGE_FROM if speaks_of_change else LIKELIEST_FROM
    likeliest = max(related, default=0.0)
    return min(likeliest, UNRELATED) if likeliest >= least else UNRELATED
