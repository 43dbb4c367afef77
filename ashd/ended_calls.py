"""Work in a thread ends with the call that it is for: it asks between two of its texts."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

import anyio.from_thread

T = TypeVar("T")


def while_wanted(items: Iterable[T]) -> Iterator[T]:
    """Yield the items as long as the call that this thread works for is neither over nor cancelled.

    Outside of a worker thread, all of them.
    """
    for item in items:
        with suppress(RuntimeError):  # no worker thread
            anyio.from_thread.check_cancelled()
        yield item
