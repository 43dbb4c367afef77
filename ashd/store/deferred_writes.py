"""Counts that are written in the background, so that no call waits for the disk."""

from abc import ABC, abstractmethod
from typing import Final

import anyio

_EVERY_SECONDS: Final = 0.5


class DeferredWrites(ABC):
    """Collects counts and writes them every moment; a crash loses at most that moment."""

    def __init__(self) -> None:
        self._wake = anyio.Event()
        self._flushing = anyio.Lock()
        """Held while counts are written, so that none is added twice."""

    def wake(self) -> None:
        """Note that there is something to write."""
        self._wake.set()

    async def run(self) -> None:
        """Write the collected counts, for as long as the daemon runs."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await anyio.sleep(_EVERY_SECONDS)
            await self.flush()

    @abstractmethod
    async def flush(self) -> None:
        """Write the collected counts; on a full disk they are lost, but the daemon goes on."""
