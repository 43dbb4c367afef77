"""Fold a ranking by the links between memories: repetitions into one, corrections first (A10, A11).

Pure. Only memories that are in the ranking play a part, so nothing tells of hidden ones.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ashd.language.tagged_words import Kind, Words, read
from ashd.search.relevance import LOGIT_BETWEEN
from ashd.search.spec import Found
from ashd.store.memory_links import Link

_AS_GOOD: Final = LOGIT_BETWEEN
"""The largest difference of the scores' log-odds at which a correction answers the same question as
its older one."""
_PARTICULAR: Final = (Kind.NUMBER, Kind.NAME, Kind.TIME)
"""Kinds of words that tell one line of a list from another."""


class Folded(NamedTuple):
    """A ranking without repetitions, and the repetitions of each memory in it."""

    found: list[Found]
    repeats: dict[int, list[int]]


def asks_for(question: str, one: str, other: str) -> bool:
    """Return whether a question is for one text and not for another that may replace it.

    It has all words of that one, or more of its numbers, names and times: "row 3" is not a question
    for row 4, while "which row is mine" is for both.
    """
    texts = asked, wanted, rival = read(question), read(one), read(other)
    if _quotes(asked, wanted) != _quotes(asked, rival):
        return _quotes(asked, wanted)
    particular = {
        form
        for text in texts
        for form, kind in zip(_forms(text), text.kinds, strict=True)
        if kind in _PARTICULAR
    }
    named = [form for form in _forms(asked) if form in particular]
    return _held(named, wanted) > _held(named, rival)


def _forms(text: Words) -> list[str]:
    """Return the words of a text in the forms that a question's are compared with."""
    words = zip(text.stems, text.bare, text.kinds, strict=True)
    return [stem if kind is Kind.NUMBER else word.removesuffix("s") for stem, word, kind in words]


def _quotes(question: Words, text: Words) -> bool:
    pairs = zip(_forms(text), text.kinds, strict=True)
    said = [form for form, kind in pairs if kind is not Kind.SMALL]
    return bool(said) and _in_order(said, _forms(question))


def _held(named: Sequence[str], text: Words) -> tuple[int, bool]:
    """Return the number of these that a text holds, and whether it has them in this order."""
    forms = _forms(text)
    all_forms = set(forms)
    held = [form for form in named if form in all_forms]
    return len(held), _in_order(held, forms)


def _in_order(forms: Sequence[str], of: Sequence[str]) -> bool:
    left = iter(of)
    return all(form in left for form in forms)


def fold(
    found: Sequence[Found],
    links: Sequence[Link],
    is_asked_for: Callable[[int, int], bool] = lambda _older, _newer: False,
) -> Folded:
    """Fold a ranking, best first, by the links among its memories, as row numbers.

    Of memories that say the same the best is left, with the others' numbers. A memory that may
    replace another is moved before it, with its score, if it answers about as well; not if the
    older one of the two is asked for.
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
        if link.kind == "may_replace" and link.newer in place and link.older in place:
            newer, older = _best(group, link.newer), _best(group, link.older)
            if _answers_too(left, newer, older) and not is_asked_for(older, newer):
                _put_before(left, newer, older)
    return Folded(left, repeats)


def _best(group: dict[int, int], item: int) -> int:
    while group[item] != item:
        item = group[item]
    return item


def _join(group: dict[int, int], place: dict[int, int], one: int, other: int) -> None:
    first, second = sorted((_best(group, one), _best(group, other)), key=place.__getitem__)
    group[second] = first


def _answers_too(left: Sequence[Found], newer: int, older: int) -> bool:
    """Return whether a memory comes after one that it may replace, but answers about as well."""
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
