"""Splits texts into pieces of BERT's vocabulary (WordPiece): the tokens of MiniLM.

Owns an installed model's vocabulary and the forms of characters. What must always hold: the tokens
are those of the tokenizer that the model was trained with, whatever Unicode this Python knows. So
the forms (small letters, without accents; punctuation and Chinese characters apart; control
characters left out) are a table, which `benchmarks/word_forms.py` reads from that tokenizer.

A word is cut into the longest pieces that the vocabulary has, from the left. No text costs much: a
form has at most three characters and two spaces, a word with a letter that no piece has is unknown
at once, and pieces are short.
"""

import sys
from bisect import bisect_right
from pathlib import Path
from typing import Final

import msgspec

from ashd.language import normal_forms

FORMS: Final = Path(__file__).with_name("word_forms.json")

_LONGEST_WORD_CHARS: Final = 100
"""Longer words are unknown, as in the model's training."""
_READY: Final = 0x250
"""Characters below, those of most Latin texts, are looked up without a search in the ranges."""
_HANGUL: Final = range(0xAC00, 0xD7A4)
"""Syllables, which are written as their letters."""
_CONTINUES: Final = "##"
"""The mark of a piece that goes on with a word."""


class WordForms(msgspec.Struct, frozen=True):
    """The characters that are not read as they are written."""

    left_out: list[tuple[int, int]]
    """First and last of each range."""
    apart: list[tuple[int, int]]
    """Words of their own."""
    written: dict[str, str]
    """Read as other characters."""


class WordPiece:
    """The tokens of texts, and of pairs of texts, cut to `longest` with the model's marks."""

    def __init__(self, file: Path, *, longest: int) -> None:
        """Read the vocabulary from a `tokenizer.json`.

        Raises OSError, KeyError without the model's marks, or msgspec's error.
        """
        vocabulary = msgspec.json.decode(file.read_bytes(), type=_File).model.vocab
        self.pieces: Final = sorted(vocabulary, key=vocabulary.__getitem__)
        self._longest: Final = longest
        self._begin, self._end, self._unknown = (
            vocabulary[mark] for mark in ("[CLS]", "[SEP]", "[UNK]")
        )
        self._starts: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        for piece, number in vocabulary.items():
            if piece.startswith(_CONTINUES):
                self._parts[piece.removeprefix(_CONTINUES)] = number
            else:
                self._starts[piece] = number
        self._letters = frozenset("".join(vocabulary))
        self._longest_piece = max(map(len, vocabulary))
        self._forms = _Forms(msgspec.json.decode(FORMS.read_bytes(), type=WordForms))

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text between the marks of its beginning and end."""
        return [self._begin, *self._read(text, self._longest - 2), self._end]

    def pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """Return the tokens of two texts, and for each token 0 or 1, its text's number.

        Of texts that are too long together, the shorter one has half of the space or is whole.
        """
        one, other = (self._read(text, sys.maxsize) for text in (first, second))
        space = self._longest - 3
        if len(one) + len(other) > space:
            of_shorter = min(len(one), len(other), space // 2)
            longer, shorter = (one, other) if len(one) > len(other) else (other, one)
            del longer[space - of_shorter :], shorter[of_shorter:]
        ids = [self._begin, *one, self._end, *other, self._end]
        return ids, [0] * (len(one) + 2) + [1] * (len(other) + 1)

    def _read(self, text: str, most: int) -> list[int]:
        """Return the first `most` tokens of a text."""
        found: list[int] = []
        for word in text.translate(self._forms).split():
            whole = self._starts.get(word)
            if whole is None:
                found += self._cut(word)
            else:
                found.append(whole)
            if len(found) >= most:
                break
        return found[:most]

    def _cut(self, word: str) -> list[int]:
        """Return the pieces of a word; the one for unknown words if they do not make it up."""
        size = len(word)
        if size > _LONGEST_WORD_CHARS or not self._letters.issuperset(word):
            return [self._unknown]
        found: list[int] = []
        at, known = 0, self._starts
        while at < size:
            for end in range(min(size, at + self._longest_piece), at, -1):
                if (piece := known.get(word[at:end])) is not None:
                    break
            else:
                return [self._unknown]
            found.append(piece)
            at, known = end, self._parts
        return found


class _Forms(dict[int, str]):
    """The form of each character, for `str.translate`. It does not grow with what is read."""

    def __init__(self, forms: WordForms) -> None:
        super().__init__({ord(char): form for char, form in forms.written.items()})
        self._apart = frozenset(forms.apart)
        self._ranges = sorted([*forms.left_out, *forms.apart])
        self._firsts = [first for first, _ in self._ranges]
        self.update({code: self[code] for code in range(_READY)})

    def __missing__(self, code: int) -> str:
        char = chr(code)
        place = bisect_right(self._firsts, code) - 1
        if place >= 0 and code <= self._ranges[place][1]:
            return f" {char} " if self._ranges[place] in self._apart else ""
        return normal_forms.nfd(char) if code in _HANGUL else char


class _Model(msgspec.Struct):
    vocab: dict[str, int]


class _File(msgspec.Struct):
    model: _Model
