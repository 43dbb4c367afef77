"""The cutoff of a search: which of the ranked memories are shown (rows D2, D7). Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ashd.search.candidates import POSSESSOR
from ashd.search.spec import Found

FILLED_TO: Final = 7
"""The number of memories shown if one answers or may answer: the next best follow, as weak ones."""
MOST_RELATED: Final = 2
"""Largest number of memories about relations of a named person, whatever their score."""


class Cut(NamedTuple):
    """The memories shown, in order, and those withheld, by reason."""

    chosen: list[Found]
    by_relation: frozenset[int]
    """The memories about relations of a named person, but for those that answer."""
    below_threshold: list[Found]
    """Memories that fit too badly, and those beyond the number that is filled to."""
    over_limit: list[Found]


def choose(
    found: Sequence[Found], about: Mapping[int, float], *, min_score: float | None, limit: int
) -> Cut:
    """Cut a ranking: strong memories, then the next best, then those that a relation brings.

    The scores decide whether anything answers, not how many are shown. Memories about a person whom
    the question names are not withheld for their score. ``about`` is `naming.About.weights`. A
    score that the caller sets replaces all these cuts.
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
    filling = {entry.item for entry in unnamed[:room]}
    following = [
        entry._replace(weak=True) if entry.item in filling else entry
        for entry in others
        if entry.item in filling or entry.item in named
    ]
    related = [entry for entry in unnamed if about.get(entry.item, 0.0) > 0]
    more = [entry for entry in related if entry.item not in filling][:MOST_RELATED]
    passing = [*strong, *following, *more]
    fit = {entry.item for entry in passing}
    return Cut(
        passing[:limit],
        frozenset(entry.item for entry in related),
        [entry for entry in found if entry.item not in fit],
        passing[limit:],
    )
