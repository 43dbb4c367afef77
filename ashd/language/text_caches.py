"""Caches of functions of people's texts: all are emptied when an erasure is done.

A function whose arguments are texts, names or words that people wrote is cached by `cached_by_text`
and never by `lru_cache`, which would keep them in memory for as long as the daemon runs.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_EMPTYING: Final[list[Callable[[], None]]] = []


def cached_by_text(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache the results of a pure function for so many texts, until an erasure."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        cached = lru_cache(maxsize=maxsize)(function)
        _EMPTYING.append(cached.cache_clear)
        return cast("Callable[P, T]", cached)

    return decorate


def empty() -> None:
    """Empty every cache of texts."""
    for empty_one in _EMPTYING:
        empty_one()
