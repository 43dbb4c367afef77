"""Candidates: the legs' signals for the memories or turns that a search may show.

Every signal has its own scale, which does not depend on the other candidates.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd.search.query import Query

Floats = NDArray[np.float64]

_NEAR_DAYS: Final = 7.0
"""The decay of the time signal outside the span that the question names."""


HEARSAY: Final = 0.8
"""`Candidates.trust` of a statement about somebody other than its speaker."""
POSSESSOR: Final = 0.9
"""`Candidates.about` of what is about Kurt in a question for "Kurt's sister", who is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The candidates of a search as arrays of one length (c,); None if no leg has the signal.

    Arrays, since there are hundreds, and objects would cost more than finding them.
    """

    rowid: NDArray[np.int64]
    lexical: Floats | None
    """`lexical.bm25`: 1 if the own text holds every word, more with neighbours."""
    cosine: Floats | None
    """With the question; of memories, as the calibration compares them."""
    late: Floats | None
    """`late_interaction.window_maxsim`, 0-1."""
    coverage: Floats | None
    """Share of the question's words, by weight, in the own text: 0-1."""
    speaker: NDArray[np.object_]
    """The speaker, as named in `Query.speakers`; None for memories."""
    dated: NDArray[np.bool_]
    """Whether the text speaks of a time (`text_form.read_cues`)."""
    asking: Floats
    """The share of the text that is questions: 0-1."""
    session: NDArray[np.int64]
    """The conversation's session; -1 for none."""
    about: Floats
    """1 about a person named in the question, 2 in that person's own words; `POSSESSOR`; less than
    that about somebody related to one; else 0.
    """
    at: NDArray[np.int64]
    """The time it was said or observed, microseconds UTC; `FOREVER` if unknown."""
    age_days: Floats
    fades: NDArray[np.bool_]
    """Whether its type fades, so that recency counts."""
    trust: Floats
    """1.0 fact, 0.9 unknown, 0.8 hearsay."""
    person: NDArray[np.int64]
    """The only person it is about; -1 for nobody, and for several."""
    names_day: NDArray[np.bool_]
    """Whether the text names the day asked for, which counts as being of that day."""
    other_weekday: NDArray[np.bool_]
    """Whether the text names only days of the week other than the question's."""
    valid: NDArray[np.bool_]
    """Whether the memory is valid at the time of the search."""
    of_another: NDArray[np.bool_]
    """Whether it is what another than the asker says of themselves, and the question is about the
    asker."""


def in_time(candidates: Candidates, query: Query) -> Floats:
    """Score each candidate's nearness to the question's time, (c,): 1 within it; 0 without one."""
    if query.time is None:
        return np.zeros(len(candidates.rowid))
    distances = [query.time.distance_days(at) for at in candidates.at.tolist()]
    nearness = np.array([math.exp(-distance / _NEAR_DAYS) for distance in distances])
    return np.where(candidates.names_day, 1.0, nearness)
