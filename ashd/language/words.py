"""The words of a text as names are read from them: folded, whole, with what stands between.

Pure and total: any string in any script. Words that are written without spaces are read a character
each; a possessive ending is taken off and remembered.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

_TYPOGRAPHY: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\uff07\u00b4`", "'"),
        **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
        # Invisible: soft hyphen, zero width space, direction marks. Joiners stay: scripts use them.
        **dict.fromkeys((0xAD, 0x200B, 0x200E, 0x200F, 0xFEFF)),
        **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2060, 0x206A))),
    }
)
_LATIN_MARKS: Final = re.compile(r"([a-z])[\u0300-\u036f]+")
# Scripts written without spaces, or with particles glued to the name: a character is a word.
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Word characters are named by what they are not: `\w` would break off the vowel signs of Hindi.
_BREAKS: Final = (
    r"\s\x00-\x2c./:-@\[-^`{-~\x80-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u060c\u061b\u061f\u06d4"
    r"\u0964\u0965\u2000-\u200b\u200e-\u2bff\u2e00-\u303f\ufe00-\ufe6f\uff00-\uff0f"
    r"\U0001f000-\U0001faff"
)
_WORD: Final = re.compile(
    rf"[{_UNSPACED}]|(?:[^{_BREAKS}{_UNSPACED}'-]+(?:['-](?=[^{_BREAKS}{_UNSPACED}'-]))?)+"
)
CHARACTER_WORD: Final = re.compile(rf"[{_UNSPACED}]")


class Word(NamedTuple):
    """A word of a text."""

    text: str  # as written, without a possessive ending
    key: str  # folded
    start: int
    end: int
    gap: str  # what stands between the word before and this one
    owns: bool  # it ended in 's, or in the apostrophe after an s

    @property
    def capital(self) -> bool:
        """Whether it may begin a name by its letters: a capital, or a script without case."""
        first = self.text[0]
        return first.isupper() or (first.isalpha() and first.lower() == first.upper())


def clean(text: str) -> str:
    """One way to write apostrophes, hyphens and compatibility characters; nothing invisible."""
    return unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).translate(_TYPOGRAPHY)


def _fold(text: str) -> str:
    """For comparison: case, width, typography and the accents of Latin letters do not count."""
    if text.isascii():
        return text.lower().replace("`", "'")
    text = unicodedata.normalize("NFD", clean(text).casefold())
    return clean(_LATIN_MARKS.sub(r"\1", text))


_fold_character: Final = lru_cache(maxsize=16_384)(_fold)
"""Of a text without spaces each character is a word, and most come again."""


def split(text: str) -> list[Word]:
    """The words of a cleaned text, in order."""
    words: list[Word] = []
    done = 0
    for found in _WORD.finditer(text):
        word, start, end = found[0], found.start(), found.end()
        owns = len(word) > 2 and word[-2:] in {"'s", "'S"}
        if owns:
            word = word[:-2]
        elif word[-1] in "sS" and text[end : end + 1] == "'":
            owns, end = True, end + 1
        key = _fold(word) if len(word) > 1 else _fold_character(word)
        words.append(Word(word, key, start, end, text[done:start], owns))
        done = end
    return words


def is_sentence_end(gap: str) -> bool:
    """Whether what stands between two words ends a sentence."""
    return any(mark in gap for mark in ".!?\n;:\u3002")


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
    """The key by which names and references compare: equal keys, same word.

    Case, Latin accents, typography, a leading "my", "our", "the" or "@", a closing possessive and
    punctuation around it do not count. Other scripts stay as they are. Only a text that is
    nothing else keeps such a word ("my" → "my").
    """
    key = " ".join(_fold(reference).split())
    while (bare := " ".join(_bare(key).split())) and bare != key:
        key = bare
    return key
