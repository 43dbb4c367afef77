"""Fold a ranking by the links between memories: repetitions into one, newer first (A10, A17).

Pure. Only memories that are in the ranking play a part, so nothing tells of hidden ones.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from ashd.search.spec import Found
from ashd.store.memory_links import Link

_AS_GOOD: Final = 2.5
"""The largest difference of the scores' log-odds at which a newer memory stands before the one that
it replaces with even odds."""
_SURER: Final = 0.5
"""Added to that for each log-odds of the likelihood: what surely is replaced answers nothing."""


class Folded(NamedTuple):
    """A ranking without repetitions, and the repetitions of each memory in it."""

    found: list[Found]
    repeats: dict[int, list[int]]


def fold(found: Sequence[Found], links: Sequence[Link], *, reorders: bool = True) -> Folded:
    """Fold a ranking, best first, by the links among its memories, as row numbers.

    Of memories that say the same the best is left, with the others' numbers. A memory that perhaps
    replaces another is moved before it, with its score, unless it fits the question far worse; of
    several such memories the best comes first. With `reorders` false, as where a time is asked for,
    the ranking decides.
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
    newer_of: dict[int, set[int]] = {}
    for link in links:
        is_conflict = link.kind == "may_replace" and link.newer in place and link.older in place
        if reorders and is_conflict:
            newer, older = _best(group, link.newer), _best(group, link.older)
            if _answers_too(left, newer, older, _AS_GOOD + _SURER * _log_odds(link.chance)):
                worse = {one for one in newer_of.get(older, ()) if place[one] > place[newer]}
                _put_before(left, newer, older, worse)
                newer_of.setdefault(older, set()).add(newer)
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


def _answers_too(left: Sequence[Found], newer: int, older: int, within: float) -> bool:
    """Return whether a memory ranks after one that it may replace, but answers about as well."""
    places = {entry.item: at for at, entry in enumerate(left)}
    if newer == older or places[newer] < places[older]:
        return False
    one, other = (_log_odds(left[places[item]].score) for item in (newer, older))
    return one + within >= other


def _log_odds(score: float) -> float:
    return math.log(score / (1 - score)) if 0 < score < 1 else math.copysign(math.inf, score - 0.5)


def _put_before(left: list[Found], newer: int, older: int, worse: Collection[int]) -> None:
    """Move a memory before an older one, and before those that were moved there and fit worse."""
    places = {entry.item: at for at, entry in enumerate(left)}
    moved, at = left.pop(places[newer]), places[older]
    ahead = left[at]
    moved = moved._replace(score=ahead.score, relevant=ahead.relevant, weak=ahead.weak)
    while at and left[at - 1].item in worse:
        at -= 1
    left.insert(at, moved)
