"""Tokens by who asked: what the questions inside one piece of work took together."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Spent:
    """The tokens of the calls that were made within `metered`."""

    tokens: int = 0


_spent: ContextVar[Spent | None] = ContextVar("_spent", default=None)


@contextmanager
def metered() -> Iterator[Spent]:
    """Count the tokens of what is asked inside, by this task and those that it starts."""
    spent = Spent()
    token = _spent.set(spent)
    try:
        yield spent
    finally:
        _spent.reset(token)


def note(tokens: int) -> None:
    """Count the tokens of a call, where somebody counts."""
    if (spent := _spent.get()) is not None:
        spent.tokens += tokens
