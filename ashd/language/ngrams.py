"""Grams: index terms for scripts without spaces, compounds, other spellings and emoji.

The full-text index has a column ``grams`` beside the words. It holds pairs of characters for text
without spaces, triples (with a leading 3, so that they match no word) for long words and for words
of other alphabets, words again whose letters the index does not fold, code points for emoji. Row
D11.
"""

import unicodedata
from typing import Final, NamedTuple

from ashd.language import letter_spellings, normal_forms
from ashd.language.folding import fold
from ashd.language.lazy_pattern import pattern_of
from ashd.language.word_patterns import LETTERS, UNSPACED

_PARTICLES: Final = frozenset(
    "\u7684\u4e86\u662f\u5728\u6211\u4f60\u60a8\u4ed6\u5979\u5b83\u4eec\u4e5f\u90fd\u5c31\u548c\u4e0e\u5417\u5462\u5427"
    "\u4ec0\u4e48\u591a\u5c11\u8fd9\u90a3\u54ea\u8c01\u600e\u6837\u6709\u6ca1\u4e0d\u79c1\u4f55"
) | frozenset(map(chr, range(0x3041, 0x3097)))
"""Function characters of Chinese, and hiragana: a pair of them means little."""
_CLINGING: Final = _PARTICLES | frozenset("은는이가을를의에도로와과")
"""Characters that mean nothing alone, as they are when a word beside them was cut out."""
_KANA: Final = pattern_of("[\u3041-\u3096\u30fc]{2,32}|[\u30a1-\u30f6\u30fc]{2,32}")
"""Runs of one kana; no word is longer."""
_OTHER_KANA: Final = {
    **{code: code + 0x60 for code in range(0x3041, 0x3097)},
    **{code + 0x60: code for code in range(0x3041, 0x3097)},
}
_TAILS: Final = frozenset("のはがをにでとへもや")
_COMPOUND: Final = 9
"""The length from which Latin words are indexed by their parts too."""
_PART: Final = 4
"""The length from which words are searched inside longer words: shorter parts are in too many."""
_PART_ASCII: Final = 5


def without_unsplit(text: str) -> str:
    """Return the text with a space in place of each run without spaces."""
    return UNSPACED.sub(" ", text)


def index_grams(text: str) -> str:
    """Return the value of the index's ``grams`` column for a text."""
    text = normal_forms.nfkc(text)
    parts = [" ".join([*_slices(run, 2), run[-1]]) for run in UNSPACED.findall(text)]
    if parts:  # the index takes a word that touches such a script for one token with it
        parts += LETTERS.findall(fold(without_unsplit(text)))
    words = dict.fromkeys(LETTERS.findall(fold(without_unsplit(text))))
    parts += [
        _triples(word) for word in words if len(word) >= (_COMPOUND if word.isascii() else _PART)
    ]
    parts += [plain for word in words if (plain := letter_spellings.plain(word)) != word]
    return " . ".join(parts + _emoji(text))


class Gram(NamedTuple):
    """A pair of characters, a single one as the beginning of a pair, or an emoji."""

    text: str
    is_prefix: bool = False


def query_grams(text: str) -> list[Gram]:
    """Return the ``grams`` to search for the unspaced text and the emoji of a text."""
    grams = []
    runs = UNSPACED.findall(normal_forms.nfkc(text))
    for run in [run for run in runs if run not in _CLINGING] or runs:
        if len(run) == 1:
            grams.append(Gram(run, is_prefix=True))
            continue
        pairs = _slices(run, 2)
        telling = [pair for pair in pairs if not _PARTICLES.issuperset(pair)]
        grams += map(Gram, telling or pairs)
    return list(dict.fromkeys([*grams, *map(Gram, _emoji(text))]))


def in_other_kana(text: str) -> dict[str, list[str]]:
    """Return phrases for runs of katakana or hiragana in the other kana, by their pairs.

    A particle after a run of hiragana may be no part of it, so there is a phrase without it too.
    """
    found: dict[str, list[str]] = {}
    for run in _KANA.findall(normal_forms.nfkc(text)):
        whole = [run, run[:-1]] if run[2:] and run[-1] in _TAILS else [run]
        phrases = [" ".join(_slices(part.translate(_OTHER_KANA), 2)) for part in whole]
        for pair in _slices(run, 2):
            found.setdefault(pair, phrases)
    return found


def inside(word: str) -> list[str]:
    """Return the phrase that finds a folded word inside longer ones; none for a short word."""
    return [_triples(word)] if len(word) >= (_PART_ASCII if word.isascii() else _PART) else []


def _triples(word: str) -> str:
    return " ".join(f"3{triple}" for triple in _slices(word, 3))


def _slices(run: str, size: int) -> list[str]:
    return [run[i : i + size] for i in range(max(1, len(run) - size + 1))]


def _emoji(text: str) -> list[str]:
    if text.isascii():
        return []
    return [f"u{ord(char):x}" for char in text if unicodedata.category(char) == "So"]
