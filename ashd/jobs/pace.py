"""A pace for background work: short queues run at once, long ones slowly, so that calls come first.

Pure.
"""

from typing import Final

BURST: Final = 20
PER_SECOND: Final = 8.0
"""A language model is slower than this; it only slows down jobs that need none."""


class Pace:
    """Computes when the next job may begin; `now` is any clock in seconds that never goes back."""

    def __init__(self, now: float) -> None:
        self._level = float(BURST)
        self._at = now

    def wait(self, now: float) -> float:
        """Return the seconds until the next job may begin."""
        self._fill(now)
        return 0.0 if self._level >= 1 else (1 - self._level) / PER_SECOND

    def take(self, now: float) -> None:
        """Count a job that begins."""
        self._fill(now)
        self._level -= 1

    def _fill(self, now: float) -> None:
        self._level = min(self._level + (now - self._at) * PER_SECOND, BURST)
        self._at = now
