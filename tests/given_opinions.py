"""A reader of texts whose opinions a test gives, in place of the trained model's."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ashd.memory.judge import NO_OPINION, Opinion, PairModel
from ashd.memory.opinions import Reader
from ashd.providers.embedder import Embedding, FloatVector, TokenVectors

Given = Mapping[tuple[str, str], Opinion]
"""Opinions by (older, newer) text; there is none on any other pair."""


def reader_of(given: Given) -> Reader:
    """Return a reader with these opinions; texts that have one are near to each other."""
    model: Any = _Model(given)
    static: Any = _Static({text for pair in given for text in pair})
    return Reader(model, static)


class _Static:
    def __init__(self, known: set[str]) -> None:
        self._known = known

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        tokens = TokenVectors(np.ones((1, 1), np.int8), np.zeros(1, np.int32))
        return [Embedding(one, tokens) for one in self.pooled(texts)]

    def pooled(self, texts: Sequence[str]) -> FloatVector:
        near, far = (1, 0), (0, 1)
        return np.array([near if text in self._known else far for text in texts], np.float32)


class _Model:
    floor = 0.0
    may_read = staticmethod(bool)
    cosines = staticmethod(PairModel.cosines)

    def __init__(self, given: Given) -> None:
        self._given = given

    def opinions(self, newer: Any, olders: list[Any]) -> list[Opinion]:
        return [self._given.get((older.text, newer.text), NO_OPINION) for older in olders]
