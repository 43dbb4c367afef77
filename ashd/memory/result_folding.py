"""Fold a ranking by the links between memories: repetitions into one, corrections first (A10, A11).

Pure. Only memories that are in the ranking play a part, so nothing tells of hidden ones.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ashd.search.spec import Found
from ashd.store.memory_links import Link

_AS_GOOD: Final = 0.2
"""The largest difference of scores at which a correction answers the same question as its older
one.
"""


class Folded(NamedTuple):
    """A ranking without repetitions, and the repetitions of each memory in it."""

    found: list[Found]
    repeats: dict[int, list[int]]


def fold(found: Sequence[Found], links: Sequence[Link], *, newer_first: bool = True) -> Folded:
    """Fold a ranking, best first, by the links among its memories, as row numbers.

    Of memories that say the same the best is left, with the others' numbers. A memory that may
    replace another is moved before it, with its score, if it answers about as well, and if
    ``newer_first``: the question names no time, by which they are ranked already.
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
    for link in links if newer_first else ():
        if link.kind == "may_replace" and link.newer in place and link.older in place:
            _put_before(left, _best(group, link.newer), _best(group, link.older))
    return Folded(left, repeats)


def _best(group: dict[int, int], item: int) -> int:
    while group[item] != item:
        item = group[item]
    return item


def _join(group: dict[int, int], place: dict[int, int], one: int, other: int) -> None:
    first, second = sorted((_best(group, one), _best(group, other)), key=place.__getitem__)
    group[second] = first


def _put_before(left: list[Found], newer: int, older: int) -> None:
    places = {entry.item: at for at, entry in enumerate(left)}
    if newer == older or places[newer] < places[older]:
        return
    if left[places[newer]].score < left[places[older]].score - _AS_GOOD:
        return  # the question asks for the older one
    moved, ahead = left.pop(places[newer]), left[places[older]]
    moved = moved._replace(score=ahead.score, relevant=ahead.relevant, weak=ahead.weak)
    left.insert(places[older], moved)
