"""Find the start and the end of a name in a text, by its letters and its place.

Pure; the same must hold as in `references`.
"""

from collections.abc import Sequence
from typing import Final

from ashd.language.english_words import word_set
from ashd.language.people import vocabulary
from ashd.language.word_patterns import CHARACTER_WORD
from ashd.language.words import Word, split

_MAX_NAME_WORDS: Final = 4
_BEFORE_MONTHS: Final = word_set(
    "in since until till by of from last next this early late before after"
)
_JOINS: Final = frozenset((" ", ". ", ".", ""))


def joined(words: Sequence[Word]) -> str:
    """Return the words as they are in their text."""
    return "".join((word.gap if i else "") + word.text for i, word in enumerate(words))


def continues_name(words: Sequence[Word], at: int) -> bool:
    """Return whether only space, or a title's or initial's dot, is before the word at an index.

    A word with a Turkish ending, as in "Elif İzmir'de", begins something else, and ends a name.
    """
    gap, before = words[at].gap, words[at - 1]
    is_dotted = before.key in vocabulary.TITLES or len(before.text) == 1
    is_inflected = words[at].inflected or before.inflected
    return gap in _JOINS and ("." not in gap or is_dotted) and not is_inflected


def is_name_word(words: list[Word], at: int) -> bool:
    """Return whether a word may be part of a name: by its letters, place and other meanings."""
    word = words[at]
    if _is_initial(words, at):
        return True
    if not word.capital or word.key in vocabulary.NOT_NAMES or any(c.isdigit() for c in word.text):
        return False
    if len(word.text) > 2 and word.text.isupper() and word.text.lower() != word.text.upper():
        return False  # an acronym
    if word.key in vocabulary.MONTH_NAMES and at + 1 < len(words):
        return not words[at + 1].text[0].isdigit()
    return True


def _is_initial(words: list[Word], at: int) -> bool:
    """Return whether a letter is the first of several initials: the "A" of "A. B. Cole"."""
    return (
        at + 2 < len(words)
        and all(len(word.text) == 1 and word.text.isupper() for word in words[at : at + 2])
        and all(word.gap.strip() == "." for word in words[at + 1 : at + 3])
        and words[at + 2].capital
    )


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


def key_at(words: list[Word], at: int) -> str:
    """Return the folded word at an index; empty after the last."""
    return words[at].key if at < len(words) else ""


def split_at_hyphens(text: str) -> list[Word]:
    """Return the words of a cleaned text, and the parts of those with hyphens."""
    return [part for word in split(text) for part in _parts(word)]


def _parts(word: Word) -> list[Word]:
    """Return the parts of a word at its hyphens: "Jean-Luc" may be written "Jean Luc"."""
    if "-" not in word.text:
        return [word]
    texts, keys = word.text.split("-"), word.key.split("-")
    if len(texts) != len(keys):
        return [word]
    last = len(texts) - 1
    return [
        Word(text, key, word.start, word.end, "-" if at else word.gap, word.owns and at == last)
        for at, (text, key) in enumerate(zip(texts, keys, strict=True))
    ]


def is_inside(words: list[Word], begin: int, end: int) -> bool:
    """Return whether the words are only a part of one with a hyphen: "Jean" of "Jean-Luc"."""
    return words[begin].gap == "-" or (end < len(words) and words[end].gap == "-")


def is_month_after(words: Sequence[Word], at: int) -> bool:
    """Return whether a word is rather a month, by the word before it: "in May"."""
    return at > 0 and words[at - 1].key in _BEFORE_MONTHS
