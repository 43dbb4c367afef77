"""Find the start and the end of a name in a text, by its letters and its place.

Pure; the same must hold as in `references`.
"""

from collections.abc import Sequence
from typing import Final

from ashd.language.people import vocabulary
from ashd.language.word_patterns import CHARACTER_WORD
from ashd.language.words import Word

_MAX_NAME_WORDS: Final = 4
_JOINS: Final = frozenset((" ", ". ", ""))


def joined(words: Sequence[Word]) -> str:
    """Return the words as they are in their text."""
    return "".join((word.gap if i else "") + word.text for i, word in enumerate(words))


def continues_name(words: Sequence[Word], at: int) -> bool:
    """Return whether only space, or a title's or initial's dot, is before the word at an index."""
    gap, before = words[at].gap, words[at - 1]
    is_dotted = before.key in vocabulary.TITLES or len(before.text) == 1
    return gap in _JOINS and (gap != ". " or is_dotted)


def is_name_word(words: list[Word], at: int) -> bool:
    """Return whether a word may be part of a name: by its letters, place and other meanings."""
    word = words[at]
    if not word.capital or word.key in vocabulary.NOT_NAMES or any(c.isdigit() for c in word.text):
        return False
    if len(word.text) > 2 and word.text.isupper() and word.text.lower() != word.text.upper():
        return False  # an acronym
    if word.key in vocabulary.MONTH_NAMES and at + 1 < len(words):
        return not words[at + 1].text[0].isdigit()
    return True


def name_at(words: list[Word], at: int) -> tuple[str, int] | None:
    """Return the name that begins at `at`, and the index after it."""
    end = at
    while end < len(words):
        if end > at and (not continues_name(words, end) or words[end - 1].owns):
            break
        glued = bool(CHARACTER_WORD.match(words[end].text))
        if end - at >= _MAX_NAME_WORDS * (2 if glued else 1):
            break
        if is_name_word(words, end):
            end += 1
        elif (
            end > at
            and words[end].key in vocabulary.NAME_PARTICLES
            and any(is_name_word(words, i) for i in range(end + 1, min(end + 2, len(words))))
        ):
            end += 2
        else:
            break
    if end == at or (end - at == 1 and words[at].key in vocabulary.TITLES):
        return None
    return joined(words[at:end]), end


def name_before(words: list[Word], end: int) -> tuple[str, int] | None:
    """Return the name that ends before the word `end`, and the index where it begins."""
    begin = end
    while (
        begin
        and end - begin < _MAX_NAME_WORDS
        and is_name_word(words, begin - 1)
        and (begin == end or continues_name(words, begin))
    ):
        begin -= 1
    if begin == end:
        return None
    before = words[begin - 1].key if begin else ""
    if before in vocabulary.PLACE_PREPOSITIONS or before in {"hi", "hello", "hey", "dear"}:
        return None
    return joined(words[begin:end]), begin


def is_closed(words: list[Word], at: int) -> bool:
    """Return whether the phrase before the word `at` ends there."""
    return at >= len(words) or (
        words[at].gap.strip(" '\"") != "" or words[at].key in vocabulary.CLOSING_WORDS
    )


def key_at(words: list[Word], at: int) -> str:
    """Return the folded word at an index; empty after the last."""
    return words[at].key if at < len(words) else ""
