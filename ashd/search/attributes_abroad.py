"""What is asked for in a language other than English, and the words that state it.

Owns how the tables of `attribute_tables` and `attribute_tables_east` are read. As with the English
ones (`attributes`), a word that asks may also be found as one of those that state it, for a little
less than itself: those of its own language, and the English ones, for agents note in English what
they are told in another language.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from ashd.search import attribute_tables, attribute_tables_east, attributes
from ashd.search.attribute_tables_east import FUNCTION_WORDS
from ashd.search.languages import plain

UNSPLIT: Final = frozenset(FUNCTION_WORDS)
"""Languages whose questions are not split into words here."""

_TABLES: Final = attribute_tables.TABLES | attribute_tables_east.TABLES
_WORD: Final = re.compile(r"[^\W_]+")


class _Table(NamedTuple):
    """What states it, by a word that asks, by how such a word begins, by several in a row."""

    words: dict[str, tuple[str, ...]]
    stems: dict[str, tuple[str, ...]]
    phrases: dict[str, tuple[str, ...]]


def stated(language: str, term: str) -> tuple[str, ...]:
    """The words that state what a folded word asks for in a language, itself left out.

    One that ends with * stands for all words that begin so.
    """
    if language in UNSPLIT:
        return ()
    table, word = _table(language), plain(term)
    found = list(table.words.get(word, ()))
    for stem, words in table.stems.items():
        if word.startswith(stem):
            found += words
    return tuple(dict.fromkeys(said for said in found if said != term))


def stated_by_phrases(language: str, text: str) -> list[tuple[frozenset[str], tuple[str, ...]]]:
    """For each run of words in a question that asks for something: them, what states it."""
    if language in UNSPLIT:
        return []
    padded = f" {' '.join(_WORD.findall(plain(text)))} "
    return [
        (frozenset(phrase.split()), words)
        for phrase, words in _table(language).phrases.items()
        if f" {phrase} " in padded
    ]


def read_unsplit(language: str, text: str) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
    """What is left of a question that is not split into words, and what it asks for.

    Each is what asks, as it stands there, and what states it; the longest that asks comes first.
    Neither they nor function words are in what is left.
    """
    table = _table(language)
    asked = []
    for asking, words in (table.phrases | table.words).items():
        if asking in text:
            asked.append((asking, words))
            text = text.replace(asking, " ")
    return FUNCTION_WORDS[language].sub(" ", text), asked


@cache
def _table(language: str) -> _Table:
    found: dict[str, dict[str, None]] = {}
    lines = _TABLES.get(language, "")
    for line in (
        (lines if language in UNSPLIT else plain(lines)).replace("\n  ", " ").strip().splitlines()
    ):
        left, _, right = line.partition(":")
        asked, _, english = (part.strip() for part in left.partition(">"))
        asking = [part.strip() for part in asked.split(",")]
        words = [part for part in asking if " " not in part]
        words += [part.replace("_", " ") for part in right.split()]
        words += [english, *attributes.stated(english)]
        for part in asking:
            found.setdefault(part, {}).update(dict.fromkeys(words))
    longest = sorted(found, key=len, reverse=True) if language in UNSPLIT else list(found)
    table = _Table({}, {}, {})
    for part in longest:
        if part.endswith("*"):
            table.stems[part[:-1]] = tuple(found[part])
        elif " " in part and language not in UNSPLIT:
            table.phrases[" ".join(_WORD.findall(part))] = tuple(found[part])
        else:
            table.words[part] = tuple(found[part])
    return table
