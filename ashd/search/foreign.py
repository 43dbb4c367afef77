"""Whether a question is in another language than the embedder was made for. Pure."""

from typing import Final

from ashd.search import query
from ashd.search.candidates import Candidates
from ashd.search.query import Query
from ashd.search.spec import Vectors

_TAKEN_APART: Final = 2.0
"""Tokens a word: no English question has so many, a word of another language does."""
WHOLE: Final = 0.999
"""The coverage of a text that itself holds every word of the question."""


def is_foreign(asked: Query, found: Candidates, pieces_a_word: float) -> bool:
    """Return whether a question is not in English, by its words or by what it finds.

    A model that splits a question's words into pieces does not know them. A text that holds all of
    the words must not be outranked by one that only resembles the pieces.
    """
    if asked.languages or not asked.latin:
        return True
    apart = pieces_a_word >= _TAKEN_APART
    return apart and found.coverage is not None and bool((found.coverage > WHOLE).any())


def pieces_a_word(vectors: Vectors | None, asked: Query) -> float:
    """Return the average number of tokens that the embedder makes of a word of the question."""
    tokens = vectors.question.tokens if vectors else None
    return len(tokens.ids) / query.count_words(asked.text) if tokens else 0.0
