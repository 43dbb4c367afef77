"""Plain corrections: the same sentence with another value, of which there is one at a time. Pure.

"My favourite colour is blue" after "My favourite colour is red". This is the one belief that hides
the older fact without anybody's word (A17), so it asks for much: a word that says there is only
one, and a last word that alone differs, and is no number, time or negation.
"""

from typing import Final

from ashd.language.tagged_words import Kind, Words

_ONLY_ONE: Final = frozenset({"favourite", "favorite", "preferred", "default", "main", "primary"})
_IS: Final = frozenset({"is", "are"})
_VALUES: Final = frozenset({Kind.WORD, Kind.NAME})


def is_plain(older: Words, newer: Words) -> bool:
    """Return whether a text repeats the older text with another value, where there is only one."""
    *before, was = zip(older.bare, older.kinds, strict=True) if older.bare else [("", Kind.SMALL)]
    *after, now = zip(newer.bare, newer.kinds, strict=True) if newer.bare else [("", Kind.SMALL)]
    words = [word for word, _ in before]
    return (
        before == after
        and bool(words)
        and words[-1] in _IS
        and not _ONLY_ONE.isdisjoint(words)
        and was[0] != now[0]
        and {was[1], now[1]} <= _VALUES
    )
