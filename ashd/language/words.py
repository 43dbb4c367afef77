"""The words of a text for reading names: folded, whole, with the text between them.

Pure and total: any string in any script. In scripts without spaces each character is a word; a
possessive ending is removed and noted, and other endings after an apostrophe are removed.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from ashd.language.folding import fold_name
from ashd.language.word_patterns import NAME_WORD


class Word(NamedTuple):
    """A word of a text."""

    text: str  # as written, without an ending after an apostrophe
    key: str  # folded
    start: int
    end: int
    gap: str  # the text between the previous word and this one
    owns: bool  # whether it ended in 's, or in the apostrophe after an s

    @property
    def inflected(self) -> bool:
        """Return whether an ending was removed that ends a name without owning what follows."""
        return not self.owns and self.end - self.start > len(self.text)

    @property
    def capital(self) -> bool:
        """Return whether its letters may begin a name: a capital, or a script without case."""
        first = self.text[0]
        return first.isupper() or (first.isalpha() and first.lower() == first.upper())


# "Anna'll", "Anna'd", "they're"; the cases of a Turkish name ("Elif'in", "Ankara'dan").
_ENDING: Final = re.compile(
    r"(?<=\w\w)'(?:ll|d|re)\Z"
    "|(?<=\\w\\w\\w)'(?:n?[i\u0131u\u00fc]n|[yn]?[aei\u0131u\u00fc]|[dt][ae]n?|y?l[ae])\\Z"
)
_fold_character: Final = lru_cache(maxsize=16_384)(fold_name)
"""Fold one character of a text without spaces; cached, since most recur."""


def split(text: str) -> list[Word]:
    """Return the words of a cleaned text, in order."""
    words: list[Word] = []
    done = 0
    for found in NAME_WORD.finditer(text):
        word, start, end = found[0], found.start(), found.end()
        owns = len(word) > 2 and word[-2:] in {"'s", "'S"}
        if owns:
            word = word[:-2]
        elif word[-1] in "sS" and text[end : end + 1] == "'":
            owns, end = True, end + 1
        elif "'" in word and word[0].isupper():
            word = _ENDING.sub("", word)
        key = fold_name(word) if len(word) > 1 else _fold_character(word)
        words.append(Word(word, key, start, end, text[done:start], owns))
        done = end
    return words


_SENTENCE_ENDS: Final = frozenset(".!?\n;:\u3002")


def is_sentence_end(gap: str) -> bool:
    """Return whether the text between two words ends a sentence."""
    return not _SENTENCE_ENDS.isdisjoint(gap)


_LEADING: Final = re.compile(r"^(?:(?:my|our|the|user's) )+(?=.)")
_POSSESSIVE: Final = re.compile(r"(?:(?<!^)'s)+$")
_INNER_DOT: Final = re.compile(r"\.(?=\s)")


def _is_edge(character: str) -> bool:
    return character != "_" and (
        character.isspace() or unicodedata.category(character).startswith("P")
    )


def _bare(key: str) -> str:
    start, end = 0, len(key)
    while start < end and _is_edge(key[start]):
        start += 1
    possessive = key.endswith("s'")
    while end > start and _is_edge(key[end - 1]):
        end -= 1
    key = _INNER_DOT.sub("", key[start:end])
    return _LEADING.sub("", key if possessive else _POSSESSIVE.sub("", key))


def normalise(reference: str) -> str:
    """Return the key by which names and references compare: the same words have equal keys.

    Case, Latin accents, typography, a leading "my", "our", "the" or "@", a closing possessive and
    punctuation around it do not count. Other scripts stay as they are. Only a text that is nothing
    else keeps such a word ("my" → "my").
    """
    key = " ".join(fold_name(reference).split())
    while (bare := " ".join(_bare(key).split())) and bare != key:
        key = bare
    return key
