"""A reader of texts whose opinions a test gives, in place of the trained model's."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from ashd.language import tagged_words
from ashd.memory.judge import NO_OPINION, Opinion
from ashd.memory.opinions import Reader

Given = Mapping[tuple[str, str], Opinion]
"""Opinions by (older, newer) text; there is none on any other pair."""


def reader_of(given: Given) -> Reader:
    """Return a reader with these opinions; texts that have one are near to each other."""
    model: Any = _Model(given)
    static: Any = SimpleNamespace(embed=list)
    return Reader(model, static)


class _Model:
    may_read = staticmethod(bool)

    def __init__(self, given: Given) -> None:
        self._given = given

    def sides(self, read: list[tuple[str, Any]]) -> list[Any]:
        known = {text for pair in self._given for text in pair}
        near, far = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        return [
            SimpleNamespace(
                text=text,
                words=tagged_words.read(text),
                is_read=True,
                pooled=near if text in known else far,
            )
            for text, _ in read
        ]

    def opinions(self, newer: Any, olders: list[Any]) -> list[Opinion]:
        return [self._given.get((older.text, newer.text), NO_OPINION) for older in olders]
