"""Count the tokens of all questions to the language model within one piece of work."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Spent:
    """The tokens of the calls that were made within `metered`."""

    tokens: int = 0


_spent: ContextVar[Spent | None] = ContextVar("_spent", default=None)


@contextmanager
def metered() -> Iterator[Spent]:
    """Count the tokens of calls made inside, by this task and by tasks that it starts."""
    spent = Spent()
    token = _spent.set(spent)
    try:
        yield spent
    finally:
        _spent.reset(token)


def note(tokens: int) -> None:
    """Count the tokens of a call, if a `metered` block is active."""
    if (spent := _spent.get()) is not None:
        spent.tokens += tokens
