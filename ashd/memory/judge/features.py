"""Features of two texts as words: plain counts of what they share and where they differ.

Vectors express what words mean, but hardly which number, name or thing is where: "locker 20 is
rented" and "locker 62 is rented" are nearly one to them. Pure; a row of floats for each pair.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from operator import gt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd.language.tagged_words import CONTENT, Kind, Words

_RELATIONS: Final = 8
_MANY: Final = 3
"""Counts are capped at this number and divided by it."""
_LONG: Final = 12
"""Number of words by which lengths are divided."""
_NEITHER: Final = [0.0] * (3 + _RELATIONS)
"""The features of a kind of words that neither text contains."""


def pair_features(older: Words, newer: Words) -> NDArray[np.float32]:
    """Return the features of a pair, each about 0 to 1."""
    found: NDArray[np.float32] = features_of_pairs([older], newer)[0]
    return found


def features_of_pairs(olders: Sequence[Words], newer: Words) -> NDArray[np.float32]:
    """Return the features of several texts, each with the same newer one: (pairs, features)."""
    place = {stem: at for at, stem in enumerate(newer.stems)}
    return np.array([_of_pair(older, newer, place) for older in olders], dtype=np.float32)


def _of_pair(older: Words, newer: Words, place: Mapping[str, int]) -> list[float]:
    """Return the features of a pair; `place` says where each stem of the newer text is."""
    before, after = _with_names(older, newer), _with_names(newer, older)
    found: list[float] = []
    for kind in CONTENT:
        found += _of_kind(before[kind], after[kind])
    found += _overlap(older, newer, place)
    found += _difference(older, newer, place)
    for was, now in zip(older.cues, newer.cues, strict=True):
        found += (was, now, now and not was, was and not now)
    found += _who(older, newer)
    return found


def _with_names(one: Words, other: Words) -> Sequence[tuple[str, ...]]:
    """Return the stems of each kind; a first word is a name if the other text shows it."""
    names = one.initials & other.sets[Kind.NAME]
    if not names:
        return one.by_kind
    kinds = list(one.by_kind)
    kinds[Kind.NAME] = tuple(stem for stem in one.named if stem in names or stem in kinds[1])
    kinds[Kind.WORD] = tuple(stem for stem in kinds[Kind.WORD] if stem not in names)
    return kinds


def _of_kind(before: tuple[str, ...], after: tuple[str, ...]) -> list[float]:
    """Count the words of a kind removed, added and unchanged, and relate the two sequences."""
    if not before and not after:
        return _NEITHER
    relations = [0.0] * _RELATIONS
    old, new = set(before), set(after)
    stay = len(old & new)
    went, came = len(old) - stay, len(new) - stay
    if before == after:
        relation = 0
    elif not old:
        relation = 1
    elif not new:
        relation = 2
    elif not went and not came:
        relation = 3  # in another order, or one of them twice
    elif not stay:
        relation = 4
    elif not went:
        relation = 5
    elif not came:
        relation = 6
    else:
        relation = 7
    relations[relation] = 1.0
    return [_few(went), _few(came), _few(stay), *relations]


def _few(count: int) -> float:
    return count / _MANY if count < _MANY else 1.0


def _overlap(older: Words, newer: Words, place: Mapping[str, int]) -> list[float]:
    """Return the shares of common words, and whether they are in the same order."""
    common = len(older.content & newer.content)
    before, after = len(older.content), len(newer.content)
    order = [place[stem] for stem in dict.fromkeys(older.stems) if stem in place]
    turned = sum(map(gt, order, order[1:]))
    old, new = len(older.stems), len(newer.stems)
    everything = older.stems == newer.stems
    return [
        common / max(before, 1),
        common / max(after, 1),
        common / max(before + after - common, 1),
        bool(turned),
        turned / max(len(order) - 1, 1),
        everything,
        not everything and old == new and sorted(older.stems) == sorted(newer.stems),
        common == before == after,
        old / _LONG,
        new / _LONG,
        (new - old) / _LONG,
    ]


def _difference(older: Words, newer: Words, place: Collection[str]) -> list[float]:
    """Return features of the stretch in which two texts differ: place, length, kinds of words."""
    old, new = older.stems, newer.stems
    shorter = min(len(old), len(new))
    front = 0
    while front < shorter and old[front] == new[front]:
        front += 1
    back = 0
    while back < shorter - front and old[-1 - back] == new[-1 - back]:
        back += 1
    gone, come = old[front : len(old) - back], new[front : len(new) - back]
    gone_kinds, come_kinds = (one.kinds[front : len(one.kinds) - back] for one in (older, newer))
    one_span = bool(gone) and bool(come) and set(gone).isdisjoint(come)
    kinds = [0.0] * 10
    if one_span:
        for kind in gone_kinds:
            kinds[kind] = 1.0
        for kind in come_kinds:
            kinds[5 + kind] = 1.0
    return [
        front / max(shorter, 1),
        back / max(shorter, 1),
        front == 0,
        back == 0,
        one_span,
        one_span and front == 0,
        one_span and back == 0,
        one_span and len(gone) == len(come),
        not gone,
        not come,
        _few(len(gone)),
        _few(len(come)),
        *_runs(old, place),
        *_runs(new, frozenset(old)),
        *kinds,
    ]


def _runs(stems: Sequence[str], other: Collection[str]) -> list[float]:
    """Return features of the words missing in the other text: runs, first and last place, share."""
    lacking = [at for at, stem in enumerate(stems) if stem not in other]
    if not lacking:
        return [0.0, 1.0, 0.0, 0.0]
    runs = 1 + sum(next_ - one > 1 for one, next_ in pairwise(lacking))
    last = max(len(stems) - 1, 1)
    return [_few(runs), lacking[0] / last, lacking[-1] / last, len(lacking) / len(stems)]


def _who(older: Words, newer: Words) -> list[float]:
    """Compare speakers and subjects, as the first words and the pronouns show them."""
    mine, yours = "i" in older.named, "i" in newer.named
    old, new = older.named, newer.named
    return [
        mine,
        yours,
        mine != yours,
        older.owner == "my",
        newer.owner == "my",
        older.owner != newer.owner,
        older.stems[:1] == newer.stems[:1],
        older.stems[:2] == newer.stems[:2],
        older.stems[-1:] == newer.stems[-1:],
        bool(old) and old[:1] == new[:1],
        bool(old) and bool(new) and old[0] != new[0],
        bool(old) and old[0] in new,
    ]
