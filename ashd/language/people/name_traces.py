"""Decide whether a text names a person, for forgetting: surely, or perhaps somebody else. Pure.

A text names the person by a whole name or alias, or by the first name alone. It may name somebody
else by a name that another known person bears too, by a family name alone, or where another family
name follows the first name. Names are compared as whole words, folded.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from ashd.language.folding import clean
from ashd.language.people import vocabulary
from ashd.language.people.names import continues_name, is_inside, is_name_word, split_at_hyphens
from ashd.language.people.references import parse_reference
from ashd.language.word_patterns import CHARACTER_WORD
from ashd.language.words import Word, split


class Trace(Enum):
    """The answer; in the order of certainty."""

    NONE = 0
    PERHAPS = 1
    NAMES = 2


class _Entry(NamedTuple):
    keys: tuple[str, ...]
    trace: Trace
    is_first_name: bool


class NameTraces:
    """Looks for the names of one person. Immutable."""

    def __init__(self, names: Sequence[str], others: Sequence[str] = ()) -> None:
        """`others` are the names of other known people."""
        own = {keys for name in names if (keys := keys_of(name))}
        theirs = {keys for name in others if (keys := keys_of(name))}
        self._words = frozenset(word for keys in own for word in keys if _tells(word))
        shared = {_parted(keys) for keys in theirs} | {_parted(keys[:1]) for keys in theirs}
        entries: dict[tuple[str, ...], _Entry] = {}

        def put(keys: tuple[str, ...], trace: Trace, *, is_first_name: bool = False) -> None:
            entries[_parted(keys)] = _Entry(_parted(keys), trace, is_first_name)

        # Later ones count more: what is surely the person's comes last.
        for keys in theirs:
            put(keys, Trace.NONE if self._words.isdisjoint(keys) else Trace.PERHAPS)
        for word in self._words:
            put((word,), Trace.PERHAPS)
        for keys, is_first_name in [
            *((keys[:1], True) for keys in own if len(keys) > 1 and _tells(keys[0])),
            *((keys, False) for keys in own),
        ]:
            is_sign = len(keys) == 1 and CHARACTER_WORD.fullmatch(keys[0])  # a part of many words
            is_sure = not is_sign and _parted(keys) not in shared
            put(
                keys,
                Trace.NAMES if is_sure else Trace.PERHAPS,
                is_first_name=is_first_name,
            )
        self._by_first: dict[str, list[_Entry]] = {}
        for entry in sorted(entries.values(), key=lambda one: len(one.keys), reverse=True):
            self._by_first.setdefault(entry.keys[0], []).append(entry)

    def in_text(self, text: str) -> Trace:
        """Return whether the text names the person."""
        words = split_at_hyphens(clean(text))
        best, at = Trace.NONE, 0
        while at < len(words) and best is not Trace.NAMES:
            entry = self._at(words, at)
            if entry is None:
                if best is Trace.NONE and self._is_genitive(words[at]):
                    best = Trace.PERHAPS
                at += 1
                continue
            trace = entry.trace
            if entry.is_first_name and _is_of_another(words, at + len(entry.keys) - 1):
                trace = Trace.PERHAPS
            best = max(best, trace, key=lambda one: one.value)
            at += len(entry.keys)
        return best

    def _is_genitive(self, word: Word) -> bool:
        """Return whether a word may be a name with the ending of German: "Timos Rad"."""
        if not word.capital or not word.key.endswith("s"):
            return False
        return any(entry.keys[1:] == () for entry in self._by_first.get(word.key[:-1], ()))

    def shares(self, name: str) -> bool:
        """Return whether another's name has a word of the person's."""
        return not self._words.isdisjoint(keys_of(name))

    def _at(self, words: list[Word], at: int) -> _Entry | None:
        for entry in self._by_first.get(words[at].key, ()):
            width = len(entry.keys)
            if tuple(word.key for word in words[at : at + width]) != entry.keys:
                continue
            if is_inside(words, at, at + width):
                continue
            if width > 1 or words[at].capital or entry.keys[0] not in _COMMON:
                return entry
        return None


_COMMON = vocabulary.COMMON_WORD_NAMES


def _parted(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for key in keys for part in key.split("-"))


def keys_of(name: str) -> tuple[str, ...]:
    """Return the folded words of a name; none for a relationship ("my boss")."""
    reference = parse_reference(name)
    if not (reference.name or reference.handle):
        return ()
    keys = [word.key for word in split(clean(reference.name or reference.handle or ""))]
    if len(keys) > 1 and keys[0] in vocabulary.TITLES:
        del keys[0]
    return tuple(keys)


def _tells(word: str) -> bool:
    """Return whether a part of a name may stand for its person."""
    return len(word) > 1 and word not in vocabulary.NAME_PARTICLES


def _is_of_another(words: list[Word], at: int) -> bool:
    """Return whether a family name follows a first name: the person's own would be in the match."""
    after = at + 1
    return (
        after < len(words)
        and not words[at].owns
        and continues_name(words, after)
        and words[after].text[:1].isupper()
        and is_name_word(words, after)
    )
