"""Made-up vectors of texts, the same for the same text; imports nothing of the daemon."""

from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

DIMENSION = 384
"""The number of dimensions of MiniLM."""
_TOPICS = 200
_SPREAD = 1.2


@cache
def vector_of(text: str) -> NDArray[np.float32]:
    """A made-up unit vector of a text, near to those of its topic."""
    number = crc32(text.encode())
    own = _unit(np.random.default_rng(number).standard_normal(DIMENSION))
    return _unit(_topic(number % _TOPICS) + _SPREAD * own).astype(np.float32)


@cache
def _topic(number: int) -> NDArray[np.float64]:
    return _unit(np.random.default_rng(number).standard_normal(DIMENSION))


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / np.linalg.norm(vector)
