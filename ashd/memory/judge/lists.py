"""Lists: a further line replaces none of the others.

"Row 7 is Riesling" replaces "Row 6 is Riesling" no more than row 6 did row 5, however much it looks
like a correction: two older texts that both hold, and differ in the same place only, show that what
is said there is not said of one thing. One is enough where the newer text has the next number in
its place, as "fact 3" after "fact 2": things are numbered that way, and few values change so. And
one is enough where both say what somebody is called: "My sister is called Lea" after "My sister is
called Ana" is of another sister as likely as of another name.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ashd.language.english_words import CHANGES
from ashd.language.tagged_words import Kind, Words

_PLACES: Final = 2
"""Places in which two lines of a list may differ."""
_LINES: Final = 2
"""Older lines that make a list."""
_NAMING: Final = frozenset({"called", "named", "name"})


def lines_beside(newer: Words, olders: Sequence[Words]) -> list[bool]:
    """Return the `olders` that are lines of a list which `newer` continues.

    All these lines differ from `newer` in the same places. So "Row 6 is booked by Cy" continues the
    lines of rows 5 and 7, and may correct "Row 6 is booked by Bo".
    """
    places = [_differing(older, newer) for older in olders]
    several = {(older.stems, one) for older, one in zip(olders, places, strict=True)}
    counts = Counter(one for _, one in several)
    return [
        bool(one)
        and (counts[one] >= _LINES or _goes_on(older, newer, one) or _names(older, newer, one))
        for older, one in zip(olders, places, strict=True)
    ]


def _goes_on(older: Words, newer: Words, places: Sequence[int]) -> bool:
    """Return whether the one place that differs has the next number, after a noun or the like."""
    at, *others = places
    before, now = older.stems[at], newer.stems[at]
    return (
        not others
        and at > 0
        and newer.kinds[at - 1] is Kind.WORD
        and before.isdecimal()
        and now.isdecimal()
        and int(now) == int(before) + 1
    )


def _names(older: Words, newer: Words, places: Sequence[int]) -> bool:
    """Return whether two texts name somebody differently, and no word says that a name changed."""
    return (
        CHANGES.isdisjoint(newer.lowered)
        and not _NAMING.isdisjoint(newer.lowered)
        and all(text.kinds[at] is Kind.NAME for text in (older, newer) for at in places)
    )


def _differing(one: Words, other: Words) -> tuple[int, ...]:
    """Return the places in which two texts differ; none if those are many, or nearly all."""
    if len(one.stems) != len(other.stems):
        return ()
    pairs = zip(one.stems, other.stems, strict=True)
    places = tuple(at for at, (a, b) in enumerate(pairs) if a != b)
    return places if len(places) <= min(_PLACES, len(one.stems) // 2) else ()
