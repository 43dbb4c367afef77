"""Candidates: what the legs know of the memories or turns that a search may show.

Every signal has a scale of its own that does not depend on the other candidates.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ashd.clock import FOREVER
from ashd.search.query import Query

Floats = NDArray[np.float64]

_NEAR_DAYS: Final = 7.0
"""How fast the worth of a time falls off outside the span that the question names."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the legs know of one memory or turn; None where a leg did not see it."""

    rowid: int
    lexical: float | None = None
    """`lexical.bm25`: 1 where the own text holds every word, more with neighbours."""
    cosine: float | None = None
    """With the question; of memories, after the calibration's mean was taken off both."""
    late: float | None = None
    """`late.window_maxsim`, 0-1."""
    coverage: float | None = None
    """Share of the question's words, by weight, in the own text: 0-1."""
    speaker: str | None = None
    """Who said it, as named in `Query.speakers`; None for memories."""
    dated: bool = False
    """The text speaks of a time (`cues.read_cues`)."""
    asking: float = 0.0
    """Share of the text that is questions: 0-1."""
    session: Hashable = None
    """The conversation's session; None for memories."""
    about: float = 0.0
    """1 about a person named in the question, 2 in that person's own words; less than 1 about
    somebody related to one; else 0."""
    at: int | None = None
    """When it was said or observed, microseconds UTC."""
    age_days: float | None = None
    fades: bool = False
    """Its type fades, so recency counts."""
    trust: float = 1.0
    """1.0 fact, 0.9 unknown, 0.8 hearsay."""
    person: int = -1
    """The one person whom it is about; -1 for nobody, and for several."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The same of all candidates of a search, as arrays of one length (c,); None: a leg saw none.

    There are hundreds, and one by one they would cost more than to find them.
    """

    rowid: NDArray[np.int64]
    lexical: Floats | None
    cosine: Floats | None
    late: Floats | None
    coverage: Floats | None
    speaker: NDArray[np.object_]
    dated: NDArray[np.bool_]
    asking: Floats
    session: NDArray[np.int64]
    """-1 for none."""
    about: Floats
    at: NDArray[np.int64]
    age_days: Floats
    fades: NDArray[np.bool_]
    trust: Floats
    person: NDArray[np.int64]

    @classmethod
    def of(cls, candidates: "Candidates | Sequence[Candidate]") -> "Candidates":
        """Candidates in this form."""
        if isinstance(candidates, Candidates):
            return candidates
        sessions: dict[Hashable, int] = {None: -1}
        for one in candidates:
            sessions.setdefault(one.session, len(sessions) - 1)

        def column(values: Sequence[Any], kind: type[Any]) -> NDArray[Any]:
            return np.array(values, dtype=kind)

        return cls(
            rowid=column([one.rowid for one in candidates], np.int64),
            lexical=column([one.lexical or 0.0 for one in candidates], np.float64),
            cosine=column([one.cosine or 0.0 for one in candidates], np.float64),
            late=column([one.late or 0.0 for one in candidates], np.float64),
            coverage=column([one.coverage or 0.0 for one in candidates], np.float64),
            speaker=column([one.speaker for one in candidates], np.object_),
            dated=column([one.dated for one in candidates], np.bool_),
            asking=column([one.asking for one in candidates], np.float64),
            session=column([sessions[one.session] for one in candidates], np.int64),
            about=column([one.about for one in candidates], np.float64),
            # What has no time is near none.
            at=column([FOREVER if one.at is None else one.at for one in candidates], np.int64),
            age_days=column([one.age_days or 0.0 for one in candidates], np.float64),
            fades=column([one.fades for one in candidates], np.bool_),
            trust=column([one.trust for one in candidates], np.float64),
            person=column([one.person for one in candidates], np.int64),
        )


def in_time(candidates: Candidates, query: Query) -> Floats:
    """How near each is to the time that the question names, (c,): 1 in it; 0 if it names none."""
    if query.time is None:
        return np.zeros(len(candidates.rowid))
    distances = [query.time.distance_days(at) for at in candidates.at.tolist()]
    return np.array([math.exp(-distance / _NEAR_DAYS) for distance in distances])
