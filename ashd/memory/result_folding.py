"""Fold a ranking by the links between memories: repetitions into one, newer first (A10, A17).

Pure. Only memories that are in the ranking play a part, so nothing tells of hidden ones.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ashd.search.spec import Found
from ashd.store.memory_links import Link

_AS_GOOD: Final = 2.5
"""The largest difference of the scores' log-odds at which a newer memory stands before the one that
it perhaps replaces."""


class Folded(NamedTuple):
    """A ranking without repetitions, and the repetitions of each memory in it."""

    found: list[Found]
    repeats: dict[int, list[int]]


def fold(found: Sequence[Found], links: Sequence[Link], *, reorders: bool = True) -> Folded:
    """Fold a ranking, best first, by the links among its memories, as row numbers.

    Of memories that say the same the best is left, with the others' numbers. A memory that perhaps
    replaces another is moved before it, with its score, unless it fits the question far worse; with
    `reorders` false, as where a time is asked for, the ranking decides.
    """
    if not links:
        return Folded(list(found), {})
    place = {entry.item: at for at, entry in enumerate(found)}
    group = {entry.item: entry.item for entry in found}
    for link in links:
        if link.kind == "repeats" and link.newer in place and link.older in place:
            _join(group, place, link.newer, link.older)
    left = [entry for entry in found if _best(group, entry.item) == entry.item]
    repeats: dict[int, list[int]] = {}
    for entry in found:
        best = _best(group, entry.item)
        if best != entry.item:
            repeats.setdefault(best, []).append(entry.item)
    for link in links:
        is_conflict = link.kind == "may_replace" and link.newer in place and link.older in place
        if reorders and is_conflict:
            newer, older = _best(group, link.newer), _best(group, link.older)
            if _answers_too(left, newer, older):
                _put_before(left, newer, older)
    return Folded(left, repeats)


def with_newer(
    chosen: Sequence[Found], newer_of: Mapping[int, Sequence[int]], ranked: Sequence[Found]
) -> list[Found]:
    """Add, after each chosen memory, the newer memories that perhaps replace it.

    So no memory is read without the newer one, however badly the newer one fits the question.
    """
    by_item = {entry.item: entry for entry in ranked}
    shown = {entry.item for entry in chosen}
    found = []
    for entry in chosen:
        found.append(entry)
        for newer in newer_of.get(entry.item, ()):
            if newer not in shown:
                shown.add(newer)
                added = by_item.get(newer, Found.unranked(newer))
                found.append(added._replace(relevant=entry.relevant, weak=entry.weak))
    return found


def _best(group: dict[int, int], item: int) -> int:
    while group[item] != item:
        item = group[item]
    return item


def _join(group: dict[int, int], place: dict[int, int], one: int, other: int) -> None:
    first, second = sorted((_best(group, one), _best(group, other)), key=place.__getitem__)
    group[second] = first


def _answers_too(left: Sequence[Found], newer: int, older: int) -> bool:
    """Return whether a memory ranks after one that it may replace, but answers about as well."""
    places = {entry.item: at for at, entry in enumerate(left)}
    if newer == older or places[newer] < places[older]:
        return False
    one, other = (_log_odds(left[places[item]].score) for item in (newer, older))
    return one >= other - _AS_GOOD


def _log_odds(score: float) -> float:
    return math.log(score / (1 - score)) if 0 < score < 1 else math.copysign(math.inf, score - 0.5)


def _put_before(left: list[Found], newer: int, older: int) -> None:
    places = {entry.item: at for at, entry in enumerate(left)}
    moved, ahead = left.pop(places[newer]), left[places[older]]
    moved = moved._replace(score=ahead.score, relevant=ahead.relevant, weak=ahead.weak)
    left.insert(places[older], moved)
