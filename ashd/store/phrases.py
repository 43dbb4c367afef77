"""Phrases of the full-text index: texts and terms, split into tokens as the index splits them.

With them the terms of a passage are found without a query. What must hold: a passage holds a term
that has a phrase exactly if the phrase is among the phrases of the passage.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple, TypeAlias

import apsw

from ashd.store.full_text_terms import Term
from ashd.store.transaction import Tx

TOKENIZER: Final = ("porter", "unicode61", "remove_diacritics", "2")
"""The tokenizer of the index and its arguments, as in the schema."""
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


def of_terms(tx: Tx, terms: Sequence[Term]) -> list[Phrase | None]:
    """Return the phrase of each term; None for one that only the index can find."""
    split = _splitter(tx)
    return [_of_term(term, split) for term in terms]


def in_texts(tx: Tx, texts: Texts) -> set[Phrase]:
    """Return all phrases of a passage."""
    split = _splitter(tx)
    columns = [split(text) for text in texts if text]
    found: set[Phrase] = set()
    for tokens in columns:
        found.update(*_runs("text and dates", tokens))
    if texts.grams:
        found.update(*_runs("grams", columns[-1]))
    return found


def _of_term(term: Term, split: Callable[[str], list[str]]) -> Phrase | None:
    if term.is_prefix or term.where not in {"text and dates", "grams"}:
        return None
    tokens = split(term.text)
    return (term.where, *tokens) if 1 <= len(tokens) <= LONGEST else None


def _runs(columns: str, tokens: Sequence[str]) -> Iterator[Iterable[Phrase]]:
    """Yield the phrases of each length."""
    for length in range(1, LONGEST + 1):
        yield zip(repeat(columns), *(tokens[start:] for start in range(length)), strict=False)


def _splitter(tx: Tx) -> Callable[[str], list[str]]:
    name, *arguments = TOKENIZER
    tokenizer: Any = tx.connection.fts5_tokenizer(name, arguments)

    def split(text: str) -> list[str]:
        tokens: list[str] = tokenizer(
            text.encode(),
            apsw.FTS5_TOKENIZE_DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        return tokens

    return split
