"""Phrases of the full-text index: texts and terms, split into tokens as the index splits them.

With them the terms of a passage are found without a query. What must hold: a passage holds a term
that has a phrase exactly if the phrase is among the phrases of the passage.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Final, NamedTuple, TypeAlias

from ashd.store.full_text_terms import Term
from ashd.store.full_text_tokens import split

LONGEST: Final = 3
"""The most tokens of a phrase: a date in figures has three."""

Phrase: TypeAlias = tuple[str, ...]
"""The columns that a term names, then the tokens of the phrase."""


class Texts(NamedTuple):
    """The texts of a passage in the index."""

    body: str
    names: str
    dates: str
    grams: str


def is_word(phrase: Phrase) -> bool:
    """Return whether a phrase has one token only."""
    return len(phrase) == 2


def of_terms(terms: Sequence[Term]) -> list[Phrase | None]:
    """Return the phrase of each term; None for one that only the index can find."""
    return [_of_term(term) for term in terms]


def in_texts(texts: Texts) -> set[Phrase]:
    """Return all phrases of a passage."""
    columns = [split(text) for text in texts if text]
    found: set[Phrase] = set()
    for tokens in columns:
        found.update(*_runs("text and dates", tokens))
    if texts.grams:
        found.update(*_runs("grams", columns[-1]))
    return found


def _of_term(term: Term) -> Phrase | None:
    if term.is_prefix or term.where not in {"text and dates", "grams"}:
        return None
    tokens = split(term.text)
    return (term.where, *tokens) if 1 <= len(tokens) <= LONGEST else None


def _runs(columns: str, tokens: Sequence[str]) -> Iterator[Iterable[Phrase]]:
    """Yield the phrases of each length."""
    for length in range(1, LONGEST + 1):
        yield zip(repeat(columns), *(tokens[start:] for start in range(length)), strict=False)
