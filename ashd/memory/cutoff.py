"""The cutoff of a search: which of the ranked memories are shown (rows D2, D7). Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.search.candidates import POSSESSOR
from ashd.search.diversity import unlike
from ashd.search.spec import Found

FILLED_TO: Final = 7
"""The number of memories shown if a memory answers or may answer; the next best are weak."""
MOST_RELATED: Final = 2
"""Largest number of memories about relations of a named person, whatever their score."""


class Cut(NamedTuple):
    """The memories shown, in order, and those withheld, by reason."""

    chosen: list[Found]
    by_relation: frozenset[int]
    """The memories about relations of a named person, except memories that answer the question."""
    below_threshold: list[Found]
    """Memories that match too weakly, and memories beyond the number that is shown."""
    over_limit: list[Found]


def choose(
    found: Sequence[Found],
    about: Mapping[int, float],
    vectors: Mapping[int, NDArray[np.float32]],
    *,
    min_score: float | None,
    limit: int,
) -> Cut:
    """Cut a ranking: strong memories, then the next best, then memories that a relation brings.

    The scores decide whether anything answers, not how many memories are shown. Memories about a
    person whom the question names are not withheld for their score. ``about`` is
    `naming.About.weights`. A score that the caller sets replaces all these cuts. If there is no
    room for all, memories that are alike by the ``vectors`` of their passages give way to different
    ones (row D5).
    """
    if min_score is not None:
        passing = [entry for entry in found if round(entry.score, 4) >= min_score]
        below = [entry for entry in found if round(entry.score, 4) < min_score]
        return Cut(passing[:limit], frozenset(), below, passing[limit:])
    strong = [entry for entry in found if entry.relevant]
    others = [entry for entry in found if not entry.relevant]
    named = {entry.item for entry in others if about.get(entry.item, 0.0) >= POSSESSOR}
    unnamed = [entry for entry in others if entry.item not in named]
    answers = bool(strong) or any(entry.weak for entry in unnamed)
    room = max(FILLED_TO - len(strong) - len(named), 0) if answers else 0
    shown = [entry for entry in found if entry.relevant or entry.item in named]
    filling = {entry.item for entry in unlike(unnamed, room, vectors, beside=shown)}
    following = [
        entry._replace(weak=True) if entry.item in filling else entry
        for entry in others
        if entry.item in filling or entry.item in named
    ]
    related = [entry for entry in unnamed if about.get(entry.item, 0.0) > 0]
    more = [entry for entry in related if entry.item not in filling][:MOST_RELATED]
    passing = [*strong, *following, *more]
    fit = {entry.item for entry in passing}
    chosen = unlike(passing, limit, vectors)
    left = {entry.item for entry in chosen}
    return Cut(
        chosen,
        frozenset(entry.item for entry in related),
        [entry for entry in found if entry.item not in fit],
        [entry for entry in passing if entry.item not in left],
    )
