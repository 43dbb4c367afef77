"""Counts that are written down beside the calls, so that none of them waits for the disk."""

from abc import ABC, abstractmethod
from typing import Final

import anyio

_EVERY_SECONDS: Final = 0.5


class DeferredWrites(ABC):
    """Collects, and writes down every moment; a crash costs at most that moment."""

    def __init__(self) -> None:
        self._wake = anyio.Event()

    def wake(self) -> None:
        """There is something to write down."""
        self._wake.set()

    async def run(self) -> None:
        """Write down what was collected, for as long as the daemon runs."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await anyio.sleep(_EVERY_SECONDS)
            await self.flush()

    @abstractmethod
    async def flush(self) -> None:
        """Write down what was collected; a disk that is full costs the note, not the daemon."""
