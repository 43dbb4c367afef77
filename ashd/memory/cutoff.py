"""The cutoff of a search: which of the ranked memories are shown (rows D2, D7). Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ashd.search.candidates import POSSESSOR
from ashd.search.spec import Found

MOST_WEAK: Final = 3
"""Largest number of weak memories, which follow those that answer."""
MOST_RELATED: Final = 2
"""Largest number of memories about relations of a named person, whatever their score."""


class Cut(NamedTuple):
    """The memories shown, in order, and those withheld, by reason."""

    chosen: list[Found]
    by_relation: frozenset[int]
    """The memories that are shown only for a relation."""
    below_threshold: list[Found]
    """Memories that fit too badly, and weak ones beyond the most that are shown."""
    over_limit: list[Found]


def choose(
    found: Sequence[Found], about: Mapping[int, float], *, min_score: float | None, limit: int
) -> Cut:
    """Cut a ranking: strong memories, then weak ones, then those that a relation brings.

    Memories about a person whom the question names are not withheld for their score. ``about`` is
    `naming.About.weights`. A score that the caller sets replaces all these cuts.
    """
    if min_score is not None:
        passing = [entry for entry in found if round(entry.score, 4) >= min_score]
        below = [entry for entry in found if round(entry.score, 4) < min_score]
        return Cut(passing[:limit], frozenset(), below, passing[limit:])
    strong = [entry for entry in found if entry.relevant]
    others = [entry for entry in found if not entry.relevant]
    # Most are neither weak nor about anybody: only the others are looked at closer.
    close = [entry for entry in others if entry.weak or entry.item in about]
    named = [entry for entry in close if about.get(entry.item, 0.0) >= POSSESSOR]
    weak = [entry for entry in close if entry.weak and about.get(entry.item, 0.0) < POSSESSOR]
    shown_weak = {entry.item for entry in (*named, *weak[:MOST_WEAK])}
    related = [
        entry
        for entry in close
        if 0 < about.get(entry.item, 0.0) < POSSESSOR and entry.item not in shown_weak
    ][:MOST_RELATED]
    passing = [*strong, *(entry for entry in close if entry.item in shown_weak), *related]
    fit = {entry.item for entry in passing}
    return Cut(
        passing[:limit],
        frozenset(entry.item for entry in related),
        [entry for entry in found if entry.item not in fit],
        passing[limit:],
    )
