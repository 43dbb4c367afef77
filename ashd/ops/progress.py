"""The progress of long work, for `system.status`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec


class Running(msgspec.Struct):
    """Long work in progress; `total` is 0 while it is unknown."""

    name: str
    done: int = 0
    total: int = 0


class Progress:
    """The daemon's long work in progress."""

    def __init__(self) -> None:
        self._running: list[Running] = []

    @property
    def running(self) -> list[Running]:
        """Return the work in progress, oldest first."""
        return [msgspec.structs.replace(one) for one in self._running]

    @contextmanager
    def of(self, name: str) -> Iterator[Callable[[int, int], None]]:
        """Show work while it runs; yields a function to call with `done` and `total`."""
        entry = Running(name)
        self._running.append(entry)

        def show(done: int, total: int) -> None:
            entry.done, entry.total = done, total

        try:
            yield show
        finally:
            self._running.remove(entry)
