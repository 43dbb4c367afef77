"""A pace for background work: bursts at once, long queues slowly, so calls come first. Pure."""

from typing import Final

BURST: Final = 20
PER_SECOND: Final = 8.0
"""A language model takes longer for its answers; only a queue that needs none would be faster."""


class Pace:
    """Says when the next job may begin; `now` is any clock in seconds that goes forward."""

    def __init__(self, now: float) -> None:
        self._level = float(BURST)
        self._at = now

    def wait(self, now: float) -> float:
        """Return the seconds until the next job may begin."""
        self._fill(now)
        return 0.0 if self._level >= 1 else (1 - self._level) / PER_SECOND

    def take(self, now: float) -> None:
        """A job begins."""
        self._fill(now)
        self._level -= 1

    def _fill(self, now: float) -> None:
        self._level = min(self._level + (now - self._at) * PER_SECOND, BURST)
        self._at = now
