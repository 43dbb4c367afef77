"""Word differences between two versions of a text: lines first, then the words of changed lines.

Pure and total. The parts that are not added make up the old text, those not removed the new one.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

from ashd.language.word_patterns import NAME_WORD

Kind = Literal["same", "removed", "added"]
_MOST_PAIRS: Final = 2_000_000
"""Stretches with more pairs of equal words count as replaced whole: comparing would take seconds.
"""


class Part(NamedTuple):
    """A stretch of text that both versions have, or only one of them."""

    kind: Kind
    text: str


_Within: TypeAlias = Callable[[str, str], Iterator[Part]]


def differences(old: str, new: str) -> list[Part]:
    """Return the parts of both versions in reading order; removed parts come before added ones.

    Neighbouring parts are of different kinds, and none is empty.
    """
    parts = _compared(old.splitlines(keepends=True), new.splitlines(keepends=True), _by_word)
    return [
        Part(kind, "".join(part.text for part in run))
        for kind, run in groupby(_in_order(parts), key=lambda part: part.kind)
    ]


def _by_word(old: str, new: str) -> Iterator[Part]:
    return _compared(_words(old), _words(new), _replaced)


def _replaced(old: str, new: str) -> Iterator[Part]:
    yield from (part for part in (Part("removed", old), Part("added", new)) if part.text)


def _compared(old: Sequence[str], new: Sequence[str], within: _Within) -> Iterator[Part]:
    """Compare two sequences of texts; `within` compares the stretches that differ."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    middle_old, middle_new = old[first : len(old) - last], new[first : len(new) - last]
    yield from (Part("same", text) for text in old[:first])
    if _equal_pairs(middle_old, middle_new) > _MOST_PAIRS:
        yield from _replaced("".join(middle_old), "".join(middle_new))
    else:
        # By default a frequent word of a long text would count as no match.
        matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            removed, added = "".join(middle_old[a:b]), "".join(middle_new[c:d])
            yield from [Part("same", removed)] if tag == "equal" else within(removed, added)
    yield from (Part("same", text) for text in old[len(old) - last :])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common beginning of two sequences."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _equal_pairs(one: Sequence[str], other: Sequence[str]) -> int:
    counted = Counter(other)
    return sum(number * counted[entry] for entry, number in Counter(one).items())


def _words(text: str) -> list[str]:
    """Split a text into words and punctuation, each with the white space before it."""
    tokens: list[str] = []
    done = 0
    for found in NAME_WORD.finditer(text):
        gap = text[done : found.start()]
        mark = gap.rstrip()
        tokens += [mark] if mark else []
        tokens.append(gap[len(mark) :] + found[0])
        done = found.end()
    return [*tokens, text[done:]] if text[done:] else tokens


def _in_order(parts: Iterator[Part]) -> Iterator[Part]:
    """Put removed parts before added ones, within each stretch of changes."""
    for is_same, run in groupby(parts, key=lambda part: part.kind == "same"):
        changes = list(run)
        if is_same:
            yield from changes
            continue
        for kind in ("removed", "added"):
            yield from (part for part in changes if part.kind == kind)
