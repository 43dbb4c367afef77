"""Candidates of a search one by one, for tests."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashd.clock import FOREVER
from ashd.search.candidates import Candidates


@dataclass(frozen=True, slots=True)
class Candidate:
    """Everything the legs know of one memory or turn; None where a leg did not see it."""

    rowid: int
    lexical: float | None = None
    """`lexical.bm25`: 1 if the own text holds every word, more with neighbours."""
    cosine: float | None = None
    """With the question; for memories, centred by the calibration's mean."""
    late: float | None = None
    """`late_interaction.window_maxsim`, 0-1."""
    coverage: float | None = None
    """Share of the question's words, by weight, in the own text: 0-1."""
    speaker: str | None = None
    """Speaker, as named in `Query.speakers`; None for memories."""
    dated: bool = False
    """Whether the text speaks of a time (`text_form.read_cues`)."""
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
    """Whether its type fades, so that recency counts."""
    trust: float = 1.0
    """1.0 fact, 0.9 unknown, 0.8 hearsay."""
    person: int = -1
    """The only person it is about; -1 for nobody, and for several."""
    names_day: bool = False
    other_weekday: bool = False
    """Whether the text itself names the time that the question names."""
    valid: bool = True
    of_another: bool = False
    """Whether another says it of themselves, and the question is about the asker."""


def columns(candidates: Sequence[Candidate]) -> Candidates:
    """Return candidates as the arrays that a search uses."""
    sessions: dict[Hashable, int] = {None: -1}
    for one in candidates:
        sessions.setdefault(one.session, len(sessions) - 1)

    def column(values: Sequence[Any], kind: type[Any]) -> NDArray[Any]:
        return np.array(values, dtype=kind)

    return Candidates(
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
        # Without a time it is near no time.
        at=column([FOREVER if one.at is None else one.at for one in candidates], np.int64),
        age_days=column([one.age_days or 0.0 for one in candidates], np.float64),
        fades=column([one.fades for one in candidates], np.bool_),
        trust=column([one.trust for one in candidates], np.float64),
        person=column([one.person for one in candidates], np.int64),
        names_day=column([one.names_day for one in candidates], np.bool_),
        other_weekday=column([one.other_weekday for one in candidates], np.bool_),
        valid=column([one.valid for one in candidates], np.bool_),
        of_another=column([one.of_another for one in candidates], np.bool_),
    )
